/* Finds the code around each launch: what the launching thread was running at the moment of the
 * launch (metrics.md, "Where in the code"). The walk over a thread enters operators, annotations
 * and frames when they begin. At each call, the walk looks up those that have not ended. */
#include "reduce/where.h"
#include "base/search.h"
#include "code/open_spans.h"
#include "reduce/reducer.h"

void where_init(struct where *w)
{
	name_table_init(&w->call_stacks);
}

void where_release(struct where *w)
{
	code_links_release(&w->links);
	vec_release(&w->ranges);
	name_table_release(&w->call_stacks);
	vec_release(&w->stacks_of);
	vec_release(&w->text_paths);
	vec_release(&w->stated);
	if (w->wanted) {
		code_paths_release(&w->names);
		code_places_release(&w->places);
		name_table_release(&w->moments);
	}
	where_step_release(&w->step);
	free(w->wanted);
	free(w->moment_of);
	free(w->frame_of);
	vec_release(&w->points);
	vec_release(&w->questions);
	vec_release(&w->bytes);
	vec_release(&w->work);
	vec_release(&w->range_stacks);
	vec_release(&w->syncs);
	vec_release(&w->place_texts);
}

/* ---- intake of events ---- */

void where_take_range(struct reducer *r, const struct event *ev)
{
	vec_push(&r->where.ranges, (struct where_range){ ev->start_ns, ev->dur_ns,
	                                                 thread_key(&r->threads, ev), ev->name->id });
	r->where.nvtx |= ev->nvtx;
}

void where_take_op(struct reducer *r, const struct event *ev)
{
	struct where *w = &r->where;
	uint32_t span = (uint32_t)r->host.spans.nr;
	code_links_take_op(&w->links, ev, span, &r->fault);
	const struct name *text =
	    ev->call_stack.n ? name_intern(&w->call_stacks, ev->call_stack) : NULL;
	if (text)
		vec_push(&w->stacks_of, (struct where_call_stack){ span, text->id });
}

void where_take_stated(struct reducer *r, const struct event *ev)
{
	vec_push(&r->where.stated,
	         (struct where_stated){ (uint32_t)r->gpu.activities.nr, ev->op ? ev->op->id : NO_ID,
	                                ev->module ? ev->module->id : NO_ID });
}

/* ---- the calls whose code is looked up ---- */

ORDERING(range_cmp, struct where_range, RISING(thread) RISING(start_ns) FALLING(dur_ns))

/* True if the launch is in a complete measured step. Its activity may lie in another step. */
static bool is_usable(struct reducer *r, const struct digest *d, const struct activity *a,
                      uint32_t span)
{
	bool by_start = d->attribution == ATTRIBUTION_TIMESTAMP && !r->steps.own.in_use;
	uint32_t step =
	    by_start ? steps_at(&r->steps, span_start(&r->host, &r->host.spans.v[span])) : a->step;
	return steps_usable(&r->steps, step) != NO_ID;
}

static bool is_wanted(const struct where *w, uint32_t span)
{
	return w->wanted[span / 32].bits >> span % 32 & 1;
}

static void want(struct where *w, uint32_t span)
{
	w->wanted[span / 32].bits |= (uint32_t)1 << span % 32;
}

static void want_launches(struct reducer *r, const struct digest *d)
{
	struct where *w = &r->where;
	const struct graphs *g = &r->graphs;
	for (size_t i = 0; i < g->nodes.nr; i++)
		if (g->nodes.v[i].span != NO_ID)
			want(w, g->nodes.v[i].span);
	for (size_t i = 0, t = 0, s = 0, n = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		bool moves = t < r->gpu.transfers.nr && r->gpu.transfers.v[t].activity == i;
		uint32_t bytes = moves ? r->gpu.transfers.v[t++].bytes : 0;
		struct where_stated own = { .op = NO_ID, .module = NO_ID };
		if (s < w->stated.nr && w->stated.v[s].activity == i)
			own = w->stated.v[s++];
		bool replayed = n < g->runs.nr && g->runs.v[n].activity == i;
		uint32_t run = replayed ? (uint32_t)n++ : NO_ID;
		if (!a->has_launch)
			continue;
		uint32_t span = r->launches.list.v[a->correlation].span;
		uint32_t name = idmap_pair_first(r->gpu.rows.keys.v[a->row]);
		if (!is_wanted(w, span) && !is_usable(r, d, a, span))
			continue;
		want(w, span);
		struct where_work work = { own,
			                       span,
			                       name,
			                       activity_dur(&r->gpu, a),
			                       widen(&r->gpu.wide, bytes),
			                       run,
			                       row_blocks(&r->gpu, a->row) };
		where_step_take(r, a, &work);
		if (w->stated.nr || g->runs.nr)
			vec_push(&w->work, work);
		else if (bytes)
			vec_push(&w->bytes, (struct where_bytes){ span, name, bytes });
	}
}

