#include "base/idmap.h"

#include "base/intern.h"

void idmap_init(struct idmap *m)
{
	*m = (struct idmap){ .cap = 64 };
	m->slots = mem_calloc(m->cap, sizeof *m->slots);
	hash_seed(m->seed);
}

/* The slot that holds `key`, or the free slot in which it would be stored. */
static size_t find_slot(const struct idmap *m, int64_t key)
{
	/* the hash puts neighboring keys into one cache line of 16 slots, because keys are mostly
	 * consecutive ids */
	uint64_t h = ((uint64_t)key >> 4 ^ m->seed[0]) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 32) * (m->seed[1] | 1);
	size_t i = ((h ^ h >> 32) << 4 | ((uint64_t)key & 15)) & (m->cap - 1);
	while (m->slots[i] && m->keys.v[m->slots[i] - 1] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

uint32_t idmap_find(const struct idmap *m, int64_t key)
{
	/* a slot holds an id + 1, or 0 if it is free: 0 - 1 is NO_ID */
	return m->slots[find_slot(m, key)] - 1;
}

static void grow(struct idmap *m)
{
	free(m->slots);
	m->cap *= 2;
	m->slots = mem_calloc(m->cap, sizeof *m->slots);
	for (size_t id = 0; id < m->keys.nr; id++)
		m->slots[find_slot(m, m->keys.v[id])] = (uint32_t)id + 1;
}

uint32_t idmap_add(struct idmap *m, int64_t key)
{
	size_t i = find_slot(m, key);
	if (m->slots[i])
		return m->slots[i] - 1;
	uint32_t id = (uint32_t)m->keys.nr;
	vec_push(&m->keys, key);
	m->slots[i] = id + 1;
	if (m->keys.nr > m->cap / 2)
		grow(m);
	return id;
}

void idmap_release(struct idmap *m)
{
	free(m->slots);
	vec_release(&m->keys);
	*m = (struct idmap){ 0 };
}
