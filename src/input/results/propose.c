#include "results/result_file.h"

#include <string.h>

#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"
#include "results/value.h"

enum { FIGURES = 400, CASES = 3, DEPTH = 4 };

struct proposal {
	struct strbuf take, samples, work, case_name;
	size_t nr, nr_cases;
	struct value *first; ///< the first of the records
	bool series; ///< true if the records are the steps of one case
	bool several; ///< true if each record is a case, which its texts and settings name
	bool named; ///< true if a record is one figure, which its texts name
	struct strbuf sum_of; ///< path of what counts the things that were done, or ""
	bool open, known; ///< true if the better direction of a figure is not known, or is
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
	bool plain = is_letter(text[0]) && !strpbrk(text, " \"#:,*?[]{}()&!|>%@`\\");
	strbuf_addf(out, plain ? "%s" : "'%s'", text);
}

/* True for the name of a number that counts the steps of a run. */
static bool is_step(struct span name)
{
	static const char *const words[] = { "step", "global_step", "iteration", "iter", NULL };
	return reading_is_word(name, words);
}

/* True for the name of a text that another run of the same case has otherwise: a day, a host, a
   commit; or that says the unit of a figure. */
static bool is_of_run(struct span name)
{
	static const char *const words[] = { "timestamp", "date", "datetime", "time", "started",
		                                 "created",   "host", "hostname", "node", "machine",
		                                 "user",      "git",  "commit",   "sha",  "hash",
		                                 "version",   "path", "dir",      "url",  "id",
		                                 "uuid",      "unit", NULL };
	for (size_t at = 0, n; at < name.n; at += n + 1) {
		for (n = 0; at + n < name.n && !strchr("_-. ", name.p[at + n]);)
			n++;
		if (reading_is_word((struct span){ name.p + at, n }, words))
			return true;
	}
	return false;
}

/* True for the name of a figure that is called by what lies around it. */
static bool is_value(struct span name)
{
	static const char *const words[] = { "value", "val", "result", NULL };
	return reading_is_word(name, words);
}

static bool is_number(const struct value *v)
{
	static const char *const no_numbers[] = { "nan",  "inf",       "infinity", "-nan",
		                                      "-inf", "-infinity", NULL };
	struct decimal number;
	struct span unit;
	if (v->type == JSCAN_NAN && is_writable(v->key))
		return true;
	if ((v->type != JSCAN_NUMBER && v->type != JSCAN_STRING) || !is_writable(v->key))
		return false;
	if (reading_number(v, &number, &unit) == DECIMAL_OK && (!unit.n || figure_unit_of(unit)))
		return true;
	/* reading "12,5 ms" says that it has no number */
	bool begins = reading_begins_as_number(v->text) || reading_is_word(v->text, no_numbers);
	return begins && v->type == JSCAN_STRING && !is_of_run(v->key) &&
	       figure_better(v->key, figure_unit_by_name(v->key));
}

/* True for a member that may be part of a name. */
static bool is_name(const struct value *v)
{
	enum { CHARS = 40 };
	return v->type == JSCAN_STRING && v->text.n && v->text.n < CHARS && is_writable(v->key) &&
	       !is_number(v) && !reading_is_unmeasured(v) && !is_of_run(v->key);
}

/* True if the member of this name is a fraction in one of the first records, from that of `v` on:
   it is not a setting, whatever it is called. */
static bool is_fraction(const struct value *v)
{
	enum { ROWS = 100 };
	const struct value *row = v->parent;
	struct decimal number;
	struct span unit;
	for (size_t nr = 0; row && nr < ROWS; row = row->next, nr++) {
		const struct value *own = value_get(row, v->key);
		if (own && reading_number(own, &number, &unit) == DECIMAL_OK && number.digits > 0)
			return true;
	}
	return false;
}

/* The first number of a list of samples, some of which may not be measured; NULL of other lists. */
static const struct value *first_sample(const struct value *v)
{
	const struct value *found = NULL;
	bool list = v->type == JSCAN_ARRAY && is_writable(v->key);
	for (const struct value *e = list ? v->first : NULL; e; e = e->next) {
		bool number =
		    is_number(&(struct value){ .type = e->type, .key = SPAN("v"), .text = e->text });
		if (!number && !reading_is_unmeasured(e))
			return NULL;
		found = number && !found ? e : found;
	}
	return found;
}

