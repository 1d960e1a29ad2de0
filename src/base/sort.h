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

/// Index of the first element of the sorted array `v` that is not before `key`; `nr` if all are
/// before it. `cmp` takes the key first, as for bsearch(); it is not called if `nr` is 0.
size_t lower_bound(const void *v, size_t nr, size_t size, const void *key,
                   int (*cmp)(const void *key, const void *element));

#endif
