#include "results/propose.h"

#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/csv.h"
#include "results/readings.h"
#include "results/text_lines.h"

enum { FIGURES = 40, CASES = 3, DEPTH = 4 };

struct proposal {
	struct strbuf take, samples, work, names;
	size_t nr, nr_cases;
	struct strbuf case_name;
	bool unknown; ///< true if the better direction of a figure is not known
};

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* True for a text that can stand in quotes, of a path and of YAML, as it is. */
static bool is_writable(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f || strchr("\"'{}\\", s.p[i]))
			return false;
	return s.n > 0;
}

/* Appends a text of YAML in quotes, unless it is a word. */
static void add_quoted(struct strbuf *out, const char *text)
{
	bool plain = !strpbrk(text, " \"#:,*?[]{}()&!|>%@`\\");
	strbuf_addf(out, plain ? "%s" : "'%s'", text);
}

/* Appends a figure at `path`, called `name`, in this unit, or if it is NULL in that of its name;
   its direction is left to both if they tell it. */
static void add_figure(struct proposal *p, struct strbuf *list, const char *path, const char *name,
                       const char *unit)
{
	struct strbuf plain = STRBUF_INIT;
	struct span text = span_of(name);
	figure_name_unit(&text);
	figure_name_add(text, &plain);
	if (p->nr++ < FIGURES) {
		const char *said = unit ? unit : figure_unit_of(text);
		bool open = !figure_better(text, said ? said : figure_unit_by_name(text));
		strbuf_adds(list, "\n        - {at: ");
		add_quoted(list, path);
		if (strcmp(strbuf_str(&plain), path) != 0)
			strbuf_addf(list, ", as: %s", strbuf_str(&plain));
		if (said)
			strbuf_addf(list, ", unit: %s", said);
		strbuf_addf(list, "%s}", open ? ", better: neither" : "");
		p->unknown |= open;
	}
	strbuf_release(&plain);
}

static bool is_number(const struct value *v)
{
	struct decimal number;
	struct span unit;
	return (v->type == JSCAN_NUMBER || v->type == JSCAN_STRING) &&
	       reading_number(v, &number, &unit) == DECIMAL_OK && (!unit.n || figure_unit_of(unit));
}

static bool is_samples(const struct value *v)
{
	for (const struct value *e = v->first; e; e = e->next)
		if (!is_number(e))
			return false;
	return v->first && v->first->next;
}

static void add_step(struct strbuf *path, struct span key)
{
	bool plain = key.n > 0;
	for (size_t i = 0; i < key.n; i++)
		plain = plain && (is_digit(key.p[i]) || is_letter(key.p[i]) || key.p[i] == '_');
	strbuf_addf(path, plain ? "%s%.*s" : "%s.\"%.*s\"", path->n && plain ? "." : "", (int)key.n,
	            key.p);
}

static void add_members(struct proposal *p, const struct value *of, const char *path,
                        const char *name, int depth)
{
	enum { CASE_CHARS = 40 };
	for (const struct value *v = of->first; v; v = v->next) {
		struct strbuf at = STRBUF_INIT, as = STRBUF_INIT;
		if (!is_writable(v->key))
			continue;
		strbuf_adds(&at, path);
		add_step(&at, v->key);
		strbuf_addf(&as, "%s%s%.*s", name, *name ? "_" : "", (int)v->key.n, v->key.p);
		if (is_number(v)) {
			add_figure(p, &p->take, strbuf_str(&at), strbuf_str(&as), NULL);
		} else if (v->type == JSCAN_OBJECT && depth < DEPTH) {
			add_members(p, v, strbuf_str(&at), strbuf_str(&as), depth + 1);
		} else if (v->type == JSCAN_ARRAY && is_samples(v)) {
			strbuf_adds(&at, "[*]");
			add_figure(p, &p->samples, strbuf_str(&at), strbuf_str(&as), NULL);
		} else if (v->type == JSCAN_STRING && v->text.n && v->text.n < CASE_CHARS &&
		           !reading_is_unmeasured(v) && p->nr_cases < CASES && depth == 0) {
			strbuf_addf(&p->case_name, "%s{%s}", p->nr_cases++ ? "." : "", strbuf_str(&at));
		}
		strbuf_release(&at);
		strbuf_release(&as);
	}
}