static void want_waits(struct reducer *r)
{
	struct where *w = &r->where;
	for (size_t i = 0; i < w->syncs.nr; i++) {
		int64_t at_ns = span_start(&r->host, &r->host.spans.v[w->syncs.v[i]]);
		if (steps_usable(&r->steps, steps_at(&r->steps, at_ns)) != NO_ID)
			want(w, w->syncs.v[i]);
	}
}

static void keep_forwards(struct reducer *r)
{
	struct code_links *l = &r->where.links;
	for (size_t i = 0; i < l->sequences.nr; i++) {
		const struct code_sequence *s = &l->sequences.v[i];
		const struct host_span *span = &r->host.spans.v[s->span];
		if (!s->backward)
			vec_push(&l->forwards,
			         (struct code_forward){
			             .number = widen(&l->wide, s->number),
			             .start = { r->threads.ids.keys.v[span_thread(&r->host, span)],
			                        span_start(&r->host, span) } });
	}
	code_links_order(l);
	code_forwards_order(l);
}

void where_end_intake(struct reducer *r)
{
	struct where *w = &r->where;
	w->has_stacks = r->python.threads.nr || w->stacks_of.nr;
	/* links are needed only to give backward operators the frames of their forward operators, and
	 * to count operations by means of backward operators */
	if (!w->has_stacks && !r->flops.lends)
		code_links_release(&w->links);
}

void where_begin(struct reducer *r, const struct digest *d)
{
	struct where *w = &r->where;
	size_t nr = r->host.spans.nr / 32 + 1;
	uint32_t wanted = 0;
	w->wanted = mem_calloc(nr, sizeof *w->wanted);
	w->has_phases = d->phases[PHASE_FORWARD][0] != NULL;
	code_paths_init(&w->names, r->names);
	code_places_init(&w->places, r->options.sites);
	name_table_init(&w->moments);
	vec_sort(&w->ranges, range_cmp);
	where_step_begin(r);
	graphs_match(r);
	want_launches(r, d);
	want_waits(r);
	for (size_t i = 0; i < nr; i++) {
		w->wanted[i].before = wanted;
		wanted += (uint32_t)__builtin_popcount(w->wanted[i].bits);
	}
	w->moment_of = mem_calloc(wanted, sizeof *w->moment_of);
	if (!w->has_stacks)
		return;
	keep_forwards(r);
	w->frame_of = mem_realloc(NULL, r->names->nr, sizeof *w->frame_of);
	memset(w->frame_of, 0xff, r->names->nr * sizeof *w->frame_of); /* sets all elements to NO_ID */
}

/* ---- walk over one thread ---- */

struct where_walk {
	struct reducer *r;
	int64_t thread; ///< key of the walk's thread, from thread_key()
	struct open_spans ops, ranges, frames;
	size_t next_range; ///< index of the next range to be entered
	struct python_walk python;
	size_t phase_near[2];
	bool begun; ///< true if an operator has begun whose call stack has not been read
	int64_t begun_ns;
};

struct where_walk *where_walk_begin(struct reducer *r, uint32_t thread)
{
	struct where_walk *w = mem_calloc(1, sizeof *w);
	const struct where_range *v = r->where.ranges.v;
	w->r = r;
	w->thread = r->threads.ids.keys.v[thread];
	w->python = python_walk_thread(&r->python, w->thread);
	size_t lo = 0, hi = r->where.ranges.nr; /* lo becomes the number of ranges of earlier threads */
	SEARCH(lo, hi, i, v[i].thread < w->thread);
	w->next_range = lo;
	return w;
}

/* Id of the path of the frames in the text of a call stack. The ids are cached, since many
 * operators have the same text. */
static uint32_t path_of_text(struct where *w, uint32_t text)
{
	while (w->text_paths.nr < w->call_stacks.nr)
		vec_push(&w->text_paths, NO_ID);
	uint32_t *path = &w->text_paths.v[text];
	if (*path == NO_ID)
		*path = code_places_of_text(&w->places, name_span(w->call_stacks.by_id[text]));
	return *path;
}

/* Path of the frames of the innermost open operator that has a call stack; 0 if there is no such
 * operator. */
static uint32_t call_stack(struct where_walk *w)
{
	struct where *where = &w->r->where;
	for (size_t i = w->ops.list.nr; i-- > 0;) {
		uint32_t span = w->ops.list.v[i].tag;
		const struct where_call_stack *own =
		    SEARCH_EQUAL(where->stacks_of.v, where->stacks_of.nr, span, span);
		if (own)
			return path_of_text(where, own->text);
	}
	return 0;
}

