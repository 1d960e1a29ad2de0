/* Breakdown of GPU time, launches, copies and waiting by the code that causes them: module, place
   (file and function), operator, kernel. Kernels of one operator are adjacent. */
#include <inttypes.h>

#include "base/text.h"
#include "diff/breakdown_internal.h"
#include "diff/pairs.h"
#include "metric/unit.h"

/* All rows with the same module, place, operator and kernel, in baseline and candidate. */
struct leaf {
	struct span module, place, op, kernel; ///< names at each depth; `kernel` is the name by which
	                                       ///< rules match the kernel, or empty for a sum of small
	                                       ///< kernels
	int64_t line[NR_SIDES];
	int64_t count[NR_SIDES]; ///< number of calls; if `unknown`, 1 if there are any, else 0
	__int128 amount[NR_SIDES];
	bool unknown; ///< true for all work whose launch was not recorded
	struct node *node;
};

struct code_breakdown {
	const struct breakdown_input *in;
	struct parts parts;
	VEC(struct leaf) leaves;
	bool known[NR_SIDES]; ///< for each side, true if one of its rows has a module or a place
	bool modules, places; ///< true if either side has modules, or places
};

/* ---- rows of the code table that belong to a metric ---- */

static bool is_of_label(const struct covered_rank *r, const struct metric *m,
                        const struct code_stat *c)
{
	struct span at;
	switch (m->label) {
	case LABEL_OP:
		return m->adds ? span_eq(code_path_last(c->op), r->label) : code_path_has(c->op, r->label);
	case LABEL_MODULE:
		at = code_path_label(r->view, c->module);
		return span_starts(at, r->label) &&
		       (at.n == r->label.n ||
		        span_starts((struct span){ at.p + r->label.n, at.n - r->label.n }, SPAN(" > ")));
	case LABEL_PLACE:
		return span_eq(c->place.n ? c->place : span_of(CODE_NO_PLACE), r->label);
	default:
		return true;
	}
}

/* ---- collecting the rows of both sides ---- */

static bool is_counted(const struct code_breakdown *b, const struct covered_rank *r,
                       const struct code_stat *c)
{
	const struct breakdown_query *q = b->in->query;
	const char *cls = q->metric->cls ? q->metric->cls : q->cls;
	return q->metric->sums & 1u << c->kind && is_of_label(r, q->metric, c) &&
	       code_is_of_class(r->rank, c, cls);
}

static void add_rows(void *ctx, const struct covered_rank *r)
{
	struct code_breakdown *b = ctx;
	const struct digest *d = r->rank->digest;
	bool micro = b->in->query->metric->unit == UNIT_COUNT_PER_STEP;
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		if (!is_counted(b, r, c))
			continue;
		struct leaf l = { .module = c->module,
			              .place = c->place,
			              .op = code_path_last(c->op),
			              .kernel = rank_view_activity(r->rank, c->kernel).match,
			              .line = { -1, -1 } };
		l.line[r->side] = c->line;
		l.count[r->side] = c->count;
		l.amount[r->side] = (__int128)code_amount(b->in->query->metric, c) * (micro ? MICRO : 1);
		b->modules = b->modules || c->module.n;
		b->places = b->places || c->place.n;
		b->known[r->side] = b->known[r->side] || c->module.n || c->place.n;
		vec_push(&b->leaves, l);
	}
}

ORDERING(leaf_cmp, struct leaf, BY_SPAN(module) BY_SPAN(place) BY_SPAN(op) BY_SPAN(kernel))

static void add_leaf(void *into, void *from)
{
	struct leaf *to = into;
	const struct leaf *l = from;
	for (int s = 0; s < NR_SIDES; s++) {
		to->count[s] = number_add(to->count[s], l->count[s]);
		to->amount[s] += l->amount[s];
		to->line[s] = l->line[s] >= 0 ? l->line[s] : to->line[s];
	}
}

/* ---- labels and details of the parts ---- */

static const char *module_label(const struct code_breakdown *b, const struct leaf *l)
{
	const struct run_view *v = &b->in->bench->view[SIDE_CANDIDATE];
	return l->module.n ? text_line(b->in->arena, code_path_label(v, l->module)) : "(no module)";
}

static int64_t line_of(const struct leaf *l)
{
	return l->line[SIDE_CANDIDATE] >= 0 ? l->line[SIDE_CANDIDATE] : l->line[SIDE_BASELINE];
}

static const char *place_label(const struct code_breakdown *b, const struct leaf *l)
{
	struct arena *a = b->in->arena;
	int64_t line = line_of(l);
	const char *place = l->place.n ? text_line(a, l->place) : CODE_NO_PLACE;
	return l->place.n && line >= 0 ? arena_printf(a, "%s, line %" PRId64, place, line) : place;
}

