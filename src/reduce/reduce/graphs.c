/* Finds the stream capture whose calls a graph replay runs. A replay fits a capture if both have
 * the same number and kinds of activities in the same order. If the capture has names of kernels,
 * these must be equal, too. */
#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

void graphs_release(struct graphs *g)
{
	vec_release(&g->calls);
	vec_release(&g->numbers);
	vec_release(&g->captures);
	vec_release(&g->nodes);
	vec_release(&g->ops);
	vec_release(&g->joined);
	name_table_release(&g->works);
	idmap_release(&g->counts);
	vec_release(&g->forms);
	vec_release(&g->partly);
	name_table_release(&g->sequences);
	vec_release(&g->replays);
	vec_release(&g->fitting);
	vec_release(&g->runs);
}

/* ---- captures ---- */

/* A call that begins (+1) or ends (-1) a capture, or makes a stream wait for another stream (0). */
struct capture_call {
	uint32_t thread;
	int64_t at_ns;
	int by;
};

ORDERING(capture_call_cmp, struct capture_call, RISING(thread) RISING(at_ns))

void graphs_find(struct reducer *r)
{
	const struct host_events *h = &r->host;
	VEC(struct capture_call) calls = VEC_INIT;
	for (size_t i = 0; i < h->spans.nr && r->graphs.begun; i++) {
		const struct host_span *s = &h->spans.v[i];
		const struct host_name *name = span_name(h, s);
		if (name->capture || name->waits)
			vec_push(&calls,
			         (struct capture_call){ span_thread(h, s), span_start(h, s), name->capture });
	}
	vec_sort(&calls, capture_call_cmp);
	int depth = 0;
	struct graph_capture c = { 0 };
	for (size_t i = 0; i < calls.nr; i++) {
		const struct capture_call *call = &calls.v[i];
		if (depth && call->thread != c.thread)
			depth = 0;
		c.forks = c.forks || !call->by;
		if (call->by > 0 && depth++ == 0)
			c = (struct graph_capture){ .thread = call->thread, .start_ns = call->at_ns };
		c.end_ns = call->at_ns;
		if (call->by < 0 && depth && --depth == 0)
			vec_push(&r->graphs.captures, c);
	}
	r->graphs.own = r->graphs.captures.nr;
	vec_release(&calls);
}

/* The capture that was running on a thread at a moment, or NULL. */
static struct graph_capture *capture_at(const struct graphs *g, uint32_t thread, int64_t at_ns)
{
	size_t lo = 0, hi = g->own; /* lo: number of captures that begin at (thread, at_ns) or before */
	SEARCH(lo, hi, i,
	       g->captures.v[i].thread < thread ||
	           (g->captures.v[i].thread == thread && g->captures.v[i].start_ns <= at_ns));
	struct graph_capture *c = lo ? &g->captures.v[lo - 1] : NULL;
	return c && c->thread == thread && at_ns < c->end_ns ? c : NULL;
}

bool graphs_capture_at(const struct graphs *g, uint32_t thread, int64_t at_ns)
{
	return capture_at(g, thread, at_ns) != NULL;
}

bool graphs_take(struct reducer *r, uint32_t span)
{
	struct graphs *g = &r->graphs;
	const struct host_span *s = &r->host.spans.v[span];
	const struct host_name *name = span_name(&r->host, s);
	struct graph_capture *c = capture_at(g, span_thread(&r->host, s), span_start(&r->host, s));
	if (c && (name->launch || name->copies)) {
		enum event_kind kind = name->launch ? EVENT_KERNEL : name->copies;
		const struct graph_call *named =
		    name->launch ? SEARCH_EQUAL(g->calls.v, g->calls.nr, span, span) : NULL;
		c->unread |= span < g->from;
		vec_push(&g->nodes,
		         (struct graph_node){ .capture = (uint32_t)(c - g->captures.v),
		                              .span = span,
		                              .work = idmap_pair(kind, named ? named->kernel : NO_ID),
		                              .counted = NO_ID });
	}
	return c != NULL;
}

