#include "diff/breakdown_of.h"

#include "base/text.h"
#include "diff/breakdown_internal.h"
#include "diff/drift.h"

/* ---- ranks that a query covers ---- */

static struct span label_of(const struct breakdown_input *in, int side)
{
	const struct breakdown_query *q = in->query;
	const struct activity_pair *a =
	    q->renamed && side == SIDE_BASELINE ? drift_find(in->pairs, q->label) : NULL;
	return a && a->partner ? a->partner->name : q->label;
}

void breakdown_each_rank(const struct breakdown_input *in,
                         void (*fn)(void *ctx, const struct covered_rank *r), void *ctx)
{
	const struct bench *b = in->bench;
	for (size_t r = 0; r < 1 + b->runs.nr_candidates; r++) {
		struct covered_rank covered = { .side = r ? SIDE_CANDIDATE : SIDE_BASELINE,
			                            .view = &b->view[r] };
		covered.label = label_of(in, covered.side);
		for (size_t i = 0; i < covered.view->run->ranks.nr; i++) {
			covered.rank = &covered.view->ranks[i];
			if (rank_scope_has(in->query->ranks, covered.rank->digest->rank))
				fn(ctx, &covered);
		}
	}
}

size_t breakdown_nr_ranks(const struct breakdown_input *in)
{
	const struct run *run = in->bench->run[SIDE_BASELINE];
	size_t nr = 0;
	for (size_t i = 0; i < run->ranks.nr; i++)
		nr += rank_scope_has(in->query->ranks, run->ranks.v[i]->rank);
	return nr;
}

/* ---- start and end of every breakdown ---- */

struct parts breakdown_begin(const struct breakdown_input *in, const char *by)
{
	const struct breakdown_query *q = in->query;
	const char *of =
	    q->label.n ? arena_printf(in->arena, " of '%s'", text_short(in->arena, q->label, 60)) : "";
	enum unit unit = q->metric->unit;
	bool mean = q->metric->per_step || (unit >= UNIT_NS_PER_STEP && unit <= UNIT_BYTES_PER_STEP);
	size_t nr = mean ? breakdown_nr_ranks(in) : 1;
	const char *shares =
	    nr > 1 ? arena_printf(in->arena, ", shares of the mean over %zu ranks", nr) : "";
	const char *title = arena_printf(in->arena, "%s%s by %s%s", q->metric->name, of, by, shares);
	return parts_new(in->arena, q->metric, title, q->change);
}

struct breakdown *breakdown_end(struct parts *p, struct node *root, const struct breakdown_query *q,
                                int64_t rest)
{
	parts_write(p, root, q->later, "not attributed", rest);
	return p->out;
}

/* ---- the kind of breakdown for a metric ---- */

static struct breakdown *by_parts(const struct breakdown_input *in)
{
	struct breakdown *out = breakdown_by_call(in);
	return out ? out : breakdown_by_term(in);
}

struct breakdown *breakdown_of(const struct bench *b, const struct activity_pairs *p,
                               const struct breakdown_query *q, struct arena *a)
{
	struct breakdown_input in = { .bench = b, .pairs = p, .query = q, .arena = a };
	enum parts_kind kind = q->metric->parts;
	bool of_phase = q->metric->per_step && q->label.n;
	if (kind == PARTS_ACTIVITIES && !of_phase) {
		struct breakdown *by_code = breakdown_by_code(&in);
		return by_code ? by_code : breakdown_by_activity(&in);
	}
	if (!b->runs.baseline || kind == PARTS_RATE || kind == PARTS_SHARE)
		return NULL;
	if (of_phase)
		return breakdown_by_phase(&in);
	if (kind == PARTS_LACKED_STEPS)
		return breakdown_of_lacked_steps(&in);
	struct breakdown *out = breakdown_by_code(&in);
	if (!out)
		out = by_parts(&in);
	if (!out)
		out = breakdown_by_rank(&in);
	in.any_ranks = true;
	return out ? out : by_parts(&in);
}
