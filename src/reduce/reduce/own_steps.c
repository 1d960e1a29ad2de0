/* Steps on the timelines of GPUs. PyTorch mirrors each annotation on every stream that ran work
 * launched within the annotation, from the first to the last activity of that work. These mirrored
 * annotations are the steps of a trace whose host was not recorded. XProf marks steps in JAX traces
 * in two forms. Each GPU has a timeline of steps, derived from the steps that launched its
 * activities: an interval lasts from the first to the last activity of a step, and is split if
 * steps alternate. Intervals with one id, on all GPUs, are one step. Annotations with the number of
 * a step give the interval of this step on the host; they are the steps if there are no timelines.
 * Source: DeriveStepEventsFromGroups(), xprof/utils/derived_timeline.cc (openxla/xprof, 2026). */
#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

/* Adds interval `p` of the step with the id `group`, and the step itself if it is new. */
static void interval_add(struct own_steps *own, struct own_interval p, int64_t group,
                         struct mark mark)
{
	p.step = idmap_add(&own->groups, group);
	mark.group = p.step;
	if (p.step == own->marks.nr)
		vec_push(&own->marks, mark);
	struct mark *m = &own->marks.v[p.step];
	number_lower(&m->start_ns, p.start_ns);
	number_raise(&m->end_ns, p.end_ns);
	vec_push(&own->intervals, p);
}

void own_steps_take(struct reducer *r, const struct event *ev)
{
	bool annotated = ev->kind == EVENT_GPU_ANNOTATION;
	struct span name = name_span(ev->name);
	r->steps.own.annotated |= annotated;
	interval_add(&r->steps.own,
	             (struct own_interval){ .device = ev->device,
	                                    .stream = annotated ? ev->stream : IDENT_NONE,
	                                    .start_ns = ev->start_ns,
	                                    .end_ns = ev->start_ns + ev->dur_ns },
	             ev->step,
	             (struct mark){ .start_ns = ev->start_ns,
	                            .end_ns = ev->start_ns + ev->dur_ns,
	                            .number = step_number_of(name),
	                            .told = annotated ? step_told_by(name) : (struct step_told){ 0 },
	                            .pid = IDENT_NONE });
}

/* Gives each step the interval of the host annotation with its number, if each step has exactly
   one. */
static void take_host_intervals(struct reducer *r)
{
	struct idmap numbers, taken;
	bool clear = true;
	idmap_init(&numbers);
	idmap_init(&taken);
	for (size_t i = 0; clear && i < r->steps.own.numbered.nr; i++)
		clear = idmap_add(&numbers, r->steps.own.numbered.v[i].number) == i;
	for (size_t i = 0; clear && i < r->steps.own.marks.nr; i++) {
		uint32_t at = idmap_find(&numbers, r->steps.own.marks.v[i].number);
		clear = at != NO_ID && idmap_add(&taken, at) == i;
	}
	for (size_t i = 0; clear && i < r->steps.own.marks.nr; i++) {
		const struct mark *host = &r->steps.own.numbered.v[taken.keys.v[i]];
		r->steps.own.marks.v[i].start_ns = host->start_ns;
		r->steps.own.marks.v[i].end_ns = host->end_ns;
	}
	idmap_release(&numbers);
	idmap_release(&taken);
}

void own_steps_use(struct reducer *r)
{
	if (r->steps.marks.nr || (r->options.marker_alone && !r->steps.own.annotated))
		return;
	r->steps.own.in_use = r->steps.own.marks.nr > 0;
	take_host_intervals(r);
	for (size_t i = 0; i < r->steps.own.marks.nr; i++)
		vec_push(&r->steps.marks, r->steps.own.marks.v[i]);
	for (size_t i = 0; i < r->steps.own.numbered.nr && !r->steps.own.in_use; i++)
		vec_push(&r->steps.marks, r->steps.own.numbered.v[i]);
}

ORDERING(own_interval_cmp, struct own_interval, RISING(device) RISING(stream) RISING(start_ns))

void own_steps_order(struct reducer *r)
{
	uint32_t *step = mem_calloc(r->steps.own.marks.nr, sizeof *step); /* group id → index of mark */
	for (size_t i = 0; i < r->steps.marks.nr; i++)
		step[r->steps.marks.v[i].group] = (uint32_t)i;
	for (size_t i = 0; i < r->steps.own.intervals.nr; i++)
		r->steps.own.intervals.v[i].step = step[r->steps.own.intervals.v[i].step];
	vec_sort(&r->steps.own.intervals, own_interval_cmp);
	free(step);
}

uint32_t own_steps_at(const struct reducer *r, const struct activity *a)
{
	int64_t lane = r->gpu.lanes.keys.v[activity_lane(&r->gpu, a)];
	const struct own_interval at = {
		.device = r->gpu.devices.keys.v[idmap_pair_first(lane)],
		.stream = r->steps.own.annotated ? r->gpu.streams.keys.v[(uint32_t)lane] : IDENT_NONE,
		.start_ns = a->start_ns,
	};
	size_t lo = 0,
	       hi = r->steps.own.intervals.nr; /* lo becomes the number of intervals up to `at` */
	SEARCH(lo, hi, i, own_interval_cmp(&r->steps.own.intervals.v[i], &at) <= 0);
	const struct own_interval *last = lo ? &r->steps.own.intervals.v[lo - 1] : NULL;
	return last && last->device == at.device && last->stream == at.stream &&
	               a->start_ns < last->end_ns
	           ? last->step
	           : NO_ID;
}
