#include "diff/breakdown_of.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "diff/pairs.h"

/* Greatest number of segments in a path. Longer paths keep their outer segments and the kernel. */
enum { DEPTH = 32 };

/* The least size of a node is the total divided by LEAST_SHARE. Smaller nodes would be too narrow
   to see. */
enum { LEAST_SHARE = 400 };

struct segment {
	enum flame_kind kind;
	struct span name;
};

/* GPU time in ns of one kernel (or copy, or memory set), and the path of names that leads to it
   from outside: modules, place, operators, kernel. */
struct stack {
	struct span module, place, op, kernel;
	struct segment *path; ///< array of `nr` segments
	size_t nr;
	__int128 sum[NR_SIDES];
};

struct stacks {
	VEC(struct stack) list;
};

struct grower {
	struct arena *arena; ///< arena that the names of nodes are stored in
	struct stack *stacks;
	const int64_t *steps;
	__int128 least; ///< least sum, on the side where it is larger, of a node that is kept
	struct flame *out;
};

/* Stacks with the indices `from` to `to` - 1, whose paths have the same segment at one depth. */
struct group {
	size_t from, to;
	__int128 sum[NR_SIDES];
};

struct groups {
	VEC(struct group) list;
};

/* ---- collecting the stacks of both sides ---- */

ORDERING(row_cmp_stack, struct stack, BY_SPAN(module) BY_SPAN(place) BY_SPAN(op) BY_SPAN(kernel))

static void add_stack(void *into, void *from)
{
	struct stack *to = into, *more = from;
	for (int side = 0; side < NR_SIDES; side++)
		to->sum[side] += more->sum[side];
}

static struct span name_of(const struct code_stat *c, struct span kernel)
{
	if (kernel.n)
		return kernel;
	return c->kind == CODE_KERNEL   ? SPAN("smaller kernels")
	       : c->kind == CODE_MEMCPY ? SPAN("smaller copies")
	                                : SPAN("smaller memory sets");
}

static void add_view(struct stacks *s, const struct run_view *v, int side)
{
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->run->ranks.v[r];
		for (size_t i = 0; i < d->code.nr; i++) {
			const struct code_stat *c = &d->code.v[i];
			struct stack one = { .module = c->module,
				                 .place = c->place,
				                 .op = c->op,
				                 .kernel = name_of(
				                     c, rank_view_activity(&v->ranks[r], c->kernel).match) };
			one.sum[side] = c->total_ns;
			if (c->kind != CODE_SYNC)
				vec_push(&s->list, one);
		}
	}
}

/* True if any rank of the `nr` runs has rows in its code table; with `code`, rows with a module or
   a place (function). */
static bool has_rows(const struct run_view *v, size_t nr, bool code)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t r = 0; r < v[i].run->ranks.nr; r++) {
			const struct digest *d = v[i].run->ranks.v[r];
			if (ANY(k, d->code.nr, !code || d->code.v[k].module.n || d->code.v[k].place.n))
				return true;
		}
	return false;
}

/* Add GPU work that has no row in the code table because its launch was not recorded. */
static void add_unknown(struct stacks *s, const struct bench *b, bool both)
{
	struct stack rest = { .kernel = SPAN("(launch not recorded)") };
	for (int side = both ? 0 : SIDE_CANDIDATE; side < NR_SIDES; side++) {
		for (size_t i = 0; i < b->pairs.list.nr; i++)
			rest.sum[side] += b->pairs.list.v[i].total_ns[side];
		for (size_t i = 0; i < s->list.nr; i++)
			rest.sum[side] -= s->list.v[i].sum[side];
		rest.sum[side] = rest.sum[side] > 0 ? rest.sum[side] : 0;
	}
	if (rest.sum[0] || rest.sum[1])
		vec_push(&s->list, rest);
}

/* ---- paths: segments from module to kernel ---- */

static void add_segment(struct stack *s, enum flame_kind kind, struct span name)
{
	if (s->nr < DEPTH - 1 || kind == FLAME_KERNEL)
		s->path[s->nr++] = (struct segment){ kind, name };
}

static void fill_path(struct stack *s, bool code, struct arena *a)
{
	struct span module = s->module, op = s->op, name;
	s->path = arena_alloc(a, DEPTH, sizeof *s->path);
	while (code && code_path_next(&module, &name))
		add_segment(s, FLAME_MODULE, name);
	if (code && s->place.n)
		add_segment(s, FLAME_PLACE, s->place);
	while (code_path_next(&op, &name))
		add_segment(s, FLAME_OPERATOR, name);
	add_segment(s, FLAME_KERNEL, s->kernel);
}

static bool same_segment(const struct segment *x, const struct segment *y)
{
	return x->kind == y->kind && span_eq(x->name, y->name);
}

static int path_cmp(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	for (size_t i = 0; i < x->nr && i < y->nr; i++) {
		int c = (int)x->path[i].kind - (int)y->path[i].kind;
		c = c ? c : span_cmp(x->path[i].name, y->path[i].name);
		if (c)
			return c;
	}
	return COMPARE(x->nr, y->nr);
}

