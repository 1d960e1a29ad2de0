/// Helpers for texts that the code under test has written: take them from a sink, edit and search.
#ifndef GG_TESTS_TEXT_RIG_H
#define GG_TESTS_TEXT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "io/sink.h"

/// Closes a sink in memory and returns its content, which the caller frees. `*n` becomes the length
/// of the content, unless `n` is NULL.
static inline char *taken(struct sink *s, size_t *n)
{
	struct span text = sink_memory(s);
	char *copy = mem_strndup(text.p, text.n);
	if (n)
		*n = text.n;
	sink_abort(s);
	return copy;
}

/// A copy of `text` with the first `old` replaced by `new`; the caller frees it.
static inline char *edited(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	if (!at)
		fail_msg("'%s' is not in the sample:\n%s", old, text);
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, (struct span){ text, (size_t)(at - text) });
	strbuf_adds(&b, new);
	strbuf_adds(&b, at + strlen(old));
	return b.p;
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
	const char *at = strstr(text, part);
	if (at)
		fail_msg("'%s' is in it: …%.200s", part, at);
}

/// Number of occurrences of `part` in `text`, without overlap.
static inline size_t count(const char *text, const char *part)
{
	size_t nr = 0;
	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		nr++;
	return nr;
}

#endif