static int node_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	const struct graph_node *x = a, *y = b;
	ORDER_BY(x->capture, y->capture);
	int64_t sx = span_start(&r->host, &r->host.spans.v[x->span]);
	int64_t sy = span_start(&r->host, &r->host.spans.v[y->span]);
	return COMPARE(sx, sy);
}

/* ---- captures of other recordings ---- */

struct captured {
	struct name_table names; ///< names of kernels and operators, texts of frames
	VEC(struct graph_capture) captures;
	/// nodes; their ids of names and paths are indices in this struct
	VEC(struct graph_node) nodes;
	VEC(struct graph_op) counted;
	VEC(struct code_path) ops, stacks; ///< paths; their names are in `names`, or NO_ID
};

static uint32_t captured_name(struct captured *c, const struct name_table *from, uint32_t id)
{
	const struct name *nm = name_intern(&c->names, name_span(from->by_id[id]));
	return nm ? nm->id : NO_ID;
}

struct captured *reducer_captured(const struct reducer *r)
{
	struct captured *c = mem_calloc(1, sizeof *c);
	const struct code_paths *ops = &r->where.names, *stacks = &r->where.places.paths;
	name_table_init(&c->names);
	for (size_t i = 0; i < r->graphs.captures.nr; i++)
		vec_push(&c->captures, r->graphs.captures.v[i]);
	for (size_t i = 0; i < r->graphs.nodes.nr; i++) {
		struct graph_node n = r->graphs.nodes.v[i];
		if ((uint32_t)n.work != NO_ID)
			n.work =
			    idmap_pair(idmap_pair_first(n.work), captured_name(c, r->names, (uint32_t)n.work));
		n.span = NO_ID;
		vec_push(&c->nodes, n);
	}
	for (size_t i = 0; i < r->graphs.ops.nr; i++) {
		struct graph_op op = r->graphs.ops.v[i];
		op.name = captured_name(c, r->names, op.name);
		vec_push(&c->counted, op);
	}
	for (size_t i = 1; i < ops->list.nr; i++)
		vec_push(&c->ops,
		         (struct code_path){ .parent = ops->list.v[i].parent,
		                             .name = captured_name(c, r->names, ops->list.v[i].name) });
	for (size_t i = 1; i < stacks->list.nr; i++)
		vec_push(&c->stacks,
		         (struct code_path){ .parent = stacks->list.v[i].parent,
		                             .name = captured_name(c, &r->where.places.frame_names,
		                                                   stacks->list.v[i].name) });
	return c;
}

void captured_free(struct captured *c)
{
	if (!c)
		return;
	name_table_release(&c->names);
	vec_release(&c->captures);
	vec_release(&c->nodes);
	vec_release(&c->counted);
	vec_release(&c->ops);
	vec_release(&c->stacks);
	free(c);
}

void reducer_join(struct reducer *r, const struct captured *c)
{
	vec_push(&r->graphs.joined, c);
}

static uint32_t joined_name(struct reducer *r, const struct captured *c, uint32_t id)
{
	const struct name *nm =
	    id == NO_ID ? NULL : name_intern(r->names, name_span(c->names.by_id[id]));
	return nm ? nm->id : NO_ID;
}

/* Adds the captures `c` of another recording, with their ids and indices converted to those of this
 * recording. */
