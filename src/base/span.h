/// A borrowed run of bytes: not NUL-terminated, may hold any byte.
#ifndef GG_BASE_SPAN_H
#define GG_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *p;
	size_t n;
};

/// Span over a string literal.
#define SPAN(lit) ((struct span){ (lit), sizeof(lit) - 1 })

/// Span over a NUL-terminated string; borrowed as long as `s`.
static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/// Same length and bytes.
static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/// Byte-wise order, a prefix before what it is a prefix of; < 0, 0 or > 0.
static inline int span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	return c ? c : (a.n > b.n) - (a.n < b.n);
}

/// `s` begins with `prefix`.
static inline bool span_starts(struct span s, struct span prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/// Take `prefix` off the front of `*s`; false if it does not begin with that.
static inline bool span_skip(struct span *s, struct span prefix)
{
	if (!span_starts(*s, prefix))
		return false;
	*s = (struct span){ s->p + prefix.n, s->n - prefix.n };
	return true;
}

/// An ASCII digit, whatever the locale.
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/// ASCII-case-insensitive equality; other bytes compare as they are.
bool span_eq_nocase(struct span a, struct span b);

/// ASCII-case-insensitive search of `needle` in `hay`; an empty one is found.
bool span_contains_nocase(struct span hay, struct span needle);

/// `text` is somewhere in `hay`, ASCII case aside; in it `*` matches any bytes and `?` one byte.
bool span_holds_nocase(struct span hay, struct span text);

/// `text` matches `pattern`, in which only `*` and `?` are special.
/// `?` matches one byte. Time is O(text × pattern) at worst.
bool span_glob(struct span pattern, struct span text);

#endif
