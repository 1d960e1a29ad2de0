/* Wall time: a step is over at the later of the end of its annotation and the last end of its GPU
   activities, and never before the step ahead of it. Its period is what lies between the moment
   the step before is over and that one, so the periods stand side by side, and what each device
   does in them is the difference of unions at their edges. */
#include "base/intervals.h"
#include "base/number.h"
#include "reduce/reducer.h"

struct wall_device {
	bool works; ///< it has an activity of a step
	struct cover compute, kernels, all;
	int64_t before[3]; ///< their lengths at the edge before
};

struct wall_walk {
	const struct reducer *r;
	struct digest *d;
	struct wall_device *devices; ///< by device id
	int64_t nr_working;
	int64_t *over_ns; ///< when each mark is over, as far as its own activities say
	size_t next; ///< index of the next activity
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
	if (name->stat.kind != EVENT_KERNEL)
		return;
	cover_add(&dev->kernels, a->start_ns, end);
	if (!name->communication)
		cover_add(&dev->compute, a->start_ns, end);
}

/* Lengths from the edge before to this one, over the devices that work: of compute kernels, of
   all kernels, of all activities. `busy`: the last of each device, to be added to; NULL not. */
static void advance(struct wall_walk *w, int64_t at_ns, struct device_periods *busy,
                    int64_t length[3])
{
	const struct gpu_events *g = &w->r->gpu;
	for (; w->next < g->activities.nr && g->activities.v[w->next].start_ns < at_ns; w->next++)
		cover_activity(w, &g->activities.v[w->next]);
	memset(length, 0, 3 * sizeof *length);
	for (size_t i = 0; i < g->devices.keys.nr; i++) {
		struct wall_device *dev = &w->devices[i];
		const int64_t now[3] = { cover_before(&dev->compute, at_ns),
			                     cover_before(&dev->kernels, at_ns),
			                     cover_before(&dev->all, at_ns) };
		for (int k = 0; k < 3 && dev->works; k++)
			length[k] = number_add(length[k], now[k] - dev->before[k]);
		if (busy && dev->works)
			busy[i].busy_ns = number_add(busy[i].busy_ns, now[2] - dev->before[2]);
		memcpy(dev->before, now, sizeof now);
	}
}

static void set_period(const struct wall_walk *w, size_t step, int64_t period_ns,
                       const int64_t length[3])
{
	int64_t **s = w->d->samples;
	int64_t of_devices = number_div_round((__int128)period_ns * w->nr_working, 1);
	s[METRIC_STEP_PERIOD][step] = period_ns;
	s[METRIC_STEP_PERIOD_COMPUTE][step] = length[0];
	s[METRIC_STEP_PERIOD_EXPOSED_COMM][step] = number_sub(length[1], length[0]);
	s[METRIC_STEP_PERIOD_EXPOSED_MEMORY][step] = number_sub(length[2], length[1]);
	s[METRIC_STEP_IDLE_TIME][step] = number_sub(of_devices, length[2]);
}

/* The first of several steps has no moment from which its period could be counted. */
static void set_no_period(const struct wall_walk *w, size_t step)
{
	int64_t **s = w->d->samples;
	s[METRIC_STEP_PERIOD][step] = NO_SAMPLE;
	s[METRIC_STEP_PERIOD_COMPUTE][step] = NO_SAMPLE;
	s[METRIC_STEP_PERIOD_EXPOSED_COMM][step] = NO_SAMPLE;
	s[METRIC_STEP_PERIOD_EXPOSED_MEMORY][step] = NO_SAMPLE;
	s[METRIC_STEP_IDLE_TIME][step] = NO_SAMPLE;
}

void wall_figures(const struct reducer *r, struct digest *d, struct device_periods *devices)
{
	size_t nr = r->steps.marks.nr, nr_devices = r->gpu.devices.keys.nr;
	struct wall_walk w = { .r = r, .d = d };
	int64_t length[3], over_ns = 0;
	w.devices = mem_calloc(nr_devices, sizeof *w.devices);
	w.over_ns = mem_calloc(nr, sizeof *w.over_ns);
	for (size_t i = 0; i < nr_devices; i++)
		w.devices[i].compute = w.devices[i].kernels = w.devices[i].all = (struct cover)COVER_INIT;
	find_ends(&w);
	for (size_t i = 0; i < nr; i++) {
		const struct mark *m = &r->steps.marks.v[i];
		bool known = i > 0 || nr == 1;
		size_t step = steps_measured(&r->steps, (uint32_t)i);
		int64_t begin_ns = i ? over_ns : m->start_ns, end_ns = w.over_ns[i];
		over_ns = begin_ns > end_ns ? begin_ns : end_ns;
		if (i == 0)
			advance(&w, begin_ns, NULL, length);
		bool measured = step != NO_ID;
		advance(&w, over_ns, measured && known ? devices : NULL, length);
		if (measured)
			d->samples[METRIC_STEP_LATENCY][step] = end_ns - m->start_ns;
		if (measured && known)
			set_period(&w, step, over_ns - begin_ns, length);
		else if (measured)
			set_no_period(&w, step);
		for (size_t k = 0; k < nr_devices && measured && known; k++)
			if (w.devices[k].works)
				devices[k].period_ns = number_add(devices[k].period_ns, over_ns - begin_ns);
	}
	free(w.devices);
	free(w.over_ns);
}