static void join(struct reducer *r, const struct captured *c)
{
	struct graphs *g = &r->graphs;
	struct where *w = &r->where;
	size_t captures = g->captures.nr, nodes = g->nodes.nr, counted = g->ops.nr;
	uint32_t *op_of = mem_calloc(c->ops.nr + 1, sizeof *op_of);
	uint32_t *stack_of = mem_calloc(c->stacks.nr + 1, sizeof *stack_of);
	for (size_t i = 0; i < c->ops.nr; i++) {
		uint32_t outer = op_of[c->ops.v[i].parent], name = joined_name(r, c, c->ops.v[i].name);
		op_of[i + 1] = name == NO_ID ? outer : code_path_child(&w->names, outer, name);
	}
	for (size_t i = 0; i < c->stacks.nr; i++) {
		uint32_t outer = stack_of[c->stacks.v[i].parent], name = c->stacks.v[i].name;
		stack_of[i + 1] =
		    name == NO_ID
		        ? outer
		        : code_path_child(&w->places.paths, outer,
		                          code_places_frame(&w->places, name_span(c->names.by_id[name])));
	}
	for (size_t i = 0; i < c->captures.nr; i++) {
		vec_push(&g->captures, c->captures.v[i]);
		g->captures.v[captures + i].first += nodes;
	}
	for (size_t i = 0; i < c->counted.nr; i++) {
		struct graph_op op = c->counted.v[i];
		op.name = joined_name(r, c, op.name);
		vec_push(&g->ops, op);
	}
	for (size_t i = 0; i < c->nodes.nr; i++) {
		struct graph_node n = c->nodes.v[i];
		uint32_t kind = idmap_pair_first(n.work), kernel = (uint32_t)n.work;
		n.capture += (uint32_t)captures;
		n.op = op_of[n.op];
		n.stack = stack_of[n.stack];
		n.counted += n.counted == NO_ID ? 0 : (uint32_t)counted;
		n.work = idmap_pair(kind, joined_name(r, c, kernel));
		vec_push(&g->nodes, n);
	}
	free(op_of);
	free(stack_of);
}

/* ---- replays ---- */

/* An activity that a graph launch ran. */
struct graph_work {
	uint32_t launch, activity;
	int64_t at; ///< number of the node if all activities of the launch have one, else start in ns
	int64_t number; ///< number of the node; 0 if it is not known
};

struct graph_works {
	VEC(struct graph_work) list;
};

ORDERING(work_cmp, struct graph_work, RISING(launch) RISING(at) RISING(activity))

static void works_find(const struct reducer *r, struct graph_works *out)
{
	const struct graphs *g = &r->graphs;
	for (size_t i = 0, n = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		bool numbered = n < g->numbers.nr && g->numbers.v[n].activity == i;
		int64_t number = numbered ? g->numbers.v[n++].number : 0;
		const struct host_span *call = activity_launch(r, a);
		const struct host_name *name = call ? span_name(&r->host, call) : NULL;
		if (name && launches_graph(name))
			vec_push(&out->list,
			         (struct graph_work){ a->correlation, (uint32_t)i, a->start_ns, number });
	}
	vec_sort(&out->list, work_cmp);
}

/* Sorts the activities of one launch by the numbers of their nodes, if all have a number
 * (`*numbered` is then true); else they stay sorted by start. False if their order is uncertain: if
 * two have the same number or start or, without numbers, if one has no time or they ran on two
 * streams. */
static bool order_works(const struct reducer *r, struct graph_work *v, size_t nr, bool *numbered)
{
	bool ordered = true;
	*numbered = ALL(i, nr, v[i].number > 0);
	for (size_t i = 0; i < nr && *numbered; i++)
		v[i].at = v[i].number;
	if (*numbered)
		sort_plain(v, nr, sizeof *v, work_cmp);
	for (size_t i = 1; i < nr; i++) {
		const struct activity *a = &r->gpu.activities.v[v[i - 1].activity];
		const struct activity *b = &r->gpu.activities.v[v[i].activity];
		ordered = ordered && v[i - 1].at < v[i].at &&
		          (*numbered || (!a->untimed && !b->untimed &&
		                         activity_lane(&r->gpu, a) == activity_lane(&r->gpu, b)));
	}
	return ordered;
}

/* Kind of an activity and id of its name, as a pair like graph_node.work. */
static int64_t work_of(const struct reducer *r, const struct graph_work *w)
{
	const struct activity *a = &r->gpu.activities.v[w->activity];
	return r->gpu.name_ids.keys.v[idmap_pair_first(r->gpu.rows.keys.v[a->row])];
}

/* The work of an activity in the form of graph_node.work: its kind and, for a kernel if `named`,
 * its name. */
static int64_t work_told(int64_t work, bool named)
{
	uint32_t kind = idmap_pair_first(work);
	return kind == EVENT_KERNEL && named ? work : idmap_pair(kind, NO_ID);
}