static void describe_leaf(void *ctx, struct node *n)
{
	struct code_breakdown *b = ctx;
	const struct leaf *l = n->of;
	const int64_t *steps = b->in->pairs->steps;
	if (!l)
		return;
	n->label = l->kernel.n                               ? text_line(b->in->arena, l->kernel)
	           : b->in->query->metric->sums & SUMS_WAITS ? "synchronization"
	                                                     : "smaller kernels";
	if (!node_is_on_both_sides(n)) {
		n->detail = l->count[SIDE_BASELINE] > 0 ? "gone here" : "new here";
		return;
	}
	if (l->unknown)
		return;
	if (l->count[0] * (__int128)steps[1] != l->count[1] * (__int128)steps[0]) {
		const char *text[NR_SIDES];
		for (int s = 0; s < NR_SIDES; s++)
			text[s] = unit_text(b->in->arena, UNIT_COUNT_PER_STEP,
			                    number_div_round((__int128)l->count[s] * MICRO, steps[s]));
		n->detail = arena_printf(b->in->arena, "launches %s → %s", text[0], text[1]);
	} else if (unit_is_time(b->in->query->metric->unit)) {
		n->detail = arena_printf(b->in->arena, "mean %s", node_mean(n, b->in->arena, UNIT_NS));
	}
}

/* ---- the tree of code ---- */

static void collect_leaves(struct code_breakdown *b, struct node *all)
{
	for (size_t i = 0; i < b->leaves.nr; i++) {
		struct leaf *l = &b->leaves.v[i];
		l->node = node_add(&b->parts, all, NULL);
		for (int s = 0; s < NR_SIDES; s++) {
			l->node->count[s] = l->count[s];
			l->node->amount[s] = l->amount[s];
		}
		l->node->of = l;
	}
}

static void form_tree(struct code_breakdown *b, struct node *root)
{
	struct node *module = NULL, *place = NULL, *op = NULL;
	root->order = NODES_SUM_SMALL;
	root->one = b->modules ? "module" : b->places ? "place" : "operator";
	root->many = b->modules ? "modules" : b->places ? "places" : "operators";
	for (size_t i = 0; i < b->leaves.nr; i++) {
		const struct leaf *l = &b->leaves.v[i], *last = i ? l - 1 : NULL;
		bool other_module = !last || span_cmp(l->module, last->module) != 0;
		bool other_place = other_module || span_cmp(l->place, last->place) != 0;
		if (other_module)
			module = node_add_group(&b->parts, root, b->modules ? module_label(b, l) : NULL,
			                        b->places ? "place" : "operator",
			                        b->places ? "places" : "operators");
		if (other_place)
			place = node_add_group(&b->parts, module, b->places ? place_label(b, l) : NULL,
			                       "operator", "operators");
		if (other_place)
			place->at = source_line_of(b->in->arena, l->place, line_of(l));
		if (other_place || span_cmp(l->op, last->op) != 0)
			op = node_add_group(&b->parts, place,
			                    l->op.n ? text_line(b->in->arena, l->op) : "(no operator)",
			                    "kernel", "kernels");
		node_move(op, l->node);
		op->change = number_add(op->change, l->node->change);
		place->change = number_add(place->change, l->node->change);
		module->change = number_add(module->change, l->node->change);
	}
}

/* Add a leaf for GPU work that has no row in the code table because its launch was not recorded. */
static void add_unknown(struct code_breakdown *b)
{
	const struct metric *m = b->in->query->metric;
	struct leaf l = { .module = SPAN(""),
		              .place = SPAN(""),
		              .op = SPAN(""),
		              .kernel = SPAN("(launch not recorded)"),
		              .line = { -1, -1 },
		              .unknown = true };
	if (m->parts != PARTS_ACTIVITIES)
		return;
	for (size_t i = 0; i < b->in->pairs->list.nr; i++) {
		const struct activity_pair *p = &b->in->pairs->list.v[i];
		for (int s = 0; s < NR_SIDES && activity_is_summed(m, p); s++)
			l.amount[s] += activity_amounts(m, p)[s];
	}
	for (size_t i = 0; i < b->leaves.nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			l.amount[s] -= b->leaves.v[i].amount[s];
	for (int s = 0; s < NR_SIDES; s++)
		l.count[s] = l.amount[s] != 0;
	if (l.amount[0] || l.amount[1])
		vec_push(&b->leaves, l);
}

struct breakdown *breakdown_by_code(const struct breakdown_input *in)
{
	struct code_breakdown b = { .in = in };
	struct node all = { 0 }, root = { 0 };
	struct breakdown *out = NULL;
	if (!in->bench->runs.baseline || !(in->query->metric->sums & SUMS_CODE))
		return NULL;
	breakdown_each_rank(in, add_rows, &b);
	/* a breakdown of a step metric by operators only would say too little: both sides must have
	   modules or places */
	bool both = b.known[SIDE_BASELINE] && b.known[SIDE_CANDIDATE];
	if (b.leaves.nr && (both || in->query->metric->parts == PARTS_CODE)) {
		add_unknown(&b);
		vec_unite(&b.leaves, leaf_cmp, add_leaf);
		b.parts = breakdown_begin(in, !both      ? "operator and kernel"
		                              : b.places ? "module, place, operator and kernel"
		                                         : "module, operator and kernel");
		b.parts.describe = describe_leaf;
		b.parts.ctx = &b;
		collect_leaves(&b, &all);
		int64_t rest = nodes_spread(&all, in->pairs->steps, breakdown_change(in->query));
		form_tree(&b, &root);
		out = breakdown_end(&b.parts, &root, in->query, rest);
	}
	vec_release(&b.leaves);
	return out;
}
