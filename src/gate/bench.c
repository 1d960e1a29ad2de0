#include "gate/bench.h"

#include "gate/trust.h"

/* `run` with digests that end at their last usable step. Per-step arrays only:
   the sums of kernels still hold it, so kernel figures keep to the full view. */
static void usable_init(struct bench *b, int side)
{
	const struct run *run = b->run[side];
	struct run *out = &b->usable_run[side];
	*out = *run;
	out->ranks.v = arena_alloc(&b->arena, run->ranks.nr, sizeof(struct digest *));
	for (size_t i = 0; i < run->ranks.nr; i++) {
		struct digest *d = arena_alloc(&b->arena, 1, sizeof *d);
		*d = *run->ranks.v[i];
		d->nr_steps = trust_usable_steps(d);
		d->kernels.nr = d->ops.nr = 0;
		out->ranks.v[i] = d;
	}
}

void bench_init(struct bench *b, const struct run *baseline, const struct run *candidate,
                struct naming naming)
{
	*b = (struct bench){ .naming = naming, .run = { baseline, candidate }, .arena = ARENA_INIT };
	for (int s = 0; s < NR_SIDES; s++) {
		usable_init(b, s);
		run_view_init(&b->view[s], b->run[s], &b->naming);
		run_view_init(&b->usable[s], &b->usable_run[s], &b->naming);
	}
	activity_pairs_init(&b->pairs, &b->view[SIDE_BASELINE], &b->view[SIDE_CANDIDATE]);
}

void bench_release(struct bench *b)
{
	vec_release(&b->pairs.list);
	for (int s = 0; s < NR_SIDES; s++) {
		run_view_release(&b->view[s]);
		run_view_release(&b->usable[s]);
	}
	arena_release(&b->arena);
}

bool bench_has(const struct bench *b, enum side_index side, const struct metric *m)
{
	return run_has(&b->view[side], m);
}

static void query_side(struct bench *b, int side, const struct query *q, struct answers *out)
{
	*out = (struct answers){ 0 };
	if (bench_has(b, side, q->metric))
		run_query(q->metric->label == LABEL_NONE ? &b->usable[side] : &b->view[side], q, &b->arena,
		          out);
}

static int answer_order(const struct answer *x, const struct answer *y)
{
	int c = span_cmp(x->label, y->label);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static void take(struct entry *e, int side, const struct answer *a)
{
	e->label = a->label;
	e->rank = a->rank;
	e->has[side] = true;
	e->value[side] = a->value;
}

void bench_query(struct bench *b, const struct query *q, struct entries *out)
{
	struct answers x, y;
	*out = (struct entries){ 0 };
	query_side(b, SIDE_BASELINE, q, &x);
	query_side(b, SIDE_CANDIDATE, q, &y);
	for (size_t i = 0, j = 0; i < x.list.nr || j < y.list.nr;) {
		int c = i == x.list.nr ? 1 : j == y.list.nr ? -1 : answer_order(&x.list.v[i], &y.list.v[j]);
		struct entry *e = vec_push_zero(&out->list);
		if (c <= 0)
			take(e, SIDE_BASELINE, &x.list.v[i++]);
		if (c >= 0)
			take(e, SIDE_CANDIDATE, &y.list.v[j++]);
	}
	vec_release(&x.list);
	vec_release(&y.list);
}
