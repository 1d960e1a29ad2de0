/* Wall time: a step ends at the later of the end of its annotation and the last end of its GPU
   activities, and never before the previous step ends. The period of a step is the time from the
   end of the previous step to its own end, so that periods do not overlap. A device's busy time in
   a period is its busy time up to the end of the period minus its busy time up to the beginning. */
#include "base/intervals.h"
#include "base/number.h"
#include "reduce/reducer.h"

struct wall_device {
	bool works; ///< true if the device has an activity in at least one step
	bool live; ///< true if the device is in the list `live` of wall_walk
	int64_t busy_ns; ///< busy time over the periods of the measured steps
	struct cover compute, kernels, all;
	int64_t before[3]; ///< lengths of `compute`, `kernels`, `all` up to the last start or end of a
	                   ///< period
};

struct wall_walk {
	const struct reducer *r;
	struct digest *d;
	struct wall_device *devices; ///< devices, indexed by id
	VEC(uint32_t) live; ///< ids of devices with activities that end after the time of the walk
	int64_t nr_working;
	int64_t *over_ns; ///< end of each mark, or of its last activity if that is later
	size_t next; ///< index of the next activity to be walked
};

static uint32_t device_of(const struct gpu_events *g, const struct activity *a)
{
	return idmap_pair_first(g->lanes.keys.v[activity_lane(g, a)]);
}

static void find_ends(struct wall_walk *w)
{
	const struct steps *s = &w->r->steps;
	const struct gpu_events *g = &w->r->gpu;
	for (size_t i = 0; i < s->marks.nr; i++)
		w->over_ns[i] = s->marks.v[i].end_ns;
	for (size_t i = 0; i < g->activities.nr; i++) {
		const struct activity *a = &g->activities.v[i];
		if (a->step == NO_ID)
			continue;
		struct wall_device *dev = &w->devices[device_of(g, a)];
		number_raise(&w->over_ns[a->step], activity_end(g, a));
		w->nr_working += !dev->works;
		dev->works = true;
	}
}

static void cover_activity(struct wall_walk *w, const struct activity *a)
{
	const struct gpu_events *g = &w->r->gpu;
	const struct gpu_name *name = activity_name(g, a);
	struct wall_device *dev = &w->devices[device_of(g, a)];
	int64_t end = activity_end(g, a);
	cover_add(&dev->all, a->start_ns, end);
	if (!dev->live)
		vec_push(&w->live, device_of(g, a));
	dev->live = true;
	if (name->stat.kind != EVENT_KERNEL)
		return;
	cover_add(&dev->kernels, a->start_ns, end);
	if (!name->communication)
		cover_add(&dev->compute, a->start_ns, end);
}

/* Moves the walk to `at_ns`, the next start or end of a period. `length` becomes the time since the
 * last start or end of a period in which compute kernels ([0]), any kernels ([1]) and any
 * activities ([2]) ran, each added up over devices. Only devices in `live` are walked, since a
 * hostile trace may have as many devices as steps. */
static void advance(struct wall_walk *w, int64_t at_ns, bool measured, int64_t length[3])
{
	const struct gpu_events *g = &w->r->gpu;
	size_t left = 0;
	for (; w->next < g->activities.nr && g->activities.v[w->next].start_ns < at_ns; w->next++)
		cover_activity(w, &g->activities.v[w->next]);
	memset(length, 0, 3 * sizeof *length);
	for (size_t i = 0; i < w->live.nr; i++) {
		struct wall_device *dev = &w->devices[w->live.v[i]];
		const int64_t now[3] = { cover_before(&dev->compute, at_ns),
			                     cover_before(&dev->kernels, at_ns),
			                     cover_before(&dev->all, at_ns) };
		for (int k = 0; k < 3 && dev->works; k++)
			length[k] = number_add(length[k], now[k] - dev->before[k]);
		if (measured)
			dev->busy_ns += now[2] - dev->before[2];
		memcpy(dev->before, now, sizeof now);
		dev->live = dev->all.end > at_ns;
		if (dev->live)
			w->live.v[left++] = w->live.v[i];
	}
	w->live.nr = left;
}

/* Metrics of a period and of its parts, in the order in which they are computed. */
static const enum metric_id period_metrics[] = { METRIC_STEP_PERIOD, METRIC_STEP_PERIOD_COMPUTE,
	                                             METRIC_STEP_PERIOD_EXPOSED_COMM,
	                                             METRIC_STEP_PERIOD_EXPOSED_MEMORY,
	                                             METRIC_STEP_IDLE_TIME };
enum { NR_PERIOD_METRICS = sizeof period_metrics / sizeof *period_metrics };

static enum status set_period(const struct wall_walk *w, size_t step, int64_t period_ns,
                              const int64_t length[3], struct diag_log *log)
{
	int64_t of_devices;
	if (__builtin_mul_overflow(period_ns, w->nr_working, &of_devices))
		return diag_fail(log, ST_INPUT,
		                 "the periods of a step's devices add up to more than 292 years: check "
		                 "'ts' of the trace");
	const int64_t values[NR_PERIOD_METRICS] = { period_ns, length[0], length[1] - length[0],
		                                        length[2] - length[1], of_devices - length[2] };
	for (int k = 0; k < NR_PERIOD_METRICS; k++)
		w->d->samples[period_metrics[k]][step] = values[k];
	return ST_OK;
}

