/* Answers queries about a folded run. */
#include <string.h>

#include "base/number.h"
#include "model/fold.h"

static bool rank_is_selected(const struct query *q, int64_t rank)
{
	return rank_scope_has((struct rank_scope){ .glob = q->rank }, rank);
}

/* ---- queries that only whole digests can answer ---- */

/* True if neither the fold's figures nor its rows answer the query. `by_rank`: the fold has figures
   of each rank. */
static bool needs_whole(const struct query *q, const struct naming *n, bool by_rank)
{
	const struct metric *m = q->metric;
	bool labelled = (m->label != LABEL_NONE && !fold_is_item(m)) || q->phase;
	bool other_stat = m->per_step && q->stat != STAT_MEDIAN;
	/* the fold has no figures of threads, and knows kernels by normalized names, without aliases */
	return m->label == LABEL_THREAD || q->device || q->memory ||
	       (q->rank && (labelled || other_stat || !by_rank)) ||
	       (q->phase && m->parts == PARTS_CODE) ||
	       (m->label == LABEL_KERNEL && (n->exact || n->nr_aliases));
}

/* True if the fold keeps the digests of all ranks that the query selects. */
static bool keeps_selected(const struct fold *f, const struct query *q)
{
	const struct run *kept = &f->kept;
	size_t k = 0;
	for (size_t i = 0; i < f->nr; i++) {
		while (k < kept->ranks.nr && kept->ranks.v[k]->rank < f->rank[i])
			k++;
		bool is_kept = k < kept->ranks.nr && kept->ranks.v[k]->rank == f->rank[i];
		if (!is_kept && rank_is_selected(q, f->rank[i]))
			return false;
	}
	return true;
}

bool fold_lacks(const struct run_view *v, const struct query *q)
{
	const struct fold *f = run_fold(v->run);
	if (!f || !needs_whole(q, v->naming, f->by_rank))
		return false;
	if (f->by_rank)
		return !keeps_selected(f, q);
	struct arena scratch = ARENA_INIT;
	size_t nr;
	past_query(&f->asked, query_text(q, &scratch), &nr);
	arena_release(&scratch);
	return nr == 0;
}

/* Answers a query from the whole digests. A baseline lacks whole digests: there, the answers are
 * those that were stored with the baseline. */
static void answer_whole(const struct run_view *v, const struct query *q, struct arena *a,
                         struct answers *out)
{
	const struct fold *f = run_fold(v->run);
	size_t nr;
	if (f->by_rank) {
		if (v->kept)
			run_query(v->kept, q, a, out);
		return;
	}
	const struct past_value *value = past_query(&f->asked, query_text(q, a), &nr);
	for (size_t i = 0; i < nr; i++)
		vec_push(&out->list, (struct answer){ .label = value[i].label,
		                                      .rank = value[i].rank,
		                                      .value = value[i].value });
}

static void answer_one(const struct run_view *v, const struct query *q, struct fold *out)
{
	struct arena scratch = ARENA_INIT;
	struct answers answers;
	if (!needs_whole(q, v->naming, out->by_rank))
		return;
	run_query(v, q, &scratch, &answers);
	const char *text = query_text(q, &out->arena);
	for (size_t i = 0; i < answers.list.nr; i++) {
		const struct answer *x = &answers.list.v[i];
		vec_push(&out->asked.values, (struct past_value){ text, arena_span(&out->arena, x->label),
		                                                  x->rank, x->value, MICRO_DIGITS });
	}
	vec_release(&answers.list);
	arena_release(&scratch);
}

void fold_answer_rules(const struct run_view *v, const struct rules *rules, struct fold *out)
{
	struct past_run *asked = &out->asked;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		struct query q = rule->query;
		answer_one(v, &q, out);
		if (!rule->for_each)
			continue;
		/* the rule chooses its items by one value for all ranks, so this value is stored, too */
		if (q.reduce == REDUCE_EACH)
			q.reduce = REDUCE_MAX;
		if (q.metric->label == LABEL_KERNEL)
			q.metric = &metric_table[METRIC_KERNEL_TIME];
		if (q.metric->label == LABEL_COLLECTIVE)
			q.metric = &metric_table[METRIC_COMM_TIME];
		answer_one(v, &q, out);
		q.kernel = q.category = q.cls = NULL;
		answer_one(v, &q, out);
	}
	vec_unite(&asked->values, past_value_cmp, NULL);
}

/* ---- queries that are answered from the figures of the fold ---- */

/* The query's reduction over ranks. If the query asks for the value of each rank (REDUCE_EACH), the
 * result is the reduction to the worst value. */
static enum reduce reduce_of_ranks(const struct query *q)
{
	if (q->reduce != REDUCE_EACH)
		return q->reduce;
	return q->metric->worse == WORSE_DOWN ? REDUCE_MIN : REDUCE_MAX;
}