static bool is_list(const struct value *v)
{
	return v->type == JSCAN_ARRAY && v->first && v->first->type == JSCAN_OBJECT;
}

static void add_step(struct strbuf *path, struct span key)
{
	bool plain = key.n > 0;
	for (size_t i = 0; i < key.n; i++)
		plain = plain && (is_digit(key.p[i]) || is_letter(key.p[i]) || key.p[i] == '_');
	strbuf_addf(path, plain ? "%s%.*s" : "%s.\"%.*s\"", path->n && plain ? "." : "", (int)key.n,
	            key.p);
}

/* Appends a figure at `path`, called `name`; its direction is left to its name and unit if they
   tell it. */
static void add_figure(struct proposal *p, struct strbuf *list, const char *path, const char *name,
                       const struct value *v)
{
	struct decimal number;
	struct span text = span_of(name), said = SPAN(""), bracket = figure_name_unit(&text);
	const struct value *unit = value_get(v->parent, SPAN("unit"));
	if (unit && !figure_unit_of(unit->text))
		unit = NULL;
	if (reading_number(v, &number, &said) != DECIMAL_OK)
		said = SPAN("");
	said = said.n ? said : unit ? unit->text : bracket;
	bool open = !p->named &&
	            !figure_better(text, said.n ? figure_unit_of(said) : figure_unit_by_name(text));
	struct strbuf line = STRBUF_INIT;
	strbuf_adds(&line, "\n        - {at: ");
	add_quoted(&line, path);
	const char *at = list->n ? strstr(strbuf_str(list), strbuf_str(&line)) : NULL;
	bool known = at && strchr(",}", at[line.n]);
	if (known || p->nr++ >= FIGURES) {
		strbuf_release(&line);
		return;
	}
	if (!span_eq(span_of(name), path_name(path))) {
		strbuf_adds(&line, ", as: ");
		add_quoted(&line, name);
	}
	bool all = true; /* the records have it */
	for (struct value *r = p->first; r && all && p->several; r = r->next)
		all = path_find(path, r);
	strbuf_addf(&line, "%s%s%s", unit ? ", unit_at: ^unit" : "", open ? ", better: neither" : "",
	            all ? "" : ", optional: true");
	if (p->sum_of.n && list == &p->take &&
	    figure_is_sum(text, said.n ? figure_unit_of(said) : figure_unit_by_name(text))) {
		strbuf_adds(&line, ", sum_of: ");
		add_quoted(&line, strbuf_str(&p->sum_of));
	}
	strbuf_addch(&line, '}');
	strbuf_add(list, strbuf_span(&line));
	strbuf_release(&line);
	p->open |= open;
	p->known |= !open;
}

/* Appends what names one of several records: its first short texts, and its settings. `up` leads to
   them from where the name is filled in. Returns how many there are. */
static size_t add_case(struct strbuf *out, const struct value *record, const char *up)
{
	size_t nr = 0;
	for (const struct value *v = record->first; v && nr < CASES; v = v->next) {
		bool setting = is_number(v) && figure_is_setting(v->key, "case") && !is_fraction(v);
		if (!is_name(v) && !setting)
			continue;
		struct strbuf step = STRBUF_INIT;
		add_step(&step, v->key);
		strbuf_addf(out, "%s%.*s{%s%s}", nr++ ? "." : "", setting ? (int)v->key.n : 0, v->key.p, up,
		            strbuf_str(&step));
		strbuf_release(&step);
	}
	return nr;
}

/* A copy of a name for a figure that lies one object deeper: what names the elements of a list is
   one more step up. */
static void add_deeper(struct strbuf *out, const char *name)
{
	for (; *name; name++)
		strbuf_adds(out, *name == '{' ? "{^" : (char[]){ *name, '\0' });
}

static void add_members(struct proposal *p, const struct value *of, const char *path,
                        const char *name, int depth);

static void add_work(struct proposal *p, const char *path)
{
	strbuf_addf(&p->work, "%s%s", p->work.n ? ", " : "", path);
}

/* True for a setting of this kind, as of figure_is_setting(). */
static bool is_setting(const struct value *v, const char *kind)
{
	bool fits = is_number(v) ? !is_fraction(v) : v->type == JSCAN_STRING && v->text.n;
	return fits && figure_is_setting(v->key, kind);
}