static bool has_number(const struct value *of)
{
	for (const struct value *v = of->first; v; v = v->next)
		if (is_number(v))
			return true;
	return false;
}

/* The list of records in an object that has no figure of its own, or NULL. */
static const struct value *records_of(const struct value *of)
{
	for (const struct value *v = has_number(of) ? NULL : of->first; v; v = v->next)
		if (v->type == JSCAN_ARRAY && v->first && v->first->type == JSCAN_OBJECT)
			return v;
	return NULL;
}

/* ---- lines of a log ---- */

/* The unit that stands behind a number, or NULL. */
static const char *unit_behind(const char *at)
{
	at += strspn(at, " ");
	return figure_unit_of((struct span){ at, strcspn(at, " ,;|)]") });
}

static void add_word(struct strbuf *out, const char *unit)
{
	for (const char *c = unit; *c; c++)
		strbuf_addch(out, (char)(is_letter(*c) ? *c : '_'));
}

/* The name of a number of a line: the word before it, with its unit if another has that name. */
static void name_part(struct proposal *p, const char *line, const char *at, const char *unit,
                      struct strbuf *out)
{
	const char *end = at, *from;
	struct strbuf word = STRBUF_INIT, key = STRBUF_INIT;
	while (end > line && !(is_letter(end[-1])))
		end--;
	for (from = end; from > line && (is_letter(from[-1]) || from[-1] == '_');)
		from--;
	for (; from < end; from++)
		strbuf_addch(&word, (char)(*from == '_' ? '_' : *from | 0x20));
	bool is_unit = word.n && figure_unit_of(strbuf_span(&word));
	if (is_unit && unit)
		add_word(out, unit);
	else
		strbuf_adds(out, word.n ? strbuf_str(&word) : "v");
	strbuf_addf(&key, " %s ", strbuf_str(out));
	if (strstr(strbuf_str(&p->names), strbuf_str(&key))) {
		strbuf_addch(out, '_');
		if (unit)
			add_word(out, unit);
		else
			strbuf_addf(out, "%zu", p->nr + 1);
	}
	strbuf_addf(&p->names, " %s ", strbuf_str(out));
	strbuf_release(&word);
	strbuf_release(&key);
}

static const char *number_end(const char *at)
{
	at += strspn(at, "0123456789");
	return *at == '.' && is_digit(at[1]) ? at + 1 + strspn(at + 1, "0123456789") : at;
}

/* Appends the pattern of a line; false if it has no figure, which is a number with a point. */
static bool add_pattern(struct proposal *p, const char *line, struct strbuf *out)
{
	bool any = false;
	for (const char *c = line; *c;) {
		bool starts = is_digit(*c) &&
		              (c == line || !(is_digit(c[-1]) || strchr("._", c[-1]) || is_letter(c[-1])));
		const char *end = starts ? number_end(c) : c;
		if (starts) {
			struct strbuf name = STRBUF_INIT;
			bool figure = memchr(c, '.', (size_t)(end - c));
			const char *unit = unit_behind(end);
			name_part(p, line, c, unit, &name);
			strbuf_addf(out, "(?<%s>[0-9.]+)", strbuf_str(&name));
			if (figure)
				add_figure(p, &p->samples, strbuf_str(&name), strbuf_str(&name), unit);
			else if (strcmp(strbuf_str(&name), "step") == 0 ||
			         strcmp(strbuf_str(&name), "iteration") == 0)
				strbuf_addf(&p->work, "%s%s", p->work.n ? ", " : "", strbuf_str(&name));
			any |= figure;
			strbuf_release(&name);
			c = end;
		} else if (*c == ' ' || *c == '\t') {
			strbuf_adds(out, " +");
			c += strspn(c, " \t");
		} else {
			strbuf_addf(out, strchr(".[]{}()*+?\\|^$", *c) ? "\\%c" : "%c", *c);
			c++;
		}
	}
	return any;
}

