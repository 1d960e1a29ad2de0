/// Text from untrusted bytes: the output is always valid UTF-8.
#ifndef GG_BASE_TEXT_H
#define GG_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/strbuf.h"

/// The byte order mark, which some Windows programs write at the start of a text file. It is not
/// part of the text.
#define BYTE_ORDER_MARK SPAN("\xEF\xBB\xBF")

/// Decodes the code point at `*at` < s.n and moves past it. Malformed bytes (also surrogates) give
/// U+FFFD, one for each maximal subpart (Unicode Standard, section 3.9).
uint32_t text_next(struct span s, size_t *at);

/// True if `s` is valid UTF-8 without NUL.
bool text_is_valid(struct span s);

/// Appends code point `cp` as UTF-8.
void text_add_codepoint(struct strbuf *out, uint32_t cp);

/// Appends `s` with every malformed part and NUL replaced by U+FFFD.
void text_add_valid(struct strbuf *out, struct span s);

struct arena;

/// A copy of `s` with every malformed part and NUL replaced by U+FFFD, owned by `a`.
const char *text_valid(struct arena *a, struct span s);

/// True for characters that must not be printed: control, bidirectional and line-separator
/// characters, and the byte order mark.
bool text_breaks_a_line(uint32_t cp);

/// Appends `s` in a form fit for one line of a terminal or log: valid UTF-8; the characters of
/// text_breaks_a_line() become U+FFFD.
void text_add_line(struct strbuf *out, struct span s);

/// Like text_add_line(), but with `escapes[c]` in place of each ASCII character `c` for which it is
/// not NULL.
void text_add_escaped(struct strbuf *out, struct span s, const char *const escapes[128]);

/// Offset of the first byte of `s`, from `at` on, that is not printable ASCII or has an entry in
/// `but`; s.n if there is none. The bytes before it can be copied unchanged.
size_t text_plain_end(struct span s, size_t at, const char *const but[128]);

/// Like text_add_line(), but at most `max_chars` characters (≥ 9): a longer text is cut and ends in
/// `~` + 8 hex digits (FNV-1a of all its bytes).
void text_add_short(struct strbuf *out, struct span s, size_t max_chars);

/// Like text_add_short(), but fit for the log of a CI system: a '#' after a '#' becomes U+FFFD,
/// because such a system takes texts like `##[`, `##vso[` and `##teamcity[` for commands.
void text_add_log(struct strbuf *out, struct span s, size_t max_chars);

/// The name of the file at `path`: what follows the last slash.
const char *path_last(const char *path);

/// Compares two `const char *`, or two structs that begin with one, for sorting and bsearch().
int text_cmp(const void *a, const void *b);

/// Plural ending of a noun after the count `n`: "1 step", "2 steps".
static inline const char *text_s(int64_t n)
{
	return n == 1 ? "" : "s";
}

/// Like text_s(), for a noun that ends in y: "1 activity", "2 activities".
static inline const char *text_ies(int64_t n)
{
	return n == 1 ? "y" : "ies";
}

/// Number of code points in `s` (a malformed part counts as one).
size_t text_chars(struct span s);

/// FNV-1a, 32 bit: equal text has the same hash in every run.
uint32_t text_hash32(struct span s);

/// Like text_hash32(), for text in pieces: `h` is TEXT_HASH for the first piece, and for each
/// further piece the hash that was returned for the piece before.
uint32_t text_hash_more(uint32_t h, struct span s);
#define TEXT_HASH 2166136261u

/// The untrusted text `s` in the form of text_add_line(), owned by `a`.
const char *text_line(struct arena *a, struct span s);

/// Like text_line(), cut to `max_chars` characters as by text_add_short().
const char *text_short(struct arena *a, struct span s, size_t max_chars);

/// The text in quotes, for a message: on one line, with at most 200 characters of the text. Owned
/// by `a`.
const char *text_quote(struct arena *a, struct span s);

/// The end of a message: what to do with a result file of no known format.
#define TEXT_NO_FORMAT                                                                         \
	"for a result file of no known format, 'gpugate explain FILE' prints the lines to add to " \
	"the rules (inputs: results)"

/// Characters that need no quotes in a shell.
#define TEXT_WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+,@%-"

/// Appends a blank and `text` as one word for a shell, in quotes if it needs them. The characters
/// of text_breaks_a_line() become U+FFFD. `a` owns temporary text.
void text_add_word(struct strbuf *b, struct arena *a, const char *text);

#endif
