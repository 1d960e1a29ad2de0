#include <string.h>

#include "base/intervals.h"
#include "base/text.h"
#include "reduce/reducer.h"

/* All figures come from walks over the activities in order of start: a union
   of intervals then needs no more than its end and its length. With K and C
   the unions of all and of compute kernels, communication alone is |K| - |C|. */

/* One device, over the whole window. */
struct device_walk {
	struct cover all, kernels, compute, communication;
	int64_t first_ns, last_ns;
	int64_t activities, streams;
	int64_t measured_lo, measured_hi; ///< of the activities of measured steps
	struct cover measured;
	int64_t tail_lo, tail_hi; ///< of the activities of the last measured step it has
	struct cover tail;
};

/* The activities of one measured step on one device. */
struct step_cell {
	uint32_t device, step;
	int64_t first_ns, last_ns;
	int64_t covered_before; ///< of the device, before `first_ns`
	struct cover all, kernels, compute;
};

struct lane_end {
	int64_t end_ns, correlation;
};

struct gpu_walk {
	struct reducer *r;
	struct digest *d;
	struct device_walk *devices;
	struct lane_end *lanes;
	struct idmap cell_ids; ///< step and device
	VEC(struct step_cell) cells;
};

static int activity_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	const struct activity *x = a, *y = b;
	ORDER_BY(x->start_ns, y->start_ns);
	int64_t dx = activity_dur(&r->gpu, x), dy = activity_dur(&r->gpu, y);
	ORDER_BY(dx, dy);
	int64_t cx = activity_correlation(r, x), cy = activity_correlation(r, y);
	return (cx > cy) - (cx < cy);
}

static int cell_cmp(const void *a, const void *b)
{
	const struct step_cell *x = a, *y = b;
	ORDER_BY(x->device, y->device);
	return (x->step > y->step) - (x->step < y->step);
}

/* What one stream runs beside the activity that lasts longest so far. A graph
   replay shares one correlation id and overlaps rightly. */
static int64_t lane_add(struct lane_end *l, int64_t start, int64_t end, int64_t correlation)
{
	int64_t overlap = 0;
	if (start < l->end_ns && (correlation != l->correlation || correlation == IDENT_NONE))
		overlap = (end < l->end_ns ? end : l->end_ns) - start;
	if (end > l->end_ns)
		*l = (struct lane_end){ end, correlation };
	return overlap;
}

static void cell_add(struct gpu_walk *w, uint32_t device, uint32_t step, const struct activity *a,
                     int64_t covered_before)
{
	const struct gpu_name *g = activity_name(&w->r->gpu, a);
	int64_t start = a->start_ns, end = start + activity_dur(&w->r->gpu, a);
	uint32_t id = idmap_add(&w->cell_ids, idmap_pair(step, device));
	if (id == w->cells.nr)
		vec_push(&w->cells, (struct step_cell){ device, step, start, end, covered_before,
		                                        COVER_INIT, COVER_INIT, COVER_INIT });
	struct step_cell *c = &w->cells.v[id];
	number_raise(&c->last_ns, end);
	cover_add(&c->all, start, end);
	if (g->stat.kind == EVENT_KERNEL)
		cover_add(&c->kernels, start, end);
	if (g->stat.kind == EVENT_KERNEL && !g->communication)
		cover_add(&c->compute, start, end);
}

static void step_add(struct gpu_walk *w, uint32_t step, const struct activity *a)
{
	const struct gpu_name *g = activity_name(&w->r->gpu, a);
	int64_t **s = w->d->samples, dur_ns = activity_dur(&w->r->gpu, a);
	s[METRIC_STEP_CUDA_TIME][step] += dur_ns;
	if (g->stat.kind == EVENT_MEMCPY) {
		s[METRIC_STEP_MEMCPY_TIME][step] += dur_ns;
	} else if (g->stat.kind == EVENT_MEMSET) {
		s[METRIC_STEP_MEMSET_TIME][step] += dur_ns;
	} else {
		s[METRIC_STEP_KERNEL_TIME][step] += dur_ns;
		s[g->communication ? METRIC_STEP_COMM_TIME : METRIC_STEP_COMPUTE_TIME][step] += dur_ns;
		s[METRIC_STEP_KERNEL_COUNT][step]++;
	}
}

static void activity_add(struct gpu_walk *w, const struct activity *a)
{
	const struct gpu_name *g = activity_name(&w->r->gpu, a);
	uint32_t lane = activity_lane(&w->r->gpu, a),
	         id = idmap_pair_first(w->r->gpu.lanes.keys.v[lane]);
	uint32_t step = steps_measured(&w->r->steps, a->step);
	struct device_walk *dev = &w->devices[id];
	int64_t start = a->start_ns, end = start + activity_dur(&w->r->gpu, a);

	w->d->trust.overlap_ns += lane_add(&w->lanes[lane], start, end, activity_correlation(w->r, a));
	if (step != NO_ID) {
		step_add(w, step, a);
		cell_add(w, id, step, a, cover_before(&dev->all, start));
	}
	if (!dev->activities++)
		dev->first_ns = start;
	number_raise(&dev->last_ns, end);
	cover_add(&dev->all, start, end);
	if (g->stat.kind == EVENT_KERNEL) {
		cover_add(&dev->kernels, start, end);
		cover_add(g->communication ? &dev->communication : &dev->compute, start, end);
	}
}

/* Where a device has no activity in a step, its window is measured; unless
   warm-up has left no step at all. */
