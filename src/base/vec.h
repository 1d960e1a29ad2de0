/// Growable arrays: VEC(int) v = VEC_INIT; vec_push(&v, 3); vec_release(&v);
#ifndef GG_BASE_VEC_H
#define GG_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

/// Anonymous struct type of a growable array of `type`: v[0..nr).
#define VEC(type)       \
	struct {            \
		type *v;        \
		size_t nr, cap; \
	}
#define VEC_INIT   \
	{              \
		NULL, 0, 0 \
	}

/// Number of elements of an array.
#define NR_OF(table) (sizeof(table) / sizeof *(table))

/// ANY is true if the condition, an expression of the index `i`, holds for at least one `i` in
/// [0, nr), ALL if it holds for each. The condition is not evaluated further once the result is
/// known. (A statement as an expression is an extension of gcc and clang.)
#define ANY(i, nr, ...)                               \
	__extension__({                                   \
		bool any_##i = false;                         \
		for (size_t i = 0; i < (nr) && !any_##i; i++) \
			any_##i = (__VA_ARGS__);                  \
		any_##i;                                      \
	})
#define ALL(i, nr, ...) (!ANY(i, nr, !(__VA_ARGS__)))

/// The first of `nr` elements for which the condition on `v[i]` holds; NULL if there is none.
#define FIND(i, v, nr, ...)                             \
	__extension__({                                     \
		__typeof__((v)[0]) *found_##i = NULL;           \
		for (size_t i = 0; i < (nr) && !found_##i; i++) \
			found_##i = (__VA_ARGS__) ? &(v)[i] : NULL; \
		found_##i;                                      \
	})

/// A list of borrowed strings.
struct texts {
	const char **v;
	size_t nr, cap;
};

/// Makes room for at least `want` elements of `size` bytes; returns the new address of the array.
/// `what` names the array in the message of mem_limit().
void *vec_grow_(void *v, size_t *cap, size_t want, size_t size, const char *what)
    __attribute__((returns_nonnull));

/// Makes room for `extra` more elements without changing `nr`.
#define vec_reserve(vec, extra)                                                    \
	((vec)->nr + (extra) > (vec)->cap                                              \
	     ? (void)((vec)->v = vec_grow_((vec)->v, &(vec)->cap, (vec)->nr + (extra), \
	                                   sizeof *(vec)->v, #vec))                    \
	     : (void)0)

/// Appends one element.
#define vec_push(vec, ...) (vec_reserve(vec, 1), (void)((vec)->v[(vec)->nr++] = (__VA_ARGS__)))

/// Appends one zeroed element and returns its address (valid until the next push).
#define vec_push_zero(vec) \
	(vec_reserve(vec, 1), memset(&(vec)->v[(vec)->nr], 0, sizeof *(vec)->v), &(vec)->v[(vec)->nr++])

/// Appends all elements of another vector, which becomes empty but keeps its memory.
#define vec_move(to, from)                                                                    \
	((from)->nr ? (vec_reserve(to, (from)->nr),                                               \
	               (void)memcpy((to)->v + (to)->nr, (from)->v, (from)->nr * sizeof *(to)->v), \
	               (void)((to)->nr += (from)->nr, (from)->nr = 0))                            \
	            : (void)0)

/// Releases all memory; the vector is then empty and usable again.
#define vec_release(vec) (free((vec)->v), (void)((vec)->v = NULL, (vec)->nr = (vec)->cap = 0))

/// Sorts the whole vector stably; `cmp` is as for qsort().
#define vec_sort(vec, cmp) sort_plain((vec)->v, (vec)->nr, sizeof *(vec)->v, cmp)

/// Sorts the whole vector, and joins equal elements: sort_unite().
#define vec_unite(vec, cmp, join) sort_unite(vec, sizeof *(vec)->v, cmp, join)

#endif
