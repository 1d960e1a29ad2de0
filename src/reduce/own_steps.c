/* Steps that the profiler marked itself: XProf's, of which JAX traces have two forms. Each GPU has
   a line of its own, derived from what its activities were launched for; each interval on it
   lasts from the first to the last activity, and is split where steps take turns. Steps of one
   group are one, on all GPUs. Annotations have the number of a step: they tell when it was on the
   host, and are the steps themselves where there are no such lines.
   Source: DeriveStepEventsFromGroups(), xprof/utils/derived_timeline.cc (openxla/xprof, 2026). */
#include "reduce/reducer.h"

void own_steps_take(struct reducer *r, const struct event *ev)
{
	int64_t end = ev->start_ns + ev->dur_ns;
	uint32_t group = idmap_add(&r->own.groups, ev->step);
	if (group == r->own.marks.nr)
		vec_push(&r->own.marks,
		         (struct mark){ ev->start_ns, end, trailing_number(name_span(ev->name)), PHASE_ALL,
		                        group });
	struct mark *m = &r->own.marks.v[group];
	if (ev->start_ns < m->start_ns)
		m->start_ns = ev->start_ns;
	if (end > m->end_ns)
		m->end_ns = end;
	vec_push(&r->own.parts, (struct own_part){ ev->device, ev->start_ns, end, group });
}

/* Give the marks the intervals of the annotations of their numbers, where each has just one. */
static void take_host_intervals(struct reducer *r)
{
	struct idmap numbers, taken;
	bool clear = true;
	idmap_init(&numbers);
	idmap_init(&taken);
	for (size_t i = 0; clear && i < r->own.numbered.nr; i++)
		clear = idmap_add(&numbers, r->own.numbered.v[i].number) == i;
	for (size_t i = 0; clear && i < r->own.marks.nr; i++) {
		uint32_t at = idmap_find(&numbers, r->own.marks.v[i].number);
		clear = at != IDMAP_NONE && idmap_add(&taken, at) == i;
	}
	for (size_t i = 0; clear && i < r->own.marks.nr; i++) {
		const struct mark *host = &r->own.numbered.v[taken.keys.v[i]];
		r->own.marks.v[i].start_ns = host->start_ns;
		r->own.marks.v[i].end_ns = host->end_ns;
	}
	idmap_release(&numbers);
	idmap_release(&taken);
}

void own_steps_serve(struct reducer *r)
{
	if (r->marks.nr || r->options.marker_alone)
		return;
	r->own.serve = r->own.marks.nr > 0;
	take_host_intervals(r);
	for (size_t i = 0; i < r->own.marks.nr; i++)
		vec_push(&r->marks, r->own.marks.v[i]);
	for (size_t i = 0; i < r->own.numbered.nr && !r->own.serve; i++)
		vec_push(&r->marks, r->own.numbered.v[i]);
}

static int part_cmp(const void *a, const void *b)
{
	const struct own_part *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

void own_steps_order(struct reducer *r)
{
	uint32_t *step = mem_calloc(r->own.marks.nr, sizeof *step); /* by group */
	for (size_t i = 0; i < r->marks.nr; i++)
		step[r->marks.v[i].order] = (uint32_t)i;
	for (size_t i = 0; i < r->own.parts.nr; i++)
		r->own.parts.v[i].step = step[r->own.parts.v[i].step];
	vec_sort(&r->own.parts, part_cmp);
	free(step);
}

uint32_t own_steps_at(const struct reducer *r, const struct activity *a)
{
	const struct own_part at = {
		.device = r->devices.keys.v[idmap_pair_first(r->lanes.keys.v[activity_lane(r, a)])],
		.start_ns = a->start_ns,
	};
	size_t lo = 0, hi = r->own.parts.nr; /* lo becomes the number of parts begun by then */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (part_cmp(&r->own.parts.v[mid], &at) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct own_part *last = lo ? &r->own.parts.v[lo - 1] : NULL;
	return last && last->device == at.device && a->start_ns < last->end_ns ? last->step : NO_ID;
}