/* Adds the settings that lie around the list of records, in `of`. */
static void add_work_around(struct proposal *p, const struct value *of, const char *path, int depth)
{
	for (const struct value *v = of->first; v; v = v->next) {
		struct strbuf at = STRBUF_INIT;
		strbuf_adds(&at, path);
		add_step(&at, v->key);
		if (is_writable(v->key) && is_setting(v, "record"))
			add_work(p, strbuf_str(&at));
		else if (is_writable(v->key) && v->type == JSCAN_OBJECT && depth < DEPTH)
			add_work_around(p, v, strbuf_str(&at), depth + 1);
		strbuf_release(&at);
	}
}

/* True if the path tells the name of a case. */
static bool is_of_case(const struct proposal *p, const char *path)
{
	struct strbuf word = STRBUF_INIT;
	strbuf_addf(&word, "{%s}", path);
	bool found = p->nr_cases && strstr(strbuf_str(&p->case_name), strbuf_str(&word));
	strbuf_release(&word);
	return found;
}

/* Adds a member, or what lies in it. */
static void add_member(struct proposal *p, const struct value *v, const char *path,
                       const char *name, int depth)
{
	struct strbuf at = STRBUF_INIT, as = STRBUF_INIT, *list = p->series ? &p->samples : &p->take;
	bool number = is_number(v), own = *name && number && is_value(v->key);
	strbuf_adds(&at, path);
	add_step(&at, v->key);
	if (v->type == JSCAN_OBJECT)
		add_deeper(&as, name);
	else
		strbuf_adds(&as, name);
	if (!own)
		strbuf_addf(&as, "%s%.*s", *name ? "." : "", (int)v->key.n, v->key.p);
	if (strstr(path, "[*]") && number && !strchr(name, '{'))
		list = &p->samples;
	if (is_setting(v, p->several ? "case" : "record") || (number && is_step(v->key))) {
		if (!is_of_case(p, strbuf_str(&at)) && !strstr(path, "[*]"))
			add_work(p, strbuf_str(&at));
	} else if (number && figure_is_neither(v->key) && is_of_run(v->key)) {
		/* the time of day, or a seed */
	} else if (number && p->named) {
		add_figure(p, list, strbuf_str(&at), strbuf_str(&p->case_name), v);
	} else if (number) {
		add_figure(p, list, strbuf_str(&at), strbuf_str(&as), v);
	} else if (v->type == JSCAN_OBJECT && depth < DEPTH) {
		add_members(p, v, strbuf_str(&at), strbuf_str(&as), depth + 1);
	} else if (first_sample(v)) {
		strbuf_adds(&at, "[*]");
		add_figure(p, &p->samples, strbuf_str(&at), strbuf_str(&as), first_sample(v));
	} else if (is_list(v) && depth < DEPTH && !strstr(path, "[*]")) {
		strbuf_adds(&at, "[*]");
		strbuf_addch(&as, '.');
		if (!add_case(&as, v->first, "^"))
			as.p[--as.n] = '\0';
		add_members(p, v->first, strbuf_str(&at), strbuf_str(&as), depth + 1);
	}
	strbuf_release(&at);
	strbuf_release(&as);
}

static void add_members(struct proposal *p, const struct value *of, const char *path,
                        const char *name, int depth)
{
	struct strbuf around = p->sum_of, own = STRBUF_INIT;
	for (const struct value *v = of->first; v && !own.n; v = v->next)
		if (is_number(v) && figure_is_setting(v->key, "count") && !strstr(path, "[*]")) {
			strbuf_adds(&own, path);
			add_step(&own, v->key);
			p->sum_of = own;
		}
	for (const struct value *v = of->first; v; v = v->next)
		if (is_writable(v->key))
			add_member(p, v, path, name, depth);
	p->sum_of = around;
	strbuf_release(&own);
}

static size_t count_figures(const struct value *of)
{
	size_t nr = 0;
	for (const struct value *v = of->first; v; v = v->next)
		nr += is_number(v) && !is_step(v->key) && !figure_is_setting(v->key, "case");
	return nr;
}

