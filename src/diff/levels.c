#include "diff/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "diff/changes.h"

enum { CHANCE = 1000, /* as `gpugate history` */ PIECE = 64, BESIDE = CHANGE_LEAST };

/* Values as integers, 1e-9 of them. */
static int64_t fine(double v)
{
	return llround(fmin(fmax(v * 1e9, -9e18), 9e18));
}

static int64_t median_of(const int64_t *v, size_t nr)
{
	int64_t copy[PIECE];
	memcpy(copy, v, nr * sizeof *v);
	return number_median(copy, nr);
}

static double apart(const int64_t *v, size_t at, size_t before, size_t after)
{
	return fabs((double)median_of(v + at, after) - (double)median_of(v + at - before, before));
}

/* A number for each value of a piece, from `*level` on. */
static void number_piece(const int64_t *v, size_t nr, uint64_t *level, uint64_t *out)
{
	struct change_list c;
	size_t from = 0;
	changes_find(v, nr, CHANCE, &c);
	for (size_t i = 0; i <= c.list.nr; i++) {
		size_t at = i < c.list.nr ? c.list.v[i].at : nr;
		size_t end = i + 1 < c.list.nr ? c.list.v[i + 1].at : nr;
		bool changes = at < nr && 2 * apart(v, at, BESIDE, BESIDE) >=
		                              apart(v, at, at - (i ? c.list.v[i - 1].at : 0), end - at);
		if (at < nr && !changes)
			continue;
		for (; from < at; from++)
			out[from] = *level;
		++*level;
	}
	vec_release(&c.list);
}

/* The values of the group that `first` is of. */
static void split_group(const double *v, const uint64_t *whole, uint64_t *group, size_t nr,
                        size_t first)
{
	size_t *at = mem_calloc(nr, sizeof *at), all = 0;
	int64_t *values = mem_calloc(nr, sizeof *values);
	uint64_t *levels = mem_calloc(nr, sizeof *levels), level = 0;
	for (size_t i = first; i < nr; i++)
		if (whole[i] == whole[first]) {
			at[all] = i;
			values[all++] = fine(v[i]);
		}
	for (size_t end, from = 0; from < all; from = end) {
		size_t left = (all - from) % PIECE;
		end = from + (left ? left : PIECE);
		number_piece(values + from, end - from, &level, levels + from);
	}
	for (size_t i = 0; i < all; i++)
		group[at[i]] = whole[first] + levels[i] * 0x9e3779b97f4a7c15u;
	free(levels);
	free(values);
	free(at);
}

void levels_split(const double *v, uint64_t *group, size_t nr)
{
	uint64_t *whole = mem_calloc(nr + 1, sizeof *whole);
	memcpy(whole, group, nr * sizeof *whole);
	for (size_t i = 0; i < nr; i++) {
		bool seen = false;
		for (size_t k = 0; k < i && !seen; k++)
			seen = whole[k] == whole[i];
		if (!seen)
			split_group(v, whole, group, nr, i);
	}
	free(whole);
}
