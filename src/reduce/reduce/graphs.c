/* What stream captures recorded into graphs, and which of it each replay runs. A replay fits a
   capture if it has as many activities as that has calls, of the same kinds in the same order and,
   where the capture tells them, of the same names. */
#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

void graphs_init(struct graphs *g)
{
	name_table_init(&g->sequences);
}

void graphs_release(struct graphs *g)
{
	vec_release(&g->calls);
	vec_release(&g->numbers);
	vec_release(&g->captures);
	vec_release(&g->nodes);
	vec_release(&g->joined);
	name_table_release(&g->sequences);
	vec_release(&g->replays);
	vec_release(&g->fitting);
	vec_release(&g->runs);
}

/* ---- captures ---- */

/* A call that begins (+1) or ends (-1) a capture, or lets a stream wait for another (0). */
struct capture_call {
	uint32_t thread;
	int64_t at_ns;
	int by;
};

static int capture_call_cmp(const void *a, const void *b)
{
	const struct capture_call *x = a, *y = b;
	ORDER_BY(x->thread, y->thread);
	return COMPARE(x->at_ns, y->at_ns);
}

void graphs_find(struct reducer *r)
{
	const struct host_events *h = &r->host;
	VEC(struct capture_call) calls = VEC_INIT;
	bool any = false;
	for (size_t i = 0; i < h->names.nr && !any; i++)
		any = h->names.v[i].capture != 0;
	for (size_t i = 0; i < h->spans.nr && any; i++) {
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
	vec_release(&calls);
}

/* Id of the name of the kernel that a call launches, or NO_ID. */
static uint32_t kernel_of(const struct graphs *g, uint32_t span)
{
	size_t lo = 0, hi = g->calls.nr; /* lo becomes the index of `span`, if listed */
	SEARCH(lo, hi, i, g->calls.v[i].span < span);
	return lo < g->calls.nr && g->calls.v[lo].span == span ? g->calls.v[lo].kernel : NO_ID;
}

bool graphs_take(struct reducer *r, uint32_t span)
{
	struct graphs *g = &r->graphs;
	const struct host_span *s = &r->host.spans.v[span];
	const struct host_name *name = span_name(&r->host, s);
	uint32_t thread = span_thread(&r->host, s);
	int64_t at_ns = span_start(&r->host, s);
	size_t lo = 0, hi = g->captures.nr; /* lo: number of captures up to (thread, at_ns) */
	SEARCH(lo, hi, i,
	       g->captures.v[i].thread < thread ||
	           (g->captures.v[i].thread == thread && g->captures.v[i].start_ns <= at_ns));
	if (!lo || g->captures.v[lo - 1].thread != thread || at_ns >= g->captures.v[lo - 1].end_ns)
		return false;
	if (name->launch || name->copies) {
		enum event_kind kind = name->launch ? EVENT_KERNEL : name->copies;
		uint32_t kernel = name->launch ? kernel_of(g, span) : NO_ID;
		int64_t none = idmap_pair(NO_ID, 0); /* fits no activity */
		vec_push(&g->nodes,
		         (struct graph_node){ .capture = (uint32_t)lo - 1,
		                              .span = span,
		                              .work = span < g->from ? none : idmap_pair(kind, kernel) });
	}
	return true;
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
	VEC(struct graph_node) nodes; ///< nodes, with ids in this struct
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
		if ((uint32_t)n.work != NO_ID && idmap_pair_first(n.work) != NO_ID)
			n.work =
			    idmap_pair(idmap_pair_first(n.work), captured_name(c, r->names, (uint32_t)n.work));
		n.span = NO_ID;
		vec_push(&c->nodes, n);
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

/* Adds the captures of another recording. */
static void join(struct reducer *r, const struct captured *c)
{
	struct graphs *g = &r->graphs;
	struct where *w = &r->where;
	size_t captures = g->captures.nr, nodes = g->nodes.nr;
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
	for (size_t i = 0; i < c->nodes.nr; i++) {
		struct graph_node n = c->nodes.v[i];
		uint32_t kind = idmap_pair_first(n.work), kernel = (uint32_t)n.work;
		n.capture += (uint32_t)captures;
		n.op = op_of[n.op];
		n.stack = stack_of[n.stack];
		if (kind != NO_ID)
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
	int64_t at; ///< start; the node's number if all activities of the launch have one
	int64_t number; ///< number of the node; 0 if it is not known
};

struct graph_works {
	VEC(struct graph_work) list;
};

static int work_cmp(const void *a, const void *b)
{
	const struct graph_work *x = a, *y = b;
	ORDER_BY(x->launch, y->launch);
	ORDER_BY(x->at, y->at);
	return COMPARE(x->activity, y->activity);
}

static void works_find(const struct reducer *r, struct graph_works *out)
{
	const struct graphs *g = &r->graphs;
	for (size_t i = 0, n = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		bool numbered = n < g->numbers.nr && g->numbers.v[n].activity == i;
		int64_t number = numbered ? g->numbers.v[n++].number : 0;
		const struct host_span *call = activity_launch(r, a);
		const struct host_name *name = call ? span_name(&r->host, call) : NULL;
		if (name && name->launch && !name->kernel_launch)
			vec_push(&out->list,
			         (struct graph_work){ a->correlation, (uint32_t)i, a->start_ns, number });
	}
	vec_sort(&out->list, work_cmp);
}

/* Sorts the activities of one launch by the numbers of their nodes, if all have one; else they are
   by start. False if that does not tell an order: if some begin at once, or two streams run them,
   which a capture without forks has no two of. */
static bool order_works(const struct reducer *r, struct graph_work *v, size_t nr, bool *numbered)
{
	bool ordered = true;
	*numbered = true;
	for (size_t i = 0; i < nr; i++)
		*numbered = *numbered && v[i].number > 0;
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

static bool fits(const struct reducer *r, const struct graph_capture *c, const struct graph_work *v,
                 size_t nr)
{
	if (c->nr != nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct activity *a = &r->gpu.activities.v[v[i].activity];
		int64_t is = r->gpu.name_ids.keys.v[idmap_pair_first(r->gpu.rows.keys.v[a->row])];
		int64_t wants = r->graphs.nodes.v[c->first + i].work;
		if (is != wants &&
		    ((uint32_t)wants != NO_ID || idmap_pair_first(is) != idmap_pair_first(wants)))
			return false;
	}
	return true;
}

/* Finds the captures that replays of this sequence fit. */
static struct graph_replay replay_of(struct reducer *r, const struct graph_work *v, size_t nr,
                                     bool ordered, bool numbered)
{
	struct graphs *g = &r->graphs;
	struct graph_replay new = { .first = g->fitting.nr };
	bool forks = !ordered, any = false;
	for (size_t i = 0; i < g->captures.nr; i++) {
		const struct graph_capture *c = &g->captures.v[i];
		any = any || (c->nr == nr && !ordered);
		if (!ordered || !fits(r, c, v, nr))
			continue;
		forks = forks || (c->forks && !numbered);
		vec_push(&g->fitting, (uint32_t)i);
	}
	new.nr = g->fitting.nr - new.first;
	any = any || new.nr;
	new.join = !any ? GRAPH_UNLIKE : forks ? GRAPH_UNORDERED : GRAPH_JOINED;
	return new;
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

static int run_cmp(const void *a, const void *b)
{
	const struct graph_run *x = a, *y = b;
	return COMPARE(x->activity, y->activity);
}

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

/* True if all captures that fit a replay have the same places. */
static bool agree(struct reducer *r, const struct graph_replay *p)
{
	struct graphs *g = &r->graphs;
	const struct graph_capture *first = &g->captures.v[g->fitting.v[p->first]];
	for (size_t k = 1; k < p->nr; k++) {
		const struct graph_capture *c = &g->captures.v[g->fitting.v[p->first + k]];
		for (size_t i = 0; i < c->nr; i++) {
			const struct graph_node *x = &g->nodes.v[first->first + i],
			                        *y = &g->nodes.v[c->first + i];
			struct code_stack xs = code_places_stack(&r->where.places, x->stack);
			struct code_stack ys = code_places_stack(&r->where.places, y->stack);
			if (x->op != y->op || xs.place != ys.place || xs.module != ys.module)
				return false;
		}
	}
	return true;
}

void graphs_settle(struct reducer *r)
{
	struct graphs *g = &r->graphs;
	const struct where *w = &r->where;
	for (size_t i = 0; i < g->nodes.nr; i++) {
		struct graph_node *n = &g->nodes.v[i];
		struct where_moment m;
		if (n->span == NO_ID || !where_is_known(w, n->span))
			continue;
		memcpy(&m, w->moments.by_id[w->of_span[n->span] - 1]->s, sizeof m);
		n->op = m.op;
		n->stack = m.stack;
	}
	for (size_t i = 0; i < g->replays.nr; i++)
		if (g->replays.v[i].join == GRAPH_JOINED && !agree(r, &g->replays.v[i]))
			g->replays.v[i].join = GRAPH_AMBIGUOUS;
}

const struct graph_node *graphs_node(const struct graphs *g, uint32_t run)
{
	if (run == NO_ID)
		return NULL;
	const struct graph_replay *p = &g->replays.v[g->runs.v[run].replay];
	return p->join == GRAPH_JOINED
	           ? &g->nodes.v[g->captures.v[g->fitting.v[p->first]].first + g->runs.v[run].node]
	           : NULL;
}

void graphs_figures(const struct reducer *r, struct trust_counts *t)
{
	int64_t *const to[NR_GRAPH_JOINS] = { &t->joined_ns, NULL, &t->unordered_ns, &t->ambiguous_ns };
	for (size_t i = 0; i < r->where.work.nr; i++) {
		const struct where_work *work = &r->where.work.v[i];
		if (work->run == NO_ID)
			continue;
		int64_t *part = to[r->graphs.replays.v[r->graphs.runs.v[work->run].replay].join];
		t->replayed_ns += work->dur_ns;
		if (part)
			*part += work->dur_ns;
	}
}
