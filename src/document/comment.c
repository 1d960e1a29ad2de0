#include "document/comment.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define FOLD_OPEN "\n<details><summary>%s</summary>\n"
#define FOLD_CLOSE "\n</details>\n"
#define ROOM_FOR_NOTE 80 /* bytes for a note such as "N sections more in the report" */

/* ---- text and code spans ---- */

static size_t longest_fence(struct span s)
{
	size_t longest = 0;
	for (size_t i = 0, run = 0; i < s.n; i++) {
		run = s.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void add_fence(struct strbuf *b, size_t nr)
{
	while (nr--)
		strbuf_addch(b, '`');
}

/* Append text for a code span. A pipe in a table is replaced, since renderers disagree on a pipe
   after a backslash. */
static void add_content(struct strbuf *b, struct span s, bool in_table)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!in_table || s.p[i] != '|')
			strbuf_addch(b, s.p[i]);
		else if (i && s.p[i - 1] == '\\')
			text_add_codepoint(b, 0xFFFD);
		else
			strbuf_adds(b, "\\|");
	}
}

void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table)
{
	struct strbuf t = STRBUF_INIT;
	text_add_short(&t, span_of(text ? text : ""), max_chars);
	struct span s = strbuf_span(&t);
	if (s.n == 0) {
		strbuf_adds(b, "–");
	} else {
		size_t fence = longest_fence(s) + 1;
		const char first = s.p[0], last = s.p[s.n - 1]; /* renderers strip one blank at each end */
		const char *pad = first == '`' || last == '`' || (first == ' ' && last == ' ') ? " " : "";
		add_fence(b, fence);
		strbuf_adds(b, pad);
		add_content(b, s, in_table);
		strbuf_adds(b, pad);
		add_fence(b, fence);
	}
	strbuf_release(&t);
}

/* True for text without Markdown, host names and words like "GH-1", which would become links. */
static bool is_figure(struct span s)
{
	static const uint32_t marks[] = { 0xB1, 0xB5, 0xD7, 0x2013, 0x2192, 0x2212 }; /* ±µ×–→− */
	bool letter = false, digit = false;
	for (size_t i = 0; i < s.n;) {
		uint32_t cp = text_next(s, &i);
		bool plain = cp < 0x80 && (isalnum((int)cp) || strchr(" ,%+-/()", (int)cp));
		for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
			plain = plain || cp == marks[k];
		if (!cp || (!plain && (cp != '.' || letter)))
			return false;
		letter = cp < 0x80 && isalpha((int)cp);
		if (letter && !digit)
			return false;
		digit = digit || (cp < 0x80 && isdigit((int)cp));
	}
	return true;
}

void md_figure(struct strbuf *b, const char *text)
{
	struct span s = span_of(text);
	if (!is_figure(s)) {
		md_code(b, text, MD_NAME_CHARS, true);
		return;
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ' ' && i && (isdigit((unsigned char)s.p[i - 1]) || s.p[i - 1] == ')'))
			strbuf_adds(b, "\xC2\xA0");
		else
			strbuf_addch(b, s.p[i]);
}

/* True for a `_` between letters or digits, which does not mark emphasis (GitHub Flavored Markdown,
   6.2). */
static bool is_inner(struct span s, size_t at)
{
	return s.p[at] == '_' && at && at + 1 < s.n && isalnum((unsigned char)s.p[at - 1]) &&
	       isalnum((unsigned char)s.p[at + 1]);
}

/* True for words and figures, with dots within them, of which GitHub makes no link, mention or
   markup. */
static bool is_prose(struct span s)
{
	static const char marks[] = " .,;:%()+-'";
	static const uint32_t signs[] = { 0xB1, 0xB5, 0xD7, 0x2013, 0x2192, 0x2212 }; /* ±µ×–→− */
	size_t word = 0, letters = 0;
	for (size_t i = 0, at = 0; i < s.n; at = i) {
		uint32_t cp = text_next(s, &i);
		bool sign = false;
		for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
			sign = sign || cp == signs[k];
		if (!sign && !is_inner(s, at) &&
		    (cp >= 0x80 || (!isalnum((int)cp) && !strchr(marks, (int)cp))))
			return false;
		if (s.n - at >= 4 &&
		    (strncasecmp(s.p + at, "www.", 4) == 0 || strncasecmp(s.p + at, "GH-", 3) == 0))
			return false;
		bool hex = cp < 0x80 && isxdigit((int)cp) && !isupper((int)cp);
		word = hex ? word + 1 : 0; /* a word of seven hexadecimal digits may be a commit */
		letters = !hex ? 0 : letters + (isalpha((int)cp) != 0);
		if (word >= 7 && letters && letters < word)
			return false;
	}
	return s.n > 0;
}

