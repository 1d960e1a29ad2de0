#include "base/vec.h"
#include "results/value.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "metric/figure_name.h"

enum { GROUPS = 40, PATTERN_BYTES = 1000, LINE_BYTES = 2000, NESTED_REPEATS = 4 };

/* Depth of nested repetitions with '+'. It is limited because libc copies the part that is
   repeated, so each of them may double the size of the compiled pattern. */
struct nesting {
	size_t within[GROUPS + 1]; ///< largest depth within each open parenthesis
	size_t open; ///< number of open parentheses
	size_t last; ///< depth of what was read last, which a '+' would repeat
};

/* Takes the next character of a pattern; false if repetitions are nested too deep. */
static bool nest(struct nesting *n, char c)
{
	size_t *most = &n->within[n->open];
	if (c == '(') {
		n->within[++n->open] = n->last = 0;
	} else if (c == ')' && n->open) {
		n->last = *most;
		most = &n->within[--n->open];
	} else if (c == '+') {
		n->last++;
	} else if (c != '*' && c != '?') {
		n->last = 0;
	}
	*most = *most > n->last ? *most : n->last;
	return n->last <= NESTED_REPEATS;
}

/* A pattern in the form that libc takes, and its named groups. */
struct pattern {
	const char *text; ///< the pattern as the format has it
	struct strbuf plain;
	size_t nr_groups; ///< number of parentheses, named or not
	struct {
		struct span name;
		size_t group;
	} named[GROUPS];
	size_t nr;
	regex_t compiled;
};

/* Adds the class of characters that a letter after a backslash means; false if the letter does not
 * mean a class. */
static bool add_class(char letter, struct strbuf *out)
{
	static const char letters[] = "dsSw";
	static const char *const classes[] = { "[0-9]", "[[:space:]]", "[^[:space:]]", "[A-Za-z0-9_]" };
	const char *at = strchr(letters, letter);
	strbuf_adds(out, at ? classes[at - letters] : "");
	return at;
}

/* The end of the bracket expression at `p`: the byte after its ']', or the end of the text. */
static const char *bracket_end(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	for (const char *first = p; *p && (*p != ']' || p == first); p++)
		if (p[0] == '[' && p[1] == ':' && strstr(p, ":]"))
			p = strstr(p, ":]") + 1;
	return *p ? p + 1 : p;
}

/* Adds a bracket expression; \d, \s and \w within it are classes, too. */
static void add_bracket(const char *from, const char *to, struct strbuf *out)
{
	static const char letters[] = "dsw";
	static const char *const classes[] = { "0-9", "[:space:]", "A-Za-z0-9_" };
	for (; from < to; from++) {
		const char *at = *from == '\\' && from + 1 < to ? strchr(letters, from[1]) : NULL;
		if (at)
			strbuf_adds(out, classes[at - letters]);
		else
			strbuf_addch(out, *from);
		from += at != NULL;
	}
}

/* Adds a named group whose name begins at `p`, after "(?<". Returns the byte after the name's '>',
   or NULL if the name is invalid. */
static const char *add_group(struct pattern *out, const char *p)
{
	size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	if (!n || p[n] != '>')
		return NULL;
	out->named[out->nr].name = (struct span){ p, n };
	out->named[out->nr++].group = out->nr_groups;
	return p + n + 1;
}

/* Translates a pattern; says why it is invalid, or returns NULL. */
static const char *translate(const char *p, struct pattern *out)
{
	struct nesting nesting = { .open = 0 };
	if (strlen(p) > PATTERN_BYTES)
		return "is longer than 1,000 bytes";
	while (*p) {
		const char *from = p;
		if (*p == '\\') {
			if (!p[1] || (p[1] >= '1' && p[1] <= '9'))
				return "has a back reference, or ends in a backslash";
			if (!add_class(p[1], &out->plain))
				strbuf_add(&out->plain, (struct span){ p, 2 });
			p += 2;
			nest(&nesting, 'x');
		} else if (*p == '[') {
			p = bracket_end(p);
			nest(&nesting, 'x');
			add_bracket(from, p, &out->plain);
		} else if (*p == '{') {
			return "has a count in braces; \\{ is a brace";
		} else if (*p == '(' && ++out->nr_groups > GROUPS) {
			return "has more than 40 parentheses";
		} else if (!nest(&nesting, *p)) {
			return "repeats repetitions too often";
		} else if (p[0] == '(' && p[1] == '?') {
			strbuf_addch(&out->plain, '(');
			p = p[2] == '<' ? add_group(out, p + 3) : NULL;
			if (!p)
				return "has '(?' that is not the beginning of a named part, (?<name>…)";
		} else {
			strbuf_addch(&out->plain, *p++);
		}
	}
	return out->nr ? NULL : "has no named part, such as (?<ms>[0-9.]+)";
}