/* Stores the call stack at the time `begun_ns`, once all operators that begin at this time have
 * been entered. The backward operators of these operators get the same call stack. */
static void tell_call_stack(struct where_walk *w)
{
	struct where *where = &w->r->where;
	w->begun = false;
	open_spans_at(&w->ops, w->begun_ns);
	uint32_t path = call_stack(w);
	const struct where_stack_point *last =
	    where->points.nr ? &where->points.v[where->points.nr - 1] : NULL;
	if (!last || last->thread != w->thread || last->path != path)
		vec_push(&where->points, (struct where_stack_point){ w->thread, w->begun_ns, path });
}

void where_walk_op(struct where_walk *w, uint32_t span, const struct wide_span *op)
{
	uint32_t row = op->row, name = idmap_pair_first(w->r->host.rows.keys.v[row]);
	if (w->begun && op->start_ns > w->begun_ns)
		tell_call_stack(w);
	open_spans_enter(&w->ops, op->start_ns, op->dur_ns, (uint32_t)w->r->host.name_ids.keys.v[name],
	                 span);
	w->begun = w->r->where.stacks_of.nr;
	w->begun_ns = op->start_ns;
}

/* Id of the path of the Python frames at the moment `at_ns`, which the walk must not have passed
 * yet. */
static uint32_t frames_at(struct reducer *r, struct open_spans *open, struct python_walk *walk,
                          int64_t at_ns)
{
	struct where *where = &r->where;
	int64_t start_ns, dur_ns;
	uint32_t name;
	while (python_walk_next(walk, at_ns, &start_ns, &dur_ns, &name)) {
		if (where->frame_of[name] == NO_ID)
			where->frame_of[name] =
			    code_places_frame(&where->places, name_span(r->names->by_id[name]));
		open_spans_enter(open, start_ns, dur_ns, where->frame_of[name], 0);
	}
	open_spans_at(open, at_ns);
	return open_spans_path(open, &where->places.paths);
}

static uint32_t range_at(struct where_walk *w, int64_t at_ns)
{
	struct where *where = &w->r->where;
	for (; w->next_range < where->ranges.nr; w->next_range++) {
		const struct where_range *v = &where->ranges.v[w->next_range];
		if (v->thread != w->thread || v->start_ns > at_ns)
			break;
		open_spans_enter(&w->ranges, v->start_ns, v->dur_ns, v->name, 0);
	}
	open_spans_at(&w->ranges, at_ns);
	return open_spans_path(&w->ranges, &where->names);
}

/* Path of modules (in `places`) for a path of NVTX ranges. Each range counts as a module. A path
 * has a larger id than its parent, so the parent is converted first. */
static uint32_t range_stack(struct reducer *r, uint32_t range)
{
	struct where *w = &r->where;
	while (w->range_stacks.nr <= range) {
		const struct code_path *p = &w->names.list.v[w->range_stacks.nr];
		uint32_t stack = 0;
		if (w->range_stacks.nr)
			stack = code_places_module(&w->places, w->range_stacks.v[p->parent],
			                           code_without_number(name_span(r->names->by_id[p->name])));
		vec_push(&w->range_stacks, stack);
	}
	return w->range_stacks.v[range];
}

/* Finds the start of the forward operator that belongs to the outermost running backward operator;
 * false if it is unknown. */
static bool forward_at(const struct where_walk *w, struct code_start *out)
{
	const struct code_links *l = &w->r->where.links;
	for (size_t i = 0; i < w->ops.list.nr; i++) {
		const struct open_span *op = &w->ops.list.v[i];
		struct code_start start = { w->thread, op->start_ns };
		if (code_forward_of(l, start, code_sequence_of(l, op->tag), out))
			return true;
	}
	return false;
}

static uint32_t phase_of_call(struct where_walk *w, int64_t at_ns)
{
	struct reducer *r = w->r;
	uint32_t step = steps_at(&r->steps, at_ns);
	enum phase whole = step == NO_ID ? PHASE_ALL : r->steps.marks.v[step].told.phase;
	if (whole != PHASE_ALL || !r->where.has_phases)
		return whole;
	uint32_t thread = idmap_find(&r->threads.ids, w->thread);
	return phases_at(&r->phases, w->phase_near, thread, at_ns);
}

static uint32_t moment_id(struct where *w, const struct where_moment *m)
{
	const struct name *nm = name_intern(&w->moments, (struct span){ (const char *)m, sizeof *m });
	return nm ? nm->id : NO_ID;
}

