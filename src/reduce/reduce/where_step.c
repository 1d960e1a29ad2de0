/* One measured step in full: its launches and waits, with the operators around each. */
#include "base/search.h"
#include "reduce/reducer.h"

/* A step (or a trace without steps) with more activities than this is not kept. */
enum { LAUNCHES = 16384 };

ORDERING_POINTERS(duration_cmp, struct mark,
                  THEN(COMPARE(x->end_ns - x->start_ns, y->end_ns - y->start_ns)))

/* Index in `marks` of the measured step of median length; NO_ID if there is no measured step. */
static uint32_t median_step(const struct steps *s)
{
	VEC(const struct mark *) list = VEC_INIT;
	for (size_t i = 0; i < s->usable; i++)
		vec_push(&list, &s->marks.v[s->warmup + i]);
	vec_sort(&list, duration_cmp);
	uint32_t step = list.nr ? (uint32_t)(list.v[(list.nr - 1) / 2] - s->marks.v) : NO_ID;
	vec_release(&list);
	return step;
}

void where_step_begin(struct reducer *r)
{
	struct where_step *s = &r->where.step;
	if (!r->options.keep_step)
		return;
	idmap_init(&s->spans);
	s->mark = median_step(&r->steps);
	s->kept = s->mark != NO_ID;
}

void where_step_take(struct reducer *r, const struct activity *a, const struct where_work *work)
{
	struct where_step *s = &r->where.step;
	if (!s->kept || a->step != s->mark)
		return;
	idmap_add(&s->spans, work->span);
	vec_push(&s->activities,
	         (struct where_step_activity){ *work, a->start_ns, activity_lane(&r->gpu, a) });
	s->kept = s->activities.nr <= LAUNCHES;
}

/* Stores the open operators in `around`, each once. Returns index + 1 of the innermost one; 0 if
 * there is none. */
static uint32_t keep_open(struct where_step *s, struct open_spans *open)
{
	uint32_t outer = 0;
	for (size_t i = 0; i < open->list.nr; i++) {
		struct open_span *o = &open->list.v[i];
		if (!o->kept) {
			vec_push(&s->around,
			         (struct where_step_around){ o->start_ns, o->until_ns, o->name, outer });
			o->kept = (uint32_t)s->around.nr;
		}
		outer = o->kept;
	}
	return outer;
}

void where_step_call(struct reducer *r, uint32_t span, const struct wide_span *call,
                     uint32_t thread, bool sync, struct open_spans *open)
{
	struct where_step *s = &r->where.step;
	if (!s->kept)
		return;
	bool waits = sync && steps_at(&r->steps, call->start_ns) == s->mark;
	if (!waits && idmap_find(&s->spans, span) == NO_ID)
		return;
	vec_push(&s->calls, (struct where_step_call){ span, thread, keep_open(s, open), call->start_ns,
	                                              call->dur_ns });
	if (waits)
		vec_push(&s->activities,
		         (struct where_step_activity){ .work = { { .op = NO_ID, .module = NO_ID },
		                                                 span,
		                                                 WHERE_SYNC,
		                                                 call->dur_ns,
		                                                 0,
		                                                 NO_ID },
		                                       .start_ns = call->start_ns });
	s->kept = s->activities.nr <= LAUNCHES;
}

/* ---- storing the step in the digest ---- */

ORDERING(call_cmp, struct where_step_call, RISING(span))

static uint32_t row_at(struct reducer *r, struct digest *d, struct idmap *ids,
                       const struct where_work *work)
{
	uint32_t moment = where_moment_of(r, work);
	if (moment == NO_ID)
		return NO_ID;
	uint32_t id = idmap_add(ids, idmap_pair(moment, work->name));
	if (id == d->step.rows.nr)
		vec_push(&d->step.rows, where_row(r, d, moment, work->name));
	return id;
}

static void add_launch(struct reducer *r, struct digest *d, struct idmap *ids,
                       const struct where_step_activity *a)
{
	const struct where_step *s = &r->where.step;
	const struct where_step_call *call = SEARCH_EQUAL(s->calls.v, s->calls.nr, span, a->work.span);
	uint32_t row = call ? row_at(r, d, ids, &a->work) : NO_ID;
	if (row == NO_ID)
		return;
	struct code_launch l = { .row = row,
		                     .around = call->around,
		                     .thread = call->thread,
		                     .call_start_ns = call->start_ns,
		                     .call_dur_ns = call->dur_ns,
		                     .start_ns = a->start_ns,
		                     .dur_ns = a->work.dur_ns,
		                     .bytes = a->work.bytes,
		                     .device = -1,
		                     .stream = -1,
		                     .name = SPAN("") };
	if (a->work.name != WHERE_SYNC) {
		int64_t lane = r->gpu.lanes.keys.v[a->lane];
		l.device = r->gpu.devices.keys.v[idmap_pair_first(lane)];
		l.stream = r->gpu.streams.keys.v[(uint32_t)lane];
		l.lane = a->lane;
		l.name = arena_span(&d->arena, r->gpu.names.v[a->work.name].stat.name);
	}
	vec_push(&d->step.launches, l);
}

ORDERING(launch_order, struct code_launch, RISING(call_start_ns) RISING(start_ns) RISING(row))

void where_step_figures(struct reducer *r, struct digest *d)
{
	struct where_step *s = &r->where.step;
	struct idmap ids;
	if (!s->kept)
		return;
	const struct mark *m = &r->steps.marks.v[s->mark];
	d->step.number = r->steps.window ? -1 : m->number;
	d->step.start_ns = m->start_ns;
	d->step.end_ns = m->end_ns;
	idmap_init(&ids);
	vec_sort(&s->calls, call_cmp);
	for (size_t i = 0; i < s->activities.nr; i++)
		add_launch(r, d, &ids, &s->activities.v[i]);
	for (size_t i = 0; i < s->around.nr; i++) {
		const struct where_step_around *o = &s->around.v[i];
		struct span name = arena_span(&d->arena, name_span(r->names->by_id[o->name]));
		vec_push(&d->step.around, (struct code_around){ name, o->start_ns, o->until_ns, o->outer });
	}
	vec_sort(&d->step.launches, launch_order);
	idmap_release(&ids);
}

void where_step_release(struct where_step *s)
{
	idmap_release(&s->spans);
	vec_release(&s->activities);
	vec_release(&s->calls);
	vec_release(&s->around);
}
