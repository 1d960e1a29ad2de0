/* Parts of a step's host interval: by what runs during it, not by what it launched. */
#include "base/intervals.h"
#include "reduce/reducer.h"

struct step_edge {
	int64_t at_ns;
	size_t step;
	bool end;
};

static int step_edge_cmp(const void *a, const void *b)
{
	const struct step_edge *x = a, *y = b;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* Unions over all devices: compute kernels, all kernels, all activities. */
struct gpu_unions {
	struct cover compute, kernels, all;
};

static void gpu_unions_add(struct gpu_unions *u, const struct reducer *r, const struct activity *a)
{
	const struct gpu_name *g = activity_name(&r->gpu, a);
	int64_t end = activity_end(&r->gpu, a);
	cover_add(&u->all, a->start_ns, end);
	if (g->stat.kind != EVENT_KERNEL)
		return;
	cover_add(&u->kernels, a->start_ns, end);
	if (!g->communication)
		cover_add(&u->compute, a->start_ns, end);
}

/* A part is the difference of two unions between the edges of the step; the rest is idle. */
void parts_figures(const struct reducer *r, struct digest *d)
{
	struct gpu_unions u = { COVER_INIT, COVER_INIT, COVER_INIT };
	VEC(struct step_edge) edges = VEC_INIT;
	for (size_t i = 0; i < d->nr_steps; i++) {
		const struct mark *m = &r->steps.marks.v[r->steps.warmup + i];
		vec_push(&edges, (struct step_edge){ m->start_ns, i, false });
		vec_push(&edges, (struct step_edge){ m->end_ns, i, true });
	}
	vec_sort(&edges, step_edge_cmp);
	for (size_t i = 0, next = 0; i < edges.nr; i++) {
		const struct step_edge *e = &edges.v[i];
		for (; next < r->gpu.activities.nr && r->gpu.activities.v[next].start_ns < e->at_ns; next++)
			gpu_unions_add(&u, r, &r->gpu.activities.v[next]);
		int64_t compute = cover_before(&u.compute, e->at_ns);
		int64_t kernels = cover_before(&u.kernels, e->at_ns);
		int64_t all = cover_before(&u.all, e->at_ns);
		int64_t sign = e->end ? 1 : -1;
		d->parts[STEP_PART_COMPUTE][e->step] += sign * compute;
		d->parts[STEP_PART_COMM][e->step] += sign * (kernels - compute);
		d->parts[STEP_PART_MEMORY][e->step] += sign * (all - kernels);
		d->parts[STEP_PART_IDLE][e->step] += sign * (e->at_ns - d->start_ns - all);
	}
	vec_release(&edges);
}
