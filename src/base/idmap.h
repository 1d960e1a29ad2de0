/// Dense ids for integer keys: 0, 1, 2 … in order of first appearance.
#ifndef GG_BASE_IDMAP_H
#define GG_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// Means "no id": returned for a key that a map lacks, and stored, for example, as the step of an
/// activity that is in no step.
#define NO_ID UINT32_MAX

/// A map from keys to ids: a hash table of the ids. Its random seed prevents an input from making
/// keys collide.
struct idmap {
	uint32_t *slots; ///< hash table with open addressing: `cap` slots (a power of two), each with
	                 ///< the id + 1 of a key, or 0 if the slot is free
	size_t cap;
	VEC(int64_t) keys; ///< keys, indexed by id
	uint64_t seed[2];
};

/// Initializes an empty map with a seed of its own.
void idmap_init(struct idmap *m);

/// The id of `key`, which is added if it is new; the id then equals the previous number of keys.
/// The caller must keep the number of keys below NO_ID.
uint32_t idmap_add(struct idmap *m, int64_t key);

/// The id of `key`, or NO_ID if the map lacks it.
uint32_t idmap_find(const struct idmap *m, int64_t key);

/// Releases all memory of the map.
void idmap_release(struct idmap *m);

/// idmap_pair() makes a key of two ids, and idmap_pair_first() returns the first id of such a key.
static inline int64_t idmap_pair(uint32_t a, uint32_t b)
{
	return (int64_t)((uint64_t)a << 32 | b);
}
static inline uint32_t idmap_pair_first(int64_t key)
{
	return (uint32_t)((uint64_t)key >> 32);
}

#endif
