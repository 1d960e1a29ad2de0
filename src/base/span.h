/// A borrowed run of bytes: not NUL-terminated, any byte is allowed.
#ifndef GG_BASE_SPAN_H
#define GG_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// The bytes p[0..n), owned by someone else.
struct span {
	const char *p;
	size_t n;
};

/// Span over a string literal.
#define SPAN(lit) ((struct span){ (lit), sizeof(lit) - 1 })

/// Returns `s`, or "" for NULL.
static inline const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

/// Span over a NUL-terminated string; borrowed as long as `s`.
static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/// True if both spans have the same length and bytes.
static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/// Compares bytes; a prefix comes before longer spans. Returns < 0, 0 or > 0.
static inline int span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	return c ? c : (a.n > b.n) - (a.n < b.n);
}

/// True if `s` begins with `prefix`.
static inline bool span_starts(struct span s, struct span prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/// `s` without its first `n` bytes.
static inline struct span span_from(struct span s, size_t n)
{
	return (struct span){ s.p + n, s.n - n };
}

/// True if `s` ends with `end`.
static inline bool span_ends(struct span s, struct span end)
{
	return s.n >= end.n && (end.n == 0 || memcmp(s.p + s.n - end.n, end.p, end.n) == 0);
}

/// Takes `prefix` off the front of `*s`; false if `*s` does not begin with it.
static inline bool span_skip(struct span *s, struct span prefix)
{
	if (!span_starts(*s, prefix))
		return false;
	*s = span_from(*s, prefix.n);
	return true;
}

/// True for an ASCII digit, whatever the locale.
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/// True for an ASCII letter, whatever the locale.
static inline bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/// Index of `s` in `texts`, which NULL ends; -1 if it is not there.
int span_find(struct span s, const char *const *texts);

/// True if `s` is one of the texts in `list`, which are separated by blanks or '|'.
bool span_is_listed(struct span s, const char *list);

/// Like span_is_listed(), without regard to ASCII case.
bool span_is_listed_nocase(struct span s, const char *list);

/// Removes the bytes up to the first `end`, and `end` itself, from the front of `*rest`, and
/// returns the bytes before it; all bytes if there is no `end`.
struct span span_cut(struct span *rest, char end);

/// `s` without the bytes at its beginning and end that occur in the string `bytes`.
struct span span_trim(struct span s, const char *bytes);

/// True if the spans are equal without regard to ASCII case; other bytes must be identical.
bool span_eq_nocase(struct span a, struct span b);

/// True if `needle` occurs in `hay`, without regard to ASCII case; an empty needle always does.
bool span_contains_nocase(struct span hay, struct span needle);

/// True if `text` occurs in `hay`, without regard to ASCII case. A `*` in `text` matches any bytes,
/// a `?` one byte.
bool span_holds_nocase(struct span hay, struct span text);

/// True if the whole of `text` matches `pattern`, in which `*` matches any bytes and `?` one byte.
/// Worst-case time is O(text × pattern).
bool span_glob(struct span pattern, struct span text);

/// For a macro LIST(X) that calls X(VALUE, "word") for each value of an enum: LIST(ENUM_VALUE) is
/// the list of the enum's values, LIST(ENUM_WORD) the initializer of an array of their words.
#define ENUM_VALUE(id, ...) id,
#define ENUM_WORD(id, word, ...) [id] = (word),

#endif
