#include "replay/level_points.h"

/* Number of equal slices of a memory's history. At most three points of each slice are kept. The
 * first and last point of the whole history, and points of out-of-memory errors, are kept, too. */
enum { SLICES = (MEMORY_POINTS - MEMORY_OOMS - 2) / 3 };

void level_points_init(struct level_points *l, int64_t last)
{
	*l = (struct level_points){ .last = last, .slice = last / SLICES + 1 };
}

static void flush_slice(struct level_points *l)
{
	vec_push(&l->list, l->low);
	vec_push(&l->list, l->high);
	vec_push(&l->list, l->high_reserved);
}

void level_points_add(struct level_points *l, const struct memory_level *now)
{
	if (now->entries % l->slice == 0) {
		if (now->entries)
			flush_slice(l);
		l->low = l->high = l->high_reserved = *now;
	}
	if (now->allocated < l->low.allocated)
		l->low = *now;
	if (now->allocated >= l->high.allocated) /* if several peaks are equal, the latest is taken */
		l->high = *now;
	if (now->reserved > l->high_reserved.reserved)
		l->high_reserved = *now;
	if (now->entries == 0 || now->entries == l->last)
		vec_push(&l->list, *now);
}

ORDERING(point_cmp, struct memory_level, RISING(entries))

void level_points_finish(struct level_points *l, struct digest *d)
{
	flush_slice(l);
	vec_unite(&l->list, point_cmp, NULL);
	vec_move(&d->memory_levels, &l->list);
	vec_release(&l->list);
}
