
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "diff/changes.h"

enum { PIECE = 64 };

/* Index of the first value after level number `i`. */
static size_t level_end(const struct change_list *c, size_t nr, size_t i)
{
	return i < c->list.nr ? c->list.v[i].at : nr;
}

/* True if the series drifts rather than jumps. If it is noise around constant levels, the squared
 * differences of successive values add up to about twice the sum of the squared distances from the
 * levels' means (von Neumann 1941). In a drift, they add up to less than the sum of the squared
 * distances. */
static bool is_drift(const int64_t *v, size_t nr, const struct change_list *c)
{
	double steps = 0, squares = 0;
	for (size_t i = 0, from = 0; i <= c->list.nr; from = level_end(c, nr, i++)) {
		size_t end = level_end(c, nr, i);
		double mean = 0;
		for (size_t k = from; k < end; k++)
			mean += (double)v[k] / (double)(end - from);
		for (size_t k = from; k < end; k++) {
			double apart = (double)v[k] - mean, before = (double)v[k > from ? k - 1 : k];
			squares += apart * apart;
			steps += ((double)v[k] - before) * ((double)v[k] - before);
		}
	}
	return steps < squares;
}

/* Store in `out` for each value the number of its level. The first level gets the number `*level`.
 * At the end, `*level` is the first unused number. */
static void number_piece(const int64_t *v, size_t nr, bool early, uint64_t *level, uint64_t *out)
{
	struct change_list c;
	changes_find(v, nr, CHANGE_CHANCE, early, &c);
	if (is_drift(v, nr, &c))
		c.list.nr = 0;
	for (size_t i = 0, k = 0; i <= c.list.nr; i++, ++*level)
		for (; k < level_end(&c, nr, i); k++)
			out[k] = *level;
	vec_release(&c.list);
}

/* Split a group into its levels: the values of each level become a group of their own. `first` is
   the index of the group's first value. */
static void split_group(const double *v, const uint64_t *whole, uint64_t *group, size_t nr,
                        size_t first, bool early)
{
	size_t *at = mem_calloc(nr, sizeof *at), all = 0;
	int64_t *values = mem_calloc(nr, sizeof *values);
	uint64_t *levels = mem_calloc(nr, sizeof *levels), level = 0;
	for (size_t i = first; i < nr; i++)
		if (whole[i] == whole[first]) {
			at[all] = i;
			/* changes_find() takes integers: multiples of 1e-9, limited to the range of int64 */
			values[all++] = llround(fmin(fmax(v[i] * 1e9, -9e18), 9e18));
		}
	for (size_t end, from = 0; from < all; from = end) {
		size_t left = (all - from) % PIECE;
		end = from + (left ? left : PIECE);
		number_piece(values + from, end - from, early, &level, levels + from);
	}
	for (size_t i = 0; i < all; i++)
		group[at[i]] = whole[first] + levels[i] * 0x9e3779b97f4a7c15u;
	free(levels);
	free(values);
	free(at);
}

void levels_split(const double *v, uint64_t *group, size_t nr, bool early)
{
	uint64_t *whole = mem_calloc(nr + 1, sizeof *whole);
	for (size_t i = 0; i < nr; i++)
		whole[i] = group[i];
	for (size_t i = 0; i < nr; i++) {
		bool seen = ANY(k, i, whole[k] == whole[i]);
		if (!seen)
			split_group(v, whole, group, nr, i, early);
	}
	free(whole);
}
