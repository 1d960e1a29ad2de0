/// Sorting of what is nearly in order, since profilers write most events as they happened; search
/// in what has been sorted.
#ifndef GG_BASE_SORT_H
#define GG_BASE_SORT_H

#include <stddef.h>

/// Stable sort of `nr` elements of `size` bytes: O(n) where `v` consists of a few runs in
/// order, else O(n log n). Takes room for half of it.
void sort_runs(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *, void *),
               void *arg);

/// The same, for an order that needs no argument.
void sort_plain(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *));

/// Leave a comparison function early unless `x` and `y` are equal: the smaller comes first.
#define ORDER_BY(x, y)                 \
	do {                               \
		if ((x) != (y))                \
			return (x) < (y) ? -1 : 1; \
	} while (0)

/// Index of the first element of `v`, which is in order, that is not before `key`; `nr` if all
/// are. `cmp` takes the key first, as that of bsearch() does; it is never called if `nr` is 0.
size_t lower_bound(const void *v, size_t nr, size_t size, const void *key,
                   int (*cmp)(const void *key, const void *element));

#endif
