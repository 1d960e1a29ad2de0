/// Arena: many small allocations that are released together.
#ifndef GG_BASE_ARENA_H
#define GG_BASE_ARENA_H

#include <stddef.h>

#include "base/span.h"

struct arena_block;

/// Memory that is released together; begin with ARENA_INIT, end with arena_release().
struct arena {
	struct arena_block *blocks;
	size_t used, cap; ///< bytes handed out from the newest block, and size of this block in bytes
};
#define ARENA_INIT \
	{              \
		NULL, 0, 0 \
	}

/// A zeroed block of `nr` × `size` bytes, aligned for any type; owned by the arena.
void *arena_alloc(struct arena *a, size_t nr, size_t size);

/// A NUL-terminated copy of `s`, owned by the arena.
char *arena_dup(struct arena *a, struct span s);

/// Like arena_dup(), but returns the copy with its length.
static inline struct span arena_span(struct arena *a, struct span s)
{
	return (struct span){ arena_dup(a, s), s.n };
}

/// Formats like printf into a string owned by the arena.
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Moves all that `from` owns to `to`; `from` is then empty and usable again.
void arena_move(struct arena *to, struct arena *from);

/// Releases everything; the arena is then empty and usable again.
void arena_release(struct arena *a);

#endif