/* Adds what a record has. Without names of cases, several are the steps of one. */
static void add_records(struct proposal *p, struct value *first, bool several)
{
	enum { RECORDS = 1000 };
	p->first = first;
	p->several = several;
	for (const struct value *v = first->first; v; v = v->next)
		p->several = p->several && !is_step(v->key);
	if (p->several)
		p->nr_cases = add_case(&p->case_name, first, "");
	p->series = several && !p->nr_cases && first->next;
	p->several = p->nr_cases > 0;
	for (const struct value *v = first->first; v; v = v->next)
		p->named = p->named || (p->several && is_number(v) && is_value(v->key));
	p->named = p->named && count_figures(first) == 1;
	add_members(p, first, "", "", 0);
	size_t nr = 0, work = p->work.n;
	for (const struct value *r = first->next; r && p->several && ++nr < RECORDS; r = r->next)
		add_members(p, r, "", "", 0);
	strbuf_setlen(&p->work, work);
}

/* True if there is a figure below `of` that may be better or worse, except in the member `but`. */
static bool has_figure(const struct value *of, const struct value *but, int depth)
{
	for (const struct value *v = of->first; v; v = v->next)
		if (v != but && ((is_number(v) && figure_better(v->key, figure_unit_by_name(v->key))) ||
		                 (depth < DEPTH && has_figure(v, but, depth + 1))))
			return true;
	return false;
}

/* The list of records in an object that has no other figure, or NULL. */
static struct value *records_of(const struct value *of)
{
	for (struct value *v = of->first; v; v = v->next)
		if (is_list(v) && is_writable(v->key))
			return has_figure(of, v, 0) ? NULL : v;
	return NULL;
}

/* ---- lines of a log ---- */

static const char *number_end(const char *at)
{
	at += strspn(at, "0123456789");
	at += *at == '.' && is_digit(at[1]) ? 1 + strspn(at + 1, "0123456789") : 0;
	size_t sign = (at[0] | 0x20) == 'e' && at[1] && strchr("-+", at[1]) ? 2 : 0;
	return sign && is_digit(at[2]) ? at + 2 + strspn(at + 2, "0123456789") : at;
}

/* The end of the unit that stands behind a number, or its own end. */
static const char *unit_end(const char *number)
{
	const char *at = number + strspn(number, " ");
	size_t n = strcspn(at, " ,;|)]");
	return figure_unit_of((struct span){ at, n }) ? at + n : number;
}

/* The word at `place` of a line, and how many it has, without a '#' in front. */
static struct span word_at(struct span line, size_t place, size_t *nr)
{
	struct span found = SPAN("");
	*nr = 0;
	for (size_t i = 0, n; i < line.n; i += n + 1) {
		for (n = 0; i + n < line.n && !strchr(" \t\r", line.p[i + n]);)
			n++;
		bool mark = !*nr && n == 1 && line.p[i] == '#';
		if (n && !mark && (*nr)++ == place)
			found = (struct span){ line.p + i, n };
	}
	return found;
}

/* Appends the heading of what is at `at` in a table of a log, of one of the lines before it that
   has as many words; returns the number of its column. */
static size_t add_heading(struct strbuf *out, struct span before, struct span line, const char *at)
{
	enum { LINES = 8 };
	size_t place, all, nr;
	word_at((struct span){ line.p, (size_t)(at - line.p) }, 0, &place);
	word_at(line, 0, &all);
	bool table = !strpbrk(line.p, ":=,|");
	for (int i = 0; i < LINES && table && before.n && !out->n; i++) {
		const char *end = memrchr(before.p, '\n', --before.n);
		size_t from = end ? (size_t)(end + 1 - before.p) : 0;
		struct span word = word_at((struct span){ before.p + from, before.n - from }, place, &nr);
		for (size_t k = 0; k < word.n && nr == all && is_letter(word.p[0]); k++)
			strbuf_addch(out, (char)(is_letter(word.p[k]) ? word.p[k] | 0x20 : '_'));
		before.n = from;
	}
	return place + 1;
}

/* Appends the last word between `from` and `to` in small letters, or a unit that is there in
   brackets; without one, the unit behind the number. */
