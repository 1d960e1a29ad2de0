#include "gate/checks_beside.h"

#include "base/number.h"
#include "base/search.h"

/* ---- the entries of one rank ---- */

static size_t end_of_label(const struct entries *all, size_t first)
{
	const struct entry *v = all->list.v;
	size_t lo = first, hi = all->list.nr;
	SEARCH(lo, hi, i, span_eq(v[i].label, v[first].label));
	return lo;
}

/* Index of the first entry in [lo, hi) with a rank ≥ `rank`; `hi` if there is none. All entries in
   [lo, hi) have one label. */
static size_t first_of_rank(const struct entries *all, size_t lo, size_t hi, int64_t rank)
{
	SEARCH(lo, hi, i, all->list.v[i].rank < rank);
	return lo;
}

/* ---- the rule's `unless` ---- */

static bool says_the_same(const struct rule *rule, const struct entry *e, const struct entry *o)
{
	__int128 pct = rule->unless_within;
	bool same = true;
	for (int s = 0; s < NR_SIDES && same; s++) {
		__int128 apart = (__int128)number_distance(e->value[s], o->value[s]) * 100 * MICRO;
		same = !e->has[s] || (o->has[s] && (pct < 0 || apart <= pct * o->value[s]));
	}
	return same;
}

bool check_is_told(struct beside *b, const struct entry *e)
{
	struct query q = b->rule->query;
	bool told = false;
	if (!b->rule->unless || !(e->has[SIDE_BASELINE] || e->has[SIDE_CANDIDATE]))
		return false;
	q.metric = b->rule->unless;
	if (!b->has_others)
		bench_query(b->bench, &q, &b->others);
	b->has_others = true;
	for (size_t i = 0, end; i < b->others.list.nr && !told; i = end) {
		end = end_of_label(&b->others, i);
		size_t at = first_of_rank(&b->others, i, end, e->rank);
		const struct entry *o = &b->others.list.v[at];
		told = at < end && o->rank == e->rank && says_the_same(b->rule, e, o);
	}
	return told;
}

/* ---- the smallest change that the clock can show ---- */

static void ask_launches(struct beside *b, struct span category)
{
	struct query q = b->rule->query;
	struct arena scratch = ARENA_INIT;
	if (b->has_launches && span_eq(b->category, category))
		return;
	vec_release(&b->launches.list);
	bool step = b->rule->metric->per_step;
	q.metric = &metric_table[step ? METRIC_STEP_KERNEL_COUNT : METRIC_KERNEL_COUNT];
	if (category.n)
		q.category = arena_dup(&scratch, category);
	bench_query(b->bench, &q, &b->launches);
	arena_release(&scratch);
	b->category = category;
	b->has_launches = true;
}

static void add_counts(const struct entries *all, size_t from, size_t end, int64_t *nr)
{
	for (const struct entry *e = all->list.v + from; e < all->list.v + end; e++)
		for (int s = 0; s < NR_SIDES; s++)
			nr[s] = number_add(nr[s], e->value[s]);
}

/* Number of kernel launches per step, in millionths, whose times the figure of the entry `e` sums
   up; of the two sides, the larger number. */
static int64_t launches_of(struct beside *b, const struct entry *e)
{
	int64_t nr[NR_SIDES] = { 0 };
	bool step = b->rule->metric->per_step, category = b->rule->metric->label == LABEL_CATEGORY;
	ask_launches(b, category ? e->label : SPAN(""));
	const struct entries *all = &b->launches;
	for (size_t i = 0, end; i < all->list.nr; i = end) {
		end = end_of_label(all, i);
		if (!step && !category && !span_eq(all->list.v[i].label, e->label))
			continue;
		if (e->rank >= 0) { /* entries of no single rank come first, and count for every rank */
			add_counts(all, i, first_of_rank(all, i, end, 0), nr);
			i = first_of_rank(all, i, end, e->rank);
		}
		add_counts(all, i, e->rank >= 0 ? first_of_rank(all, i, end, e->rank + 1) : end, nr);
	}
	int64_t most = nr[SIDE_BASELINE] > nr[SIDE_CANDIDATE] ? nr[SIDE_BASELINE] : nr[SIDE_CANDIDATE];
	return step ? number_div_round((__int128)most * MICRO, 1) : most;
}

int64_t check_floor(struct beside *b, const struct metric *m, const struct entry *e)
{
	int64_t tick = b->bench->tick_ns, launches = MICRO;
	if (tick <= 1 || !unit_is_time(m->unit))
		return 0;
	/* each kernel that the figure sums up adds an error of one tick; times of the host or of
	 * collectives are differences of two clock values, and have an error of only one tick */
	if ((m->per_step && m->need == NEED_GPU) ||
	    (m->parts == PARTS_ACTIVITIES && m->label != LABEL_NONE))
		number_raise(&launches, launches_of(b, e));
	return number_div_round((__int128)launches * tick, MICRO);
}

void beside_release(struct beside *b)
{
	vec_release(&b->others.list);
	vec_release(&b->launches.list);
}
