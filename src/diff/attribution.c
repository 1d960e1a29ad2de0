#include "diff/attribution.h"

#include <stdlib.h>

#include "base/text.h"
#include "diff/attribution_internal.h"
#include "diff/drift.h"
#include "model/unit.h"

struct leaf {
	const struct activity_pair *pair; ///< of a renamed kernel, the one with its new name
	const struct activity_pair *was; ///< the one with its old name, else NULL
	const char *category;
	int64_t change;
};

/* Leaves of one category, neighbours in the list. */
struct category_group {
	enum category_class cls;
	const char *category;
	size_t first, nr;
	int64_t change, class_change;
};

struct builder {
	const struct activity_pairs *pairs;
	const struct category_table *categories;
	const struct attribution_query *query;
	struct arena *arena;
	struct parts parts;
	int names; ///< level of the kernels: 2 below class and category, else 0
	VEC(struct leaf) leaves;
	VEC(struct category_group) groups;
};

static const char *category_label(const struct category_table *t, const struct activity_pair *p)
{
	switch (p->kind) {
	case EVENT_MEMCPY:
		return "memcpy";
	case EVENT_MEMSET:
		return "memset";
	default:
		return category_name(t, p->category);
	}
}

static bool is_part(const struct builder *b, const struct activity_pair *p)
{
	bool kernel = p->kind == EVENT_KERNEL, comm = p->cls == CLASS_COMMUNICATION;
	switch (b->query->metric->id) {
	case METRIC_STEP_CUDA_TIME:
		return true;
	case METRIC_STEP_KERNEL_TIME:
		return kernel;
	case METRIC_STEP_MEMCPY_TIME:
		return p->kind == EVENT_MEMCPY;
	case METRIC_STEP_MEMSET_TIME:
		return p->kind == EVENT_MEMSET;
	case METRIC_STEP_COMPUTE_TIME:
		return kernel && !comm;
	case METRIC_STEP_COMM_TIME:
		return kernel && comm;
	case METRIC_CATEGORY_TIME:
		return kernel && span_eq(span_of(category_label(b->categories, p)), b->query->label);
	case METRIC_KERNEL_TIME:
		return kernel && !p->folded && span_eq(p->name, b->query->label);
	case METRIC_STEP_KERNEL_COUNT:
		return kernel;
	case METRIC_STEP_MEMCPY_BYTES:
		return p->kind == EVENT_MEMCPY;
	default:
		return false;
	}
}

/* What a side has of a pair over all steps, in the unit of the metric. */
static int64_t amount(const struct builder *b, const struct activity_pair *p, int side)
{
	switch (b->query->metric->id) {
	case METRIC_STEP_KERNEL_COUNT:
		return p->count[side];
	case METRIC_STEP_MEMCPY_BYTES:
		return p->bytes[side];
	default:
		return p->total_ns[side];
	}
}

/* The old name of a renamed kernel; a check of one kernel keeps to its name unless it
   is told otherwise. */
static const struct activity_pair *old_name(const struct builder *b, const struct activity_pair *p)
{
	bool joined = b->query->metric->id != METRIC_KERNEL_TIME || b->query->renamed;
	return joined && p->count[SIDE_BASELINE] <= 0 ? p->partner : NULL;
}

/* Counted with its new name. */
static bool is_renamed_away(const struct builder *b, const struct activity_pair *p)
{
	return p->count[SIDE_CANDIDATE] <= 0 && b->query->metric->id != METRIC_KERNEL_TIME &&
	       p->partner;
}

/* Each leaf is the difference of two rounded running sums, so that rounding
   never accumulates; what is left to `change` by rounding alone (1 ns) goes to
   the last one. Returns what is left after that. */
