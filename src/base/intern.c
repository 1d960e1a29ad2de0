#include "base/intern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/vec.h"

#define NAME_LIMIT ((size_t)1 << 24)
#define TEXT_LIMIT ((size_t)1 << 30)
#define NR_RECENT ((size_t)4096)

static inline uint64_t rotl(uint64_t x, int b)
{
	return (x << b) | (x >> (64 - b));
}

#define SIPROUND                \
	do {                        \
		v0 += v1;               \
		v1 = rotl(v1, 13) ^ v0; \
		v0 = rotl(v0, 32);      \
		v2 += v3;               \
		v3 = rotl(v3, 16) ^ v2; \
		v0 += v3;               \
		v3 = rotl(v3, 21) ^ v0; \
		v2 += v1;               \
		v1 = rotl(v1, 17) ^ v2; \
		v2 = rotl(v2, 32);      \
	} while (0)

/* SipHash-1-3 (Aumasson, Bernstein 2012): fast, and keyed, so that nobody can prepare many names
   that collide. */
uint64_t span_hash(struct span s, const uint64_t seed[2])
{
	uint64_t v0 = seed[0] ^ 0x736f6d6570736575u, v1 = seed[1] ^ 0x646f72616e646f6du;
	uint64_t v2 = seed[0] ^ 0x6c7967656e657261u, v3 = seed[1] ^ 0x7465646279746573u;
	size_t i = 0;
	uint64_t m;
	for (; i + 8 <= s.n; i += 8) {
		memcpy(&m, s.p + i, 8);
		v3 ^= m;
		SIPROUND;
		v0 ^= m;
	}
	m = (uint64_t)s.n << 56;
	for (int shift = 0; i < s.n; i++, shift += 8)
		m |= (uint64_t)(unsigned char)s.p[i] << shift;
	v3 ^= m;
	SIPROUND;
	v0 ^= m;
	v2 ^= 0xff;
	for (int r = 0; r < 3; r++)
		SIPROUND;
	return v0 ^ v1 ^ v2 ^ v3;
}

void hash_seed(uint64_t seed[2])
{
	if (getrandom(seed, 2 * sizeof *seed, GRND_NONBLOCK) != (ssize_t)(2 * sizeof *seed)) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		seed[0] = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uintptr_t)seed;
		seed[1] = (uint64_t)now.tv_sec ^ (uint64_t)clock();
	}
}

void name_table_init(struct name_table *t)
{
	*t = (struct name_table){ .cap = 256 };
	t->slots = mem_calloc(t->cap, sizeof *t->slots);
	t->recent = mem_calloc(NR_RECENT, sizeof *t->recent);
	hash_seed(t->seed);
}

static inline uint64_t load(const char *p, size_t n)
{
	uint64_t w = 0;
	memcpy(&w, p, n);
	return w;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* A much cheaper hash than span_hash(), for the cache `recent`. If an input makes names collide in
 * the cache, lookups only become as slow as without it. */
static size_t quick_hash(struct span s)
{
	const uint64_t a = 0x9e3779b97f4a7c15u, b = 0xe7037ed1a0b428dbu;
	uint64_t h = s.n;
	size_t i = 0;
	for (; i + 16 < s.n; i += 16)
		h = mix(load(s.p + i, 8) ^ a, load(s.p + i + 8, 8) ^ h);
	if (s.n >= 16)
		h = mix(load(s.p + s.n - 16, 8) ^ b, load(s.p + s.n - 8, 8) ^ h);
	else if (s.n >= 8)
		h = mix(load(s.p, 8) ^ b, load(s.p + s.n - 8, 8) ^ h);
	else if (s.n >= 4)
		h = mix(load(s.p, 4) ^ b, load(s.p + s.n - 4, 4) ^ h);
	else if (s.n)
		h = mix(load(s.p, 1) ^ load(s.p + s.n / 2, 1) << 8 ^ b, load(s.p + s.n - 1, 1) ^ h << 8);
	return (h ^ h >> 32) % NR_RECENT;
}

static void table_grow(struct name_table *t)
{
	size_t cap = t->cap * 2;
	const struct name **slots = mem_calloc(cap, sizeof *slots);
	for (size_t k = 0; k < t->nr; k++) {
		size_t i = span_hash(name_span(t->by_id[k]), t->seed) & (cap - 1);
		while (slots[i])
			i = (i + 1) & (cap - 1);
		slots[i] = t->by_id[k];
	}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

/* Not inlined: most lookups end in the cache, and name_intern() then saves no registers. */
static __attribute__((noinline)) const struct name *find_or_add(struct name_table *t, struct span s,
                                                                const struct name **recent)
{
	size_t i = span_hash(s, t->seed) & (t->cap - 1);
	for (; t->slots[i]; i = (i + 1) & (t->cap - 1))
		if (span_eq(name_span(t->slots[i]), s))
			return *recent = t->slots[i];
	if (t->nr >= NAME_LIMIT || s.n >= TEXT_LIMIT || t->bytes + s.n > TEXT_LIMIT)
		return NULL;
	struct name *nm = arena_alloc(&t->arena, 1, sizeof *nm + s.n + 1);
	nm->id = (uint32_t)t->nr;
	nm->n = (uint32_t)s.n;
	if (s.n)
		memcpy(nm->s, s.p, s.n);
	t->bytes += s.n;
	if (t->nr == t->cap_by_id)
		t->by_id = vec_grow_(t->by_id, &t->cap_by_id, t->nr + 1, sizeof *t->by_id, "names");
	t->by_id[t->nr++] = nm;
	t->slots[i] = nm;
	if (t->nr * 2 > t->cap)
		table_grow(t);
	return *recent = nm;
}

const struct name *name_intern(struct name_table *t, struct span s)
{
	const struct name **recent = &t->recent[quick_hash(s)];
	return *recent && span_eq(name_span(*recent), s) ? *recent : find_or_add(t, s, recent);
}

void name_table_release(struct name_table *t)
{
	arena_release(&t->arena);
	free(t->recent);
	free(t->slots);
	free(t->by_id);
	*t = (struct name_table){ 0 };
}