static void add_word(struct strbuf *out, const char *from, const char *to, struct span unit)
{
	struct span label = { from, (size_t)(to - from) };
	while (label.n && strchr(" :=\t", label.p[label.n - 1]))
		label.n--;
	const char *bracket = figure_unit_of(figure_name_unit(&label));
	for (; bracket && *bracket; bracket++)
		strbuf_addch(out, (char)(is_letter(*bracket) ? *bracket | 0x20 : '_'));
	if (out->n > 1 && is_letter(out->p[0]))
		return;
	bool seconds = out->n == 1 && out->p[0] == 's'; /* by itself, the letter names nothing */
	strbuf_setlen(out, 0);
	to = seconds ? label.p + label.n : to;
	while (to > from && !is_letter(to[-1]))
		to--;
	const char *word = to;
	for (int per = 0; per < 2; per++) { /* "samples per second" and "tokens/sec" are one word */
		word -= per ? strlen(" per ") : 0;
		while (word > from && (is_letter(word[-1]) || strchr("_/", word[-1])))
			word--;
		if (word - from <= (ptrdiff_t)strlen(" per ") || memcmp(word - 5, " per ", 5) != 0)
			break;
	}
	word += to > word && *word == '/';
	struct span s = to > word ? (struct span){ word, (size_t)(to - word) } : unit;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '/' && to > word)
			strbuf_adds(out, "_per_");
		else
			strbuf_addch(out, (char)(is_letter(s.p[i]) ? s.p[i] | 0x20 : '_'));
	strbuf_adds(out, seconds ? "_s" : "");
}

/* Appends literal text of a pattern. */
static void add_text(struct strbuf *out, const char *from, const char *to)
{
	for (; from < to; from++) {
		bool blank = *from == ' ' || *from == '\t';
		if (blank && (from + 1 == to || (from[1] != ' ' && from[1] != '\t')))
			strbuf_adds(out, " +");
		else if (!blank)
			strbuf_addf(out, strchr(".[]{}()*+?\\|^$", *from) ? "\\%c" : "%c", *from);
	}
}

/* Appends the pattern of a line, in which numbers with a point or a unit are figures; false if it
   has none. */
static bool add_pattern(const char *line, struct span before, struct strbuf *out)
{
	bool any = false;
	const char *done = line;
	for (const char *c = line; *c; c++) {
		const char *end = number_end(c);
		if (!is_digit(*c) ||
		    (c > line && (is_digit(c[-1]) || is_letter(c[-1]) || strchr("._", c[-1]))))
			continue;
		const char *behind = unit_end(end), *unit = end + strspn(end, " ");
		struct strbuf name = STRBUF_INIT, part = STRBUF_INIT;
		bool figure = behind > end || end > c + strspn(c, "0123456789");
		size_t column = add_heading(&name, before, span_of(line), c);
		if (!name.n)
			add_word(&name, done, c,
			         (struct span){ unit, (size_t)(behind > end ? behind - unit : 0) });
		if (!name.n)
			strbuf_addf(&name, "c%zu", column);
		figure = figure || figure_better(strbuf_span(&name), NULL);
		strbuf_addf(&part, "(?<%s>", strbuf_str(&name));
		add_text(out, done, c);
		bool named =
		    !strstr(strbuf_str(out), strbuf_str(&part)) && (figure || is_step(strbuf_span(&name)));
		strbuf_adds(out, named ? strbuf_str(&part) : "");
		strbuf_adds(out, figure ? "[-+0-9.Ee]+" : "[0-9]+");
		add_text(out, end, behind);
		strbuf_adds(out, named ? ")" : "");
		any |= named && figure;
		done = behind;
		c = done - 1;
		strbuf_release(&name);
		strbuf_release(&part);
	}
	add_text(out, done, done + strlen(done));
	return any;
}