/* The first of several steps has no period, since no step ends before it. */
static void set_no_period(const struct wall_walk *w, size_t step)
{
	for (int k = 0; k < NR_PERIOD_METRICS; k++)
		w->d->samples[period_metrics[k]][step] = NO_SAMPLE;
}

static enum status walk_steps(struct wall_walk *w, int64_t *measured_ns, struct diag_log *log)
{
	const struct steps *s = &w->r->steps;
	int64_t length[3], over_ns = 0;
	for (size_t i = 0; i < s->marks.nr; i++) {
		size_t step = steps_measured(s, (uint32_t)i);
		bool known = i > 0 || s->marks.nr == 1, measured = step != NO_ID;
		int64_t start_ns = s->marks.v[i].start_ns, end_ns = w->over_ns[i];
		int64_t begin_ns = i ? over_ns : start_ns;
		over_ns = begin_ns > end_ns ? begin_ns : end_ns;
		if (i == 0)
			advance(w, begin_ns, false, length);
		advance(w, over_ns, measured && known, length);
		if (measured)
			w->d->samples[METRIC_STEP_LATENCY][step] = end_ns - start_ns;
		if (measured && known)
			TRY(set_period(w, step, over_ns - begin_ns, length, log));
		else if (measured)
			set_no_period(w, step);
		/* the sum fits into int64, since periods are disjoint */
		*measured_ns += measured && known ? over_ns - begin_ns : 0;
	}
	return ST_OK;
}

/* Stores the median period of the complete measured steps, and the median distance of their
 * markers. If the host does not run ahead of the GPU, a period is as long as the time from the
 * previous marker to the step's own, or from the step's own to the next. The medians of both are
 * computed, and the smaller one is stored. */
static void compare_markers(const struct reducer *r, struct digest *d)
{
	enum { PERIOD, BEFORE, AFTER, NR_LISTS };
	const struct steps *s = &r->steps;
	int64_t *v[NR_LISTS], median[NR_LISTS];
	size_t nr[NR_LISTS] = { 0 };
	if (s->usable < 3)
		return;
	for (int k = 0; k < NR_LISTS; k++)
		v[k] = mem_calloc(s->usable, sizeof *v[k]);
	for (size_t i = 0; i < s->usable; i++) {
		const struct mark *m = &s->marks.v[s->warmup + i];
		if (d->samples[METRIC_STEP_PERIOD][i] == NO_SAMPLE)
			continue;
		v[PERIOD][nr[PERIOD]++] = d->samples[METRIC_STEP_PERIOD][i];
		int64_t before = m->start_ns - m[-1].start_ns;
		int64_t after = i + 1 < s->usable ? m[1].start_ns - m->start_ns : before;
		/* steps of several kinds may have different distances: takes the smaller one */
		if (d->step_phases)
			before = after = before < after ? before : after;
		v[BEFORE][nr[BEFORE]++] = before;
		if (i + 1 < s->usable)
			v[AFTER][nr[AFTER]++] = after;
	}
	for (int k = 0; k < NR_LISTS; k++) {
		median[k] = number_median(v[k], nr[k]);
		free(v[k]);
	}
	d->trust.completion_ns = median[PERIOD];
	d->trust.marker_ns = median[BEFORE] < median[AFTER] ? median[BEFORE] : median[AFTER];
}

enum status wall_figures(const struct reducer *r, struct digest *d, struct device_periods *devices,
                         struct diag_log *log)
{
	size_t nr_devices = r->gpu.devices.keys.nr;
	struct wall_walk w = { .r = r, .d = d, .live = VEC_INIT };
	int64_t measured_ns = 0;
	w.devices = mem_calloc(nr_devices, sizeof *w.devices);
	w.over_ns = mem_calloc(r->steps.marks.nr, sizeof *w.over_ns);
	for (size_t i = 0; i < nr_devices; i++)
		w.devices[i].compute = w.devices[i].kernels = w.devices[i].all = (struct cover)COVER_INIT;
	find_ends(&w);
	enum status st = walk_steps(&w, &measured_ns, log);
	if (st == ST_OK)
		compare_markers(r, d);
	for (size_t i = 0; i < nr_devices; i++)
		if (w.devices[i].works)
			devices[i] = (struct device_periods){ true, measured_ns, w.devices[i].busy_ns };
	free(w.devices);
	free(w.over_ns);
	vec_release(&w.live);
	return st;
}

void wall_of_window(struct digest *d, int64_t idle_ns)
{
	d->samples[METRIC_STEP_LATENCY] = NULL;
	for (int k = 0; k < NR_PERIOD_METRICS; k++)
		if (period_metrics[k] != METRIC_STEP_IDLE_TIME)
			d->samples[period_metrics[k]] = NULL;
	d->samples[METRIC_STEP_IDLE_TIME][0] = idle_ns;
}