static int64_t collect(struct builder *b)
{
	const int64_t *steps = b->pairs->steps;
	__int128 den = (__int128)steps[SIDE_BASELINE] * steps[SIDE_CANDIDATE], sum = 0;
	int64_t before = 0;
	if (den <= 0)
		return number_sub(b->query->change, b->query->later);
	for (size_t i = 0; i < b->pairs->list.nr; i++) {
		const struct activity_pair *p = &b->pairs->list.v[i];
		if (!is_part(b, p) || is_renamed_away(b, p))
			continue;
		const struct activity_pair *was = old_name(b, p), *from = was ? was : p;
		sum += (__int128)amount(b, p, SIDE_CANDIDATE) * steps[SIDE_BASELINE] -
		       (__int128)amount(b, from, SIDE_BASELINE) * steps[SIDE_CANDIDATE];
		int64_t now = number_div_round(sum, den);
		vec_push(&b->leaves, (struct leaf){ p, was, category_label(b->categories, p),
		                                    number_sub(now, before) });
		before = now;
	}
	int64_t rest = number_sub(number_sub(b->query->change, b->query->later), before);
	if (b->leaves.nr && (rest == 1 || rest == -1)) {
		int64_t *last = &b->leaves.v[b->leaves.nr - 1].change;
		*last = number_add(*last, rest);
		rest = 0;
	}
	return rest;
}

/* By category, the larger change first. */
static int leaf_cmp(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	if (x->pair->cls != y->pair->cls)
		return x->pair->cls < y->pair->cls ? -1 : 1;
	int c = strcmp(x->category, y->category);
	if (!c)
		c = parts_order(x->change, y->change);
	return c ? c : (x->pair > y->pair) - (x->pair < y->pair);
}

static int group_cmp(const void *a, const void *b)
{
	const struct category_group *x = a, *y = b;
	int c = parts_order(x->class_change, y->class_change);
	if (!c)
		c = (x->cls > y->cls) - (x->cls < y->cls);
	if (!c)
		c = parts_order(x->change, y->change);
	return c ? c : strcmp(x->category, y->category);
}

static void form_groups(struct builder *b)
{
	int64_t of_class[CLASS_OTHER + 1] = { 0 };
	vec_sort(&b->leaves, leaf_cmp);
	for (size_t i = 0, end; i < b->leaves.nr; i = end) {
		const struct leaf *l = b->leaves.v;
		struct category_group g = { .cls = l[i].pair->cls, .category = l[i].category, .first = i };
		for (end = i; end < b->leaves.nr && l[end].pair->cls == g.cls &&
		              strcmp(l[end].category, g.category) == 0;
		     end++)
			g.change = number_add(g.change, l[end].change);
		g.nr = end - i;
		of_class[g.cls] = number_add(of_class[g.cls], g.change);
		vec_push(&b->groups, g);
	}
	for (size_t i = 0; i < b->groups.nr; i++)
		b->groups.v[i].class_change = of_class[b->groups.v[i].cls];
	vec_sort(&b->groups, group_cmp);
}

static int64_t mean_ns(const struct activity_pair *p, int side)
{
	return number_div_round(p->total_ns[side], p->count[side]);
}

static const char *per_step(struct builder *b, const struct activity_pair *p, int side)
{
	return unit_text(b->arena, UNIT_COUNT_PER_STEP,
	                 number_div_round((__int128)p->count[side] * MICRO, b->pairs->steps[side]));
}

static const char *launches_detail(struct builder *b, const struct activity_pair *p)
{
	return arena_printf(b->arena, "launches %s → %s", per_step(b, p, SIDE_BASELINE),
	                    per_step(b, p, SIDE_CANDIDATE));
}

static const char *mean_detail(struct builder *b, const struct activity_pair *p)
{
	return arena_printf(b->arena, "mean %s → %s",
	                    unit_text(b->arena, UNIT_NS, mean_ns(p, SIDE_BASELINE)),
	                    unit_text(b->arena, UNIT_NS, mean_ns(p, SIDE_CANDIDATE)));
}

static bool is_on_both_sides(const struct activity_pair *p)
{
	return p->count[SIDE_BASELINE] > 0 && p->count[SIDE_CANDIDATE] > 0;
}

