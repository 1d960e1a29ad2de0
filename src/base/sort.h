/// Sorts lists that are nearly in order, such as events, most of which profilers write in the order
/// in which they happen; searches sorted lists.
#ifndef GG_BASE_SORT_H
#define GG_BASE_SORT_H

#include <stddef.h>

/// Sorts `nr` elements of `size` bytes stably: O(n) if `v` consists of a few sorted runs, else O(n
/// log n). Allocates room for half of the elements.
void sort_runs(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *, void *),
               void *arg);

/// Like sort_runs(), for a comparison without an argument.
void sort_plain(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *));

/// The result of a comparison function that sorts by `x` and `y`.
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/// In a comparison function: if `x` and `y` differ, returns the result that puts the smaller first.
#define ORDER_BY(x, y)                 \
	do {                               \
		if ((x) != (y))                \
			return (x) < (y) ? -1 : 1; \
	} while (0)

/// Define the comparison function `name` of elements of `type`, of pointers to them, or one that
/// other files call: `keys`, one behind the other, say how x and y are compared; the first in which
/// they differ decides.
#define ORDERING(name, type, keys) ORDERING_(static int name, const type *x = a, *y = b, keys)
#define ORDERING_POINTERS(name, type, keys)                             \
	ORDERING_(static int name, const type *x = *(const type *const *)a, \
	          *y = *(const type *const *)b, keys)
#define ORDERING_SHARED(name, type, keys) ORDERING_(int name, const type *x = a, *y = b, keys)
#define ORDERING_(function, x_, y_, keys)  \
	function(const void *a, const void *b) \
	{                                      \
		x_, y_;                            \
		int c = 0;                         \
		keys return c;                     \
	}

/// Keys: any comparison, and those of a member: a number, text or span.
#define THEN(comparison) c = c ? c : (comparison);
#define RISING(member) THEN(COMPARE(x->member, y->member))
#define FALLING(member) THEN(COMPARE(y->member, x->member))
#define BY_TEXT(member) THEN(strcmp(x->member, y->member))
#define BY_SPAN(member) THEN(span_cmp(x->member, y->member))

/// Index of the first element of the sorted array `v` that is not before `key`; `nr` if all are
/// before it. `cmp` takes the key first, as for bsearch(); it is not called if `nr` is 0.
size_t lower_bound(const void *v, size_t nr, size_t size, const void *key,
                   int (*cmp)(const void *key, const void *element));

#endif