static bool fits(const struct reducer *r, const struct graph_capture *c, const struct graph_work *v,
                 size_t nr)
{
	bool same = c->nr == nr;
	for (size_t i = 0; i < nr && same; i++) {
		int64_t told = r->graphs.nodes.v[c->first + i].work;
		same = told == work_told(work_of(r, &v[i]), (uint32_t)told != NO_ID);
	}
	return same;
}

/* Index of the form whose nodes have the work in `key`; NO_ID if there is no such form. */
static uint32_t form_find(struct graphs *g, const struct strbuf *key)
{
	const struct name *nm = name_intern(&g->works, strbuf_span(key));
	return nm && nm->id < g->forms.nr ? nm->id : NO_ID;
}

/* Largest number of forms that name only some of their kernels. Replays are compared with each of
   them. */
enum { PARTLY_NAMED = 64 };

static void forms_make(struct graphs *g)
{
	struct strbuf key = STRBUF_INIT;
	name_table_init(&g->works);
	name_table_init(&g->sequences);
	idmap_init(&g->counts);
	for (size_t i = 0; i < g->captures.nr; i++) {
		struct graph_capture *c = &g->captures.v[i];
		size_t kernels = 0, named = 0;
		if (!c->nr)
			continue;
		strbuf_setlen(&key, 0);
		for (size_t k = 0; k < c->nr; k++) {
			int64_t work = g->nodes.v[c->first + k].work;
			kernels += idmap_pair_first(work) == EVENT_KERNEL;
			named += (uint32_t)work != NO_ID;
			strbuf_add(&key, (struct span){ (const char *)&work, sizeof work });
		}
		const struct name *nm = name_intern(&g->works, strbuf_span(&key));
		g->full = g->full || !nm;
		if (!nm)
			continue;
		c->form = nm->id;
		idmap_add(&g->counts, (int64_t)c->nr);
		if (c->form == g->forms.nr) {
			vec_push(&g->forms, (struct graph_form){ .first = (uint32_t)i });
			if (named && named < kernels)
				vec_push(&g->partly, c->form);
		}
		g->forms.v[c->form].forks |= c->forks;
		g->forms.v[c->form].differ |= c->unread;
		g->forms.v[c->form].captures++;
	}
	g->full = g->full || g->partly.nr > PARTLY_NAMED;
	strbuf_release(&key);
}

static void add_fitting(struct graphs *g, struct graph_replay *p, uint32_t form, bool *forks)
{
	*forks = *forks || g->forms.v[form].forks;
	vec_push(&g->fitting, form);
	p->nr++;
}

/* Finds the forms that a replay with these `nr` activities fits. */
static struct graph_replay replay_of(struct reducer *r, const struct graph_work *v, size_t nr,
                                     bool ordered, bool numbered)
{
	struct graphs *g = &r->graphs;
	struct graph_replay found = { .first = g->fitting.nr };
	struct strbuf key = STRBUF_INIT;
	bool forks = false;
	for (int named = 0; named < 2 && ordered; named++) {
		strbuf_setlen(&key, 0);
		for (size_t i = 0; i < nr; i++) {
			int64_t work = work_told(work_of(r, &v[i]), named);
			strbuf_add(&key, (struct span){ (const char *)&work, sizeof work });
		}
		uint32_t form = form_find(g, &key);
		if (form != NO_ID && (!found.nr || g->fitting.v[found.first] != form))
			add_fitting(g, &found, form, &forks);
	}
	for (size_t i = 0; i < g->partly.nr && ordered && !g->full; i++)
		if (fits(r, &g->captures.v[g->forms.v[g->partly.v[i]].first], v, nr))
			add_fitting(g, &found, g->partly.v[i], &forks);
	strbuf_release(&key);
	if (ordered)
		found.join = g->full              ? GRAPH_AMBIGUOUS
		             : !found.nr          ? GRAPH_UNLIKE
		             : forks && !numbered ? GRAPH_UNORDERED
		                                  : GRAPH_JOINED;
	else
		found.join = idmap_find(&g->counts, (int64_t)nr) == NO_ID ? GRAPH_UNLIKE : GRAPH_UNORDERED;
	for (size_t i = 0; i < found.nr && found.join == GRAPH_JOINED; i++)
		g->forms.v[g->fitting.v[found.first + i]].sequences++;
	return found;
}

