/// The algorithm of sort.h with the comparison compiled in: about three times as fast as with a
/// pointer to the comparison.
#ifndef GG_BASE_SORT_INLINE_H
#define GG_BASE_SORT_INLINE_H

/* A merge sort of natural runs. Neighboring runs are merged once the earlier run is at most twice
   as long as the later one, which keeps merges balanced and the stack short. If the values of two
   runs overlap only in part, only that part is moved. After timsort (Peters 2002), without its
   galloping. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SORT_INLINE static inline __attribute__((always_inline))

#define SORT_SHORT ((size_t)16)

/// State of one sort: elements of `size` bytes, their order (`cmp` with `arg`), and a buffer, which
/// the struct owns.
struct sort {
	size_t size;
	int (*cmp)(const void *, const void *, void *);
	void *arg;
	char *room; ///< buffer for the shorter run of a merge
	size_t room_bytes;
};

/// A sorted run of the elements.
struct sort_run {
	char *v;
	size_t nr;
};

/// Copies one element.
SORT_INLINE void sort_move(const struct sort *s, char *to, const char *from)
{
	if (s->size == 4) /* small elements are copied without a function call */
		memcpy(to, from, 4);
	else if (s->size % 8)
		memcpy(to, from, s->size);
	else
		for (size_t i = 0; i < s->size; i += 8)
			memcpy(to + i, from + i, 8);
}

/// True if `a` may come before `b` in the sorted order.
SORT_INLINE bool sort_holds(const struct sort *s, const char *a, const char *b)
{
	return s->cmp(a, b, s->arg) <= 0;
}

/* Number of elements of the sorted run `v` that come before `x`; elements equal to `x` count too if
 * `after` is true. */
SORT_INLINE size_t sort_rank(const struct sort *s, const char *v, size_t nr, const char *x,
                             bool after)
{
	size_t lo = 0, hi = nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = s->cmp(v + mid * s->size, x, s->arg);
		if (c < 0 || (c == 0 && after))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/// The buffer, grown to at least `bytes` bytes.
SORT_INLINE char *sort_room(struct sort *s, size_t bytes)
{
	if (bytes > s->room_bytes) {
		s->room = mem_realloc(s->room, bytes, 1);
		s->room_bytes = bytes;
	}
	return s->room;
}

/* Insertion sort: extends the run at `v`, whose first `sorted` elements are sorted, to `nr`
   elements. */
SORT_INLINE void sort_insert(struct sort *s, char *v, size_t sorted, size_t nr)
{
	char *x = sort_room(s, s->size);
	for (size_t i = sorted; i < nr; i++) {
		sort_move(s, x, v + i * s->size);
		size_t to = sort_rank(s, v, i, x, true);
		memmove(v + (to + 1) * s->size, v + to * s->size, (i - to) * s->size);
		sort_move(s, v + to * s->size, x);
	}
}

/* Finds the run that begins at `v`; a short run is extended by insertion. */
SORT_INLINE struct sort_run sort_next(struct sort *s, char *v, size_t nr)
{
	size_t n = 1, least = nr < SORT_SHORT ? nr : SORT_SHORT;
	while (n < nr && sort_holds(s, v + (n - 1) * s->size, v + n * s->size))
		n++;
	if (n < least) {
		sort_insert(s, v, n, least);
		n = least;
	}
	return (struct sort_run){ v, n };
}

/* Merges two runs from the front, for the case that the earlier run is the shorter one. */
SORT_INLINE void sort_merge_up(struct sort *s, struct sort_run a, struct sort_run b)
{
	char *to = a.v, *x = sort_room(s, a.nr * s->size), *x_end = x + a.nr * s->size;
	char *y = b.v, *y_end = b.v + b.nr * s->size;
	memcpy(x, a.v, a.nr * s->size);
	while (x < x_end && y < y_end) {
		char **from = sort_holds(s, x, y) ? &x : &y;
		sort_move(s, to, *from);
		*from += s->size;
		to += s->size;
	}
	memcpy(to, x, (size_t)(x_end - x));
}

/* Merges two runs from the back, for the case that the later run is the shorter one. */
SORT_INLINE void sort_merge_down(struct sort *s, struct sort_run a, struct sort_run b)
{
	char *x = a.v + a.nr * s->size, *room = sort_room(s, b.nr * s->size);
	char *y = room + b.nr * s->size, *to = b.v + b.nr * s->size;
	memcpy(room, b.v, b.nr * s->size);
	while (x > a.v && y > room) {
		char **from = sort_holds(s, x - s->size, y - s->size) ? &y : &x;
		*from -= s->size;
		to -= s->size;
		sort_move(s, to, *from);
	}
	memcpy(to - (y - room), room, (size_t)(y - room));
}

/* Merges two runs; `b` must follow directly after `a` in memory. */
SORT_INLINE void sort_merge(struct sort *s, struct sort_run a, struct sort_run b)
{
	size_t before = sort_rank(s, a.v, a.nr, b.v, true);
	a.v += before * s->size;
	a.nr -= before;
	if (a.nr == 0)
		return;
	b.nr = sort_rank(s, b.v, b.nr, a.v + (a.nr - 1) * s->size, false);
	if (a.nr <= b.nr)
		sort_merge_up(s, a, b);
	else
		sort_merge_down(s, a, b);
}

/// Like sort_runs(); `cmp` must be a function, not a pointer, to be inlined.
SORT_INLINE void sort_inline(void *v, size_t nr, size_t size,
                             int (*cmp)(const void *, const void *, void *), void *arg)
{
	struct sort s = { .size = size, .cmp = cmp, .arg = arg };
	struct sort_run stack[64]; /* each run is more than twice as long as the next: 64 suffice */
	size_t depth = 0;
	for (size_t at = 0; at < nr;) {
		struct sort_run run = sort_next(&s, (char *)v + at * size, nr - at);
		at += run.nr;
		for (; depth && (stack[depth - 1].nr <= 2 * run.nr || at == nr); depth--) {
			sort_merge(&s, stack[depth - 1], run);
			run = (struct sort_run){ stack[depth - 1].v, stack[depth - 1].nr + run.nr };
		}
		stack[depth++] = run;
	}
	free(s.room);
}

#endif
