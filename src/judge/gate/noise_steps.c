#include "gate/noise.h"

#include <math.h>

#include "gate/noise_math.h"
#include "model/phases.h"

enum { STEPS_NEEDED = 5 };

struct samples {
	VEC(int64_t) list;
	struct span phase; ///< phase whose samples are collected; empty: samples of whole steps
};

static void add_figure(void *ctx, const struct figure *f)
{
	struct samples *s = ctx;
	for (size_t i = 0; i < f->nr && span_eq(f->label, s->phase); i++)
		vec_push(&s->list, f->samples[i]);
}

/* Add one sample for each step of a run: the value of the entry's rank or, if the entry is not of a
   single rank, the values of all ranks combined. Adds nothing if ranks have different numbers of
   steps. */
static void add_steps(const struct run_view *v, const struct query *q, const struct entry *e,
                      struct samples *out)
{
	struct samples of_ranks = { .phase = e->label };
	VEC(int64_t) column = VEC_INIT;
	size_t nr_ranks = 0, nr = 0;
	bool even = true;
	size_t first = e->rank >= 0 ? run_find(v->run, e->rank) : 0;
	size_t end = e->rank >= 0 ? first + 1 : v->run->ranks.nr;
	for (size_t i = first; i < end && i < v->run->ranks.nr; i++) {
		size_t before = of_ranks.list.nr;
		if (!rank_scope_has((struct rank_scope){ .glob = q->rank }, v->ranks[i].digest->rank))
			continue;
		rank_asked_figures(v, i, q, add_figure, &of_ranks);
		even = even && (nr_ranks++ == 0 || of_ranks.list.nr - before == nr);
		nr = of_ranks.list.nr - before;
	}
	for (size_t i = 0; even && i < nr; i++) {
		column.nr = 0;
		for (size_t k = 0; k < nr_ranks; k++)
			vec_push(&column, of_ranks.list.v[k * nr + i]);
		vec_push(&out->list, reduce_of(q->reduce, column.v, column.nr));
	}
	vec_release(&column);
	vec_release(&of_ranks.list);
}

void noise_steps(struct bench *b, const struct entry *e, const struct query *q,
                 struct evidence *out)
{
	struct samples of[NR_SIDES] = { 0 };
	if (q->metric->per_step)
		for (size_t i = 0; i <= b->runs.nr_candidates && !b->against_itself; i++)
			add_steps(&b->view[i], q, e, &of[i > 0]);
	out->has_steps = of[0].list.nr >= STEPS_NEEDED && of[1].list.nr >= STEPS_NEEDED;
	for (int s = 0; s < NR_SIDES && out->has_steps; s++) {
		out->steps[s] = (int64_t)of[s].list.nr;
		out->median[s] = stat_of(STAT_MEDIAN, of[s].list.v, of[s].list.nr);
		out->spread[s] = scaled_mad(of[s].list.v, of[s].list.nr);
	}
	if (out->has_steps)
		out->p =
		    llround(1e6 * mann_whitney(of[0].list.v, of[0].list.nr, of[1].list.v, of[1].list.nr));
	vec_release(&of[0].list);
	vec_release(&of[1].list);
}
