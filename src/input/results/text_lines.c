#include "results/value.h"

#include <regex.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "metric/figure_name.h"

enum { PARTS = 40, PATTERN_BYTES = 1000, LINE_BYTES = 2000, NESTED_REPEATS = 4 };

/* How deep repetitions with '+' are nested: libc copies what is repeated, so that each level may
   double the size of the compiled pattern. */
struct nesting {
	size_t of_level[PARTS + 1]; ///< largest depth within each open parenthesis
	size_t level; ///< number of open parentheses
	size_t last; ///< depth of what was read last, which a '+' would repeat
};

/* Takes the next element; false if repetitions are nested too deep. */
static bool nest(struct nesting *n, char c)
{
	size_t *most = &n->of_level[n->level];
	if (c == '(') {
		n->of_level[++n->level] = n->last = 0;
	} else if (c == ')' && n->level) {
		n->last = *most;
		most = &n->of_level[--n->level];
	} else if (c == '+') {
		n->last++;
	} else if (c != '*' && c != '?') {
		n->last = 0;
	}
	*most = *most > n->last ? *most : n->last;
	return n->last <= NESTED_REPEATS;
}

/* A pattern in the form that libc takes, and its named parts. */
struct pattern {
	struct strbuf plain;
	size_t nr_groups; ///< number of parentheses, named or not
	bool no_numbers; ///< true if each named part takes "nan" and "inf", too
	struct {
		struct span name;
		size_t group;
	} parts[PARTS];
	size_t nr;
};

/* Adds the class that a letter after a backslash means; false if it means none. */
static bool add_class(char letter, struct strbuf *out)
{
	static const char *const classes[] = {
		['d'] = "[0-9]", ['s'] = "[[:space:]]", ['S'] = "[^[:space:]]", ['w'] = "[A-Za-z0-9_]"
	};
	size_t i = (unsigned char)letter;
	bool known = i < sizeof classes / sizeof *classes && classes[i];
	strbuf_adds(out, known ? classes[i] : "");
	return known;
}

/* The end of the bracket expression that begins at `p`: the byte after its ']', or its last byte.
 */
static const char *bracket_end(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	for (const char *first = p; *p && (*p != ']' || p == first); p++)
		if (p[0] == '[' && p[1] == ':' && strstr(p, ":]"))
			p = strstr(p, ":]") + 1;
	return *p ? p + 1 : p;
}

/* Reads the name after "(?<" at `p` as a part; the byte after its '>', or NULL. */
static const char *add_part(struct pattern *out, const char *p)
{
	size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	if (!n || p[n] != '>')
		return NULL;
	out->parts[out->nr].name = (struct span){ p, n };
	out->parts[out->nr++].group = out->nr_groups;
	return p + n + 1;
}

/* Translates a pattern; says why it is invalid, or returns NULL. */
static const char *translate(const char *p, struct pattern *out)
{
	static const char no_numbers[] = "|[-+]?[Nn][Aa][Nn]|[-+]?[Ii][Nn][Ff]|[-+]?[Ii]nfinity";
	struct nesting nesting = { .level = 0 };
	bool named[PARTS + 1] = { false }; /* of each open parenthesis */
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
			strbuf_add(&out->plain, (struct span){ from, (size_t)(p - from) });
		} else if (*p == '{') {
			return "has a count in braces; \\{ is a brace";
		} else if (*p == '(' && ++out->nr_groups >= PARTS) {
			return "has more than 40 parentheses";
		} else if (!nest(&nesting, *p)) {
			return "repeats repetitions too often";
		} else if (p[0] == '(' && p[1] == '?') {
			strbuf_addch(&out->plain, '(');
			named[nesting.level] = true;
			p = p[2] == '<' ? add_part(out, p + 3) : NULL;
			if (!p)
				return "has '(?' that is not the beginning of a named part, (?<name>…)";
		} else {
			size_t level = nesting.level + (*p == ')');
			if (*p == ')' && named[level] && out->no_numbers)
				strbuf_adds(&out->plain, no_numbers);
			if (*p == '(' || *p == ')')
				named[level] = false;
			strbuf_addch(&out->plain, *p++);
		}
	}
	return out->nr ? NULL : "has no named part, such as (?<ms>[0-9.]+)";
}

/* False if libc answers anything but yes; without memory, the program ends. */
static bool is_yes(int error)
{
	if (error == REG_ESPACE)
		mem_fail();
	return error == 0;
}

static bool compile(const struct pattern *p, int flags, regex_t *out)
{
	return is_yes(regcomp(out, strbuf_str(&p->plain), REG_EXTENDED | flags));
}