static void keep_moment(struct where *w, uint32_t *of_call, const struct where_moment *m)
{
	uint32_t id = moment_id(w, m);
	if (id != NO_ID) /* NO_ID: the table is full, and the code around the call stays unknown */
		*of_call = id + 1;
}

void where_walk_call(struct where_walk *w, uint32_t span, const struct wide_span *call)
{
	struct where *where = &w->r->where;
	int64_t at_ns = call->start_ns;
	uint32_t *moment = where_moment(where, span);
	if (!moment)
		return;
	if (w->begun && at_ns > w->begun_ns)
		tell_call_stack(w);
	open_spans_at(&w->ops, at_ns);
	struct where_moment m = { .op = open_spans_path(&w->ops, &where->names),
		                      .range = range_at(w, at_ns),
		                      .phase = phase_of_call(w, at_ns) };
	if (where->nvtx)
		m.stack = range_stack(w->r, m.range);
	if (where->has_stacks) {
		struct code_start forward;
		m.stack = frames_at(w->r, &w->frames, &w->python, at_ns);
		if (!m.stack)
			m.stack = call_stack(w);
		if (!code_places_stack(&where->places, m.stack).own && forward_at(w, &forward))
			vec_push(&where->questions, (struct where_question){ forward, span });
	}
	bool sync = w->r->host.names.v[idmap_pair_first(w->r->host.rows.keys.v[call->row])].sync;
	keep_moment(where, moment, &m);
	where_step_call(w->r, span, call, idmap_find(&w->r->threads.ids, w->thread), sync, &w->ops);
}

void where_walk_end(struct where_walk *w)
{
	if (w->begun)
		tell_call_stack(w);
	vec_release(&w->ops.list);
	vec_release(&w->ranges.list);
	vec_release(&w->frames.list);
	free(w);
}

/* ---- frames of forward operators ---- */

ORDERING(question_cmp, struct where_question, RISING(start.thread) RISING(start.at_ns))

ORDERING(point_cmp, struct where_stack_point, RISING(thread) RISING(at_ns))

/* Path of the frames at a moment, from the call stacks of operators in a PyTorch trace of 2021; 0
 * if there are none. */
static uint32_t told_stack(const struct where *w, struct code_start start)
{
	const struct where_stack_point *v = w->points.v;
	size_t lo = 0, hi = w->points.nr; /* lo: number of points up to `start` */
	SEARCH(lo, hi, i,
	       v[i].thread < start.thread ||
	           (v[i].thread == start.thread && v[i].at_ns <= start.at_ns));
	return lo && v[lo - 1].thread == start.thread ? v[lo - 1].path : 0;
}

void where_link(struct reducer *r)
{
	struct where *w = &r->where;
	struct open_spans open = { 0 };
	struct python_walk walk = { 0 };
	vec_sort(&w->questions, question_cmp);
	vec_sort(&w->points, point_cmp);
	for (size_t i = 0; i < w->questions.nr; i++) {
		const struct where_question *q = &w->questions.v[i];
		if (!i || q[-1].start.thread != q->start.thread) {
			walk = python_walk_thread(&r->python, q->start.thread);
			open.list.nr = open.known = 0;
		}
		uint32_t stack = frames_at(r, &open, &walk, q->start.at_ns);
		if (!stack)
			stack = told_stack(w, q->start);
		uint32_t *known = where_moment(w, q->span);
		if (!stack || !*known)
			continue;
		struct where_moment m;
		memcpy(&m, w->moments.by_id[*known - 1]->s, sizeof m);
		m.stack = stack;
		keep_moment(w, known, &m);
	}
	vec_release(&open.list);
}

/* ---- activities that name their operator or module, or were replayed ---- */

uint32_t where_moment_of(struct reducer *r, const struct where_work *work)
{
	struct where *w = &r->where;
	struct where_moment m;
	uint32_t id = where_of_span(w, work->span);
	const struct graph_node *node = graphs_node(&r->graphs, work->run);
	if (id == NO_ID || (work->own.op == NO_ID && work->own.module == NO_ID && !node))
		return id;
	memcpy(&m, w->moments.by_id[id]->s, sizeof m);
	if (node && node->op)
		m.op = node->op;
	if (node && node->stack)
		m.stack = node->stack;
	if (work->own.op != NO_ID)
		m.op = code_path_child(&w->names, 0, work->own.op);
	if (work->own.module != NO_ID) {
		const struct name *module = r->names->by_id[work->own.module];
		m.stack = code_places_module(&w->places, m.stack, name_span(module));
	}
	return moment_id(w, &m);
}
