/* step.time by what ran meanwhile; other figures by what they are made of, or by rank. */
#include <inttypes.h>

#include "gate/attribution_parts.h"
#include "gate/words.h"

/* ---- what they are made of ---- */

/* Sum over the usable steps of a rank. */
typedef __int128 total_fn(const struct digest *d);

static __int128 part_total(const struct digest *d, enum step_part part)
{
	__int128 sum = 0;
	for (int64_t i = 0; i < d->usable_steps; i++)
		sum += d->parts[part][i];
	return sum;
}

static __int128 compute(const struct digest *d)
{
	return part_total(d, STEP_PART_COMPUTE);
}

static __int128 communication(const struct digest *d)
{
	return part_total(d, STEP_PART_COMM);
}

static __int128 memory(const struct digest *d)
{
	return part_total(d, STEP_PART_MEMORY);
}

static __int128 idle(const struct digest *d)
{
	return part_total(d, STEP_PART_IDLE);
}

__int128 attribution_step_total(const struct digest *d, enum metric_id id)
{
	__int128 sum = 0;
	for (size_t i = 0; i < d->summaries.nr; i++)
		if (d->summaries.v[i].metric == id)
			return d->summaries.v[i].value[STAT_TOTAL];
	for (int64_t i = 0; i < d->usable_steps; i++)
		sum += d->samples[id][i];
	return sum;
}

static __int128 exposed(const struct digest *d)
{
	return attribution_step_total(d, METRIC_STEP_EXPOSED_COMM_TIME);
}

static __int128 busy_unexposed(const struct digest *d)
{
	return attribution_step_total(d, METRIC_STEP_BUSY_TIME) - exposed(d);
}

static __int128 communication_kernels(const struct digest *d)
{
	return attribution_step_total(d, METRIC_STEP_COMM_TIME);
}

static __int128 not_exposed(const struct digest *d)
{
	return exposed(d) - communication_kernels(d);
}

static __int128 period(const struct digest *d)
{
	return attribution_step_total(d, METRIC_STEP_IDLE_TIME) +
	       attribution_step_total(d, METRIC_STEP_BUSY_TIME);
}

static __int128 not_idle(const struct digest *d)
{
	return -attribution_step_total(d, METRIC_STEP_BUSY_TIME);
}

/* The rows of one metric; they add up to it in every step. */
static const struct made_of {
	enum metric_id metric;
	bool one_rank; ///< several are told apart instead
	const char *by; ///< for the title
	struct {
		const char *label;
		total_fn *total;
	} rows[NR_STEP_PARTS];
} made_of[] = {
	{ METRIC_STEP_TIME,
	  false,
	  "what runs meanwhile",
	  { { "compute", compute },
	    { "exposed communication", communication },
	    { "exposed memory operations", memory },
	    { "idle GPU", idle } } },
	{ METRIC_STEP_BUSY_TIME,
	  false,
	  "what runs",
	  { { "compute and memory operations", busy_unexposed },
	    { "exposed communication", exposed } } },
	{ METRIC_STEP_EXPOSED_COMM_TIME,
	  true,
	  "communication and what hides it",
	  { { "communication kernels", communication_kernels },
	    { "hidden by compute kernels or by each other", not_exposed } } },
	{ METRIC_STEP_IDLE_TIME,
	  true,
	  "what surrounds it",
	  { { "from step to step", period }, { "GPU busy", not_idle } } },
};

/* Sum over the ranks in `scope` of all runs of a side, and their steps. */
static __int128 side_total(const struct bench *b, int side, struct rank_scope scope,
                           total_fn *total, int64_t *steps)
{
	__int128 sum = 0;
	*steps = 0;
	size_t nr = side == SIDE_CANDIDATE ? b->runs.nr_candidates : 1;
	for (size_t r = 0; r < nr; r++) {
		const struct run *run = side == SIDE_CANDIDATE ? &b->runs.candidates[r] : b->runs.baseline;
		for (size_t i = 0; i < run->ranks.nr; i++) {
			if (!rank_scope_has(scope, run->ranks.v[i]->rank))
				continue;
			sum += total(run->ranks.v[i]);
			*steps = number_add(*steps, run->ranks.v[i]->usable_steps);
		}
	}
	return sum;
}

int64_t attribution_mean_change(const __int128 sum[NR_SIDES], const int64_t steps[NR_SIDES])
{
	if (steps[0] <= 0 || steps[1] <= 0)
		return 0;
	return number_div_round(sum[1] * steps[0] - sum[0] * steps[1], (__int128)steps[0] * steps[1]);
}

/* Each row is the difference of two rounded running sums, so that rounding does not
   accumulate: what it leaves (1 ns) is the last row's. */
static void add_rows(const struct bench *b, const struct made_of *m, const struct parts *p,
                     const struct attribution_query *q)
{
	int64_t steps[NR_SIDES], change[NR_STEP_PARTS], before = 0;
	__int128 sum[NR_SIDES] = { 0 };
	size_t nr = 0;
	for (; nr < NR_STEP_PARTS && m->rows[nr].label; nr++) {
		for (int s = 0; s < NR_SIDES; s++)
			sum[s] += side_total(b, s, q->ranks, m->rows[nr].total, &steps[s]);
		int64_t now = attribution_mean_change(sum, steps);
		change[nr] = number_sub(now, before);
		before = now;
	}
	int64_t rest = number_sub(number_sub(q->change, q->later), before);
	if (nr && (rest == 1 || rest == -1)) {
		change[nr - 1] = number_add(change[nr - 1], rest);
		rest = 0;
	}
	for (size_t i = 0; i < nr; i++)
		if (change[i])
			parts_add(p, 0, m->rows[i].label, change[i], "");
	attribution_complete(p, q, rest);
}

