/* Breakdown of time, counts and bytes of GPU activities by class, category and kernel. */
#include "base/text.h"
#include "diff/breakdown_internal.h"
#include "diff/drift.h"
#include "metric/unit.h"

struct activity_breakdown {
	const struct breakdown_input *in;
	const struct metric *metric;
	struct parts parts;
	bool flat; /* true: the tree has no nodes for classes and categories, only for activities */
};

/* A leaf of the tree: one kernel, kind of copy, or kind of memset. A renamed kernel is one leaf,
   under its new name. */
struct activity {
	const struct activity_pair *pair, *was; ///< figures under the present name, and under the old
	                                        ///< name; `was` is NULL if the kernel was not renamed
	const char *category;
	struct node *node;
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

static bool is_in_sum(const struct activity_breakdown *b, const struct activity_pair *p,
                      const char *category)
{
	struct span label = b->in->query->label;
	if (!activity_is_summed(b->metric, p))
		return false;
	if (b->metric->label == LABEL_CATEGORY)
		return span_eq(span_of(category), label);
	return b->metric->label != LABEL_KERNEL || (!p->small && span_eq(p->name, label));
}

/* The pair with the old name of a renamed kernel; NULL if the kernel was not renamed. In a check of
 * a single kernel, the old name counts only if the query says that the kernel was renamed. */
static const struct activity_pair *old_name(const struct activity_breakdown *b,
                                            const struct activity_pair *p)
{
	bool joined = b->metric->label != LABEL_KERNEL || b->in->query->renamed;
	return joined && p->count[SIDE_BASELINE] <= 0 ? p->partner : NULL;
}

/* True if the pair has the old name of a renamed kernel, which counts under its new name. */
static bool is_renamed_away(const struct activity_breakdown *b, const struct activity_pair *p)
{
	return p->count[SIDE_CANDIDATE] <= 0 && b->metric->label != LABEL_KERNEL && p->partner;
}

/* ---- details in the rows of kernels ---- */

static const char *per_step(const struct activity_breakdown *b, const int64_t amount[NR_SIDES],
                            int side, enum unit unit)
{
	int64_t scale = unit == UNIT_COUNT_PER_STEP ? MICRO : 1;
	return unit_text(b->in->arena, unit,
	                 number_div_round((__int128)amount[side] * scale, b->in->pairs->steps[side]));
}

static const char *launches_detail(const struct activity_breakdown *b,
                                   const struct activity_pair *p)
{
	return arena_printf(b->in->arena, "launches %s → %s",
	                    per_step(b, p->count, 0, UNIT_COUNT_PER_STEP),
	                    per_step(b, p->count, 1, UNIT_COUNT_PER_STEP));
}

static const char *mean_detail(const struct activity_breakdown *b, const struct activity_pair *p)
{
	int64_t mean[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		mean[s] = number_div_round(p->total_ns[s], p->count[s]);
	return arena_printf(b->in->arena, "mean %s",
	                    unit_movement(b->in->arena, UNIT_NS, mean[0], mean[1]));
}

static const char *one_side_detail(const struct activity_breakdown *b,
                                   const struct activity_pair *p)
{
	bool gone = p->count[SIDE_BASELINE] > 0;
	if (p->small)
		return gone ? "none in the candidate" : "none in the baseline";
	if (!drift_may_be_small(b->in->pairs, p))
		return gone ? "gone" : "new";
	return gone ? "gone, or among the smaller kernels of the candidate"
	            : "new, or among the smaller kernels of the baseline";
}

static const char *activity_detail(const struct activity_breakdown *b, const struct activity *x)
{
	const struct activity_pair *p = x->pair;
	if (x->was)
		return arena_printf(b->in->arena, "renamed from '%s'",
		                    text_short(b->in->arena, x->was->name, 60));
	if (activity_is_partial(b->in->pairs, p))
		return "perhaps among the smaller kernels of some runs or ranks";
	if (!node_is_on_both_sides(x->node))
		return one_side_detail(b, p);
	if (b->metric->unit == UNIT_BYTES)
		return arena_printf(b->in->arena, "%s → %s per step", per_step(b, p->bytes, 0, UNIT_BYTES),
		                    per_step(b, p->bytes, 1, UNIT_BYTES));
	return activity_count_order(b->in->pairs, p) ? launches_detail(b, p) : mean_detail(b, p);
}

static void split_activity(struct activity_breakdown *b, struct node *n,
                           const struct activity_pair *p)
{
	node_split(&b->parts, n, b->in->pairs->steps, "launches", launches_detail(b, p), "mean",
	           mean_detail(b, p));
}

static void describe_activity(void *ctx, struct node *n)
{
	struct activity_breakdown *b = ctx;
	const struct activity *x = n->of;
	const struct activity_pair *p = x ? x->pair : NULL;
	if (!p)
		return;
	n->label = text_line(b->in->arena, p->name);
	n->detail = activity_detail(b, x);
	if (node_is_on_both_sides(n) && unit_is_time(b->metric->unit) &&
	    !activity_is_partial(b->in->pairs, p) && activity_count_order(b->in->pairs, p))
		split_activity(b, n, p);
}

/* ---- the tree of activities ---- */

struct activities {
	VEC(struct activity) list;
};

static void collect_activities(struct activity_breakdown *b, struct node *all,
                               struct activities *out)
{
	const struct activity_pairs *pairs = b->in->pairs;
	for (size_t i = 0; i < pairs->list.nr; i++) {
		const struct activity_pair *p = &pairs->list.v[i];
		const char *category = category_label(b->in->bench->naming.categories, p);
		if (!is_in_sum(b, p, category) || is_renamed_away(b, p))
			continue;
		const struct activity_pair *was = old_name(b, p), *from[NR_SIDES] = { was ? was : p, p };
		struct node *n = node_add(&b->parts, all, NULL);
		for (int s = 0; s < NR_SIDES; s++) {
			n->count[s] = p->count[s];
			n->amount[s] = activity_amounts(b->metric, from[s])[s];
		}
		vec_push(&out->list, (struct activity){ p, was, category, n });
	}
}

ORDERING(activity_cmp, struct activity, RISING(pair->cls) BY_TEXT(category) RISING(node->seq))

/* Make the tree. The list is sorted first, to have the activities of each class and category in a
 * row. */
static void form_tree(struct activity_breakdown *b, struct node *root, struct activities *all)
{
	const struct activity *last = NULL;
	struct node *cls = NULL, *category = NULL;
	vec_sort(&all->list, activity_cmp);
	root->order = NODES_BY_SIZE;
	for (size_t i = 0; i < all->list.nr; i++) {
		const struct activity *x = &all->list.v[i];
		bool other_class = !last || x->pair->cls != last->pair->cls;
		if (other_class)
			cls = node_add_group(&b->parts, root, b->flat ? NULL : class_names[x->pair->cls],
			                     "category", "categories");
		if (other_class || strcmp(x->category, last->category) != 0)
			category = node_add_group(
			    &b->parts, cls, b->flat ? NULL : text_line(b->in->arena, span_of(x->category)),
			    "kernel", "kernels");
		x->node->of = last = x;
		node_move(category, x->node);
		category->change = number_add(category->change, x->node->change);
		cls->change = number_add(cls->change, x->node->change);
	}
}

struct breakdown *breakdown_by_activity(const struct breakdown_input *in)
{
	const struct metric *m = in->query->metric;
	struct activity_breakdown b = { .in = in, .metric = m };
	bool of_name = m->label == LABEL_KERNEL;
	b.flat = m->label != LABEL_NONE || !(m->sums & SUMS_KERNELS);
	struct activities list = { 0 };
	struct node all = { 0 }, root = { 0 };
	b.parts = breakdown_begin(in, of_name  ? "launches and mean"
	                              : b.flat ? "name"
	                                       : "class, category and kernel");
	b.parts.describe = describe_activity;
	b.parts.ctx = &b;
	collect_activities(&b, &all, &list);
	int64_t rest = nodes_spread(&all, in->pairs->steps, breakdown_change(in->query));
	const struct activity *only = of_name && list.list.nr == 1 ? list.list.v : NULL;
	bool split = only && node_is_on_both_sides(only->node);
	if (split)
		split_activity(&b, only->node, only->pair);
	else
		form_tree(&b, &root, &list);
	struct breakdown *out = breakdown_end(&b.parts, split ? only->node : &root, in->query, rest);
	vec_release(&list.list);
	return out;
}
