#include <string.h>

#include "base/intervals.h"
#include "base/number.h"
#include "base/text.h"
#include "reduce/reducer.h"

/* Figures per step and per device. The activities are walked in order of start, so of a union of
 * intervals only its last end and its length must be remembered. If K is the union of all kernels,
 * and C the union of the compute kernels, exposed communication is |K| - |C|. */

/* State of the walk for one device, over the whole window. */
struct device_walk {
	struct cover all, kernels, compute, communication;
	int64_t first_ns, last_ns;
	int64_t activities, streams;
};

/* Sums over the activities of one measured step on one device. */
struct step_cell {
	uint32_t device, step;
	int64_t first_ns, last_ns;
	struct cover all, kernels, compute;
};

/* The activity that ends last among those of a stream that have been walked. */
struct lane_end {
	int64_t end_ns, correlation;
	int64_t dur_ns; ///< duration; 0 once it has been added to trust.contained_ns
	const struct gpu_name *name;
};

struct gpu_walk {
	struct reducer *r;
	struct digest *d;
	struct device_walk *devices;
	struct lane_end *lanes;
	struct idmap cell_ids; ///< ids of pairs of step and device
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
	ORDER_BY(cx, cy);
	return COMPARE(x->row, y->row);
}

/* Adds activity A to its stream. B is the earlier activity that ends last. The part of A that runs
 * before B ends is overlap. If A lies within B, the duration of B is added to the contained time,
 * once. Activities with the same correlation id are not compared, since those of one graph replay
 * may overlap. `correlation` is IDENT_NONE for an activity whose call launches a single kernel:
 * such an activity is always compared. */
static void lane_add(struct lane_end *l, int64_t start, int64_t end, int64_t correlation,
                     const struct gpu_name *name, struct trust_counts *t)
{
	if (start < l->end_ns && (correlation != l->correlation || correlation == IDENT_NONE)) {
		t->overlap_ns += (end < l->end_ns ? end : l->end_ns) - start;
		if (end < l->end_ns && end > start) {
			t->contained_ns = number_add(t->contained_ns, l->dur_ns);
			l->dur_ns = 0;
		}
	}
	if (end > l->end_ns)
		*l = (struct lane_end){ end, correlation, end - start, name };
}

/* Finds an overflowed duration of the last activity of a stream, within which no later activity can
 * lie. The duration counts as overflowed if the activity ends after all host events, and takes more
 * than 1000 times the mean time of the other activities of its name. Collectives are not checked,
 * since they may wait that long for a late rank. */
static void lane_close(const struct lane_end *l, int64_t host_last_ns, struct trust_counts *t)
{
	if (!l->dur_ns || l->name->communication || l->end_ns <= host_last_ns)
		return;
	int64_t others_ns = l->name->stat.total_ns - l->dur_ns;
	if (others_ns > 0 &&
	    (__int128)l->dur_ns * (l->name->stat.count - 1) > (__int128)others_ns * 1000)
		t->contained_ns = number_add(t->contained_ns, l->dur_ns);
}

static void cell_add(struct gpu_walk *w, uint32_t device, uint32_t step, const struct activity *a)
{
	const struct gpu_name *g = activity_name(&w->r->gpu, a);
	int64_t start = a->start_ns, end = start + activity_dur(&w->r->gpu, a);
	uint32_t id = idmap_add(&w->cell_ids, idmap_pair(step, device));
	if (id == w->cells.nr)
		vec_push(&w->cells, (struct step_cell){ device, step, start, end, COVER_INIT, COVER_INIT,
		                                        COVER_INIT });
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
	const struct host_span *launch = activity_launch(w->r, a);
	bool alone = launch && span_name(&w->r->host, launch)->kernel_launch;

	if (!a->untimed)
		lane_add(&w->lanes[lane], start, end, alone ? IDENT_NONE : activity_correlation(w->r, a), g,
		         &w->d->trust);
	if (step != NO_ID) {
		step_add(w, step, a);
		cell_add(w, id, step, a);
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

static void cells_to_samples(const struct gpu_walk *w)
{
	int64_t **s = w->d->samples;
	for (size_t i = 0; i < w->cells.nr; i++) {
		const struct step_cell *c = &w->cells.v[i];
		s[METRIC_STEP_BUSY_TIME][c->step] += c->all.length_ns;
		s[METRIC_STEP_EXPOSED_COMM_TIME][c->step] += c->kernels.length_ns - c->compute.length_ns;
		number_raise(&s[METRIC_STEP_SPAN][c->step], c->last_ns - c->first_ns);
	}
}

static int64_t idle_of_window(const struct gpu_walk *w)
{
	int64_t idle_ns = 0;
	for (size_t i = 0; i < w->r->gpu.devices.keys.nr; i++) {
		const struct device_walk *dev = &w->devices[i];
		idle_ns = number_add(idle_ns, dev->last_ns - dev->first_ns - dev->all.length_ns);
	}
	return idle_ns;
}

/* The measured time of a device without activities in any step lasts from its first to its last
 * activity; it is 0 if all steps are warm-up. */
static void device_rows(const struct gpu_walk *w, const struct device_periods *periods)
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
			.measured_ns = periods[i].period_ns,
			.measured_busy_ns = periods[i].busy_ns,
		};
		if (!periods[i].works && d->nr_steps) {
			stat.measured_ns = stat.span_ns;
			stat.measured_busy_ns = stat.busy_ns;
		}
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
		                                             .last_ns = INT64_MIN };
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
	for (size_t i = 0; i < r->gpu.lanes.keys.nr && r->host_last_ns > r->host_first_ns; i++)
		lane_close(&w.lanes[i], r->host_last_ns, &d->trust);
	cells_to_samples(&w);
	struct device_periods *periods = mem_calloc(r->gpu.devices.keys.nr, sizeof *periods);
	enum status st = ST_OK;
	if (r->steps.window)
		wall_of_window(d, idle_of_window(&w));
	else
		st = wall_figures(r, d, periods, log);
	device_rows(&w, periods);
	free(periods);

	free(w.devices);
	free(w.lanes);
	idmap_release(&w.cell_ids);
	vec_release(&w.cells);
	return st;
}
