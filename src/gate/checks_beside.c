#include "gate/checks_beside.h"

#include "base/number.h"
#include "model/step_figures.h"

/* ---- unless another figure says the same ---- */

static bool is_within(int64_t own, int64_t other, int64_t pct)
{
	return pct < 0 || (__int128)number_distance(own, other) * 100 * MICRO <= (__int128)pct * other;
}

bool check_is_told(struct bench *b, const struct rule *rule, const struct entry *e)
{
	struct query q = rule->query;
	struct entries others;
	bool told = false;
	if (!rule->unless || !(e->has[SIDE_BASELINE] || e->has[SIDE_CANDIDATE]))
		return false;
	q.metric = rule->unless;
	bench_query(b, &q, &others);
	for (size_t i = 0; i < others.list.nr && !told; i++) {
		const struct entry *o = &others.list.v[i];
		told = o->rank == e->rank;
		for (int s = 0; s < NR_SIDES && told; s++)
			told = !e->has[s] ||
			       (o->has[s] && is_within(e->value[s], o->value[s], rule->unless_within));
	}
	vec_release(&others.list);
	return told;
}

/* ---- what the baseline could not know ---- */

bool check_predates(const struct bench *b, const struct rule *rule)
{
	const struct run *baseline = b->runs.baseline;
	bool older = false;
	for (size_t i = 0; baseline && i < baseline->ranks.nr; i++)
		older = older || (baseline->ranks.v[i]->nr_steps > 0 &&
		                  !digest_has_steps(baseline->ranks.v[i], METRIC_STEP_PERIOD));
	return older && rule->metric->since > 0;
}

/* ---- what a tick of the clock makes of no change ---- */

int64_t check_tick(const struct bench *b)
{
	int64_t tick = 0;
	for (size_t i = 0; i <= b->runs.nr_candidates; i++)
		for (size_t r = 0; r < b->view[i].run->ranks.nr; r++)
			number_raise(&tick, b->view[i].run->ranks.v[r]->trust.tick_ns);
	return tick;
}

/* Kernels per step behind a figure, in 1e-6; of the side that has more. */
static int64_t launches_of(struct bench *b, const struct rule *rule, const struct entry *e)
{
	struct query q = rule->query;
	struct entries counts;
	int64_t nr[NR_SIDES] = { 0 };
	bool step = rule->metric->per_step, category = rule->metric->label == LABEL_CATEGORY;
	struct arena scratch = ARENA_INIT;
	q.metric = &metric_table[step ? METRIC_STEP_KERNEL_COUNT : METRIC_KERNEL_COUNT];
	if (category)
		q.category = arena_dup(&scratch, e->label);
	bench_query(b, &q, &counts);
	for (size_t i = 0; i < counts.list.nr; i++) {
		const struct entry *c = &counts.list.v[i];
		if ((step || category || span_eq(c->label, e->label)) &&
		    (e->rank < 0 || c->rank < 0 || c->rank == e->rank))
			for (int s = 0; s < NR_SIDES; s++)
				nr[s] = number_add(nr[s], c->value[s]);
	}
	vec_release(&counts.list);
	arena_release(&scratch);
	int64_t most = nr[SIDE_BASELINE] > nr[SIDE_CANDIDATE] ? nr[SIDE_BASELINE] : nr[SIDE_CANDIDATE];
	return step ? number_div_round((__int128)most * MICRO, 1) : most;
}

/* Times of the host and of collectives are differences of two readings of the clock. */
static bool is_of_kernels(const struct metric *m)
{
	return (m->per_step && m->need == NEED_GPU) || m->id == METRIC_KERNEL_TIME ||
	       m->id == METRIC_CATEGORY_TIME;
}

int64_t check_floor(struct bench *b, const struct rule *rule, const struct entry *e)
{
	const struct metric *m = rule->metric;
	int64_t tick = check_tick(b), launches = MICRO;
	if (tick <= 1 || (m->unit != UNIT_NS && m->unit != UNIT_NS_PER_STEP))
		return 0;
	if (is_of_kernels(m))
		number_raise(&launches, launches_of(b, rule, e));
	return number_div_round((__int128)launches * tick, MICRO);
}
