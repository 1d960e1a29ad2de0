/* Answers queries about a folded run. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fold/fold.h"
#include "model/memory_view.h"
#include "model/select.h"

static bool is_item(const struct metric *m)
{
	return m->label == LABEL_DEVICE || m->label == LABEL_MEMORY;
}

const char *fold_refusal(const struct query *q, const struct naming *n)
{
	const struct metric *m = q->metric;
	if (m->label == LABEL_THREAD)
		return "a folded run does not have it";
	if (m->label != LABEL_NONE && !is_item(m) && q->rank)
		return "a folded run does not know it of single ranks";
	if (m->parts == PARTS_CODE && q->phase)
		return "a folded run does not know it by phase";
	if (m->per_step && q->stat != STAT_MEDIAN && q->rank)
		return "a folded run does not know it of single ranks";
	if (q->device || q->memory)
		return "a folded run does not know it of single devices";
	if (m->label == LABEL_KERNEL && (n->exact || n->nr_aliases))
		return "a folded run has kernels by their usual match names: neither 'match: exact' nor "
		       "aliases apply";
	return NULL;
}

static bool matches(const char *glob, struct span text)
{
	return !glob || span_glob(span_of(glob), text);
}

/* The query's reduction over ranks. If the query asks for the value of each rank (REDUCE_EACH), it
   is the reduction to the worst value. */
static enum reduce reduce_of_ranks(const struct query *q)
{
	if (q->reduce != REDUCE_EACH)
		return q->reduce;
	return q->metric->worse == WORSE_DOWN ? REDUCE_MIN : REDUCE_MAX;
}

static int category_index(const struct naming *n, struct span name)
{
	for (size_t i = 0; i < n->categories->rows.nr; i++)
		if (span_eq(span_of(n->categories->rows.v[i].name), name))
			return (int)i;
	return -1;
}

static bool is_selected(const struct run_view *v, const struct query *q,
                        const struct fold_figure *g)
{
	struct kernel_row kernel = { .cls = g->cls };
	struct figure f = { .metric = q->metric, .label = g->label, .kernel = &kernel };
	if (q->metric->label == LABEL_KERNEL)
		kernel.category = category_index(v->naming, g->category);
	if (is_item(q->metric))
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
	char text[NUMBER_TEXT];
	if (!g->value) {
		tally_join(&out->tally, &g->tally);
		return;
	}
	for (size_t i = 0; i < f->nr; i++)
		if (g->value[i] != FOLD_ABSENT &&
		    (!q->rank || matches(q->rank, span_of(number_format(f->rank[i], 0, text)))))
			vec_push(&out->list, g->value[i]);
}

static bool reduce(struct values *v, enum reduce reduce, int64_t *out)
{
	if (v->list.nr && !v->tally.count) {
		*out = reduce_of(reduce, v->list.v, v->list.nr);
	} else {
		for (size_t i = 0; i < v->list.nr; i++)
			tally_add(&v->tally, v->list.v[i], 0);
		if (v->tally.count)
			*out = tally_reduce(&v->tally, reduce);
	}
	return v->list.nr || v->tally.count;
}

void fold_query(const struct run_view *v, const struct query *q, struct answers *out)
{
	const struct fold *f = run_fold(v->run);
	enum statistic stat = q->metric->per_step ? q->stat : STAT_MEDIAN;
	bool one = is_item(q->metric) || (q->metric->label == LABEL_NONE && !q->phase);
	for (size_t i = 0, end; i < f->figures.nr; i = end) {
		const struct fold_figure *g = &f->figures.v[i];
		struct values all = { 0 };
		int64_t value = 0;
		end = i + 1;
		if (g->metric != q->metric->id || g->stat != stat)
			continue;
		/* the figures from i to end make one answer: those with the same label or, if the query has
		 * a single answer, all of the metric */
		for (end = i; end < f->figures.nr; end++) {
			const struct fold_figure *h = &f->figures.v[end];
			if (h->metric != g->metric || h->stat != g->stat ||
			    !(span_eq(h->label, g->label) || one))
				break;
			if (is_selected(v, q, h) && (h->value || !q->rank))
				take(f, q, h, &all);
		}
		if (reduce(&all, reduce_of_ranks(q), &value))
			vec_push(&out->list, (struct answer){ g->label, -1, value });
		vec_release(&all.list);
		tally_release(&all.tally);
	}
}