void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table)
{
	struct span s = span_of(text);
	if (text_chars(s) <= max_chars && is_prose(s))
		strbuf_add(b, s);
	else
		md_code(b, text, max_chars, in_table);
}

/* ---- sections of the comment ---- */

struct md_section *md_section(struct md_document *d, bool fixed)
{
	struct md_section *s = vec_push_zero(&d->sections);
	s->fixed = fixed;
	return s;
}

struct strbuf *md_row(struct md_section *s)
{
	return vec_push_zero(&s->rows);
}

/* ---- the size limit ---- */

static size_t note_bytes(const struct md_section *s)
{
	return s->more ? (size_t)snprintf(NULL, 0, "\n%zu more in the report\n", s->more) : 0;
}

static size_t section_bytes(const struct md_section *s)
{
	size_t nr = s->head.n + s->tail.n + note_bytes(s);
	for (size_t i = 0; i < s->rows.nr; i++)
		nr += s->rows.v[i].n;
	return nr;
}

static void section_release(struct md_section *s)
{
	strbuf_release(&s->head);
	strbuf_release(&s->tail);
	for (size_t i = 0; i < s->rows.nr; i++)
		strbuf_release(&s->rows.v[i]);
	vec_release(&s->rows);
}

/* Remove rows from the end until the section has at most `max` bytes. A table without rows keeps
   only its note. */
static void cut_rows(struct md_section *s, size_t max)
{
	size_t rows = 0;
	for (size_t i = 0; i < s->rows.nr; i++)
		rows += s->rows.v[i].n;
	size_t rest = section_bytes(s) - rows - note_bytes(s);
	while (s->rows.nr && rest + rows + note_bytes(s) > max) {
		struct strbuf *last = &s->rows.v[--s->rows.nr];
		rows -= last->n;
		strbuf_release(last);
		s->more++;
	}
	if (s->rows.nr == 0)
		strbuf_setlen(&s->head, 0);
}

static size_t drop(struct md_section *s)
{
	size_t nr = section_bytes(s);
	section_release(s);
	s->more = 0;
	return nr;
}

/* Remove whole sections from the end, then rows, then everything but the title. Returns the number
   of removed sections. */
static size_t fit(struct md_document *d, size_t max)
{
	size_t total = 0, dropped = 0;
	bool folded = false;
	for (size_t i = 0; i < d->sections.nr; i++) {
		total += section_bytes(&d->sections.v[i]);
		folded = folded || d->sections.v[i].folded;
	}
	total += d->fold && folded ? strlen(FOLD_OPEN FOLD_CLOSE) - strlen("%s") + strlen(d->fold) : 0;
	if (total <= max)
		return 0;
	max = max > ROOM_FOR_NOTE ? max - ROOM_FOR_NOTE : 0;
	for (size_t i = d->sections.nr; i-- > 0 && total > max;) {
		if (d->sections.v[i].fixed)
			continue;
		total -= drop(&d->sections.v[i]);
		dropped++;
	}
	for (size_t i = d->sections.nr; i-- > 1 && total > max;) {
		struct md_section *s = &d->sections.v[i];
		if (!s->rows.nr)
			continue;
		size_t before = section_bytes(s), over = total - max;
		cut_rows(s, before > over ? before - over : 0);
		total = total - before + section_bytes(s);
	}
	for (size_t i = d->sections.nr; i-- > 1 && total > max;) {
		size_t nr = drop(&d->sections.v[i]);
		total -= nr;
		dropped += nr > 0;
	}
	return dropped;
}

void md_write(struct md_document *d, size_t max, struct strbuf *out)
{
	size_t dropped = fit(d, max), nr = 0;
	bool open = false;
	for (size_t i = 0; i < d->sections.nr; i++) {
		struct md_section *s = &d->sections.v[i];
		nr += section_bytes(s);
		if (d->fold && s->folded && !open && section_bytes(s)) {
			strbuf_addf(out, FOLD_OPEN, d->fold);
			open = true;
		}
		strbuf_add(out, strbuf_span(&s->head));
		for (size_t k = 0; k < s->rows.nr; k++)
			strbuf_add(out, strbuf_span(&s->rows.v[k]));
		if (s->more)
			strbuf_addf(out, "\n%zu more in the report\n", s->more);
		strbuf_add(out, strbuf_span(&s->tail));
		section_release(s);
	}
	vec_release(&d->sections);
	strbuf_adds(out, open ? FOLD_CLOSE : "");
	if (dropped && nr + ROOM_FOR_NOTE <= max)
		strbuf_addf(out, "\n%zu section%s more in the report\n", dropped, dropped == 1 ? "" : "s");
}