static void take_replay(struct reducer *r, struct graph_work *v, size_t nr, struct strbuf *key)
{
	struct graphs *g = &r->graphs;
	bool numbered, ordered = order_works(r, v, nr, &numbered);
	char form[] = { ordered, numbered };
	strbuf_setlen(key, 0);
	strbuf_add(key, (struct span){ form, sizeof form });
	for (size_t i = 0; i < nr; i++) {
		const struct activity *a = &r->gpu.activities.v[v[i].activity];
		uint32_t name = idmap_pair_first(r->gpu.rows.keys.v[a->row]);
		strbuf_add(key, (struct span){ (const char *)&name, sizeof name });
	}
	const struct name *sequence = name_intern(&g->sequences, strbuf_span(key));
	if (!sequence)
		return;
	if (sequence->id == g->replays.nr)
		vec_push(&g->replays, replay_of(r, v, nr, ordered, numbered));
	for (size_t i = 0; i < nr; i++)
		vec_push(&g->runs, (struct graph_run){ v[i].activity, sequence->id, (uint32_t)i });
}

ORDERING(run_cmp, struct graph_run, RISING(activity))

void graphs_match(struct reducer *r)
{
	struct graphs *g = &r->graphs;
	struct graph_works works = { VEC_INIT };
	struct strbuf key = STRBUF_INIT;
	sort_runs(g->nodes.v, g->nodes.nr, sizeof *g->nodes.v, node_cmp, r);
	for (size_t i = g->nodes.nr; i-- > 0;) {
		struct graph_capture *c = &g->captures.v[g->nodes.v[i].capture];
		c->first = i;
		c->nr++;
	}
	for (size_t i = 0; i < g->joined.nr; i++)
		join(r, g->joined.v[i]);
	if (!g->nodes.nr)
		return;
	forms_make(g);
	works_find(r, &works);
	for (size_t i = 0, end; i < works.list.nr; i = end) {
		for (end = i + 1;
		     end < works.list.nr && works.list.v[end].launch == works.list.v[i].launch;)
			end++;
		take_replay(r, works.list.v + i, end - i, &key);
	}
	vec_sort(&g->runs, run_cmp);
	vec_release(&works.list);
	strbuf_release(&key);
}

/* ---- places ---- */

static bool same_sizes(const struct graphs *g, const struct graph_node *x,
                       const struct graph_node *y)
{
	if (x->counted == NO_ID || y->counted == NO_ID)
		return x->counted == y->counted;
	const struct op_size *a = &g->ops.v[x->counted].size, *b = &g->ops.v[y->counted].size;
	return a->flops == b->flops && a->bytes == b->bytes && a->type == b->type;
}

/* Compares the places in the code of two captures, and the operations of their operators. */
static void compare(struct reducer *r, const struct graph_capture *a, const struct graph_capture *b,
                    bool *differ, bool *sizes_differ)
{
	for (size_t i = 0; i < a->nr && a != b && !*differ; i++) {
		const struct graph_node *x = &r->graphs.nodes.v[a->first + i];
		const struct graph_node *y = &r->graphs.nodes.v[b->first + i];
		struct code_stack xs = code_places_stack(&r->where.places, x->stack);
		struct code_stack ys = code_places_stack(&r->where.places, y->stack);
		*differ = x->op != y->op || xs.place != ys.place || xs.module != ys.module;
		*sizes_differ = *sizes_differ || !same_sizes(&r->graphs, x, y);
	}
}

/* Decides whether the replay `p` gets places in the code: if all captures that it fits have the
 * same places. A graph runs the same kernels in each launch. So if more different replays fit a
 * form than the form has captures, some of the replayed graphs were not captured, and the replay
 * gets no places. */
