/* Finds the last step, operator and activity of the rank, and its unfinished launches. */
#include "reduce/reducer.h"

/* The innermost host event around an instant: the event that began last or, if several began
 * together, the shortest of these. */
struct innermost {
	int64_t thread, at_ns;
	int64_t start_ns, end_ns;
	struct span name;
};

static void innermost_try(struct innermost *in, int64_t start_ns, int64_t end_ns, struct span name)
{
	if (start_ns > in->at_ns || end_ns <= in->at_ns || start_ns < in->start_ns ||
	    (start_ns == in->start_ns && end_ns > in->end_ns))
		return;
	in->start_ns = start_ns;
	in->end_ns = end_ns;
	in->name = name;
}

/* Name of the innermost operator, or annotation of a collective, around a launch. */
static struct span innermost_at(const struct reducer *r, const struct host_span *l)
{
	struct innermost in = { .thread = r->threads.ids.keys.v[span_thread(&r->host, l)],
		                    .at_ns = span_start(&r->host, l),
		                    .start_ns = INT64_MIN,
		                    .end_ns = INT64_MAX,
		                    .name = SPAN("") };
	for (size_t i = 0; i < r->host.spans.nr; i++) {
		const struct host_span *s = &r->host.spans.v[i];
		if (span_thread(&r->host, s) == span_thread(&r->host, l) && span_name(&r->host, s)->op)
			innermost_try(&in, span_start(&r->host, s), span_end(&r->host, s),
			              span_name(&r->host, s)->name);
	}
	for (size_t i = 0; i < r->comm.scopes.nr; i++) {
		const struct comm_scope *s = &r->comm.scopes.v[i];
		if (s->thread == in.thread)
			innermost_try(&in, s->start_ns, s->end_ns, name_span(s->name));
	}
	return in.name;
}

static struct span keep(struct digest *d, struct span s)
{
	return arena_span(&d->arena, s);
}

/* True if launches went on until the recording ended: the time from the last launch to the end of
   the recording is at most as long as the longest step, or as the longest time from a launch to the
   end of its work. */
static bool goes_on(const struct reducer *r)
{
	int64_t last = INT64_MIN, longest = r->launches.delay_ns;
	for (size_t i = 0; i < r->launches.list.nr; i++) {
		const struct host_span *s = &r->host.spans.v[r->launches.list.v[i].span];
		if (span_name(&r->host, s)->launch)
			number_raise(&last, span_start(&r->host, s));
	}
	/* the last step is left out, since it lasts until the recording ends */
	for (size_t i = 0; i + 1 < r->steps.marks.nr; i++)
		number_raise(&longest,
		             number_sub(r->steps.marks.v[i].end_ns, r->steps.marks.v[i].start_ns));
	return number_sub(r->last_ns, last) <= longest;
}

void progress_figures(const struct reducer *r, bool open_end, struct digest *d)
{
	struct progress *p = &d->progress;
	const struct host_span *first = NULL;
	if (r->steps.marks.nr == 0)
		return; /* the trace has no events */
	const struct mark *last = &r->steps.marks.v[r->steps.marks.nr - 1];
	p->step = r->steps.window ? -1 : last->number;
	const struct launch *l = NULL; /* first launch with the correlation id of launch `i` */
	bool in_last = false;
	for (size_t i = 0; i < r->launches.list.nr; i++) {
		if (launch_is_first(&r->launches, i)) {
			l = &r->launches.list.v[i];
			in_last = span_start(&r->host, &r->host.spans.v[l->span]) >= last->start_ns;
		}
		if (!in_last ||
		    !span_name(&r->host, &r->host.spans.v[r->launches.list.v[i].span])->kernel_launch)
			continue;
		const struct host_span *s = &r->host.spans.v[l->span];
		p->launches++;
		if (l->settled)
			continue;
		p->pending++;
		if (!first || span_start(&r->host, s) < span_start(&r->host, first) ||
		    (span_start(&r->host, s) == span_start(&r->host, first) && s < first))
			first = s;
	}
	for (size_t i = 0; i < r->comm.scopes.nr; i++)
		p->collectives +=
		    r->comm.scopes.v[i].start_ns >= last->start_ns && !r->comm.scopes.v[i].nested;
	if (open_end && goes_on(r)) {
		p->pending = 0;
		first = NULL;
	}
	p->op = r->host.last.name ? keep(d, name_span(r->host.last.name)) : SPAN("");
	p->activity = SPAN("");
	if (r->gpu.activities.nr)
		p->activity = keep(
		    d, activity_name(&r->gpu, &r->gpu.activities.v[r->gpu.activities.nr - 1])->stat.name);
	p->waits_in = first ? keep(d, innermost_at(r, first)) : SPAN("");
}