/* True if a function of libc succeeded. If memory is lacking, the program ends. */
static bool is_yes(int error)
{
	if (error == REG_ESPACE)
		mem_fail();
	return error == 0;
}

/* Makes a pattern ready for use; says why it is invalid, or returns NULL. */
static const char *pattern_open(struct pattern *p, const char *text)
{
	const char *fault = translate(text, p);
	p->text = text;
	if (!fault && !is_yes(regcomp(&p->compiled, strbuf_str(&p->plain), REG_EXTENDED)))
		fault = "is not an extended regular expression";
	strbuf_release(&p->plain);
	return fault;
}

const char *text_pattern_fault(const char *text)
{
	struct pattern p = { .plain = STRBUF_INIT };
	const char *fault = pattern_open(&p, text);
	if (!fault)
		regfree(&p.compiled);
	return fault;
}

/* Copies a line without the colors of a terminal. */
static void copy_plain(struct span s, char out[LINE_BYTES + 1])
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		size_t end = i + 2;
		if (s.p[i] == '\x1b' && i + 1 < s.n && s.p[i + 1] == '[') {
			while (end < s.n && strchr("0123456789;", s.p[end]) && s.p[end])
				end++;
			i = end;
		} else if (s.p[i] != '\r') {
			out[n++] = s.p[i];
		}
	}
	out[n] = '\0';
}

/* Length of the word "nan" or "inf" at `at`, if a unit or nothing follows it; else 0. */
static size_t no_number(const char *at)
{
	static const char *const words[] = { "infinity", "inf", "nan" };
	for (size_t i = 0; i < NR_OF(words); i++) {
		size_t n = strlen(words[i]);
		if (!span_eq_nocase((struct span){ at, strnlen(at, n) }, span_of(words[i])))
			continue;
		struct span unit = { at + n, strcspn(at + n, " \t,;|()[]{}'\"") };
		return !unit.n || figure_unit_of(unit) ? n : 0;
	}
	return 0;
}

/* True if a word of `n` bytes at `at` and the beginning of the next word are in the pattern as they
 * are in the line, as those of "number of nan iterations". */
static bool is_in_pattern(const struct pattern *p, const char *at, size_t n)
{
	char text[16], loose[16];
	if (!n || at[n] != ' ')
		return false;
	snprintf(text, sizeof text, "%.*s %c", (int)n, at, at[n + 1]);
	snprintf(loose, sizeof loose, "%.*s +%c", (int)n, at, at[n + 1]);
	return strstr(p->text, text) || strstr(p->text, loose);
}

/* Copies the line to `out` with zeros in place of each "nan" or "inf" and its sign, so that a
 * pattern for numbers fits these, too, unless it has the word. False if the line has none. */
static bool fill_numbers(const struct pattern *p, const char *line, char *out)
{
	static const char before[] = " \t=:,;|()[]{}'\"";
	bool any = false;
	strcpy(out, line);
	for (const char *c = line; *c; c++) {
		size_t sign = *c == '-' || *c == '+';
		size_t n = c == line || strchr(before, c[-1]) ? no_number(c + sign) : 0;
		n = is_in_pattern(p, c + sign, n) ? 0 : n;
		memset(out + (c - line), '0', n ? sign + n : 0);
		any = any || n;
	}
	return any;
}

/* The end of the group from `from` to `end`. If the pattern takes only the beginning of a number,
 * as "1" of "1,900", the group is extended to the next blank, because "1" would be a wrong number.
 */