static void measure_devices(struct gpu_walk *w)
{
	for (size_t i = 0; i < w->r->gpu.devices.keys.nr; i++) {
		struct device_walk *dev = &w->devices[i];
		dev->measured_lo = INT64_MAX;
		dev->measured_hi = INT64_MIN;
	}
	for (size_t i = 0; i < w->cells.nr; i++) {
		const struct step_cell *c = &w->cells.v[i];
		struct device_walk *dev = &w->devices[c->device];
		number_lower(&dev->measured_lo, c->first_ns);
		number_raise(&dev->measured_hi, c->last_ns);
		dev->tail_lo = c->first_ns; /* cells are in order: the last one stays */
		dev->tail_hi = c->last_ns;
	}
	for (size_t i = 0; i < w->r->gpu.devices.keys.nr; i++) {
		struct device_walk *dev = &w->devices[i];
		if (dev->measured_lo > dev->measured_hi && w->d->nr_steps) {
			dev->measured_lo = dev->first_ns;
			dev->measured_hi = dev->last_ns;
		}
	}
	for (size_t i = 0; i < w->r->gpu.activities.nr; i++) {
		const struct activity *a = &w->r->gpu.activities.v[i];
		uint32_t lane = activity_lane(&w->r->gpu, a);
		struct device_walk *dev = &w->devices[idmap_pair_first(w->r->gpu.lanes.keys.v[lane])];
		int64_t end = activity_end(&w->r->gpu, a);
		cover_add_within(&dev->measured, a->start_ns, end, dev->measured_lo, dev->measured_hi);
		cover_add_within(&dev->tail, a->start_ns, end, dev->tail_lo, dev->tail_hi);
	}
}

/* The part of the device's time that nothing covers, from the cell's start to
   that of the next step on the device; of the last one, to its own end. */
static int64_t cell_idle(const struct gpu_walk *w, const struct step_cell *c,
                         const struct step_cell *next)
{
	if (!next)
		return c->last_ns - c->first_ns - w->devices[c->device].tail.length_ns;
	if (next->first_ns <= c->first_ns)
		return 0;
	return next->first_ns - c->first_ns - (next->covered_before - c->covered_before);
}

static enum status cells_to_samples(const struct gpu_walk *w, struct diag_log *log)
{
	int64_t **s = w->d->samples;
	for (size_t i = 0; i < w->cells.nr; i++) {
		const struct step_cell *c = &w->cells.v[i];
		const struct step_cell *next =
		    i + 1 < w->cells.nr && c[1].device == c->device ? c + 1 : NULL;
		int64_t span = c->last_ns - c->first_ns;
		int64_t *idle = &s[METRIC_STEP_IDLE_TIME][c->step];
		s[METRIC_STEP_BUSY_TIME][c->step] += c->all.length_ns;
		s[METRIC_STEP_EXPOSED_COMM_TIME][c->step] += c->kernels.length_ns - c->compute.length_ns;
		number_raise(&s[METRIC_STEP_SPAN][c->step], span);
		if (__builtin_add_overflow(*idle, cell_idle(w, c, next), idle))
			return diag_fail(log, ST_INPUT,
			                 "the idle times of a step's devices add up to more than 292 years: "
			                 "check 'ts' of the trace");
	}
	return ST_OK;
}

static void device_rows(const struct gpu_walk *w)
{
	struct digest *d = w->d;
	for (size_t i = 0; i < w->r->gpu.devices.keys.nr; i++) {
		const struct device_walk *dev = &w->devices[i];
		struct device_stat stat = {
			.id = ident_text(&d->arena, w->r->names, w->r->gpu.devices.keys.v[i]),
			.streams = dev->streams,
			.activities = dev->activities,
			.span_ns = dev->last_ns - dev->first_ns,
			.busy_ns = dev->all.length_ns,
			.compute_ns = dev->compute.length_ns,
			.comm_ns = dev->communication.length_ns,
			.overlap_ns =
			    dev->communication.length_ns + dev->compute.length_ns - dev->kernels.length_ns,
			.measured_busy_ns = dev->measured.length_ns,
		};
		if (dev->measured_lo < dev->measured_hi)
			stat.measured_ns = dev->measured_hi - dev->measured_lo;
		vec_push(&d->devices, stat);
	}
	vec_sort(&d->devices, text_cmp);
}

enum status gpu_figures(struct reducer *r, struct digest *d, struct diag_log *log)
{
	static const struct device_walk fresh_device = { .all = COVER_INIT,
		                                             .kernels = COVER_INIT,
		                                             .compute = COVER_INIT,
		                                             .communication = COVER_INIT,
		                                             .last_ns = INT64_MIN,
		                                             .measured = COVER_INIT,
		                                             .tail = COVER_INIT };
	struct gpu_walk w = { .r = r, .d = d };
	w.devices = mem_calloc(r->gpu.devices.keys.nr, sizeof *w.devices);
	for (size_t i = 0; i < r->gpu.devices.keys.nr; i++)
		w.devices[i] = fresh_device;
	w.lanes = mem_calloc(r->gpu.lanes.keys.nr, sizeof *w.lanes);
	for (size_t i = 0; i < r->gpu.lanes.keys.nr; i++) {
		w.lanes[i].end_ns = INT64_MIN;
		w.devices[idmap_pair_first(r->gpu.lanes.keys.v[i])].streams++;
	}
	idmap_init(&w.cell_ids);

	sort_runs(r->gpu.activities.v, r->gpu.activities.nr, sizeof *r->gpu.activities.v, activity_cmp,
	          r);
	for (size_t i = 0; i < r->gpu.activities.nr; i++)
		activity_add(&w, &r->gpu.activities.v[i]);
	vec_sort(&w.cells, cell_cmp);
	measure_devices(&w);
	enum status st = cells_to_samples(&w, log);
	device_rows(&w);

	free(w.devices);
	free(w.lanes);
	idmap_release(&w.cell_ids);
	vec_release(&w.cells);
	return st;
}