static void decide(struct reducer *r, struct graph_replay *p)
{
	const struct graphs *g = &r->graphs;
	const struct graph_form *first = &g->forms.v[g->fitting.v[p->first]];
	bool differ = false, sizes_differ = false;
	for (size_t i = 0; i < p->nr && !differ; i++) {
		const struct graph_form *f = &g->forms.v[g->fitting.v[p->first + i]];
		sizes_differ = sizes_differ || f->sizes_differ;
		differ = f->differ || f->sequences > f->captures;
		compare(r, &g->captures.v[first->first], &g->captures.v[f->first], &differ, &sizes_differ);
	}
	p->join = differ ? GRAPH_AMBIGUOUS : GRAPH_JOINED;
	p->sized = !differ && !sizes_differ;
}

/* Stores, for the nodes that this recording captured, the code around them and the operators whose
 * operations are counted. */
static void take_places(struct reducer *r)
{
	struct graphs *g = &r->graphs;
	const struct where *w = &r->where;
	uint32_t last = NO_ID, near = 0;
	for (size_t i = 0; i < g->nodes.nr; i++) {
		struct graph_node *n = &g->nodes.v[i];
		struct where_moment m;
		if (n->span == NO_ID)
			continue;
		uint32_t moment = where_of_span(w, n->span);
		if (moment != NO_ID) {
			memcpy(&m, w->moments.by_id[moment]->s, sizeof m);
			n->op = m.op;
			n->stack = m.stack;
		}
		uint32_t at = flops_at(r, &r->host.spans.v[n->span], &near);
		if (at == NO_ID)
			continue;
		const struct sized_op *op = &r->flops.counted.v[at];
		if (at != last)
			vec_push(&g->ops, (struct graph_op){
			                      .size = r->flops.sizes.v[op->size],
			                      .name = span_name_id(&r->host, &r->host.spans.v[op->span]) });
		n->counted = (uint32_t)g->ops.nr - 1;
		last = at;
	}
}

void graphs_settle(struct reducer *r)
{
	struct graphs *g = &r->graphs;
	take_places(r);
	for (size_t i = 0; i < g->captures.nr && !g->full; i++) {
		const struct graph_capture *c = &g->captures.v[i];
		struct graph_form *f = c->nr ? &g->forms.v[c->form] : NULL;
		if (f)
			compare(r, &g->captures.v[f->first], c, &f->differ, &f->sizes_differ);
	}
	for (size_t i = 0; i < g->replays.nr; i++)
		if (g->replays.v[i].join == GRAPH_JOINED)
			decide(r, &g->replays.v[i]);
}

const struct graph_node *graphs_node(const struct graphs *g, uint32_t run)
{
	if (run == NO_ID)
		return NULL;
	const struct graph_replay *p = &g->replays.v[g->runs.v[run].replay];
	return p->join == GRAPH_JOINED
	           ? &g->nodes.v[g->captures.v[g->forms.v[g->fitting.v[p->first]].first].first +
	                         g->runs.v[run].node]
	           : NULL;
}

void graphs_figures(const struct reducer *r, struct trust_counts *t)
{
	int64_t *const to[NR_GRAPH_JOINS] = { &t->joined_ns, NULL, &t->unordered_ns, &t->ambiguous_ns };
	for (size_t i = 0; i < r->where.work.nr; i++) {
		const struct where_work *work = &r->where.work.v[i];
		if (work->run == NO_ID)
			continue;
		int64_t *sum = to[r->graphs.replays.v[r->graphs.runs.v[work->run].replay].join];
		t->replayed_ns += work->dur_ns;
		if (sum)
			*sum += work->dur_ns;
	}
}

int64_t graphs_count(struct reducer *r)
{
	struct graphs *g = &r->graphs;
	int64_t replays = 0;
	for (size_t i = 0; i < r->where.work.nr; i++) {
		const struct where_work *work = &r->where.work.v[i];
		const struct graph_node *n = graphs_node(g, work->run);
		if (!n || !g->replays.v[g->runs.v[work->run].replay].sized)
			continue;
		bool first = g->runs.v[work->run].node == 0;
		replays += first;
		if (n->counted == NO_ID)
			continue;
		struct graph_op *op = &g->ops.v[n->counted];
		op->times += first || n[-1].counted != n->counted;
		flops_take_work(r, &op->work, work->name, work->dur_ns, work->blocks);
	}
	return replays;
}
