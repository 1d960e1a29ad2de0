/* Time in calls on the host, in operators and in collectives: how many, and how long each. */
#include "gate/attribution_parts.h"
#include "gate/words.h"

/* Over the usable steps; saturated. */
struct calls {
	int64_t steps, count, ns;
};

static void add(struct calls *c, int64_t count, int64_t ns)
{
	c->count = number_add(c->count, count);
	c->ns = number_add(c->ns, ns);
}

static int64_t step_total(const struct digest *d, enum metric_id id)
{
	return number_div_round(attribution_step_total(d, id), 1);
}

static bool is_label_of(const struct comm_stat *c, struct span label)
{
	struct strbuf b = STRBUF_INIT;
	comm_label(c, &b);
	bool same = span_eq(strbuf_span(&b), label);
	strbuf_release(&b);
	return same;
}

static void add_rank(const struct digest *d, const struct attribution_query *q, struct calls *c)
{
	c->steps = number_add(c->steps, d->usable_steps);
	switch (q->metric->id) {
	case METRIC_STEP_SYNC_TIME:
		add(c, step_total(d, METRIC_STEP_SYNC_COUNT), step_total(d, METRIC_STEP_SYNC_TIME));
		break;
	case METRIC_OP_TIME:
	case METRIC_OP_SELF_TIME:
		for (size_t i = 0; i < d->ops.nr; i++)
			if (d->ops.v[i].names == 0 && span_eq(d->ops.v[i].name, q->label))
				add(c, d->ops.v[i].count,
				    q->metric->id == METRIC_OP_TIME ? d->ops.v[i].total_ns : d->ops.v[i].self_ns);
		break;
	default: /* comm.time */
		for (size_t i = 0; i < d->comms.nr; i++)
			if (is_label_of(&d->comms.v[i], q->label))
				add(c, d->comms.v[i].count, d->comms.v[i].total_ns);
	}
}

static struct calls calls_of(const struct bench *b, int side, const struct attribution_query *q)
{
	struct calls c = { 0 };
	size_t nr = side == SIDE_CANDIDATE ? b->runs.nr_candidates : 1;
	for (size_t r = 0; r < nr; r++) {
		const struct run *run = side == SIDE_CANDIDATE ? &b->runs.candidates[r] : b->runs.baseline;
		for (size_t i = 0; i < run->ranks.nr; i++)
			if (rank_scope_has(q->ranks, run->ranks.v[i]->rank))
				add_rank(run->ranks.v[i], q, &c);
	}
	return c;
}

/* Δcount × the baseline's mean, and what that leaves. */
static void add_parts(const struct bench *b, const struct parts *p,
                      const struct attribution_query *q)
{
	struct calls x = calls_of(b, SIDE_BASELINE, q), y = calls_of(b, SIDE_CANDIDATE, q);
	const __int128 ns[NR_SIDES] = { x.ns, y.ns };
	const int64_t steps[NR_SIDES] = { x.steps, y.steps };
	int64_t calls = 0, change = attribution_mean_change(ns, steps);
	if (x.count > 0 && x.steps > 0 && y.steps > 0)
		calls = number_sub(number_div_round((__int128)x.ns * y.count, (__int128)x.count * y.steps),
		                   number_div_round(x.ns, x.steps));
	int64_t mean = number_sub(change, calls);
	if (calls)
		parts_add(p, 0, "number of calls", calls, "");
	if (mean)
		parts_add(p, 0, "mean duration of a call", mean, "");
	attribution_complete(p, q, number_sub(number_sub(q->change, q->later), change));
}

struct breakdown *attribution_of_calls(const struct bench *b, const struct attribution_query *q,
                                       struct arena *a)
{
	enum metric_id id = q->metric->id;
	if ((id != METRIC_STEP_SYNC_TIME && id != METRIC_OP_TIME && id != METRIC_OP_SELF_TIME &&
	     id != METRIC_COMM_TIME) ||
	    !b->runs.baseline)
		return NULL;
	const char *of = q->label.n ? arena_printf(a, " of '%s'", word_short(a, q->label, 60)) : "";
	struct parts p =
	    parts_new(a, arena_printf(a, "%s%s by number and duration of calls", q->metric->name, of),
	              q->metric->unit, q->change);
	add_parts(b, &p, q);
	return p.out;
}
