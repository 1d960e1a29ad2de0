#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/poison.h"
#include "base/vec.h"

/* Makes room for `extra` bytes and a NUL. The address sanitizer reports any access beyond them. */
static void reserve(struct strbuf *b, size_t extra)
{
	size_t want = b->n + extra + 1;
	if (want > b->cap) {
		b->p = vec_grow_(b->p, &b->cap, want, 1, "a text");
		ASAN_POISON_MEMORY_REGION(b->p + want, b->cap - want);
	}
	ASAN_UNPOISON_MEMORY_REGION(b->p + b->n, extra + 1);
}

void strbuf_add(struct strbuf *b, struct span s)
{
	reserve(b, s.n);
	if (s.n)
		memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
	b->p[b->n] = '\0';
}

void strbuf_addch(struct strbuf *b, char c)
{
	reserve(b, 1);
	b->p[b->n++] = c;
	b->p[b->n] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, span_of(s));
}

void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	char usual[256]; /* most texts fit, and are formatted once */
	va_list copy;
	va_copy(copy, ap);
	int n = vsnprintf(usual, sizeof usual, fmt, copy);
	va_end(copy);
	if (n <= 0)
		return;
	if ((size_t)n < sizeof usual) {
		strbuf_add(b, (struct span){ usual, (size_t)n });
		return;
	}
	reserve(b, (size_t)n);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void strbuf_setlen(struct strbuf *b, size_t n)
{
	if (b->p) {
		b->n = n;
		b->p[n] = '\0';
	}
}

const char *strbuf_str(const struct strbuf *b)
{
	return b->p ? b->p : "";
}

struct span strbuf_span(const struct strbuf *b)
{
	return (struct span){ strbuf_str(b), b->n };
}

void strbuf_release(struct strbuf *b)
{
	free(b->p);
	*b = (struct strbuf)STRBUF_INIT;
}

char *arena_take(struct arena *a, struct strbuf *b)
{
	char *text = arena_dup(a, strbuf_span(b));
	strbuf_release(b);
	return text;
}

bool strbuf_read(struct strbuf *b, int fd, size_t most)
{
	char buf[4096];
	for (ssize_t n = 1; n != 0 && b->n <= most;) {
		n = read(fd, buf, sizeof buf);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			strbuf_add(b, (struct span){ buf, (size_t)n });
	}
	return true;
}
