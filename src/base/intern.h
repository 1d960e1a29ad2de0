/// Interned strings: equal bytes give the same pointer and a dense id.
#ifndef GG_BASE_INTERN_H
#define GG_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

/// One distinct string; the bytes may be anything, also NUL or invalid UTF-8.
struct name {
	uint32_t id; ///< 0, 1, 2 … in order of first appearance
	uint32_t n; ///< length in bytes
	char s[]; ///< NUL-terminated
};

struct name_table {
	struct arena arena;
	const struct name **slots; ///< open addressing, a power of two
	const struct name **by_id; ///< nr entries
	const struct name **recent; ///< cache: the last name of each quick hash; most lookups end there
	size_t nr, cap, cap_by_id, bytes;
	uint64_t seed[2];
};

/// Ready for use; the hash is seeded anew so that names cannot be made to collide.
void name_table_init(struct name_table *t);

/// The name of `s`, owned by the table. NULL when the table is full:
/// 2^24 names or 1 GiB of text.
const struct name *name_intern(struct name_table *t, struct span s);

/// Index: id in one table → id in another; a VEC.
struct ids {
	uint32_t *v;
	size_t nr, cap;
};

/// Names of `from` that `known` lacks into `to`, in order; false where that is full.
bool name_table_join(struct name_table *to, const struct name_table *from, struct ids *known);

/// Give the memory back; names of this table are gone.
void name_table_release(struct name_table *t);

/// Bytes of a name.
static inline struct span name_span(const struct name *nm)
{
	return (struct span){ nm->s, nm->n };
}

/// SipHash-1-3 of `s` with `seed` as its key: also for other hash tables with keys from the input.
uint64_t span_hash(struct span s, const uint64_t seed[2]);

/// A seed that differs from process to process.
void hash_seed(uint64_t seed[2]);

#endif