static void propose_lines(struct proposal *p, struct span rest, struct strbuf *pattern)
{
	enum { LINE_CHARS = 400 };
	for (const char *end; (end = rest.n ? memchr(rest.p, '\n', rest.n) : NULL);) {
		struct span s = { rest.p, (size_t)(end - rest.p) };
		struct arena a = ARENA_INIT;
		struct proposal own = { .names = STRBUF_INIT };
		rest = (struct span){ end + 1, rest.n - s.n - 1 };
		s.n -= s.n && s.p[s.n - 1] == '\r';
		if (s.n < LINE_CHARS && is_writable(s) && add_pattern(&own, arena_dup(&a, s), pattern) &&
		    !text_pattern_fault(strbuf_str(pattern)))
			rest.n = 0;
		else
			strbuf_release(pattern);
		arena_release(&a);
		strbuf_release(&p->samples);
		strbuf_release(&p->work);
		strbuf_release(&own.names);
		p->samples = own.samples;
		p->work = own.work;
		p->unknown = own.unknown;
		p->nr = pattern->n ? own.nr : 0;
	}
}

/* ---- the whole ---- */

static bool is_table(const struct value *row)
{
	bool texts = row && has_number(row);
	for (const struct value *v = row ? row->first : NULL; v && texts; v = v->next)
		texts = v->key.n && !is_number(&(struct value){ .type = JSCAN_STRING, .text = v->key });
	return texts;
}

static void print(const struct proposal *p, const char *file, const char *keys, const char *pattern,
                  struct strbuf *out)
{
	strbuf_adds(out,
	            "# For the rules file of the repository; a new one begins with 'version: 2'.\n");
	if (p->unknown)
		strbuf_adds(out,
		            "# Where it says 'better: neither', write lower or higher if the figure is to "
		            "be judged.\n");
	strbuf_adds(out, "inputs:\n  results:\n    - match: ");
	add_quoted(out, is_writable(span_of(file)) ? file : "*");
	strbuf_addf(out, "\n%s", keys);
	if (*pattern)
		strbuf_addf(out, "      pattern: '%s'\n", pattern);
	if (p->nr_cases)
		strbuf_addf(out, "      case: '%s'\n", strbuf_str(&p->case_name));
	if (p->work.n)
		strbuf_addf(out, "      work: [%s]\n", strbuf_str(&p->work));
	if (p->take.n)
		strbuf_addf(out, "      take:%s\n", strbuf_str(&p->take));
	if (p->samples.n)
		strbuf_addf(out, "      samples:%s\n", strbuf_str(&p->samples));
	if (p->nr > FIGURES)
		strbuf_addf(out, "      # and %zu more figures\n", p->nr - FIGURES);
}

enum status result_propose(struct source *src, const char *file, struct strbuf *out,
                           struct diag_log *log)
{
	struct value_tree t = { 0 };
	struct proposal p = { .take = STRBUF_INIT };
	struct strbuf keys = STRBUF_INIT, pattern = STRBUF_INIT;
	bool table = false;
	enum status st = value_bytes_read(src, &t, log);
	size_t blanks = 0;
	while (blanks < t.bytes.n && t.bytes.p[blanks] && strchr(" \t\r\n", t.bytes.p[blanks]))
		blanks++;
	bool json = blanks < t.bytes.n && strchr("{[", t.bytes.p[blanks]);
	if (st == ST_OK && json)
		st = value_json_add(&t, file, t.bytes, log);
	else if (st == ST_OK && csv_add(&t, file, NULL, 0, true, &table, log) != ST_OK)
		table = false;
	const struct value *first = t.root.first, *records;
	while (json && first && first->type == JSCAN_ARRAY)
		first = first->first;
	if (st == ST_OK && json && first && first->type == JSCAN_OBJECT) {
		if ((records = records_of(first))) {
			struct strbuf path = STRBUF_INIT;
			add_step(&path, records->key);
			strbuf_addf(&keys, "      records: '%s[*]'\n", strbuf_str(&path));
			strbuf_release(&path);
			first = records->first;
		}
		add_members(&p, first, "", "", 0);
	} else if (st == ST_OK && !json && table && is_table(first)) {
		strbuf_adds(&keys, "      read: csv\n");
		add_members(&p, first, "", "", 0);
	} else if (st == ST_OK && !json) {
		strbuf_adds(&keys, "      read: text\n      series: true\n");
		propose_lines(&p, t.bytes, &pattern);
	}
	if (st == ST_OK && p.nr)
		print(&p, file, strbuf_str(&keys), strbuf_str(&pattern), out);
	struct strbuf *all[] = {
		&p.take, &p.samples, &p.work, &p.names, &p.case_name, &keys, &pattern
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		strbuf_release(all[i]);
	value_tree_release(&t);
	return st;
}