/* ---- nodes of the flame graph ---- */

static __int128 size_of(const struct group *g)
{
	return g->sum[0] > g->sum[1] ? g->sum[0] : g->sum[1];
}

ORDERING(by_size, struct group, THEN(COMPARE(size_of(y), size_of(x))) RISING(from))

static void group(const struct grower *g, const struct group *in, size_t depth, struct groups *out)
{
	for (size_t i = in->from; i < in->to; i++) {
		const struct stack *s = &g->stacks[i];
		if (s->nr <= depth)
			continue;
		struct group *last = out->list.nr ? &out->list.v[out->list.nr - 1] : NULL;
		if (!last || !same_segment(&s->path[depth], &g->stacks[last->from].path[depth])) {
			vec_push(&out->list, (struct group){ .from = i });
			last = &out->list.v[out->list.nr - 1];
		}
		last->to = i + 1;
		for (int side = 0; side < NR_SIDES; side++)
			last->sum[side] += s->sum[side];
	}
	vec_sort(&out->list, by_size);
}

/* True if all stacks of a group have the same segment at `depth` + 1, and this segment is of the
   same kind as the one at `depth`: the two segments then become one node. */
static bool goes_on(const struct grower *g, const struct group *in, size_t depth)
{
	const struct stack *first = &g->stacks[in->from];
	for (size_t i = in->from; i < in->to; i++) {
		const struct stack *s = &g->stacks[i];
		if (s->nr <= depth + 1 || s->path[depth + 1].kind != first->path[depth].kind ||
		    !same_segment(&s->path[depth + 1], &first->path[depth + 1]))
			return false;
	}
	return true;
}

static void add_node(const struct grower *g, const struct group *in, enum flame_kind kind,
                     int depth, const char *name)
{
	struct flame_node node = { .kind = kind, .depth = depth, .name = name };
	for (int side = 0; side < NR_SIDES; side++)
		if (g->steps[side])
			node.value[side] = number_div_round(in->sum[side], g->steps[side]);
	vec_push(&g->out->nodes, node);
}

static void grow(const struct grower *g, const struct group *in, size_t outer,
                 int depth) /* NOLINT(misc-no-recursion): recursion at most DEPTH deep */
{
	struct groups children = { 0 };
	group(g, in, outer, &children);
	for (size_t i = 0; i < children.list.nr && size_of(&children.list.v[i]) >= g->least; i++) {
		const struct group *child = &children.list.v[i];
		const struct segment *at = &g->stacks[child->from].path[outer];
		struct strbuf name = STRBUF_INIT;
		size_t inner = outer;
		strbuf_add(&name, at->name);
		for (; goes_on(g, child, inner); inner++) {
			strbuf_adds(&name, " > ");
			strbuf_add(&name, g->stacks[child->from].path[inner + 1].name);
		}
		add_node(g, child, at->kind, depth, text_line(g->arena, strbuf_span(&name)));
		strbuf_release(&name);
		grow(g, child, inner + 1, depth + 1);
	}
	vec_release(&children.list);
}

static void plant(struct stacks *s, const int64_t *steps, struct arena *a, struct flame *out)
{
	struct group all = { .to = s->list.nr };
	for (size_t i = 0; i < s->list.nr; i++)
		for (int side = 0; side < NR_SIDES; side++)
			all.sum[side] += s->list.v[i].sum[side];
	struct grower g = { .arena = a, .stacks = s->list.v, .steps = steps, .out = out };
	for (g.least = size_of(&all) / LEAST_SHARE + 1; size_of(&all) > 0; g.least *= 2) {
		out->nodes.nr = 0;
		add_node(&g, &all, FLAME_ALL, 0, "all GPU time");
		grow(&g, &all, 0, 1);
		if (out->nodes.nr <= FLAME_NODES)
			return;
	}
}

void flame_of(const struct bench *b, struct arena *a, struct flame *out)
{
	struct stacks stacks = { 0 };
	struct arena scratch = ARENA_INIT;
	const struct run_view *base = b->view, *candidates = b->view + 1;
	size_t nr = b->runs.nr_candidates;
	*out = (struct flame){ .both = b->runs.baseline && has_rows(base, 1, false) };
	bool code = has_rows(candidates, nr, true) && (!out->both || has_rows(base, 1, true));
	for (size_t i = 0; i < nr && has_rows(candidates, nr, false); i++)
		add_view(&stacks, &candidates[i], SIDE_CANDIDATE);
	if (out->both && stacks.list.nr)
		add_view(&stacks, base, SIDE_BASELINE);
	if (stacks.list.nr)
		add_unknown(&stacks, b, out->both);
	vec_unite(&stacks.list, row_cmp_stack, add_stack);
	for (size_t i = 0; i < stacks.list.nr; i++)
		fill_path(&stacks.list.v[i], code, &scratch);
	vec_sort(&stacks.list, path_cmp);
	plant(&stacks, b->pairs.steps, a, out);
	vec_release(&stacks.list);
	arena_release(&scratch);
}
