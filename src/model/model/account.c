#include "model/account.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "metric/unit.h"

int64_t account_empty_steps(const struct digest *d)
{
	int64_t empty = 0;
	bool kept = !d->window && !d->summaries.nr && d->step_activities;
	for (int64_t i = 0; kept && i < d->usable_steps; i++)
		empty += !d->step_activities[i];
	return empty;
}

const char *account_text(const struct run *run, int64_t nr_ranks, struct arena *a)
{
	const struct digest *least = NULL; /* the rank with the fewest judged steps */
	struct strbuf b = STRBUF_INIT;
	int64_t judged_ns = 0, whole_ns = 0, fewest = 0;
	bool known = true;
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (!d->trust.gpu_events)
			continue;
		known = known && account_is_known(&d->trust);
		judged_ns = number_add(judged_ns, account_judged_ns(&d->trust));
		whole_ns = number_add(whole_ns, account_whole_ns(&d->trust));
		int64_t with_work = d->usable_steps - account_empty_steps(d);
		if (!least || with_work < fewest) {
			least = d;
			fewest = with_work;
		}
	}
	if (!least)
		return NULL;
	if (least->window)
		strbuf_adds(&b, "judged: the whole recording");
	else
		strbuf_addf(&b, "judged: %" PRId64 " of %" PRId64 " steps", least->usable_steps,
		            least->total_steps);
	if (fewest < least->usable_steps)
		strbuf_addf(&b, " (%" PRId64 " without GPU work)", least->usable_steps - fewest);
	if (known && whole_ns > 0)
		strbuf_addf(&b, ", %s of the GPU time",
		            unit_text(a, UNIT_PCT, number_pct(judged_ns, whole_ns)));
	if (nr_ranks > 1 || least->world_size > 1)
		strbuf_addf(&b, ", %" PRId64 " of %" PRId64 " ranks", nr_ranks,
		            least->world_size > nr_ranks ? least->world_size : nr_ranks);
	return arena_take(a, &b);
}

struct account_known account_known(const struct digest *d, enum account_origin origin)
{
	struct account_known k = { 0 };
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		const struct span of[] = { c->op, c->module, c->place };
		if (c->kind == CODE_SYNC)
			continue;
		k.of_ns = number_add(k.of_ns, c->total_ns);
		k.ns = number_add(k.ns, of[origin].n ? c->total_ns : 0);
		k.others = number_add(k.others, of[origin].n ? 0 : c->count);
	}
	return k;
}
