#include "document/comment.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "document/document.h"
#include "document/render.h"

#define DETAILS_TITLE_END "</summary>\n"
#define DETAILS_OPEN "\n<details><summary>%s" DETAILS_TITLE_END
#define DETAILS_CLOSE "\n</details>\n"
#define ROOM_FOR_NOTE 80 /* bytes kept free for "N sections more in the report" */

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

/* A word of more than WORD_CHARS characters may be broken in a cell, since the widest word decides
 * the width of a column. It is broken after separators into pieces of at least PIECE_CHARS. Without
 * separators it is broken after WORD_CHARS or, in a path, after PATH_CHARS. */
enum { WORD_CHARS = 20, PIECE_CHARS = 8, PATH_CHARS = 36 };
enum word_breaks { BREAKS_NOT, BREAKS_WORD, BREAKS_PATH };

/* How the word that begins at `at` may be broken. Only slashes are separators in a path. */
static enum word_breaks breaks_of(struct span s, size_t at)
{
	size_t end = at;
	bool path = false;
	while (end < s.n && s.p[end] != ' ') {
		path = path || s.p[end] == '/' || (s.n - end > 4 && memcmp(s.p + end, ".py:", 4) == 0);
		end++;
	}
	size_t chars = text_chars((struct span){ s.p + at, end - at });
	return chars <= WORD_CHARS ? BREAKS_NOT : path ? BREAKS_PATH : BREAKS_WORD;
}

static bool is_seam(char c, enum word_breaks breaks)
{
	return c && strchr(breaks == BREAKS_PATH ? "/" : "/_:,.<>()~-&*", c);
}

/* Append text. In a table, long words get break points, and a pipe is escaped. A pipe after a
 * backslash becomes U+FFFD instead, since renderers of Markdown disagree on what a backslash before
 * an escaped pipe means. */
static void add_content(struct strbuf *b, struct span s, bool in_table)
{
	size_t piece = 0;
	enum word_breaks breaks = in_table ? breaks_of(s, 0) : BREAKS_NOT;
	for (size_t i = 0, at = 0; i < s.n; at = i, piece++) {
		text_next(s, &i);
		char c = s.p[at];
		size_t most = breaks == BREAKS_PATH ? PATH_CHARS : WORD_CHARS;
		bool seam = at && is_seam(s.p[at - 1], breaks) && !is_seam(c, breaks);
		if (c == ' ') {
			piece = 0;
			breaks = in_table ? breaks_of(s, at + 1) : BREAKS_NOT;
		} else if (breaks && ((seam && piece >= PIECE_CHARS) || piece >= most)) {
			text_add_codepoint(b, MD_BREAK);
			piece = 0;
		}
		if (in_table && c == ' ' && at && s.n <= WORD_CHARS &&
		    isalpha((unsigned char)s.p[at - 1]) && isdigit((unsigned char)s.p[at + 1]))
			strbuf_adds(b, "\xC2\xA0"); /* this blank keeps "rank 5" on one line */
		else if (!in_table || c != '|')
			strbuf_add(b, (struct span){ s.p + at, i - at });
		else if (at && s.p[at - 1] == '\\')
			text_add_codepoint(b, 0xFFFD);
		else
			strbuf_adds(b, "\\|");
	}
}

void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table)
{
	struct strbuf t = STRBUF_INIT;
	text_add_short(&t, span_of(text_or_empty(text)), max_chars);
	struct span s = strbuf_span(&t);
	if (s.n == 0) {
		strbuf_adds(b, "–");
	} else {
		size_t fence = longest_fence(s) + 1;
		/* Renderers strip one blank at each end of a code span. `pad` therefore protects the
		   text's own blanks; it also separates backticks of the text from the fence. */
		const char first = s.p[0], last = s.p[s.n - 1];
		const char *pad = first == '`' || last == '`' || (first == ' ' && last == ' ') ? " " : "";
		add_fence(b, fence);
		strbuf_adds(b, pad);
		add_content(b, s, in_table);
		strbuf_adds(b, pad);
		add_fence(b, fence);
	}
	strbuf_release(&t);
}

