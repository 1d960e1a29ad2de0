#include "diff/pairs.h"

/* A kernel that only one side has. Its launches and time (in ns) are totals over all steps of its
   side, multiplied by the number of steps of the other side: totals of both sides are then
   comparable without rounding. */
struct loner {
	struct activity_pair *pair;
	__int128 launches, time;
};
struct loners {
	VEC(struct loner) list; ///< kernels sorted by category, launches, time
};

static int group_cmp(const struct loner *x, const struct loner *y)
{
	ORDER_BY(x->pair->category, y->pair->category);
	return COMPARE(x->launches, y->launches);
}

ORDERING(loner_cmp, struct loner, THEN(group_cmp(x, y)) RISING(time))

static void loners_init(struct loners *l, struct activity_pairs *p, enum side_index side)
{
	__int128 steps = p->steps[side == SIDE_BASELINE ? SIDE_CANDIDATE : SIDE_BASELINE];
	*l = (struct loners){ 0 };
	for (size_t i = 0; i < p->list.nr; i++) {
		struct activity_pair *a = &p->list.v[i];
		if (activity_is_only(p, a, side))
			vec_push(&l->list,
			         (struct loner){ a, a->count[side] * steps, a->total_ns[side] * steps });
	}
	vec_sort(&l->list, loner_cmp);
}

static __int128 distance(const struct loner *x, const struct loner *y)
{
	__int128 by = x->time - y->time;
	return by < 0 ? -by : by;
}

/* Element `i` if it exists and has the category and launches of `key`; else NULL. */
static const struct loner *in_group(const struct loners *l, size_t i, const struct loner *key)
{
	return i < l->list.nr && group_cmp(&l->list.v[i], key) == 0 ? &l->list.v[i] : NULL;
}

/* The element that has the category and launches of `key` and is nearest to it in time: one of the
   two next to the position of `key` in the sorted list. NULL if there is no such element, or if two
   are equally near. */
static const struct loner *nearest(const struct loners *l, const struct loner *key)
{
	size_t at = lower_bound(l->list.v, l->list.nr, sizeof *key, key, loner_cmp);
	const struct loner *below = in_group(l, at - 1, key), *above = in_group(l, at, key);
	if (!below && !above)
		return NULL;
	bool up = !below || (above && distance(above, key) < distance(below, key));
	const struct loner *best = up ? above : below;
	const struct loner *other = up ? below : above;
	const struct loner *next = in_group(l, up ? at + 1 : at - 2, key);
	bool tie = (other && distance(other, key) == distance(best, key)) ||
	           (next && next->time == best->time);
	return tie ? NULL : best;
}

void renames_find(struct activity_pairs *p)
{
	struct loners gone, fresh;
	if (p->steps[SIDE_BASELINE] <= 0 || p->steps[SIDE_CANDIDATE] <= 0)
		return;
	loners_init(&gone, p, SIDE_BASELINE);
	loners_init(&fresh, p, SIDE_CANDIDATE);
	for (size_t i = 0; i < gone.list.nr && fresh.list.nr; i++) {
		const struct loner *g = &gone.list.v[i], *f = nearest(&fresh, g);
		if (!f || nearest(&gone, f) != g || distance(g, f) > g->time / 10)
			continue;
		g->pair->partner = f->pair;
		f->pair->partner = g->pair;
		p->renamed = true;
	}
	vec_release(&gone.list);
	vec_release(&fresh.list);
}
