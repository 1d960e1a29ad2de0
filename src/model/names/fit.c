#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "names/short.h"

/* Characters that reports put into names. BREAK: place at which a line may break, in comments on
   pull requests; BLANK: blank that does not break a line; CUT: replaces the middle of a long
   name; UNKNOWN: replaces a character that cannot be printed, and in CI logs the
   second '#' of "##", which begins a command. */
#define CUT_TEXT "\u2026"
enum { BREAK = 0x200B, BLANK = 0xA0, CUT = 0x2026, UNKNOWN = 0xFFFD, HASH_CHARS = 9 };

/* Takes the next character of a text from a report, without BREAK; 0 at the end of the text. */
static uint32_t next_shown(struct span s, size_t *at)
{
	uint32_t cp = BREAK;
	while (cp == BREAK && *at < s.n)
		cp = text_next(s, at);
	return cp == BREAK ? 0 : cp == BLANK ? ' ' : cp;
}

/* True if a report may show `text` as `shown`: on one line, with its middle cut out if `cut`. */
static bool is_shown(struct span shown, struct span text, bool cut)
{
	size_t s = 0, t = 0, after_cut = SIZE_MAX, mark = 0;
	if (cut && !memmem(shown.p, shown.n, CUT_TEXT, strlen(CUT_TEXT)))
		return false;
	for (;;) {
		size_t s_next = s, t_next = t;
		uint32_t a = next_shown(shown, &s_next), b = next_shown(text, &t_next);
		if (cut && a == CUT) {
			after_cut = s = s_next;
			mark = t;
		} else if (!a && !b) {
			return true;
		} else if (a && b && (a == b || (a == UNKNOWN && (b == '#' || text_breaks_a_line(b))))) {
			s = s_next;
			t = t_next;
		} else if (after_cut != SIZE_MAX && mark < text.n) {
			next_shown(text, &mark);
			s = after_cut;
			t = mark;
		} else {
			return false;
		}
	}
}

/* True if `shown` ends with the hash of `text`, as text_add_short() appends it. */
static bool has_hash(struct span shown, struct span text)
{
	char hash[HASH_CHARS + 1];
	if (shown.n < HASH_CHARS || shown.p[shown.n - HASH_CHARS] != '~')
		return false;
	snprintf(hash, sizeof hash, "~%08x", text_hash32(text));
	return memcmp(shown.p + shown.n - HASH_CHARS, hash, HASH_CHARS) == 0;
}

/* True for a text such as "gemm bf16 [512 4]", by which short_names_end() distinguishes names with
   equal forms: `form`, with its middle cut out if `cut`, then words of the name in brackets. */
static bool is_apart(struct span shown, struct span form, bool cut, const char *whole,
                     struct arena *a)
{
	size_t n = shown.n && shown.p[shown.n - 1] == ']' ? shown.n - 1 : 0;
	while (n && shown.p[n] != '[')
		n--;
	if (n < 2 || shown.p[n - 1] != ' ' || !is_shown((struct span){ shown.p, n - 1 }, form, cut))
		return false;
	const char *plain = demangle(span_of(whole), a), *p = shown.p + n + 1,
	           *end = shown.p + shown.n - 1;
	for (const char *word = p; p <= end; p++)
		if (p == end || *p == ' ') {
			if (!name_has_word(plain ? plain : whole, (struct span){ word, (size_t)(p - word) }))
				return false;
			word = p + 1;
		}
	return true;
}

/* How `shown` fits the forms of the name of a kernel or function; longer forms are tried first. */
static enum name_fit form_fit(struct span shown, struct span name)
{
	struct arena a = ARENA_INIT;
	const char *whole = arena_dup(&a, name);
	enum name_fit fit = FIT_NONE;
	for (int i = NR_SHORT_FORMS - 1; i >= 0 && fit < FIT_FORM; i--) {
		struct span form = span_of(short_name_form(&a, whole, i));
		if (is_shown(shown, form, false) || has_hash(shown, form) ||
		    (i == 0 && is_apart(shown, form, false, whole, &a)))
			fit = (enum name_fit)(FIT_FORM + i);
		else if (is_shown(shown, form, true) || (i == 0 && is_apart(shown, form, true, whole, &a)))
			fit = FIT_CUT_FORM;
		else if (fit == FIT_NONE && span_glob(shown, form))
			fit = FIT_FORM_PATTERN;
	}
	arena_release(&a);
	return fit;
}

/* `shown` without BREAK characters, written into `b`. */
static struct span unbroken(struct span shown, struct strbuf *b)
{
	for (size_t i = 0; i < shown.n;) {
		uint32_t cp = next_shown(shown, &i);
		if (cp)
			text_add_codepoint(b, cp);
	}
	return strbuf_span(b);
}

enum name_fit name_fit(struct span asked, struct span name, bool function)
{
	struct strbuf b = STRBUF_INIT;
	if (span_eq(asked, name))
		return FIT_WHOLE;
	struct span shown = unbroken(asked, &b);
	enum name_fit form = FIT_NONE, fit = FIT_SHOWN;
	if (!is_shown(shown, name, false) && !has_hash(shown, name)) {
		form = function ? form_fit(shown, name) : FIT_NONE;
		fit = is_shown(shown, name, true) ? FIT_CUT
		      : span_glob(asked, name)    ? FIT_PATTERN
		                                  : FIT_NONE;
	}
	strbuf_release(&b);
	return form > fit ? form : fit;
}
