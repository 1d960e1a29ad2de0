/// A growable byte string, always NUL-terminated.
#ifndef GG_BASE_STRBUF_H
#define GG_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/span.h"

/// A growable text, which the struct owns; begin with STRBUF_INIT, end with strbuf_release().
struct strbuf {
	char *p; ///< bytes of the text; may be NULL if the text is empty (strbuf_str() then returns "")
	size_t n, cap;
};
#define STRBUF_INIT \
	{               \
		NULL, 0, 0  \
	}

/// Appends the bytes of `s`.
void strbuf_add(struct strbuf *b, struct span s);

/// Appends one byte.
void strbuf_addch(struct strbuf *b, char c);

/// Appends a NUL-terminated string.
void strbuf_adds(struct strbuf *b, const char *s);

/// Appends text that is formatted as by printf().
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Appends text that is formatted as by vprintf().
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/// Appends the contents of the file `fd` up to its end, or stops once more than `most` bytes are in
/// the buffer. False if the file cannot be read; errno then says why.
bool strbuf_read(struct strbuf *b, int fd, size_t most);

/// Cuts the content to its first `n` bytes. The content must have at least `n` bytes.
void strbuf_setlen(struct strbuf *b, size_t n);

/// The content, NUL-terminated; borrowed until the next change.
const char *strbuf_str(const struct strbuf *b);

/// The content as a span; borrowed until the next change.
struct span strbuf_span(const struct strbuf *b);

struct arena;

/// Moves the content to a string owned by `a`; the buffer is released.
char *arena_take(struct arena *a, struct strbuf *b);

/// Releases all memory; the buffer is then empty and usable again.
void strbuf_release(struct strbuf *b);

#endif
