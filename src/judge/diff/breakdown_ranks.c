/* Breakdown by rank, for metrics that no other breakdown fits; breakdown of the steps that a rank
   lacks. */
#include <inttypes.h>

#include "base/text.h"
#include "diff/breakdown_internal.h"
#include "diff/terms.h"
#include "metric/unit.h"

/* A figure of one rank: the sum of its values, and their number `of`. There is one value for each
   step or, if the metric is not per step, for each run. The mean is `sum` divided by `of`. */
struct rank_amount {
	struct span label; /* label of the figure that the query asks for; empty: any label */
	__int128 sum, of;
};

static void add_sample(void *ctx, const struct figure *f)
{
	struct rank_amount *a = ctx;
	if (f->nr == 0 || (a->label.n && !span_eq(a->label, f->label)))
		return;
	a->sum += f->samples[0];
	a->of++;
}

static struct rank_amount amount_of(const struct run_view *v, size_t rank,
                                    const struct breakdown_query *q)
{
	struct rank_amount a = { .label = q->label };
	const struct digest *d = v->run->ranks.v[rank];
	if (q->metric->per_step) {
		a.of = step_metric_total(d, q->metric->id, &a.sum) ? step_metric_nr(d, q->metric->id) : 0;
	} else {
		rank_figures(v, rank, q->metric, add_sample, &a);
	}
	return a;
}

/* What the rank with index `i` in the baseline adds to the change of the mean over all `nr` ranks.
   False if a side lacks the rank's figure. */
static bool rank_change(const struct breakdown_input *in, size_t i, __int128 nr, int64_t *out)
{
	const struct bench *b = in->bench;
	int64_t rank = b->view[SIDE_BASELINE].ranks[i].digest->rank;
	struct rank_amount x = amount_of(&b->view[SIDE_BASELINE], i, in->query), y = { 0 };
	for (size_t r = 0; r < b->runs.nr_candidates; r++) {
		const struct run_view *v = &b->view[SIDE_CANDIDATE + r];
		size_t k = run_find(v->run, rank);
		if (k == v->run->ranks.nr)
			return false;
		struct rank_amount one = amount_of(v, k, in->query);
		y.sum += one.sum;
		y.of += one.of;
	}
	if (x.of <= 0 || y.of <= 0)
		return false;
	*out = number_sub(number_div_round(y.sum, y.of * nr), number_div_round(x.sum, x.of * nr));
	return true;
}

static const char *rank_name(struct arena *a, int64_t rank)
{
	return arena_printf(a, "rank %" PRId64, rank);
}

struct breakdown *breakdown_by_rank(const struct breakdown_input *in)
{
	const struct run *run = in->bench->run[SIDE_BASELINE];
	struct node root = { .order = NODES_SUM_MANY, .one = "rank", .many = "ranks" };
	size_t nr = breakdown_nr_ranks(in);
	int64_t rest = breakdown_change(in->query), change;
	if (nr < 2)
		return NULL;
	struct parts p = breakdown_begin(in, "rank");
	for (size_t i = 0; i < run->ranks.nr; i++) {
		int64_t rank = run->ranks.v[i]->rank;
		if (!rank_scope_has(in->query->ranks, rank))
			continue;
		if (!rank_change(in, i, (__int128)nr, &change)) {
			parts_drop(&p);
			return NULL;
		}
		node_add_row(&p, &root, rank_name(in->arena, rank), change, "");
		rest = number_sub(rest, change);
	}
	return breakdown_end(&p, &root, in->query, rest);
}

/* ---- missing steps of one rank ---- */

struct least {
	const struct digest *rank[NR_SIDES];
	int64_t missing[NR_SIDES];
	const struct run_view *view; /* view of the candidate's first run */
};

static void find_least(void *ctx, const struct covered_rank *r)
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

static void add_lacked(struct parts *p, struct node *root, const struct least *l,
                       const int64_t of_all[NR_SIDES])
{
	const char *from = rank_name(p->arena, l->rank[0]->rank);
	const char *to = rank_name(p->arena, l->rank[1]->rank);
	int64_t own[NR_SIDES] = { l->rank[0]->usable_steps, l->rank[1]->usable_steps };
	node_add_row(p, root, "steps that some rank has", number_sub(of_all[1], of_all[0]),
	             arena_printf(p->arena, "%s, of which %s has %s",
	                          unit_movement(p->arena, UNIT_COUNT, of_all[0], of_all[1]), to,
	                          unit_text(p->arena, UNIT_COUNT, own[1])));
	node_add_row(p, root, "steps that the rank has", number_sub(own[0], own[1]),
	             arena_printf(p->arena, "%s of %s → %s of %s",
	                          unit_text(p->arena, UNIT_COUNT, own[0]), from,
	                          unit_text(p->arena, UNIT_COUNT, own[1]), to));
}

struct breakdown *breakdown_of_lacked_steps(const struct breakdown_input *in)
{
	struct least l = { 0 };
	struct node root = { 0 };
	int64_t of_all[NR_SIDES], rest = breakdown_change(in->query);
	breakdown_each_rank(in, find_least, &l);
	if (!l.rank[SIDE_BASELINE] || !l.rank[SIDE_CANDIDATE])
		return NULL;
	struct parts p = breakdown_begin(in, "whose steps");
	for (int s = 0; s < NR_SIDES; s++)
		of_all[s] = number_add(l.rank[s]->usable_steps, l.missing[s]);
	add_lacked(&p, &root, &l, of_all);
	for (const struct node *n = root.first; n; n = n->next)
		rest = number_sub(rest, n->change);
	parts_write(&p, &root, in->query->later, "other ranks or runs", rest);
	return p.out;
}