static const char *bytes_detail(struct builder *b, const struct activity_pair *p)
{
	const char *text[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		text[s] =
		    unit_text(b->arena, UNIT_BYTES, number_div_round(p->bytes[s], b->pairs->steps[s]));
	return arena_printf(b->arena, "%s → %s per step", text[0], text[1]);
}

static const char *detail(struct builder *b, const struct leaf *l)
{
	const struct activity_pair *p = l->pair;
	if (l->was)
		return arena_printf(b->arena, "renamed from '%s'", text_short(b->arena, l->was->name, 60));
	if (activity_is_partial(b->pairs, p))
		return "perhaps among the smaller kernels of some runs or ranks";
	if (!is_on_both_sides(p)) {
		bool gone = p->count[SIDE_BASELINE] > 0;
		if (p->folded)
			return gone ? "none in the candidate" : "none in the baseline";
		if (!drift_may_be_folded(b->pairs, p))
			return gone ? "gone" : "new";
		return gone ? "gone, or among the smaller kernels of the candidate"
		            : "new, or among the smaller kernels of the baseline";
	}
	if (b->query->metric->id == METRIC_STEP_MEMCPY_BYTES)
		return bytes_detail(b, p);
	return activity_count_order(b->pairs, p) ? launches_detail(b, p) : mean_detail(b, p);
}

static void add_launches_and_mean(struct builder *b, int level, const struct leaf *l)
{
	int64_t launches = activity_launches_ns(b->pairs, l->pair);
	int64_t mean = number_sub(l->change, launches);
	if (launches)
		parts_add(&b->parts, level, "launches", launches, launches_detail(b, l->pair));
	if (mean)
		parts_add(&b->parts, level, "mean", mean, mean_detail(b, l->pair));
}

static bool has_other_count(const struct builder *b, const struct leaf *l)
{
	bool time = b->query->metric->unit == UNIT_NS || b->query->metric->unit == UNIT_NS_PER_STEP;
	return time && is_on_both_sides(l->pair) && !activity_is_partial(b->pairs, l->pair) &&
	       activity_count_order(b->pairs, l->pair) != 0;
}

static void add_kernels(struct builder *b, const struct category_group *g)
{
	int64_t folded = 0;
	size_t nr_folded = 0;
	for (size_t i = 0; i < g->nr; i++) {
		const struct leaf *l = &b->leaves.v[g->first + i];
		if (l->change == 0)
			continue;
		if (i >= PARTS_SHOWN || (i > 0 && parts_is_small(&b->parts, l->change))) {
			folded = number_add(folded, l->change);
			nr_folded++;
			continue;
		}
		parts_add(&b->parts, b->names, text_line(b->arena, l->pair->name), l->change, detail(b, l));
		if (has_other_count(b, l))
			add_launches_and_mean(b, b->names + 1, l);
	}
	parts_add_rest(&b->parts, b->names, "kernel", "kernels", nr_folded, folded);
}

/* The categories of one class; those in which nothing of note moved as one row. */
static size_t add_class(struct builder *b, size_t from)
{
	const struct category_group *first = &b->groups.v[from];
	int64_t rest = 0;
	size_t i = from, nr_rest = 0;
	if (b->names && b->leaves.v[first->first].change)
		parts_add(&b->parts, 0, class_name(first->cls), first->class_change, "");
	for (; i < b->groups.nr && b->groups.v[i].cls == first->cls; i++) {
		const struct category_group *g = &b->groups.v[i];
		int64_t largest = b->leaves.v[g->first].change;
		if (largest == 0)
			continue;
		if (b->names && i > from && parts_is_small(&b->parts, largest) &&
		    parts_is_small(&b->parts, g->change)) {
			rest = number_add(rest, g->change);
			nr_rest++;
			continue;
		}
		if (b->names)
			parts_add(&b->parts, 1, text_line(b->arena, span_of(g->category)), g->change, "");
		add_kernels(b, g);
	}
	parts_add_rest(&b->parts, 1, "category", "categories", nr_rest, rest);
	return i;
}

static const char *title(struct builder *b)
{
	const char *name = b->query->metric->name;
	if (b->query->label.n)
		name =
		    arena_printf(b->arena, "%s of '%s'", name, text_short(b->arena, b->query->label, 60));
	return arena_printf(b->arena, "%s by %s", name,
	                    b->query->metric->id == METRIC_KERNEL_TIME ? "launches and mean"
	                    : b->names                                 ? "class, category and kernel"
	                                                               : "name");
}

static void build(struct builder *b)
{
	int64_t rest = collect(b);
	form_groups(b);
	if (b->query->metric->id != METRIC_KERNEL_TIME) {
		for (size_t i = 0; i < b->groups.nr;)
			i = add_class(b, i);
	} else if (b->leaves.nr == 1) {
		const struct leaf *l = &b->leaves.v[0];
		if (is_on_both_sides(l->pair))
			add_launches_and_mean(b, 0, l);
		else
			parts_add(&b->parts, 0, text_line(b->arena, l->pair->name), l->change, detail(b, l));
	}
	attribution_complete(&b->parts, b->query, rest);
}

void attribution_complete(const struct parts *p, const struct attribution_query *q, int64_t rest)
{
	if (q->later)
		parts_add(p, 0, PART_LATER, q->later, PART_LATER_DETAIL);
	if (rest)
		parts_add(p, 0, arena_printf(p->arena, "%s − mean", q->stat), rest, "");
}

/* Shares and rates do not add up. */
static bool is_sum(enum unit unit)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_NS_PER_STEP:
	case UNIT_BYTES:
	case UNIT_BYTES_PER_STEP:
	case UNIT_COUNT:
	case UNIT_COUNT_PER_STEP:
		return true;
	default:
		return false;
	}
}

