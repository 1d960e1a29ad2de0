/// Interned strings: equal bytes have the same pointer and the same dense id.
#ifndef GG_BASE_INTERN_H
#define GG_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

/// One distinct string; its bytes may be anything, also NUL or invalid UTF-8.
struct name {
	uint32_t id; ///< id, 0, 1, 2 … in order of first appearance
	uint32_t n; ///< length of the name in bytes
	char s[]; ///< bytes of the name, ended by a NUL
};

/// A set of distinct strings, which the arena owns.
struct name_table {
	struct arena arena;
	const struct name **slots; ///< hash table with open addressing; its size is a power of two
	const struct name **by_id; ///< names, indexed by id
	const struct name **recent; ///< cache: for each value of a cheap hash, the last name with this
	                            ///< hash that was looked up
	size_t nr, cap, cap_by_id, bytes;
	uint64_t seed[2];
};

/// Initializes an empty table. The random seed of its hash prevents an input from making names
/// collide.
void name_table_init(struct name_table *t);

/// Finds or adds the name of `s`, owned by the table. NULL if the table lacks this name and is
/// full: it has 2^24 names, or would hold more than 1 GiB of text.
const struct name *name_intern(struct name_table *t, struct span s);

/// Releases all memory, also the names of the table.
void name_table_release(struct name_table *t);

/// The bytes of a name.
static inline struct span name_span(const struct name *nm)
{
	return (struct span){ nm->s, nm->n };
}

/// SipHash-1-3 of `s` with `seed` as the key of the hash. Use it for any hash table whose keys come
/// from the input.
uint64_t span_hash(struct span s, const uint64_t seed[2]);

/// Sets `seed` to a new random seed; to one made from the time if the system has no random bytes
/// yet.
void hash_seed(uint64_t seed[2]);

#endif