void md_command(struct strbuf *b, const char *text)
{
	enum { FENCE = 3 };
	struct strbuf line = STRBUF_INIT;
	text_add_log(&line, span_of(text), (size_t)-1);
	struct span s = strbuf_span(&line);
	size_t fence = longest_fence(s) + 1 > FENCE ? longest_fence(s) + 1 : FENCE;
	add_fence(b, fence);
	strbuf_adds(b, "sh\n");
	for (size_t at = 0, end; at < s.n || !at; at = end + 1) {
		end = text_command_end(s, at, MD_COMMAND_CHARS - 2);
		strbuf_adds(b, at ? "  " : "");
		strbuf_add(b, (struct span){ s.p + at, end - at });
		strbuf_adds(b, end < s.n ? " \\\n" : "\n");
	}
	add_fence(b, fence);
	strbuf_addch(b, '\n');
	strbuf_release(&line);
}

/* True for a figure in which GitHub finds no markup and nothing that becomes a link, such as a host
 * name or "GH-1". */
static bool is_figure(struct span s)
{
	static const uint32_t marks[] = { 0xB1, 0xB5, 0xD7, 0x2013, 0x2192, 0x2212 }; /* ±µ×–→− */
	bool letter = false, digit = false;
	for (size_t i = 0; i < s.n;) {
		uint32_t cp = text_next(s, &i);
		bool plain = cp < 0x80 && (isalnum((int)cp) || strchr(" ,%+-/()", (int)cp));
		plain = plain || ANY(k, NR_OF(marks), cp == marks[k]);
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

/* True for a `_` or `/` between letters or digits. Such a `_` does not mark emphasis (GitHub
   Flavored Markdown, 6.2), and such a slash is a part of a unit. */
static bool is_inner(struct span s, size_t at)
{
	return (s.p[at] == '_' || s.p[at] == '/') && at && at + 1 < s.n &&
	       isalnum((unsigned char)s.p[at - 1]) && isalnum((unsigned char)s.p[at + 1]);
}

/* True for a word with a slash and a dot, or with two slashes, unlike a unit such as "tokens/s". */
static bool is_path(struct span s)
{
	const char *slash = memchr(s.p, '/', s.n);
	return slash && (memchr(s.p, '.', s.n) || memrchr(s.p, '/', s.n) != slash);
}

/* End of the word at `at`: the next blank outside of brackets or, if a bracket is not closed,
 * simply the next blank. */
static size_t word_end(struct span s, size_t at)
{
	size_t first = s.n, depth = 0;
	for (size_t i = at; i < s.n; i++) {
		char c = s.p[i];
		if (c == ' ' && first == s.n)
			first = i;
		if (c == ' ' && !depth)
			return i;
		if (c == '<' || c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == '>' || c == ')' || c == ']' || c == '}') && depth)
			depth--;
	}
	return depth ? first : s.n;
}

/* True for a word or a figure, perhaps with dots inside, in which GitHub finds no link, mention or
 * markup. */
static bool is_prose(struct span s)
{
	static const char marks[] = " .,;:%()+-'=";
	static const uint32_t signs[] = {
		0xB1, 0xB5, 0xD7, 0x2013, 0x203A, 0x2192, 0x2212
	}; /* ±µ×–›→− */
	size_t word = 0, letters = 0;
	for (size_t i = 0, at = 0; i < s.n; at = i) {
		uint32_t cp = text_next(s, &i);
		bool sign = ANY(k, NR_OF(signs), cp == signs[k]);
		if (!sign && !is_inner(s, at) &&
		    (cp >= 0x80 || (!isalnum((int)cp) && !strchr(marks, (int)cp))))
			return false;
		if (s.n - at >= 4 &&
		    (strncasecmp(s.p + at, "www.", 4) == 0 || strncasecmp(s.p + at, "GH-", 3) == 0))
			return false;
		bool hex = cp < 0x80 && isxdigit((int)cp) && !isupper((int)cp);
		word = hex ? word + 1 : 0; /* GitHub may link a word of 7 hex digits or more as a commit */
		letters = !hex ? 0 : letters + (isalpha((int)cp) != 0);
		if (word >= 7 && letters && letters < word)
			return false;
	}
	return s.n > 0 && !is_path(s);
}

/* The end of the quotation that begins at `at`, such as "'gpugate diff OLD NEW'"; `at` if no
 * quotation begins there. */
static size_t quote_end(struct span s, size_t at)
{
	for (size_t i = at + 2; i < s.n && s.p[at] == '\''; i++) {
		size_t next = i + 1;
		while (next < s.n && strchr(",.;:)", s.p[next]))
			next++;
		if (s.p[i] == '\'' && (next == s.n || s.p[next] == ' '))
			return i;
	}
	return at;
}

/* The length of a word without the punctuation at its end. A closing bracket stays if the word has
 * the opening one, too. */
static size_t without_punctuation(struct span word)
{
	size_t n = word.n;
	int open = 0;
	for (size_t i = 0; i < n; i++)
		open += (word.p[i] == '(') - (word.p[i] == ')');
	for (; n > 1 && strchr(",;:.)", word.p[n - 1]) && (word.p[n - 1] != ')' || open < 0); n--)
		open += word.p[n - 1] == ')';
	return n;
}

static void add_code(struct strbuf *b, struct span s, bool in_table)
{
	struct strbuf code = STRBUF_INIT;
	strbuf_add(&code, s);
	md_code(b, code.p, (size_t)-1, in_table);
	strbuf_release(&code);
}

/* True for the blank between a figure and its unit. */
static bool is_within_figure(struct span s, size_t blank)
{
	return blank && isdigit((unsigned char)s.p[blank - 1]) && !text_may_break(s.p, blank);
}

void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table)
{
	struct span s = span_of(text);
	if (text_chars(s) > max_chars) {
		md_code(b, text, max_chars, in_table);
		return;
	}
	/* A sentence may be added in pieces: the text before a name in quotation marks, the name, and
	 * the text after it. The quotation marks in these texts are dropped, since the name becomes a
	 * code span. */
	if (s.n && s.p[s.n - 1] == '\'' && (s.n == 1 || strchr(" (", s.p[s.n - 2])))
		s.n--;
	if (s.n && s.p[0] == '\'' && (s.n == 1 || strchr(" ,.;:)", s.p[1])))
		s = (struct span){ s.p + 1, s.n - 1 };
	for (size_t at = 0, end; at < s.n; at = end) {
		end = at + 1;
		if (s.p[at] == ' ' || s.p[at] == '(') {
			strbuf_adds(b, s.p[at] == '(' ? "(" : is_within_figure(s, at) ? "\xC2\xA0" : " ");
			continue;
		}
		size_t quote = quote_end(s, at);
		struct span word = { s.p + at, (quote > at ? quote + 1 : word_end(s, at)) - at };
		size_t n = quote > at ? word.n : without_punctuation(word);
		end = at + word.n;
		if (quote > at)
			add_code(b, (struct span){ word.p + 1, n - 2 }, in_table);
		else if (!is_prose((struct span){ word.p, n }) || (!at && word.p[0] == '='))
			add_code(b, (struct span){ word.p, n }, in_table);
		else
			for (size_t i = at; i < at + n; i++)
				if (s.p[i] == ' ' && is_within_figure(s, i))
					strbuf_adds(b, "\xC2\xA0");
				else
					strbuf_addch(b, s.p[i]);
		strbuf_add(b, (struct span){ word.p + n, word.n - n });
	}
}

