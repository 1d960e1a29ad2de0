/// Sorting, which is fast for lists that are nearly in order, such as the events of a trace; search
/// in sorted lists.
#ifndef GG_BASE_SORT_H
#define GG_BASE_SORT_H

#include <stddef.h>

/// Sorts `nr` elements of `size` bytes stably: O(n) if `v` consists of a few sorted runs, else O(n
/// log n). Allocates room for at most half of the elements.
void sort_runs(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *, void *),
               void *arg);

/// Like sort_runs(), for a comparison without an argument.
void sort_plain(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *));

/// Sorts the elements of a VEC, and joins those that `cmp` finds equal: `join` adds the element
/// `more` to the first equal one, and `more` is then removed. If `join` is NULL, the first equal
/// element stays as it is.
void sort_unite(void *vec, size_t size, int (*cmp)(const void *, const void *),
                void (*join)(void *first, void *more));

/// Three-way comparison of two numbers: -1, 0 or 1 if `x` is less than, equal to or above `y`.
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/// In a comparison function: if `x` and `y` differ, returns the result that puts the smaller first.
#define ORDER_BY(x, y)                 \
	do {                               \
		if ((x) != (y))                \
			return (x) < (y) ? -1 : 1; \
	} while (0)

/// Define a comparison function `name`: ORDERING for elements of `type`, ORDERING_POINTERS for
/// pointers to such elements, ORDERING_SHARED like ORDERING but not static. `keys` is a sequence of
/// the macros below; the first key in which the elements `x` and `y` differ decides.
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

/// Keys of ORDERING(). THEN takes any three-way comparison of `x` and `y`. The other keys compare a
/// member: RISING and FALLING a number, BY_TEXT a string, BY_SPAN a span.
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
