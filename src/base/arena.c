#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/poison.h"

/* The address sanitizer reports an access to the part of a block that has not been handed out, and
   to the GAP bytes after each allocation. */
#ifdef __SANITIZE_ADDRESS__
#define GAP ((size_t)16)
#else
#define GAP ((size_t)0)
#endif

struct arena_block {
	struct arena_block *next;
	_Alignas(max_align_t) char data[];
};

/* Sizes in bytes of the first block, and of the largest one. Each block is twice as large as the
   one before it, up to the largest size: most arenas are small, and there are many (one for each
   rank). An allocation that is larger than the block would be gets a block of its own size. */
#define ARENA_FIRST ((size_t)2 << 10)
#define ARENA_BLOCK ((size_t)32 << 10)
#define ARENA_ALIGN (_Alignof(max_align_t))

/* Like arena_alloc(), but the block is not zeroed: most blocks are for text, which is then copied.
 */
static void *take(struct arena *a, size_t nr, size_t size)
{
	if (size && nr > (SIZE_MAX / 2) / size)
		mem_fail();
	size_t n = (nr * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN + GAP;
	if (!a->blocks || a->cap - a->used < n) {
		size_t cap = a->cap < ARENA_FIRST / 2 ? ARENA_FIRST : 2 * a->cap;
		cap = cap > ARENA_BLOCK ? ARENA_BLOCK : cap;
		cap = n > cap ? n : cap;
		mem_grows("texts and rows", cap);
		struct arena_block *b = mem_realloc(NULL, 1, sizeof *b + cap);
		ASAN_POISON_MEMORY_REGION(b->data, cap);
		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
		a->cap = cap;
	}
	void *p = a->blocks->data + a->used;
	a->used += n;
	ASAN_UNPOISON_MEMORY_REGION(p, nr * size);
	return p;
}

void *arena_alloc(struct arena *a, size_t nr, size_t size)
{
	return memset(take(a, nr, size), 0, nr * size);
}

char *arena_dup(struct arena *a, struct span s)
{
	char *p = take(a, s.n + 1, 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, copy;
	va_start(ap, fmt);
	va_copy(copy, ap);
	int n = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	char *p = take(a, (size_t)(n < 0 ? 0 : n) + 1, 1);
	*p = '\0';
	vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_move(struct arena *to, struct arena *from)
{
	struct arena_block *last = from->blocks;
	while (last && last->next)
		last = last->next;
	if (!to->blocks) {
		*to = *from;
	} else if (last) { /* the newest block of `to` stays the first: it may still have free room */
		last->next = to->blocks->next;
		to->blocks->next = from->blocks;
	}
	*from = (struct arena)ARENA_INIT;
}

void arena_release(struct arena *a)
{
	for (struct arena_block *b = a->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena)ARENA_INIT;
}
