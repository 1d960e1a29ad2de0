/* A merge sort of natural runs: neighbours are merged once the earlier is no more than twice as
   long, which keeps merges balanced and the stack short. Where two runs overlap in part, only
   that part is moved. After timsort (Peters 2002), without its galloping. */
#include "base/sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SHORT_RUN ((size_t)16)

struct sort {
	size_t size;
	int (*cmp)(const void *, const void *, void *);
	void *arg;
	char *room; ///< for the shorter side of a merge
	size_t room_bytes;
};

struct run {
	char *v;
	size_t nr;
};

static inline void move_one(const struct sort *s, char *to, const char *from)
{
	if (s->size == 4) /* no call for what is small */
		memcpy(to, from, 4);
	else if (s->size % 8)
		memcpy(to, from, s->size);
	else
		for (size_t i = 0; i < s->size; i += 8)
			memcpy(to + i, from + i, 8);
}

static inline bool in_order(const struct sort *s, const char *a, const char *b)
{
	return s->cmp(a, b, s->arg) <= 0;
}

/* How many of the sorted run come before `x`; of equals all if `after`. */
static size_t rank_in(const struct sort *s, const char *v, size_t nr, const char *x, bool after)
{
	size_t lo = 0, hi = nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = s->cmp(v + mid * s->size, x, s->arg);
		if (c < 0 || (c == 0 && after))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static char *room_for(struct sort *s, size_t bytes)
{
	if (bytes > s->room_bytes) {
		s->room = mem_realloc(s->room, bytes, 1);
		s->room_bytes = bytes;
	}
	return s->room;
}

/* The run at `v`, in order from its element `sorted` on, takes in those behind it up to `nr`. */
static void insert_up_to(struct sort *s, char *v, size_t sorted, size_t nr)
{
	char *x = room_for(s, s->size);
	for (size_t i = sorted; i < nr; i++) {
		move_one(s, x, v + i * s->size);
		size_t to = rank_in(s, v, i, x, true);
		memmove(v + (to + 1) * s->size, v + to * s->size, (i - to) * s->size);
		move_one(s, v + to * s->size, x);
	}
}

/* The run that begins at `v`, made longer where it is short. */
static struct run next_run(struct sort *s, char *v, size_t nr)
{
	size_t n = 1, least = nr < SHORT_RUN ? nr : SHORT_RUN;
	while (n < nr && in_order(s, v + (n - 1) * s->size, v + n * s->size))
		n++;
	if (n < least) {
		insert_up_to(s, v, n, least);
		n = least;
	}
	return (struct run){ v, n };
}

/* The earlier run is the shorter: from the front. */
static void merge_up(struct sort *s, struct run a, struct run b)
{
	char *to = a.v, *x = room_for(s, a.nr * s->size), *x_end = x + a.nr * s->size;
	char *y = b.v, *y_end = b.v + b.nr * s->size;
	memcpy(x, a.v, a.nr * s->size);
	while (x < x_end && y < y_end) {
		char **from = in_order(s, x, y) ? &x : &y;
		move_one(s, to, *from);
		*from += s->size;
		to += s->size;
	}
	memcpy(to, x, (size_t)(x_end - x));
}

/* The later run is the shorter: from the back. */
static void merge_down(struct sort *s, struct run a, struct run b)
{
	char *x = a.v + a.nr * s->size, *room = room_for(s, b.nr * s->size);
	char *y = room + b.nr * s->size, *to = b.v + b.nr * s->size;
	memcpy(room, b.v, b.nr * s->size);
	while (x > a.v && y > room) {
		char **from = in_order(s, x - s->size, y - s->size) ? &y : &x;
		*from -= s->size;
		to -= s->size;
		move_one(s, to, *from);
	}
	memcpy(to - (y - room), room, (size_t)(y - room));
}

/* `b` lies right behind `a`. */
static void merge(struct sort *s, struct run a, struct run b)
{
	size_t before = rank_in(s, a.v, a.nr, b.v, true);
	a.v += before * s->size;
	a.nr -= before;
	if (a.nr == 0)
		return;
	b.nr = rank_in(s, b.v, b.nr, a.v + (a.nr - 1) * s->size, false);
	if (a.nr <= b.nr)
		merge_up(s, a, b);
	else
		merge_down(s, a, b);
}

void sort_runs(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *, void *),
               void *arg)
{
	struct sort s = { .size = size, .cmp = cmp, .arg = arg };
	struct run stack[64]; /* each more than twice as long as the next */
	size_t depth = 0;
	for (size_t at = 0; at < nr;) {
		struct run run = next_run(&s, (char *)v + at * size, nr - at);
		at += run.nr;
		for (; depth && (stack[depth - 1].nr <= 2 * run.nr || at == nr); depth--) {
			merge(&s, stack[depth - 1], run);
			run = (struct run){ stack[depth - 1].v, stack[depth - 1].nr + run.nr };
		}
		stack[depth++] = run;
	}
	free(s.room);
}

struct plain {
	int (*cmp)(const void *, const void *);
};

static int plain_cmp(const void *a, const void *b, void *plain)
{
	return ((const struct plain *)plain)->cmp(a, b);
}

void sort_plain(void *v, size_t nr, size_t size, int (*cmp)(const void *, const void *))
{
	struct plain plain = { cmp };
	sort_runs(v, nr, size, plain_cmp, &plain);
}