/* ---- sections of the comment ---- */

/* Append a note such as: "12 more in the report; columns that only the HTML report has: noise". */
static void add_note(const struct md_section *s, struct strbuf *b)
{
	const char *text = text_or_empty(s->more_text);
	if (!s->more && !s->columns.n)
		return;
	strbuf_addch(b, '\n');
	if (s->more)
		strbuf_addf(b, "%zu more%s%.*s in the report%s", s->more, text[0] ? " " : "",
		            doc_noun_chars(text, s->more), text, s->columns.n ? "; " : "");
	if (s->columns.n)
		strbuf_addf(b, "columns that only the HTML report has: %s", strbuf_str(&s->columns));
	strbuf_addch(b, '\n');
}

static size_t note_bytes(const struct md_section *s)
{
	struct strbuf b = STRBUF_INIT;
	add_note(s, &b);
	size_t nr = b.n;
	strbuf_release(&b);
	return nr;
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
	strbuf_release(&s->columns);
	for (size_t i = 0; i < s->rows.nr; i++)
		strbuf_release(&s->rows.v[i]);
	vec_release(&s->rows);
}

/* Remove rows from the end until the section has at most `max` bytes. If no row is left, the text
 * before the rows is removed, too. */
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

/* Shorten a comment of more than `max` bytes to `max` - ROOM_FOR_NOTE bytes. Until it fits, remove
 * first the sections that are not fixed, then rows, then all sections except the first; each time
 * from the end. Returns the number of sections removed. */