static const char *end_of(const char *from, const char *end)
{
	const char *power = end + 1;
	power += (*end | 0x20) == 'e' && (*power == '+' || *power == '-');
	bool goes_on = is_digit(*end) || (*end && strchr(".,-eE", *end) && is_digit(*power));
	if (end > from && is_digit(end[-1]) && goes_on)
		end += strcspn(end, " \t");
	return end;
}

static bool add_record(struct value_tree *out, const struct pattern *p, const char *line,
                       const regmatch_t *found)
{
	struct value *row = value_add(out, &out->root, JSCAN_OBJECT, SPAN(""), SPAN(""));
	for (size_t i = 0; i < p->nr && row; i++) {
		regmatch_t m = found[p->named[i].group];
		if (m.rm_so < 0)
			continue;
		const char *from = line + m.rm_so;
		struct span text = { from, (size_t)(end_of(from, line + m.rm_eo) - from) };
		size_t sign = *from == '-' || *from == '+', none = sign + no_number(from + sign);
		if (none > sign && none < text.n &&
		    figure_unit_of(span_trim((struct span){ from + none, text.n - none }, " ")))
			text.n = none; /* a figure that was not measured has no unit */
		if (!value_add(
		        out, row, JSCAN_STRING,
		        (struct span){ arena_dup(&out->arena, p->named[i].name), p->named[i].name.n },
		        (struct span){ arena_dup(&out->arena, text), text.n }))
			row = NULL;
	}
	return row != NULL;
}

static bool fits(const struct pattern *p, const char *line, regmatch_t *found)
{
	return is_yes(regexec(&p->compiled, line, p->nr_groups + 1, found, 0));
}

const char *text_line_plain(struct arena *a, struct span s)
{
	char line[LINE_BYTES + 1] = "";
	if (s.n <= LINE_BYTES)
		copy_plain(s, line);
	return arena_dup(a, span_of(line));
}

struct text_matcher {
	struct pattern p;
};

struct text_matcher *text_matcher_new(const char *pattern)
{
	struct text_matcher *m = mem_calloc(1, sizeof *m);
	if (!pattern_open(&m->p, pattern))
		return m;
	free(m);
	return NULL;
}

void text_matcher_free(struct text_matcher *m)
{
	if (m)
		regfree(&m->p.compiled);
	free(m);
}

size_t text_matcher_groups(const struct text_matcher *m, struct span s)
{
	char line[LINE_BYTES + 1];
	regmatch_t found[GROUPS + 1];
	size_t nr = 0;
	if (s.n > LINE_BYTES)
		return 0;
	copy_plain(s, line);
	if (fits(&m->p, line, found))
		for (size_t i = 0; i < m->p.nr; i++)
			nr += found[m->p.named[i].group].rm_so >= 0;
	return nr;
}

enum status text_lines_add(struct value_tree *out, const char *name, const char *pattern,
                           struct diag_log *log)
{
	struct pattern p = { .plain = STRBUF_INIT };
	struct span rest = out->bytes, s;
	char line[LINE_BYTES + 1], filled[LINE_BYTES + 1];
	enum status st = ST_OK;
	size_t long_lines = 0;
	if (pattern_open(&p, pattern))
		return diag_fail(log, ST_INPUT, "%s: pattern %s cannot be used", name,
		                 text_quote(&log->arena, span_of(pattern)));
	while (st == ST_OK && value_line(&rest, &s)) {
		regmatch_t found[GROUPS + 1];
		if (s.n > LINE_BYTES) {
			long_lines++;
			continue;
		}
		copy_plain(s, line);
		bool lacks = fill_numbers(&p, line, filled) && fits(&p, filled, found);
		if ((lacks || fits(&p, line, found)) && !add_record(out, &p, line, found))
			st = diag_fail(log, ST_INPUT, "%s: more than %d values in a result file", name,
			               VALUE_NUMBER);
	}
	regfree(&p.compiled);
	if (long_lines && out->root.first)
		diag_warn(log, "%s: %zu line%s longer than %d bytes, which %s not searched for figures",
		          name, long_lines, long_lines == 1 ? " is" : "s are", LINE_BYTES,
		          long_lines == 1 ? "is" : "are");
	return st;
}