static bool is_selected(const struct run_view *v, const struct query *q,
                        const struct fold_figure *g)
{
	struct kernel_row kernel = { .cls = g->cls };
	struct figure f = { .metric = q->metric, .label = g->label, .kernel = &kernel };
	if (q->metric->label == LABEL_KERNEL)
		kernel.category = category_index(v->naming->categories, g->category);
	if (fold_is_item(q->metric))
		return g->within == REDUCE_EACH || g->within == reduce_of_ranks(q);
	if (q->metric->parts == PARTS_CODE && !span_eq(g->category, span_of(q->cls ? q->cls : "")))
		return false;
	if (q->metric->label == LABEL_NONE && (q->phase == NULL) != (g->label.n == 0))
		return false;
	return figure_is_selected(v, q, &f);
}

struct values {
	VEC(int64_t) list;
	struct tally tally;
};

static void take(const struct fold *f, const struct query *q, const struct fold_figure *g,
                 struct values *out)
{
	if (!g->value) {
		tally_join(&out->tally, &g->tally);
		return;
	}
	for (size_t i = 0; i < f->nr; i++)
		if (g->value[i] != FOLD_ABSENT && rank_is_selected(q, f->rank[i]))
			vec_push(&out->list, g->value[i]);
}

/* Reduces the values to the value of the answer, and subtracts the number of values from
 * answer->lacks. `v` has either a list of values or a distribution of them. False if there are no
 * values. */
static bool reduce(struct values *v, enum reduce reduce, struct answer *answer)
{
	int64_t nr = (int64_t)v->list.nr + v->tally.count;
	answer->lacks -= nr;
	if (nr)
		answer->value =
		    v->list.nr ? reduce_of(reduce, v->list.v, v->list.nr) : tally_reduce(&v->tally, reduce);
	return nr > 0;
}

void fold_query(const struct run_view *v, const struct query *q, struct arena *a,
                struct answers *out)
{
	const struct fold *f = run_fold(v->run);
	const struct naming usual = { .categories = v->naming->categories };
	bool lacks = fold_lacks(v, q);
	/* if the fold lacks the answer by aliases or exact names, it answers by normalized names */
	if (needs_whole(q, lacks ? &usual : v->naming, f->by_rank)) {
		if (!lacks)
			answer_whole(v, q, a, out);
		return;
	}
	if (!fold_has(f, q->metric))
		return;
	enum statistic stat = q->metric->per_step ? q->stat : STAT_MEDIAN;
	int64_t asked = 0;
	for (size_t i = 0; i < f->nr; i++)
		asked += rank_is_selected(q, f->rank[i]);
	for (size_t i = 0, end; i < f->figures.nr; i = end) {
		const struct fold_figure *g = &f->figures.v[i];
		struct values all = { 0 };
		struct answer answer = { .label = g->label, .rank = -1, .lacks = asked };
		end = i + 1;
		if (g->metric != q->metric->id || g->stat != stat)
			continue;
		/* the figures from i to end, which have the same label, make one answer */
		for (end = i; end < f->figures.nr; end++) {
			const struct fold_figure *h = &f->figures.v[end];
			if (h->metric != g->metric || h->stat != g->stat || !span_eq(h->label, g->label))
				break;
			if (is_selected(v, q, h))
				take(f, q, h, &all);
		}
		if (reduce(&all, reduce_of_ranks(q), &answer))
			vec_push(&out->list, answer);
		vec_release(&all.list);
		tally_release(&all.tally);
	}
}

bool fold_gives_worst(const struct run_view *v, const struct query *q, enum reduce *worst)
{
	const struct fold *f = run_fold(v->run);
	*worst = reduce_of_ranks(q);
	return q->reduce == REDUCE_EACH && f && !needs_whole(q, v->naming, f->by_rank);
}

bool fold_hides_ranks(const struct run_view *v, const struct query *q)
{
	enum reduce worst;
	struct arena scratch = ARENA_INIT;
	struct answers least, most;
	struct query of_all = *q;
	if (!fold_gives_worst(v, q, &worst))
		return false;
	of_all.reduce = REDUCE_MIN;
	run_query(v, &of_all, &scratch, &least);
	of_all.reduce = REDUCE_MAX;
	run_query(v, &of_all, &scratch, &most);
	/* both lists have the same labels, unless a stored fold was changed by hand */
	bool differ = least.list.nr != most.list.nr;
	for (size_t i = 0; i < least.list.nr && !differ; i++)
		differ = least.list.v[i].value != most.list.v[i].value;
	vec_release(&least.list);
	vec_release(&most.list);
	arena_release(&scratch);
	return differ;
}