const char *text_pattern_fault(const char *text)
{
	struct pattern p = { .plain = STRBUF_INIT };
	regex_t compiled;
	const char *fault = translate(text, &p);
	if (!fault && !compile(&p, REG_NOSUB, &compiled))
		fault = "is not an extended regular expression";
	else if (!fault)
		regfree(&compiled);
	strbuf_release(&p.plain);
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

/* Number of bytes of the "nan" or "inf" at `at`, which nothing but a unit may follow; else 0. */
static size_t no_number(const char *at)
{
	static const char *const words[] = { "infinity", "inf", "nan" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (!span_eq_nocase((struct span){ at, strnlen(at, n) }, span_of(words[i])))
			continue;
		struct span unit = { at + n, strcspn(at + n, " \t,;|()[]{}'\"") };
		return !unit.n || figure_unit_of(unit) ? n : 0;
	}
	return 0;
}

/* True if a number of the line is "nan" or "inf". */
static bool has_no_number(const char *line)
{
	static const char before[] = " \t=:,;|()[]{}'\"";
	for (const char *c = line; *c; c++)
		if ((c == line || strchr(before, c[-1])) && no_number(c + (*c == '-' || *c == '+')))
			return true;
	return false;
}

/* The end of a part: if a number goes on behind it, as in "1,900" of which the pattern takes "1",
   up to the next blank, so that the whole is not a number. */
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
		regmatch_t m = found[p->parts[i].group];
		if (m.rm_so < 0)
			continue;
		const char *from = line + m.rm_so;
		struct span text = { from, (size_t)(end_of(from, line + m.rm_eo) - from) };
		if (!value_add(
		        out, row, JSCAN_STRING,
		        (struct span){ arena_dup(&out->arena, p->parts[i].name), p->parts[i].name.n },
		        (struct span){ arena_dup(&out->arena, text), text.n }))
			row = NULL;
	}
	return row != NULL;
}

/* A pattern as libc takes it; `is_compiled` once it was needed. */
struct search {
	struct pattern pattern;
	regex_t compiled;
	bool is_compiled;
};

/* False if the pattern cannot be used. */
static bool search_open(struct search *s, const char *pattern)
{
	if (!s->is_compiled)
		s->is_compiled = !translate(pattern, &s->pattern) && compile(&s->pattern, 0, &s->compiled);
	return s->is_compiled;
}

static bool fits(const struct search *s, const char *line, regmatch_t *found)
{
	return is_yes(regexec(&s->compiled, line, s->pattern.nr_groups + 1, found, 0));
}

static void search_close(struct search *s)
{
	if (s->is_compiled)
		regfree(&s->compiled);
	strbuf_release(&s->pattern.plain);
}

enum status text_lines_add(struct value_tree *out, const char *name, const char *pattern,
                           struct diag_log *log)
{
	struct search plain = { .pattern = { .plain = STRBUF_INIT } };
	struct search no_numbers = { .pattern = { .plain = STRBUF_INIT, .no_numbers = true } };
	struct span rest = out->bytes;
	char line[LINE_BYTES + 1];
	enum status st = ST_OK;
	if (!search_open(&plain, pattern))
		st = diag_fail(log, ST_INPUT, "%s: pattern %s cannot be used", name,
		               text_quote(&log->arena, span_of(pattern)));
	size_t long_lines = 0;
	for (const char *end; (end = st == ST_OK && rest.n ? memchr(rest.p, '\n', rest.n) : NULL);) {
		struct span s = { rest.p, (size_t)(end - rest.p) };
		regmatch_t found[PARTS + 1];
		rest = (struct span){ end + 1, rest.n - s.n - 1 };
		if (s.n > LINE_BYTES) {
			long_lines++;
			continue;
		}
		copy_plain(s, line);
		bool lacks = has_no_number(line) && search_open(&no_numbers, pattern) &&
		             fits(&no_numbers, line, found);
		if ((lacks || fits(&plain, line, found)) && !add_record(out, &plain.pattern, line, found))
			st = diag_fail(log, ST_INPUT, "%s: more than %zu values in a result file", name,
			               value_limits.values);
	}
	search_close(&plain);
	search_close(&no_numbers);
	if (long_lines && out->root.first)
		diag_warn(log, "%s: %zu line%s longer than %d bytes, which %s not searched for figures",
		          name, long_lines, long_lines == 1 ? " is" : "s are", LINE_BYTES,
		          long_lines == 1 ? "is" : "are");
	return st;
}