static size_t fit(struct md_document *d, size_t max)
{
	size_t total = 0, dropped = 0;
	bool collapsed = false;
	for (size_t i = 0; i < d->sections.nr; i++) {
		total += section_bytes(&d->sections.v[i]);
		collapsed = collapsed || d->sections.v[i].collapsed;
	}
	total += d->collapse && collapsed
	             ? strlen(DETAILS_OPEN DETAILS_CLOSE) - strlen("%s") + strlen(d->collapse)
	             : 0;
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

/* If the collapsed block has only one section, take the section out of it, and give the section the
 * title of that block. Readers then click once and not twice. */
static void collapse_once(struct md_document *d)
{
	struct md_section *one = NULL;
	size_t nr = 0;
	for (size_t i = 0; i < d->sections.nr; i++)
		if (d->sections.v[i].collapsed) {
			one = &d->sections.v[i];
			nr++;
		}
	const char *end =
	    nr == 1 && d->collapse ? strstr(strbuf_str(&one->head), DETAILS_TITLE_END) : NULL;
	if (!end)
		return;
	struct strbuf head = STRBUF_INIT;
	strbuf_addf(&head, DETAILS_OPEN "%s", d->collapse, end + strlen(DETAILS_TITLE_END));
	strbuf_release(&one->head);
	one->head = head;
	one->collapsed = false;
}

void md_write(struct md_document *d, size_t max, struct strbuf *out)
{
	collapse_once(d);
	size_t dropped = fit(d, max), nr = 0;
	bool open = false;
	for (size_t i = 0; i < d->sections.nr; i++) {
		struct md_section *s = &d->sections.v[i];
		nr += section_bytes(s);
		if (d->collapse && s->collapsed && !open && section_bytes(s)) {
			strbuf_addf(out, DETAILS_OPEN, d->collapse);
			open = true;
		}
		strbuf_add(out, strbuf_span(&s->head));
		for (size_t k = 0; k < s->rows.nr; k++)
			strbuf_add(out, strbuf_span(&s->rows.v[k]));
		add_note(s, out);
		strbuf_add(out, strbuf_span(&s->tail));
		section_release(s);
	}
	vec_release(&d->sections);
	strbuf_adds(out, open ? DETAILS_CLOSE : "");
	if (dropped && nr + ROOM_FOR_NOTE <= max)
		strbuf_addf(out, "\n%zu section%s more in the report\n", dropped, text_s(dropped));
}