/* Sets `best` to the pattern that takes most of the beginning of a log. */
static void find_pattern(struct value_tree *t, const char *file, struct strbuf *best,
                         struct diag_log *log)
{
	enum { LINE_CHARS = 400, BYTES = 64 << 10, PATTERNS = 40 };
	struct span all = t->bytes, rest = { all.p, all.n < BYTES ? all.n : BYTES };
	size_t most = 0, tried = 0;
	t->bytes = rest;
	for (const char *end;
	     tried < PATTERNS && (end = rest.n ? memchr(rest.p, '\n', rest.n) : NULL);) {
		struct span s = { rest.p, (size_t)(end - rest.p) };
		struct strbuf pattern = STRBUF_INIT;
		size_t before = t->nr_values;
		rest = (struct span){ end + 1, rest.n - s.n - 1 };
		s.n -= s.n && s.p[s.n - 1] == '\r';
		if (s.n < LINE_CHARS && is_writable(s) &&
		    add_pattern(arena_dup(&t->arena, s), (struct span){ all.p, (size_t)(s.p - all.p) },
		                &pattern) &&
		    strcmp(strbuf_str(best), strbuf_str(&pattern)) != 0 &&
		    !text_pattern_fault(strbuf_str(&pattern)) && ++tried &&
		    text_lines_add(t, file, strbuf_str(&pattern), log) == ST_OK &&
		    t->nr_values - before > most) {
			most = t->nr_values - before;
			strbuf_release(best);
			strbuf_add(best, strbuf_span(&pattern));
		}
		strbuf_release(&pattern);
	}
	t->bytes = all;
}

/* ---- the whole ---- */

static bool is_table(const struct value *row)
{
	bool texts = row && count_figures(row);
	for (const struct value *v = row ? row->first : NULL; v && texts; v = v->next)
		texts =
		    v->key.n &&
		    !is_number(&(struct value){ .type = JSCAN_STRING, .key = SPAN("v"), .text = v->key });
	return texts;
}

static void print(const struct proposal *p, const char *file, const char *keys, struct strbuf *out)
{
	strbuf_adds(out, "    - match: ");
	add_quoted(out, is_writable(span_of(file)) ? file : "*");
	strbuf_addf(out, "\n%s%s", keys, p->series ? "      series: true\n" : "");
	if (p->nr_cases && !p->named)
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

enum status result_propose(struct source *src, const char *file, struct result_proposal *out,
                           struct diag_log *log)
{
	struct value_tree t = { 0 };
	struct proposal p = { .take = STRBUF_INIT };
	struct strbuf keys = STRBUF_INIT, pattern = STRBUF_INIT;
	bool table = false;
	*out = (struct result_proposal){ .lines = STRBUF_INIT };
	enum status st = value_bytes_read(src, &t, log);
	bool json = value_is_json(t.bytes);
	if (st == ST_OK && json) {
		/* the first line of a log may begin with the time in brackets */
		bool may_be_log = !strstr(file, ".json");
		struct diag_log unsaid;
		diag_init(&unsaid);
		st = value_json_add(&t, file, t.bytes, may_be_log ? &unsaid : log);
		if (may_be_log && st == ST_INPUT) {
			json = false;
			st = ST_OK;
			t.root.first = t.root.last = NULL;
		}
		diag_release(&unsaid);
	}
	if (st == ST_OK && !json && csv_add(&t, file, NULL, 0, true, &table, log) != ST_OK)
		table = false;
	struct value *first = t.root.first, *records;
	while (json && first && first->type == JSCAN_ARRAY)
		first = first->first;
	table = !json && table && is_table(first);
	if (st == ST_OK && json && first && first->type == JSCAN_OBJECT) {
		if ((records = records_of(first))) {
			struct strbuf path = STRBUF_INIT;
			add_step(&path, records->key);
			strbuf_addf(&keys, "      records: '%s[*]'\n", strbuf_str(&path));
			strbuf_release(&path);
			add_work_around(&p, first, "^", 0);
			first = records->first;
		}
		add_records(&p, first, first->next || records);
	} else if (st == ST_OK && table) {
		strbuf_adds(&keys, "      read: csv\n");
		add_records(&p, first, true);
	} else if (st == ST_OK && !json) {
		find_pattern(&t, file, &pattern, log);
		strbuf_addf(&keys, "      read: text\n      pattern: '%s'\n", strbuf_str(&pattern));
		t.root.first = t.root.last = NULL;
		p.series = true;
		if (pattern.n)
			st = text_lines_add(&t, file, strbuf_str(&pattern), log);
		if (t.root.first)
			add_members(&p, t.root.first, "", "", 0);
	}
	if (st == ST_OK && p.nr)
		print(&p, file, strbuf_str(&keys), &out->lines);
	out->is_open = p.open;
	out->is_plain = (json || table) && p.known && p.nr <= FIGURES;
	struct strbuf *all[] = {
		&p.take, &p.samples, &p.work, &p.case_name, &p.sum_of, &keys, &pattern
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		strbuf_release(all[i]);
	value_tree_release(&t);
	return st;
}
