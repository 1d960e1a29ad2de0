/* Ranks that a change is of; what nothing else adds up to, by rank; steps that a rank lacks. */
#include <inttypes.h>

#include "base/text.h"
#include "diff/attribution_internal.h"
#include "diff/drift.h"
#include "model/unit.h"

/* ---- which ranks ---- */

static struct span label_of(const struct activity_pairs *p, const struct attribution_query *q,
                            int side)
{
	const struct activity_pair *a =
	    q->renamed && side == SIDE_BASELINE ? drift_find(p, q->label) : NULL;
	return a && a->partner ? a->partner->name : q->label;
}

void attribution_each_rank(const struct bench *b, const struct activity_pairs *p,
                           const struct attribution_query *q,
                           void (*fn)(void *ctx, const struct rank_part *part), void *ctx)
{
	for (size_t r = 0; r < 1 + b->runs.nr_candidates; r++) {
		struct rank_part part = { .side = r ? SIDE_CANDIDATE : SIDE_BASELINE, .view = &b->view[r] };
		part.label = label_of(p, q, part.side);
		for (size_t i = 0; i < part.view->run->ranks.nr; i++) {
			part.rank = &part.view->ranks[i];
			if (rank_scope_has(q->ranks, part.rank->digest->rank))
				fn(ctx, &part);
		}
	}
}

static int by_match(const void *a, const void *b)
{
	return span_cmp(((const struct kernel_row *)a)->match, ((const struct kernel_row *)b)->match);
}

const struct kernel_row *attribution_kernel(const struct rank_part *part)
{
	const struct kernel_row key = { .match = part->label };
	return part->rank->nr_kernels
	           ? bsearch(&key, part->rank->kernels, part->rank->nr_kernels, sizeof key, by_match)
	           : NULL;
}

size_t attribution_nr_ranks(const struct bench *b, const struct attribution_query *q)
{
	size_t nr = 0;
	for (size_t i = 0; i < b->runs.baseline->ranks.nr; i++)
		nr += rank_scope_has(q->ranks, b->runs.baseline->ranks.v[i]->rank);
	return nr;
}

/* ---- by rank ---- */

/* A figure of one rank: of steps their sum, with their number. */
struct amount {
	struct span label; ///< that is asked for; empty: all
	__int128 sum, of;
};

static void add_sample(void *ctx, const struct figure *f)
{
	struct amount *a = ctx;
	if (f->nr == 0 || (a->label.n && !span_eq(a->label, f->label)))
		return;
	a->sum += f->samples[0];
	a->of++;
}

static struct amount amount_of(const struct run_view *v, size_t rank,
                               const struct attribution_query *q)
{
	struct amount a = { .label = q->label };
	const struct digest *d = v->run->ranks.v[rank];
	if (q->metric->per_step) {
		a.sum = attribution_step_total(d, q->metric->id);
		a.of = d->usable_steps;
	} else {
		rank_figures(v, rank, q->metric, add_sample, &a);
	}
	return a;
}

/* What the change of the mean of rank `i` of the baseline adds to that of all `nr` ranks.
   False where a side lacks it. */
static bool rank_change(const struct bench *b, size_t i, const struct attribution_query *q,
                        __int128 nr, int64_t *out)
{
	int64_t rank = b->view[SIDE_BASELINE].ranks[i].digest->rank;
	struct amount x = amount_of(&b->view[SIDE_BASELINE], i, q), y = { 0 };
	for (size_t r = 0; r < b->runs.nr_candidates; r++) {
		const struct run_view *v = &b->view[SIDE_CANDIDATE + r];
		size_t k = 0;
		while (k < v->run->ranks.nr && v->run->ranks.v[k]->rank != rank)
			k++;
		if (k == v->run->ranks.nr)
			return false;
		struct amount one = amount_of(v, k, q);
		y.sum += one.sum;
		y.of += one.of;
	}
	if (x.of <= 0 || y.of <= 0)
		return false;
	*out = number_sub(number_div_round(y.sum, y.of * nr), number_div_round(x.sum, x.of * nr));
	return true;
}

struct rank_change {
	int64_t rank, change;
};
struct rank_changes {
	VEC(struct rank_change) list; ///< the largest change first
};

