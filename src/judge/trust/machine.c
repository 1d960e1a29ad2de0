/* Trust findings from the state of the GPUs during a run, such as throttling. */
#include <inttypes.h>

#include "base/text.h"
#include "metric/unit.h"
#include "model/fold.h"
#include "trust/finding.h"
#include "trust/trust.h"

enum { THROTTLED_MOST_PCT = 1 };

/* "GPU" and its id, or "its GPU" if the id is unknown, as in the baseline of a folded run. */
static const char *gpu_text(struct arena *a, const struct machine_stat *m)
{
	return m->id[0] ? arena_printf(a, "GPU %s", text_line(a, span_of(m->id))) : "its GPU";
}

static void find_throttled(const struct trust_scope *s, const struct machine_stat *m, bool warns)
{
	struct arena *a = &s->out->arena;
	if (m->throttled_pct <= THROTTLED_MOST_PCT * MICRO)
		return;
	trust_add(
	    s, "throttled", warns ? 0 : SPOILED_BY_CLOCKS,
	    "was throttled for %s of the time that %s was watched%s%s%s: its times are not "
	    "those of the code%s",
	    unit_text(a, UNIT_PCT, m->throttled_pct), gpu_text(a, m), m->reasons ? " (" : "",
	    m->reasons ? text_line(a, span_of(m->reasons)) : "", m->reasons ? ")" : "",
	    warns ? "" : "; if it is normal here, add 'throttled: warn' to 'environment' in the rules");
}

static void find_shared(const struct trust_scope *s, const struct machine_stat *m)
{
	if (m->other_processes > 0)
		trust_add(s, "shared-gpu", 0, "shared %s with %" PRId64 " other process%s",
		          gpu_text(&s->out->arena, m), m->other_processes,
		          m->other_processes == 1 ? "" : "es");
}

static void find_in_run(const struct run *run, struct trust_scope s, bool warns)
{
	size_t from = s.out->trust.nr;
	const struct run *ranks = run_ranks(run);
	for (size_t i = 0; i < ranks->ranks.nr; i++) {
		const struct digest *d = ranks->ranks.v[i];
		s.rank = ranks->ranks.nr > 1 ? d->rank : -1;
		for (size_t k = 0; k < d->machines.nr; k++) {
			find_throttled(&s, &d->machines.v[k], warns);
			find_shared(&s, &d->machines.v[k]);
		}
	}
	s.rank = -1;
	if (run_fold(run))
		trust_keep_some(&s, from);
}

void trust_find_machines(const struct run *baseline, const struct run *candidates, size_t nr,
                         bool warns, struct report *out)
{
	for (size_t i = 0; i < nr; i++) {
		struct trust_scope s = { out, true, -1, baseline ? NULL : "the run" };
		if (i)
			s.who = arena_printf(&out->arena, "run %zu of the candidate", i + 1);
		find_in_run(&candidates[i], s, warns);
	}
	if (baseline)
		find_in_run(baseline, (struct trust_scope){ out, false, -1, NULL }, warns);
}
