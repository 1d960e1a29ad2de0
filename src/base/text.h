/// Text from untrusted bytes: valid UTF-8 out, whatever came in.
#ifndef GG_BASE_TEXT_H
#define GG_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/strbuf.h"

/// Decode one code point at `*at` and move past it. Malformed bytes (also
/// surrogates) give U+FFFD, one for each maximal invalid part.
uint32_t text_next(struct span s, size_t *at);

/// True where `s` is valid UTF-8 without NUL.
bool text_is_valid(struct span s);

/// Append code point `cp` as UTF-8.
void text_add_codepoint(struct strbuf *out, uint32_t cp);

/// Append `s` with every malformed part and NUL as U+FFFD; all else as it is.
void text_add_valid(struct strbuf *out, struct span s);

struct arena;

/// A copy of `s` with every malformed part and NUL as U+FFFD, owned by `a`.
const char *text_valid(struct arena *a, struct span s);

/// True for what is not shown as it stands: control, bidirectional and
/// line-separator characters.
bool text_breaks_a_line(uint32_t cp);

/// Append `s` fit for one line of a terminal or log: valid UTF-8; control,
/// bidirectional and line-separator characters as U+FFFD.
void text_add_line(struct strbuf *out, struct span s);

/// Like text_add_line, but at most `max_chars` characters: a longer text is cut
/// at a character and ends in `~` + 8 hex digits (FNV-1a of all its bytes).
void text_add_short(struct strbuf *out, struct span s, size_t max_chars);

/// Like text_add_short, but fit for the log of a CI: no command of one (`##[`, `##vso[`,
/// `##teamcity[`) survives, wherever it stands.
void text_add_log(struct strbuf *out, struct span s, size_t max_chars);

/// Order, of bsearch too, of `const char *`, and of structs that begin with one.
int text_cmp(const void *a, const void *b);

/// Ending of a noun after the count `n`: "1 step", "2 steps".
static inline const char *text_s(int64_t n)
{
	return n == 1 ? "" : "s";
}

/// The same of a noun in -y: "1 activity", "2 activities".
static inline const char *text_ies(int64_t n)
{
	return n == 1 ? "y" : "ies";
}

/// Number of code points of `s` (malformed parts count as one).
size_t text_chars(struct span s);

/// FNV-1a, 32 bit: names the same text the same way in every run.
uint32_t text_hash32(struct span s);

/// The same of text in parts: of the first `h` is TEXT_HASH, of the next what came out.
uint32_t text_hash_more(uint32_t h, struct span s);
#define TEXT_HASH 2166136261u

/// Untrusted text fit for one line, owned by `a`.
const char *text_line(struct arena *a, struct span s);

/// The same, cut to `max_chars` characters as text_add_short() does.
const char *text_short(struct arena *a, struct span s, size_t max_chars);

/// 'text' for a message: fit for one line, quoted, at most 200 characters.
/// Owned by `a`.
const char *text_quote(struct arena *a, struct span s);

#endif
