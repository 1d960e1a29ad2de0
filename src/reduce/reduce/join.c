/* Joins a part of the reducer to the whole. If the part has a fault, or joining would cause one,
   nothing is joined: its events are then taken again one by one, which finds the first fault. */
#include "base/number.h"
#include "reduce/reducer.h"

/* Joins the ids; the id of a pair is joined after the ids in the pair. False if a table is full. */
static bool join_ids(struct reducer *to, struct reducer *from)
{
	thread_ids_join(&to->threads, &from->threads, &from->joined);
	gpu_join_ids(to, from);
	python_join_ids(&to->python, &from->python, &from->joined);
	return host_join_ids(to, from) && comm_join_ids(to, from) && where_join_ids(to, from);
}

/* False if the reducer `to` could fail (set `fault`) if it took the events of `from` one by one. */
static bool part_fits(struct reducer *to, const struct reducer *from)
{
	return !to->fault && !from->fault &&
	       (uint64_t)to->nr_events + from->nr_events <= to->options.max_events &&
	       wide_fits(&to->launches.wide, &from->launches.wide) && gpu_fits(to, from) &&
	       host_fits(to, from) && code_links_fit(&to->where.links, &from->where.links) &&
	       python_fits(&to->python, &from->python) && memories_fit(to, from) && steps_fit(from) &&
	       !from->where.stated.nr;
}

static void join_totals(struct reducer *to, struct reducer *from)
{
	to->nr_events += from->nr_events;
	to->negative_durations += from->negative_durations;
	to->untimed += from->untimed;
	number_lower(&to->first_ns, from->first_ns);
	number_raise(&to->last_ns, from->last_ns);
	from->nr_events = 0;
	from->negative_durations = from->untimed = 0;
}

bool reducer_join(struct reducer *to, struct reducer *from)
{
	size_t activities = to->gpu.activities.nr, spans = to->host.spans.nr;
	if (!join_ids(to, from) || !part_fits(to, from))
		return false;
	gpu_join(to, from);
	host_join(to, from);
	launches_join(to, from, spans);
	flops_join(to, from, spans);
	where_join(to, from, spans);
	comm_join(to, from, activities);
	steps_join(to, from);
	phases_join(to, from);
	memories_join(to, from);
	python_join(&to->python, &from->python, &from->joined);
	join_totals(to, from);
	return true;
}