static int rank_change_cmp(const void *a, const void *b)
{
	const struct rank_change *x = a, *y = b;
	int c = parts_order(x->change, y->change);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

/* False where there is one rank alone, or the ranks are not the same on both sides. */
static bool collect_ranks(const struct bench *b, const struct attribution_query *q,
                          struct rank_changes *out)
{
	const struct run *run = b->runs.baseline;
	size_t nr = attribution_nr_ranks(b, q);
	bool all = nr > 1;
	for (size_t i = 0; i < run->ranks.nr && all; i++) {
		struct rank_change part = { .rank = run->ranks.v[i]->rank };
		if (!rank_scope_has(q->ranks, part.rank))
			continue;
		all = rank_change(b, i, q, (__int128)nr, &part.change);
		vec_push(&out->list, part);
	}
	vec_sort(&out->list, rank_change_cmp);
	return all;
}

static const char *rank_name(struct arena *a, int64_t rank)
{
	return arena_printf(a, "rank %" PRId64, rank);
}

static bool add_ranks(const struct bench *b, const struct parts *p,
                      const struct attribution_query *q)
{
	struct rank_changes ranks = { 0 };
	int64_t rest = number_sub(q->change, q->later), folded = 0;
	size_t nr_folded = 0;
	bool all = collect_ranks(b, q, &ranks);
	for (size_t i = 0; i < ranks.list.nr && all; i++) {
		const struct rank_change *r = &ranks.list.v[i];
		rest = number_sub(rest, r->change);
		if (i < PARTS_SHOWN && r->change) {
			parts_add(p, 0, rank_name(p->arena, r->rank), r->change, "");
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

/* ---- steps that the rank with the least lacks ---- */

struct least {
	const struct digest *rank[NR_SIDES];
	int64_t missing[NR_SIDES];
	const struct run_view *view; ///< of the candidate: its first run
};

static void find_least(void *ctx, const struct rank_part *r)
{
	struct least *l = ctx;
	int64_t missing = r->rank->cross->missing_steps;
	if (r->side == SIDE_CANDIDATE && l->view && l->view != r->view)
		return;
	l->view = r->side == SIDE_CANDIDATE ? r->view : NULL;
	if (l->rank[r->side] && l->missing[r->side] >= missing)
		return;
	l->rank[r->side] = r->rank->digest;
	l->missing[r->side] = missing;
}

static void add_missing(const struct least *l, const struct parts *p,
                        const struct attribution_query *q)
{
	int64_t of_all[NR_SIDES], own[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++) {
		own[s] = l->rank[s]->usable_steps;
		of_all[s] = number_add(own[s], l->missing[s]);
	}
	int64_t more = number_sub(of_all[1], of_all[0]), fewer = number_sub(own[0], own[1]);
	int64_t rest = number_sub(number_sub(q->change, q->later), number_add(more, fewer));
	const char *from = rank_name(p->arena, l->rank[0]->rank);
	const char *to = rank_name(p->arena, l->rank[1]->rank);
	if (more)
		parts_add(p, 0, "steps that some rank has", more,
		          arena_printf(p->arena, "%s, of which %s has %s",
		                       unit_movement(p->arena, UNIT_COUNT, of_all[0], of_all[1]), to,
		                       unit_text(p->arena, UNIT_COUNT, own[1])));
	if (fewer)
		parts_add(p, 0, "steps that the rank has", fewer,
		          arena_printf(p->arena, "%s of %s → %s of %s",
		                       unit_text(p->arena, UNIT_COUNT, own[0]), from,
		                       unit_text(p->arena, UNIT_COUNT, own[1]), to));
	if (q->later)
		parts_add(p, 0, PART_LATER, q->later, PART_LATER_DETAIL);
	if (rest)
		parts_add(p, 0, "other ranks or runs", rest, "");
}

static struct breakdown *missing_steps(const struct bench *b, const struct activity_pairs *pairs,
                                       const struct attribution_query *q, struct arena *a)
{
	struct least l = { 0 };
	attribution_each_rank(b, pairs, q, find_least, &l);
	if (!l.rank[SIDE_BASELINE] || !l.rank[SIDE_CANDIDATE])
		return NULL;
	struct parts p = parts_new(a, arena_printf(a, "%s by whose steps", q->metric->name),
	                           q->metric->unit, q->change);
	add_missing(&l, &p, q);
	return p.out;
}

/* ---- the door ---- */

struct breakdown *attribution_of_ranks(const struct bench *b, const struct activity_pairs *pairs,
                                       const struct attribution_query *q, struct arena *a)
{
	if (q->metric->id == METRIC_RANK_MISSING_STEPS)
		return missing_steps(b, pairs, q, a);
	const char *of = q->label.n ? arena_printf(a, " of '%s'", text_short(a, q->label, 60)) : "";
	struct parts p = parts_new(a, arena_printf(a, "%s%s by rank", q->metric->name, of),
	                           q->metric->unit, q->change);
	return add_ranks(b, &p, q) ? p.out : NULL;
}