static struct breakdown *of_parts(const struct bench *bench, const struct activity_pairs *p,
                                  const struct attribution_query *q, bool any_ranks,
                                  struct arena *a)
{
	struct breakdown *out = attribution_of_calls(bench, p, q, any_ranks, a);
	return out ? out : attribution_of_made(bench, p, q, any_ranks, a);
}

/* Whatever is no time of GPU activities. */
static struct breakdown *of_others(const struct bench *bench, const struct activity_pairs *p,
                                   const struct attribution_query *q, struct arena *a)
{
	if (!bench->runs.baseline || !is_sum(q->metric->unit))
		return NULL;
	struct breakdown *out = of_parts(bench, p, q, false, a);
	if (!out)
		out = attribution_of_ranks(bench, p, q, a);
	return out ? out : of_parts(bench, p, q, true, a);
}

struct breakdown *attribution_of(const struct bench *bench, const struct activity_pairs *p,
                                 const struct attribution_query *q, struct arena *a)
{
	struct builder b = {
		.pairs = p, .categories = bench->naming.categories, .query = q, .arena = a
	};
	enum metric_id id = q->metric->id;
	if (q->metric->per_step && q->label.n)
		return bench->runs.baseline ? attribution_of_phase(bench, p, q, a) : NULL;
	bool whole = (id >= METRIC_STEP_CUDA_TIME && id <= METRIC_STEP_COMM_TIME) ||
	             id == METRIC_STEP_KERNEL_COUNT;
	if (!whole && id != METRIC_CATEGORY_TIME && id != METRIC_KERNEL_TIME &&
	    id != METRIC_STEP_MEMCPY_BYTES)
		return of_others(bench, p, q, a);
	if (whole && id != METRIC_STEP_MEMCPY_TIME && id != METRIC_STEP_MEMSET_TIME)
		b.names = 2;
	b.parts = parts_new(a, title(&b), q->metric->unit, q->change);
	build(&b);
	vec_release(&b.leaves);
	vec_release(&b.groups);
	return b.parts.out;
}