/* ---- by rank ---- */

/* A figure of one rank: of steps their sum, with their number. */
struct amount {
	__int128 sum, of;
};

static void add_sample(void *ctx, const struct figure *f)
{
	struct amount *a = ctx;
	a->sum += f->nr ? f->samples[0] : 0;
	a->of += f->nr > 0;
}

static struct amount amount_of(const struct run_view *v, size_t rank, const struct metric *m)
{
	struct amount a = { 0 };
	const struct digest *d = v->run->ranks.v[rank];
	if (metric_is_step(m))
		return (struct amount){ attribution_step_total(d, m->id), d->usable_steps };
	rank_figures(v, rank, m, add_sample, &a);
	return a;
}

/* What the change of the mean of rank `i` of the baseline adds to that of all `nr` ranks.
   False where a side lacks it. */
static bool rank_change(const struct bench *b, size_t i, const struct metric *m, __int128 nr,
                        int64_t *out)
{
	int64_t rank = b->view[SIDE_BASELINE].ranks[i].digest->rank;
	struct amount x = amount_of(&b->view[SIDE_BASELINE], i, m), y = { 0 };
	for (size_t r = 0; r < b->runs.nr_candidates; r++) {
		const struct run_view *v = &b->view[SIDE_CANDIDATE + r];
		size_t k = 0;
		while (k < v->run->ranks.nr && v->run->ranks.v[k]->rank != rank)
			k++;
		if (k == v->run->ranks.nr)
			return false;
		struct amount one = amount_of(v, k, m);
		y.sum += one.sum;
		y.of += one.of;
	}
	if (x.of <= 0 || y.of <= 0)
		return false;
	*out = number_sub(number_div_round(y.sum, y.of * nr), number_div_round(x.sum, x.of * nr));
	return true;
}

struct rank_part {
	int64_t rank, change;
};
struct rank_parts {
	VEC(struct rank_part) list; ///< the largest change first
};

static int rank_part_cmp(const void *a, const void *b)
{
	const struct rank_part *x = a, *y = b;
	int c = parts_order(x->change, y->change);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static size_t nr_ranks_in(const struct bench *b, struct rank_scope scope)
{
	size_t nr = 0;
	for (size_t i = 0; i < b->runs.baseline->ranks.nr; i++)
		nr += rank_scope_has(scope, b->runs.baseline->ranks.v[i]->rank);
	return nr;
}

/* False where there is one rank alone, or the ranks are not the same on both sides. */
static bool collect_ranks(const struct bench *b, const struct attribution_query *q,
                          struct rank_parts *out)
{
	const struct run *run = b->runs.baseline;
	size_t nr = nr_ranks_in(b, q->ranks);
	bool all = nr > 1;
	for (size_t i = 0; i < run->ranks.nr && all; i++) {
		struct rank_part part = { .rank = run->ranks.v[i]->rank };
		if (!rank_scope_has(q->ranks, part.rank))
			continue;
		all = rank_change(b, i, q->metric, (__int128)nr, &part.change);
		vec_push(&out->list, part);
	}
	vec_sort(&out->list, rank_part_cmp);
	return all;
}

/* The figures that nothing adds up to, by rank. */
static bool add_ranks(const struct bench *b, const struct parts *p,
                      const struct attribution_query *q)
{
	struct rank_parts ranks = { 0 };
	int64_t rest = number_sub(q->change, q->later), folded = 0;
	size_t nr_folded = 0;
	bool all = collect_ranks(b, q, &ranks);
	for (size_t i = 0; i < ranks.list.nr && all; i++) {
		const struct rank_part *r = &ranks.list.v[i];
		rest = number_sub(rest, r->change);
		if (i < PARTS_SHOWN && r->change) {
			parts_add(p, 0, arena_printf(p->arena, "rank %" PRId64, r->rank), r->change, "");
		} else if (r->change) {
			folded = number_add(folded, r->change);
			nr_folded++;
		}
	}
	vec_release(&ranks.list);
	if (!all)
		return false;
	parts_add_rest(p, 0, "rank", "ranks", nr_folded, folded);
	attribution_complete(p, q, rest);
	return true;
}

/* ---- the door ---- */

static const struct made_of *made_of_what(const struct bench *b, const struct attribution_query *q)
{
	for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
		if (made_of[i].metric == q->metric->id &&
		    (!made_of[i].one_rank || nr_ranks_in(b, q->ranks) == 1))
			return &made_of[i];
	return NULL;
}

struct breakdown *attribution_of_steps(const struct bench *b, const struct attribution_query *q,
                                       struct arena *a)
{
	const struct metric *metric = q->metric;
	bool waits = metric->id == METRIC_COMM_WAIT_TIME || metric->id == METRIC_COMM_TRANSFER_TIME;
	if (!(metric_is_step(metric) || waits) || !b->runs.baseline)
		return NULL;
	const struct made_of *m = made_of_what(b, q);
	struct parts p = parts_new(a, arena_printf(a, "%s by %s", metric->name, m ? m->by : "rank"),
	                           metric->unit, q->change);
	if (m)
		add_rows(b, m, &p, q);
	else if (!add_ranks(b, &p, q))
		return NULL;
	return p.out;
}
