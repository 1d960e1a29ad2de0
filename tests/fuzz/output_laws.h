/// Properties of every output, whatever names it contains: JSON parses, XML is well-formed, pages
/// have only the program's own tags, no line of text begins with a command to a CI system, and code
/// spans of Markdown are closed.
#ifndef GG_TESTS_OUTPUT_LAWS_H
#define GG_TESTS_OUTPUT_LAWS_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "io/jscan.h"
#include "run_laws.h"

/* Checks that the text has no characters that would control a terminal, log or page, in any format.
 */
static inline void check_chars(struct span text)
{
	check(text_is_valid(text));
	for (size_t i = 0; i < text.n;) {
		uint32_t cp = text_next(text, &i);
		check(cp == '\n' || !text_breaks_a_line(cp));
	}
}

/* ---- checks of JSON ---- */

static inline void check_json(struct span text)
{
	struct diag_log log;
	diag_init(&log);
	struct source *src = source_memory("json", text.p, text.n, NULL);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = false }, &log);
	check_chars(text);
	check(text.n && text.p[text.n - 1] == '\n');
	jscan_skip(js);
	check(jscan_end(js) && jscan_status(js) == ST_OK);
	jscan_free(js);
	source_close(src);
	diag_release(&log);
}

/* ---- checks of XML ---- */

static inline const char *skip_entity(const char *p)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(p, known[i], strlen(known[i])) == 0)
			return p + strlen(known[i]);
	abort();
}

/* Skips a tag of XML, from after its '<'; values of attributes must not contain '<' or a quote. */
static inline const char *skip_tag(const char *p, const char **name, size_t *nr, int *depth)
{
	bool end = *p == '/';
	*name = p += end;
	*nr = strspn(p, "abcdefghijklmnopqrstuvwxyz-?");
	check(*nr > 0);
	for (p += *nr; *p == ' ';) {
		p += 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz");
		check(p[0] == '=' && p[1] == '"');
		for (p += 2; *p != '"';) {
			check(*p && *p != '<' && *p != '\n');
			p = *p == '&' ? skip_entity(p) : p + 1;
		}
		p++;
	}
	bool empty = *p == '/' || *p == '?';
	*depth += end ? -1 : empty ? 0 : 1;
	p += empty;
	check(*p == '>' && *depth >= 0);
	return p + 1;
}

static inline void check_xml_chars(struct span text)
{
	check_chars(text);
	for (size_t i = 0; i < text.n;) {
		uint32_t cp = text_next(text, &i);
		check(cp != 0xFFFE && cp != 0xFFFF);
	}
}

static inline void check_xml(struct span text)
{
	struct strbuf copy = STRBUF_INIT;
	struct {
		const char *name;
		size_t nr;
	} open[8];
	int depth = 0;
	check_xml_chars(text);
	strbuf_add(&copy, text);
	for (const char *p = strbuf_str(&copy); *p;) {
		const char *name;
		size_t nr;
		int before = depth;
		if (*p != '<') {
			p = *p == '&' ? skip_entity(p) : p + 1;
			continue;
		}
		p = skip_tag(p + 1, &name, &nr, &depth);
		check(depth < 8);
		if (depth > before) {
			open[before].name = name;
			open[before].nr = nr;
		} else if (depth < before) {
			check(open[depth].nr == nr && strncmp(open[depth].name, name, nr) == 0);
		}
	}
	check(depth == 0);
	strbuf_release(&copy);
}

/* ---- checks of text ---- */

/* Checks that a line does not begin with "::", also after blanks, since CI systems obey such lines.
 */
static inline void check_line(const char *p, size_t n)
{
	size_t blanks = strspn(p, " ");
	check(blanks >= n || p[blanks] != ':');
}

static inline void check_text(struct span text)
{
	struct strbuf copy = STRBUF_INIT;
	check_chars(text);
	strbuf_add(&copy, text);
	check(!strstr(strbuf_str(&copy), "##"));
	for (const char *p = strbuf_str(&copy), *end; *p; p = end + 1) {
		end = strchr(p, '\n');
		check(end);
		check_line(p, (size_t)(end - p));
	}
	strbuf_release(&copy);
}

/* ---- checks of Markdown ---- */

/* Appends the text of one line without its code spans; in a table a code span must not contain a
 * bare pipe, because cells are separated before code spans are recognized. */
static inline void add_outside(struct strbuf *out, const char *p, const char *end)
{
	bool table = p < end && *p == '|';
	while (p < end) {
		size_t fence = strspn(p, "`"), run = 0;
		if (!fence) {
			strbuf_addch(out, *p++);
			continue;
		}
		const char *close = p += fence;
		for (; close < end; close += run ? run : 1) {
			run = strspn(close, "`");
			if (run == fence)
				break;
			check(!table || *close != '|' || close[-1] == '\\');
		}
		check(close < end);
		p = close + fence;
		strbuf_addch(out, '`');
	}
}

static inline void check_markdown(struct span text, struct strbuf *outside)
{
	struct strbuf copy = STRBUF_INIT;
	size_t fence = 0; /* number of backticks that close the block of code; 0 outside of blocks */
	check_chars(text);
	strbuf_add(&copy, text);
	for (const char *p = strbuf_str(&copy), *end; *p; p = end + 1) {
		size_t ticks = strspn(p, "`");
		end = strchr(p, '\n');
		check(end);
		if (fence) {
			fence = ticks >= fence && p + ticks == end ? 0 : fence;
			continue;
		}
		if (ticks >= 3 && strncmp(p + ticks, "sh\n", 3) == 0) {
			fence = ticks;
			continue;
		}
		add_outside(outside, p, end);
		strbuf_addch(outside, '\n');
	}
	check(!fence);
	strbuf_release(&copy);
}

/* ---- checks of OpenMetrics ---- */

static inline const char *skip_label(const char *p)
{
	p += strspn(p, "abcdefghijklmnopqrstuvwxyz_");
	check(p[0] == '=' && p[1] == '"');
	for (p += 2; *p != '"'; p++) {
		check(*p != '#' && *p != '\n' && *p);
		if (*p == '\\')
			check(*++p == '\\' || *p == '"');
	}
	return p + 1;
}

/* Skips the line of a series in OpenMetrics: name{label="text",…} number. */
static inline const char *skip_series(const char *p)
{
	check(strncmp(p, "gpugate_", 8) == 0);
	p += strspn(p, "abcdefghijklmnopqrstuvwxyz_");
	if (*p == '{') {
		do
			p = skip_label(p + 1);
		while (*p == ',');
		check(*p++ == '}');
	}
	check(*p++ == ' ');
	return p + strspn(p, "-.0123456789");
}

static inline void check_openmetrics(struct span text)
{
	struct strbuf copy = STRBUF_INIT;
	const char *p;
	check_chars(text);
	strbuf_add(&copy, text);
	for (p = strbuf_str(&copy); strcmp(p, "# EOF\n") != 0; p++) {
		p = *p == '#' ? p + strcspn(p, "\n") : skip_series(p);
		check(*p == '\n');
	}
	strbuf_release(&copy);
}

/* ---- checks of HTML ---- */

/* Skips a tag of HTML, from after its '<'; values of attributes must be in double quotes. */
static inline const char *skip_html_tag(const char *p)
{
	p += *p == '/' || *p == '!';
	check(isalpha((unsigned char)*p));
	p += strcspn(p, " >/");
	while (*p != '>') {
		p += strspn(p, " /\n");
		p += strcspn(p, "=> /");
		if (*p != '=')
			continue;
		check(*++p == '"');
		p = strchr(p + 1, '"');
		check(p++);
	}
	return p + 1;
}

/* Checks that a page has one style sheet and one script, and no text that could be a tag. */
static inline void check_html(struct span text)
{
	struct strbuf copy = STRBUF_INIT;
	size_t scripts = 0, styles = 0;
	check_chars(text);
	strbuf_add(&copy, text);
	for (const char *p = strbuf_str(&copy); (p = strchr(p, '<'));) {
		bool script = strncmp(p, "<script", 7) == 0, style = strncmp(p, "<style", 6) == 0;
		scripts += script;
		styles += style;
		p = skip_html_tag(p + 1);
		if (script || style) {
			p = strstr(p, script ? "</script>" : "</style>");
			check(p);
		}
	}
	check(scripts == 1 && styles == 1);
	strbuf_release(&copy);
}

#endif
