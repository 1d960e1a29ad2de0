#include "results/result_file.h"

#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"
#include "results/value.h"

enum { FIGURES = 400, CASES = 3, DEPTH = 4 };

/// The sections of a format that is proposed.
struct proposal {
	struct arena *a;
	struct strbuf take, samples;
	const char *work; ///< paths of the settings, separated by commas, or ""
	const char *case_name; ///< template of the name of a case; "" if nothing names the records
	const char *sum_of; ///< path of the count of what totals are summed over, such as requests; ""
	                    ///< if there is none
	size_t nr; ///< number of figures
	struct value *first; ///< the first of the records
	bool series; ///< true if the records are steps, of one case or several
	bool lines; ///< true if the records are lines of a log
	bool table; ///< true if lines of the log are rows of a table with headings
	bool several; ///< true if each record is a case, and its texts and settings name the case
	bool named; ///< true if each record has one figure, and the texts of the record name the figure
	bool open, known; ///< true if for some figure it is unknown whether higher or lower is better;
	                  ///< true if this is known for some figure
};

/* True for a text that YAML can have in single quotes. */
static bool is_printed(struct span s)
{
	struct strbuf line = STRBUF_INIT;
	text_add_line(&line, s);
	bool same = span_eq(strbuf_span(&line), s);
	strbuf_release(&line);
	/* U+FFFE and U+FFFF are valid UTF-8, and no characters */
	return same && !memmem(s.p, s.n, "\xef\xbf\xbe", 3) && !memmem(s.p, s.n, "\xef\xbf\xbf", 3);
}

/* True for a text that can be put in quotes, in a path and in YAML, without escapes. */
static bool is_writable(struct span s)
{
	return s.n > 0 && is_printed(s) && ALL(i, s.n, !strchr("\"'{}\\", s.p[i]));
}

/* A text as YAML has it: without quotes if it is a plain word, else in quotes. */
static const char *quoted(const struct proposal *p, const char *text)
{
	bool plain = is_letter(text[0]) && !strpbrk(text, " \"#:,*?[]{}()&!|>%@`\\") &&
	             !span_is_listed_nocase(span_of(text), "null true false yes no on off");
	return arena_printf(p->a, plain ? "%s" : "'%s'", text);
}

/* True for the name of a number that counts the steps of a run. */
static bool is_step(struct span name)
{
	return span_is_listed_nocase(name, "step global_step iteration iter");
}

/* True for a name that says nothing about a figure. A figure with such a name is called after the
 * object that contains the figure. */
static bool is_value(struct span name)
{
	return span_is_listed_nocase(name, "value val result");
}

static bool is_number(const struct value *v)
{
	struct decimal number;
	struct span unit;
	if (v->type == JSCAN_NAN && is_writable(v->key))
		return true;
	if ((v->type != JSCAN_NUMBER && v->type != JSCAN_STRING) || !is_writable(v->key))
		return false;
	bool clock, time = reading_time(v->text, &clock, &number) == v->text.n;
	/* "timeout": "2m 0s" is chosen for a run */
	if (time && v->type == JSCAN_STRING && !figure_is_sum(v->key, "s") &&
	    (!figure_better(v->key, "s") || span_ends(v->key, SPAN("timeout")) ||
	     span_ends(v->key, SPAN("limit"))))
		return false;
	if (reading_number(v, &number, &unit) == DECIMAL_OK && (!unit.n || figure_unit_of(unit)))
		return true;
	/* reading_number() refuses "12,5 ms" and "81k"; they are proposed nevertheless, so that reading
	   the file fails and does not leave them out silently */
	bool begins = reading_begins_as_number(v->text) || reading_is_shortened(v->text) ||
	              span_is_listed_nocase(v->text, "nan inf infinity -nan -inf -infinity");
	const char *own = figure_unit_by_name(v->key);
	bool figure = own || !reading_is_of_run(v->key) || !memchr(v->text.p, ':', v->text.n);
	return begins && v->type == JSCAN_STRING && figure && figure_better(v->key, own);
}

/* True for a short text that may be part of the name of a case. */
static bool is_name(const struct value *v)
{
	enum { CHARS = 40 };
	return v->type == JSCAN_STRING && v->text.n && v->text.n < CHARS && is_writable(v->key) &&
	       !is_number(v) && !reading_is_unmeasured(v) && !reading_is_of_run(v->key);
}

/* The first number in a list of samples, some of which may not have been measured; NULL if `v` is
   not a list of samples. */
static const struct value *first_sample(const struct value *v)
{
	const struct value *found = NULL;
	for (const struct value *e = v->type == JSCAN_ARRAY ? v->first : NULL; e; e = e->next) {
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

/* The path of the member `key` of the object at `path`. */
static const char *member(const struct proposal *p, const char *path, struct span key)
{
	bool plain =
	    key.n > 0 && ALL(i, key.n, is_digit(key.p[i]) || is_letter(key.p[i]) || key.p[i] == '_');
	return arena_printf(p->a, plain ? "%s%s%.*s" : "%s%s\"%.*s\"", path, *path || !plain ? "." : "",
	                    (int)key.n, key.p);
}

/* True if the figure `v` is null or an empty cell in half of the records or more, as one of
   evaluations is in the log of a training: it was not to be measured then. Times and rates (`unit`)
   belong to each step: there, null means a failed measurement. */
static bool is_sparse(const struct proposal *p, const struct value *v, const char *unit)
{
	enum { STEPS = 1000 };
	size_t nr = 0, none = 0;
	bool whole = v->parent->next == p->first, bytes = unit && unit[strlen(unit) - 1] == 'B';
	for (const struct value *r = p->first; r && nr < STEPS && whole && (!unit || bytes);
	     r = r->next) {
		const struct value *of = value_get(r, v->key);
		nr += of != NULL;
		none += of && of->type == JSCAN_NULL;
	}
	return none && 2 * none >= nr;
}

static size_t count_figures(const struct value *of)
{
	size_t nr = 0;
	for (const struct value *v = of->first; v; v = v->next)
		nr += is_number(v) && !is_step(v->key) && !figure_is_setting(v->key, "case");
	return nr;
}

/* The text beside a figure that is its unit: "unit", "latency_unit" beside "latency" or, for a time
   without a unit in its name, "time_unit". NULL if there is none. */
static const struct value *unit_beside(const struct proposal *p, const struct value *v)
{
	const char *own = arena_printf(p->a, "%.*s_unit", (int)v->key.n, v->key.p);
	const struct value *unit = value_get(v->parent, SPAN("unit"));
	bool time = !figure_unit_by_name(v->key) && figure_better(v->key, "s");
	unit = unit ? unit : value_get(v->parent, span_of(own));
	unit = unit || !time ? unit : value_get(v->parent, SPAN("time_unit"));
	bool fits = unit && unit->type == JSCAN_STRING && unit->text.n && is_writable(unit->key);
	if (!fits || figure_is_setting(v->key, "count"))
		return NULL;
	/* "A100" and the unit of another figure are not the unit of this one */
	const char *known = figure_unit_of(unit->text), *named = figure_unit_by_name(v->key);
	bool other = known && named &&
	             strcmp(figure_units[figure_unit_find(span_of(known))].dimension,
	                    figure_units[figure_unit_find(span_of(named))].dimension) != 0;
	return known ? (other ? NULL : unit) : count_figures(v->parent) == 1 ? unit : NULL;
}

/* Appends an entry for the figure at `path`, called `name`, to `list`. The entry says `better:
   neither` if name and unit do not tell whether higher or lower is better. */
static void add_figure(struct proposal *p, struct strbuf *list, const char *path, const char *name,
                       const struct value *v)
{
	struct decimal number;
	struct span text = span_of(name), said = SPAN(""), bracket = figure_name_unit(&text);
	const struct value *unit = unit_beside(p, v);
	bool all = true; /* true if all records have the figure */
	if (reading_number(v, &number, &said) != DECIMAL_OK || (said.n && !figure_unit_of(said))) {
		said = SPAN("");
		all = reading_begins_as_number(v->text) || !reading_is_shortened(v->text);
	}
	said = said.n ? said : unit ? unit->text : bracket;
	const char *own = said.n ? figure_unit_of(said) : figure_unit_by_name(text);
	bool open = !p->named && !figure_better(text, own);
	const char *line = arena_printf(p->a, "\n        - {at: %s", quoted(p, path));
	if (p->nr++ >= FIGURES)
		return;
	all = all && !(p->series && is_sparse(p, v, own));
	for (struct value *r = p->first; r && all && p->several && !p->series; r = r->next)
		all = path_find(path, r);
	strbuf_adds(list, line);
	if (!span_eq(span_of(name), path_name(path)))
		strbuf_addf(list, ", as: %s", quoted(p, name));
	if (unit)
		strbuf_addf(list, ", unit_at: %s", quoted(p, member(p, "^", unit->key)));
	strbuf_addf(list, "%s%s", open ? ", better: neither" : "", all ? "" : ", optional: true");
	if (*p->sum_of && list == &p->take && figure_is_sum(text, own))
		strbuf_addf(list, ", sum_of: %s", quoted(p, p->sum_of));
	strbuf_addch(list, '}');
	p->open |= open && !figure_is_neither(text);
	p->known |= !open;
}

/* True for a number with a unit, such as "24 ms". */
static bool has_unit(const struct value *v)
{
	struct decimal number;
	struct span unit = SPAN("");
	return reading_number(v, &number, &unit) != DECIMAL_OK || unit.n;
}

/* A template for the names of several records, made of the first `most` short texts and settings of
   one record; "" if it has none. Settings are those of the kind "case" or, if `most` is above
   CASES, "record"; and numbers of the kind "part" if `parts` is set. */
static const char *case_of(const struct proposal *p, const struct value *record, size_t most,
                           bool parts)
{
	const char *name = "";
	size_t nr = 0;
	for (const struct value *v = record->first; v && nr < most; v = v->next) {
		bool setting = is_number(v) && !reading_is_fraction(v) && !(p->lines && has_unit(v)) &&
		               (figure_is_setting(v->key, most > CASES ? "record" : "case") ||
		                (parts && figure_is_setting(v->key, "part")));
		if (setting || is_name(v))
			name = arena_printf(p->a, "%s%s%.*s{%s}", name, nr++ ? "." : "",
			                    setting ? (int)v->key.n : 0, v->key.p, member(p, "", v->key));
	}
	return name;
}

/* Adapts the template `name` to a figure that lies one object deeper: each path in the template
 * gets one more '^', which leads to the enclosing object. */
static const char *deeper(const struct proposal *p, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	for (; *name; name++)
		strbuf_adds(&out, *name == '{' ? "{^" : (char[]){ *name, '\0' });
	return arena_take(p->a, &out);
}

static void add_work(struct proposal *p, const char *path)
{
	p->work = arena_printf(p->a, "%s%s%s", p->work, *p->work ? ", " : "", quoted(p, path));
}

/* True for a setting whose name is of this kind (figure_is_setting()); its value may be null. In
   {"gpu": {"name": "H100"}}, the member "name" counts as the setting "gpu". */
static bool is_setting(const struct value *v, const char *kind)
{
	bool text = v->type == JSCAN_STRING && v->text.n;
	bool fits = is_number(v) ? !reading_is_fraction(v) : text || v->type == JSCAN_NULL;
	bool name = text && span_eq(v->key, SPAN("name"));
	return fits && figure_is_setting(name ? v->parent->key : v->key, kind);
}

/* True if `of`, apart from its member `but`, contains a figure for which it is known whether higher
   or lower is better. */
static bool has_figure(const struct value *of, const struct value *but, int depth)
{
	for (const struct value *v = of->first; v; v = v->next)
		if (v != but && ((is_number(v) && figure_better(v->key, figure_unit_by_name(v->key))) ||
		                 (depth < DEPTH && has_figure(v, but, depth + 1))))
			return true;
	return false;
}

enum { RECORDS = 1000 };

/// A record, and the name that a template gives it.
struct named_record {
	const char *name;
	const struct value *record;
};
ORDERING(name_cmp, struct named_record, BY_TEXT(name))

/* True if both records have a member of the same name that is a figure, or holds some. */
static bool share_figures(const struct value *a, const struct value *b)
{
	bool both = false;
	for (const struct value *v = a->first; v && !both; v = v->next)
		both = (v->first || (is_number(v) && !is_setting(v, "record"))) && value_get(b, v->key);
	return both;
}

/* True if the template `name` is the same text for two records, from `first` on, that share
 * figures.
 */
static bool is_twice(const struct proposal *p, struct value *first, const char *name)
{
	VEC(struct named_record) all = VEC_INIT;
	for (struct value *r = first; r && all.nr < RECORDS; r = r->next) {
		struct template_words words = { .record = r, .file = "" };
		vec_push(&all, (struct named_record){ template_fill(name, &words, p->a).p, r });
	}
	vec_sort(&all, name_cmp);
	bool twice = false;
	for (size_t i = 1; i < all.nr && !twice; i++)
		twice = strcmp(all.v[i - 1].name, all.v[i].name) == 0 &&
		        share_figures(all.v[i - 1].record, all.v[i].record);
	vec_release(&all);
	return twice;
}

/* True if the name of a number tells that it was measured. A size may also be one of a sweep. */
static bool is_measured(struct span name)
{
	const char *unit = figure_unit_by_name(name);
	return figure_better(name, unit && unit[strlen(unit) - 1] == 'B' ? NULL : unit);
}

/* True if a member of an object is a number that was measured. */
static bool measures(const struct value *of)
{
	const struct value *v = of->first;
	while (v && !(is_number(v) && is_measured(v->key)))
		v = v->next;
	return v;
}

/* True if the records from `first` on are a sweep over the number at `path`, which is called
   `name`: it is round in all records. If no other member names the records (`alone`), each value
   must be larger than the next smaller one by half at least, and the differences must not be equal,
   as those of a counter are. Lines of a log may lack the number, or have the same one. */
static bool is_sweep(const struct proposal *p, struct value *first, const char *path,
                     struct span name, bool alone)
{
	struct decimal d;
	VEC(int64_t) all = VEC_INIT;
	bool even = true, fits = !is_measured(name);
	for (struct value *r = first; r && fits; r = r->next) {
		const struct value *own = path_find(path, r);
		if (!own && p->lines)
			continue;
		fits = own && reading_number(own, &d, NULL) == DECIMAL_OK && d.digits <= 0;
		int64_t n = fits ? decimal_scaled(d, 0) : 0;
		fits = n > 0 && (n <= 16 || n % 8 == 0 || n % 10 == 0);
		vec_push(&all, n);
	}
	vec_sort(&all, number_cmp_i64);
	for (size_t i = 1; i < all.nr && fits && alone; i++) {
		if (all.v[i] == all.v[i - 1] && p->lines)
			continue;
		fits = all.v[i] - all.v[i - 1] >= all.v[i - 1] / 2 + all.v[i - 1] % 2;
		even = even && all.v[i] - all.v[i - 1] == all.v[1] - all.v[0];
	}
	fits = fits && (!alone || (all.nr < 3 && !p->lines) || !even);
	vec_release(&all);
	return fits;
}

/* True if the texts at `path` are not the same in all records from `first` on. Lines of a log may
   lack the text. */
static bool varies(const struct proposal *p, struct value *first, const char *path)
{
	const struct value *one = NULL;
	for (struct value *r = first; r; r = r->next) {
		const struct value *own = path_find(path, r);
		if (own ? one && !span_eq(own->text, one->text) : !p->lines)
			return true;
		one = own ? own : one;
	}
	return false;
}

/* Appends to the template `name` what distinguishes the records from `first` on: of the members of
   the object at `path`, those settings that vary or, if `sweep` is set, a number that the records
   are a sweep over. True once no two records have the same name. */
static bool tell_apart(const struct proposal *p, struct value *first, const char *path,
                       const char **name, bool sweep, int depth)
{
	bool apart = false;
	for (struct value *v = path_find(path, first)->first; v && !apart; v = v->next) {
		if (!is_writable(v->key))
			continue;
		const char *at = member(p, path, v->key);
		if (v->type == JSCAN_OBJECT && depth < DEPTH && (!sweep || !measures(v))) {
			apart = tell_apart(p, first, at, name, sweep, depth + 1);
		} else if (sweep ? is_number(v) && !reading_is_of_run(v->key) && !is_step(v->key) &&
		                       is_sweep(p, first, at, v->key, !**name)
		                 : depth > 0 && is_setting(v, "record") && varies(p, first, at)) {
			const char *longer = arena_printf(p->a, "%s%s%.*s{%s}", *name, **name ? "." : "",
			                                  (int)v->key.n, v->key.p, at);
			apart = !is_twice(p, first, longer);
			*name = apart || !sweep ? longer : *name;
		}
	}
	return apart;
}

/* A template for the names of the records from `first` on, which have members of `like`; "" if
   nothing names them. */
static const char *names_of(const struct proposal *p, const struct value *like, struct value *first)
{
	const char *plain = case_of(p, like, CASES, false), *name = plain;
	bool twice = is_twice(p, first, name);
	if (twice || !*name) {
		plain = name = case_of(p, like, CASES, true);
		twice = is_twice(p, first, name);
	}
	/* further members are added to the names of cases only if the names are not unique: names that
	   are unique must not change */
	for (size_t nr = CASES; nr < 4 * CASES && twice; nr++) {
		name = case_of(p, like, nr + 1, true);
		twice = is_twice(p, first, name);
	}
	twice = twice && !tell_apart(p, first, "", &name, false, 0) &&
	        !tell_apart(p, first, "", &name, true, 0);
	return twice ? plain : name;
}

/* Adds the settings in `of`, an object around the list of records. */
static void add_work_around(struct proposal *p, const struct value *of, const char *path, int depth)
{
	for (const struct value *v = of->first; v; v = v->next) {
		const char *at = member(p, path, v->key);
		if (is_writable(v->key) && is_setting(v, "record"))
			add_work(p, at);
		else if (is_writable(v->key) && v->type == JSCAN_OBJECT && depth < DEPTH)
			add_work_around(p, v, at, depth + 1);
	}
}

static void add_members(struct proposal *p, const struct value *of, const char *path,
                        const char *name, int depth);

/* True if `key` is in one line of the log only: a figure of the whole run, not of a step. */
static bool is_once(const struct proposal *p, struct span key)
{
	size_t nr = 0;
	for (const struct value *r = p->lines ? p->first : NULL; r && nr < 2; r = r->next)
		nr += value_get(r, key) != NULL;
	return nr == 1;
}

/* Adds the member `v` as a setting or a figure; if it is neither, adds the members in it. */
static void add_member(struct proposal *p, const struct value *v, const char *path,
                       const char *name, int depth)
{
	/* a number of a log that cannot be read, such as "5,5 ms", is proposed, so that reading fails
	 */
	bool number = is_number(v) || (p->lines && reading_begins_as_number(v->text));
	const char *at = member(p, path, v->key), *list = arena_printf(p->a, "%s[*]", at);
	const char *in_list = strstr(at, "[*]");
	const char *as = v->type == JSCAN_OBJECT ? deeper(p, name) : name;
	bool samples = p->series ? !is_once(p, v->key) : in_list && number && !strchr(name, '{');
	struct strbuf *out = samples ? &p->samples : &p->take;
	if (!*name || !number || !is_value(v->key))
		as = arena_printf(p->a, "%s%s%.*s", as, *name ? "." : "", (int)v->key.n, v->key.p);
	const char *in = in_list ? in_list + strlen("[*]") : at; /* path in the record or element */
	in += in[0] == '.' && in[1] != '"';
	bool in_name =
	    strstr(in_list ? name : p->case_name, arena_printf(p->a, "%c%s}", in_list ? '^' : '{', in));
	bool measured = p->lines && has_unit(v); /* "Used GPU 71 GiB" is not a setting */
	if ((in_name && number) || (is_setting(v, "record") && !measured) ||
	    (number && is_step(v->key))) {
		/* what differs between lines is not the work of all of them */
		bool one = !p->lines || is_step(v->key) || !varies(p, p->first, at);
		if (!in_name && !in_list && one)
			add_work(p, at);
	} else if (number &&
	           ((figure_is_neither(v->key) && reading_is_of_run(v->key)) ||
	            (p->lines && !measured && (is_setting(v, "case") || is_setting(v, "part"))))) {
		/* a time of day, a seed and "layer 3" in all lines are not figures */
	} else if (number) {
		add_figure(p, out, at, p->named ? p->case_name : as, v);
	} else if (v->type == JSCAN_OBJECT && depth < DEPTH) {
		add_members(p, v, at, as, depth + 1);
	} else if (first_sample(v)) {
		add_figure(p, &p->samples, list, as, first_sample(v));
	} else if (is_list(v) && depth < DEPTH && !in_list) {
		const char *of = deeper(p, names_of(p, v->first->next, v->first->next));
		add_members(p, v->first, list, arena_printf(p->a, "%s%s%s", as, *of ? "." : "", of),
		            depth + 1);
	}
}

static void add_members(struct proposal *p, const struct value *of, const char *path,
                        const char *name, int depth)
{
	const char *around = p->sum_of;
	for (const struct value *v = of->first; v && p->sum_of == around; v = v->next)
		if (is_number(v) && figure_is_setting(v->key, "count") && !strstr(path, "[*]"))
			p->sum_of = member(p, path, v->key);
	for (const struct value *v = of->first; v; v = v->next)
		if (is_writable(v->key))
			add_member(p, v, path, name, depth);
	p->sum_of = around;
}

static struct value *whole_of(struct arena *a, struct value *first, int depth);

/* Adds to `into` the members of `from` that it lacks, down to the depth DEPTH; a member that was
   not measured is replaced. */
static void merge(struct arena *a, struct value *into, const struct value *from, int depth)
{
	struct value *m = NULL;
	for (const struct value *v = from->first; v; v = v->next) {
		m = m ? m->next : into->first; /* most records have the same members in the same order */
		if (!m || !span_eq(m->key, v->key))
			for (m = into->first; m && !span_eq(m->key, v->key);)
				m = m->next;
		bool lacks = !m;
		if (lacks) {
			m = arena_alloc(a, 1, sizeof *m);
			*(into->last ? &into->last->next : &into->first) = m;
			into->last = m;
		}
		bool list = is_list(v) && depth < DEPTH;
		if (lacks || (!m->first && !is_number(m) &&
		              (v->first || is_number(v) || reading_is_unmeasured(m)))) {
			struct value *next = lacks ? NULL : m->next;
			*m = *v;
			m->parent = into;
			m->next = next;
			if (list)
				m->first = whole_of(a, v->first, depth + 1);
			else if (v->type == JSCAN_OBJECT)
				m->first = m->last = NULL;
		} else if (list && is_list(m)) {
			for (const struct value *e = v->first; e; e = e->next)
				merge(a, m->first, e, depth + 1);
		}
		if (v->type == JSCAN_OBJECT && m->type == JSCAN_OBJECT && depth < DEPTH)
			merge(a, m, v, depth + 1);
	}
}

/* A record with the members of all records from `first` on, which follow it. */
static struct value *whole_of(struct arena *a, struct value *first, int depth)
{
	struct value *whole = arena_alloc(a, 1, sizeof *whole);
	*whole = (struct value){
		.type = JSCAN_OBJECT, .key = first->key, .parent = first->parent, .next = first
	};
	size_t grown = 0; /* for speed: records that share no members are not a table */
	for (const struct value *r = first; r && grown < 2 * FIGURES; r = r->next) {
		const struct value *last = whole->last;
		merge(a, whole, r, depth);
		grown += whole->last != last;
	}
	return whole;
}

/* True if the lines of a log from `first` on are of cases that the number `key` distinguishes: the
   number of a `part`, or a size that is round and has few values or values far from each other.
   Other numbers count what is done, as "batch 10" and "batch 20" do, or are as it happens. */
static bool tells_cases(const struct proposal *p, struct value *first, struct span key, bool part)
{
	enum { PARTS = 64, SIZES = 16 };
	const char *at = member(p, "", key);
	VEC(int64_t) all = VEC_INIT;
	struct decimal d;
	size_t nr = 0;
	for (struct value *r = first; r; r = r->next) {
		const struct value *v = value_get(r, key);
		if (v && reading_number(v, &d, NULL) == DECIMAL_OK)
			vec_push(&all, decimal_scaled(d, 0));
	}
	vec_sort(&all, number_cmp_i64);
	for (size_t i = 0; i < all.nr; i++)
		nr += i == 0 || all.v[i] != all.v[i - 1];
	vec_release(&all);
	if (part || p->table)
		return nr > 1 && (p->table || nr <= PARTS);
	bool counted = span_eq(key, SPAN("batch")) && nr > 1;
	return nr > 1 && ((nr <= SIZES && !counted && is_sweep(p, first, at, key, false)) ||
	                  is_sweep(p, first, at, key, true));
}

/* Adds the figures and settings of the records from `first` on. If neither texts nor settings name
 * the records, several records are the steps of one case. */
static void add_records(struct proposal *p, struct value *first, bool several)
{
	struct value *whole = whole_of(p->a, first, 0);
	bool steps = false, parts = false, named = false;
	p->first = first;
	for (const struct value *v = whole->first; v; v = v->next) {
		bool part = is_number(v) && figure_is_setting(v->key, "part");
		steps = steps || is_step(v->key);
		parts = parts || part;
		named = named || (p->lines && !has_unit(v) && (part || figure_is_setting(v->key, "case")) &&
		                  tells_cases(p, first, v->key, part));
	}
	/* steps are of one case, except those of several ranks, layers and the like */
	named = named || (!p->lines && (parts || !steps));
	p->case_name = several && named ? names_of(p, p->lines ? whole : first, first) : "";
	p->several = *p->case_name;
	p->series = several && first->next &&
	            (!p->several || ((p->lines || parts) && is_twice(p, first, p->case_name)));
	for (const struct value *v = whole->first; v; v = v->next)
		p->named = p->named || (p->several && is_number(v) && is_value(v->key));
	p->named = p->named && count_figures(whole) == 1;
	add_members(p, whole, "", "", 0);
}

/* The list of records in an object that has no figures besides the list; else NULL. */
static struct value *records_of(const struct value *of)
{
	for (struct value *v = of->first; v; v = v->next)
		if (is_list(v) && is_writable(v->key))
			return has_figure(of, v, 0) ? NULL : v;
	return NULL;
}

/* ---- lines of a log ---- */

/* The end of a number, which may have commas between thousands, or in place of a point: reading
   tells whether it is one. */
static const char *number_end(const char *at)
{
	at += strspn(at, "0123456789");
	while (*at == ',' && is_digit(at[1]))
		at += 1 + strspn(at + 1, "0123456789");
	at += *at == '.' && is_digit(at[1]) ? 1 + strspn(at + 1, "0123456789") : 0;
	size_t sign = (at[0] | 0x20) == 'e' && at[1] && strchr("-+", at[1]) ? 2 : 0;
	return sign && is_digit(at[2]) ? at + 2 + strspn(at + 2, "0123456789") : at;
}

/* The end of the unit after a number, or the end of the number if it has no unit. */
static const char *unit_end(const char *number)
{
	const char *at = number + strspn(number, " ");
	size_t n = strcspn(at, " ,;|)]");
	return figure_unit_of((struct span){ at, n }) ? at + n : number;
}

/* Appends a text as a name in a pattern: lowercase letters and digits, with '_' for what is between
 * them. */
static void add_lower(struct strbuf *out, struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool word = is_letter(s.p[i]) || (is_digit(s.p[i]) && out->n);
		if (word || (out->n && out->p[out->n - 1] != '_'))
			strbuf_addch(out, (char)(is_letter(s.p[i]) ? s.p[i] | 0x20 : word ? s.p[i] : '_'));
	}
}

/* The word with index `place` of a line, without a '#' in front; `*nr` becomes the number of words.
   At least `gap` blanks separate words. */
static struct span word_at(struct span line, size_t place, size_t gap, size_t *nr)
{
	struct span found = SPAN("");
	*nr = 0;
	line = span_trim(line, "# \t\r");
	for (size_t i = 0, n, blanks; i < line.n; i += n + blanks) {
		n = blanks = 0;
		for (size_t k = i; k < line.n && (blanks < gap || strchr(" \t", line.p[k])); k++) {
			blanks = strchr(" \t", line.p[k]) ? blanks + 1 : 0;
			n = blanks ? n : k + 1 - i;
		}
		if ((*nr)++ == place)
			found = (struct span){ line.p + i, n };
	}
	return found;
}

/* Appends the heading of the column that `at` is in, if `line` is a row of a table. The heading is
 * in the nearest line above that has as many columns as `line` has words, with two blanks between
 * them, or lacks only the first, as pandas has none for the numbers of rows; else in one with as
 * many words; at most LINES lines are searched. Returns the number of the column, counted from 1.
 */
static size_t add_heading(struct strbuf *out, struct span before, struct span line, const char *at)
{
	enum { LINES = 8 };
	size_t place, all, nr, wide, numbers = 0;
	word_at((struct span){ line.p, (size_t)(at - line.p) }, 0, 1, &place);
	word_at(line, 0, 1, &all);
	bool table = !strpbrk(line.p, ":=|");
	for (size_t i = 0; i < all; i++) {
		struct span word = word_at(line, i, 1, &nr);
		numbers += is_digit(word.p[0]) || (word.n > 1 && is_digit(word.p[1]));
	}
	table = table && 2 * numbers > all; /* else it is a sentence with a number */
	for (int i = 0; i < LINES && table && before.n && !out->n; i++) {
		const char *end = memrchr(before.p, '\n', --before.n);
		size_t from = end ? (size_t)(end + 1 - before.p) : 0;
		struct span above = span_from(before, from), word = word_at(above, place, 2, &wide);
		if (wide > 1 && wide + 1 == all && span_skip(&above, SPAN("  "))) {
			word = place ? word_at(above, place - 1, 2, &wide) : SPAN("");
		} else if (wide != all) {
			word = word_at(above, place, 1, &nr);
			word.n *= nr == all;
		}
		if (word.n && is_letter(word.p[0]))
			add_lower(out, span_trim(word, ")]"));
		before.n = from;
	}
	return place + 1;
}

/* Appends a lowercase name for a number: the last word of the text from `from` to `to`, which is
   before the number, and a unit in brackets there; else the unit after the number. */
static void add_word(struct strbuf *out, const char *from, const char *to, struct span unit)
{
	struct span label = span_trim((struct span){ from, (size_t)(to - from) }, " :=\t");
	const char *bracket = figure_unit_of(figure_name_unit(&label));
	to = bracket ? label.p + label.n : to;
	while (to > from && !is_letter(to[-1]) && !is_digit(to[-1]))
		to--;
	const char *word = to;
	for (int per = 0; per < 2; per++) { /* "samples per second" and "tokens/sec" are one word */
		word -= per ? strlen(" per ") : 0;
		while (word > from && (is_letter(word[-1]) || is_digit(word[-1]) || strchr("_/", word[-1])))
			word--;
		if (word - from <= (ptrdiff_t)strlen(" per ") || memcmp(word - 5, " per ", 5) != 0)
			break;
	}
	word += to > word && *word == '/';
	for (const char *per; (per = memchr(word, '/', (size_t)(to - word))); word = per + 1) {
		add_lower(out, (struct span){ word, (size_t)(per - word) });
		strbuf_adds(out, "_per_");
	}
	add_lower(out, to > word ? (struct span){ word, (size_t)(to - word) } : unit);
	if (bracket && out->n)
		strbuf_addch(out, '_');
	if (bracket && *bracket == '1') /* "1/s" of it/s */
		strbuf_addf(out, "per_%s", bracket + strlen("1/"));
	else
		add_lower(out, span_of(bracket ? bracket : ""));
}

/* Appends literal text of a pattern. Blanks may be missing except behind a word or a number, as in
   "[ 5 ms]" and "[15 ms]". */
static void add_text(struct strbuf *out, const char *from, const char *to)
{
	bool word = out->n > strlen("^"); /* true behind a number, too */
	for (; from < to; from++) {
		size_t blanks = strspn(from, " "), all = strspn(from, " \t");
		if (all) {
			strbuf_addf(out, "%s%c", all > blanks ? "\\s" : " ", word ? '+' : '*');
			from += all - 1;
		} else {
			word = is_letter(*from) || is_digit(*from);
			strbuf_addf(out, strchr(".[]{}()*+?\\|^$", *from) ? "\\%c" : "%c", *from);
		}
	}
}

/* The beginning of the group of a number, "(?<name>", which neither of the patterns has. If they
   have it, words of the line are put in front: those before the number (`label`), or the `first` of
   the line; else the number of its column follows. NULL if the patterns have this group, too. */
static const char *free_group(struct arena *a, struct span name, const char *label,
                              const char *first, size_t column, const char *const patterns[2])
{
	const char *const front[] = { "", label, first, "" };
	for (size_t i = 0; i < NR_OF(front); i++) {
		bool has = *front[i] && span_ends(span_of(front[i]), name);
		const char *group = arena_printf(a, "(?<%s%s%.*s", front[i], *front[i] && !has ? "_" : "",
		                                 has ? 0 : (int)name.n, name.p);
		group = i < 3 ? arena_printf(a, "%s>", group) : arena_printf(a, "%s_c%zu>", group, column);
		if (!strstr(patterns[0], group) && !strstr(patterns[1], group))
			return group;
	}
	return NULL;
}

/* True for a word of a date at the front of `at`: a day or month before another one or a number. */
static bool is_date(const char *at)
{
	static const char days[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "
	                           "Mon Tue Wed Thu Fri Sat Sun";
	enum { WORD = 3 };
	size_t n = strspn(at, "ADFJMNOSTWabcdeghilnoprtuvy"),
	       gap = n == WORD ? strspn(at + n, " ,") : 0;
	return gap && span_is_listed((struct span){ at, n }, days) &&
	       (is_digit(at[n + gap]) || is_date(at + n + gap));
}

/* A pattern for the word at `at`, of `*n` bytes, that differs from run to run: the words of a date,
   "PM" behind a clock, and what glog begins lines with, "I0102 12:00:01". NULL for other words. */
static const char *passing_word(const char *line, const char *at, size_t *n)
{
	bool begins = at == line || strchr(" [(", at[-1]);
	bool half = begins && at - line > 1 && at[-1] == ' ' && is_digit(at[-2]) && strchr("AP", *at) &&
	            at[1] == 'M' && !is_letter(at[2]) && *at;
	bool glog = at == line && strchr("IWEF", *at) && *at && strspn(at + 1, "0123456789") == 4 &&
	            at[5] == ' ' && is_digit(at[6]);
	*n = half ? 2 : glog ? 5 : 3;
	return half ? "[AP]M" : glog ? "[IWEF][0-9]+" : begins && is_date(at) ? "[A-Z][a-z]+" : NULL;
}

/* A pattern that fits a line; NULL if the line has no figure. The text before the line begins at
   `log`. If `others` is "", each number with a decimal point or a unit is a figure. Else the
   pattern is an alternative to `others`: its figures have names that those lack (free_group()), and
   a decimal point does not make a figure, as in "CUDA 12.4". `*table` becomes true if the line is a
   row of a table whose heading names a setting. */
static const char *pattern_of(struct arena *a, struct span s, const char *log, const char *others,
                              bool *table)
{
	enum { CHARS = 400 };
	struct span before = { log, (size_t)(s.p - log) };
	bool any = false;
	struct span plain = span_of(text_line_plain(a, s));
	while (plain.n && strchr(" \t", plain.p[plain.n - 1]))
		plain.n--;
	if (plain.n >= CHARS)
		return NULL;
	const char *line = arena_dup(a, plain), *done = line;
	const char *label = "", *first = "";
	struct strbuf out = STRBUF_INIT;
	strbuf_addch(&out, '^');
	for (const char *c = line; *c; c++) {
		size_t passing;
		const char *word = passing_word(line, c, &passing);
		if (word) {
			add_text(&out, done, c);
			strbuf_adds(&out, word);
			done = c + passing;
			c = done - 1;
			continue;
		}
		const char *end = number_end(c);
		bool hour = c - line > 1 && c[-1] == 'T' && is_digit(c[-2]); /* of 2026-01-02T10:30:00 */
		if (!is_digit(*c) ||
		    (c > line && !hour && (is_digit(c[-1]) || is_letter(c[-1]) || strchr("._", c[-1]))))
			continue;
		bool clock;
		struct decimal seconds;
		size_t lasts = reading_time(span_of(c), &clock, &seconds);
		struct strbuf last = STRBUF_INIT;
		add_word(&last, done, c, SPAN(""));
		if (is_step(strbuf_span(&last))) /* "step 5:10.5 ms" has no clock */
			lasts = clock = 0;
		strbuf_release(&last);
		end = lasts ? c + lasts : end;
		const char *behind = lasts ? end : unit_end(end), *unit = end + strspn(end, " ");
		bool whole = end == c + strspn(c, "0123456789");
		bool sign = c - done > 1 && strchr("+-", c[-1]) && strchr(" \t:=,([", c[-2]);
		struct strbuf name = STRBUF_INIT;
		struct span words = span_trim((struct span){ done, (size_t)(c - done) }, " \t:=|,;()[]+-");
		if (ANY(i, words.n, is_letter(words.p[i]))) {
			struct strbuf lower = STRBUF_INIT;
			add_lower(&lower, words);
			label = arena_take(a, &lower);
			first = *first ? first : label;
		}
		size_t column = add_heading(&name, before, span_of(line), c);
		bool headed = name.n;
		if (!name.n)
			add_word(&name, done, c,
			         (struct span){ unit, (size_t)(behind > end ? behind - unit : 0) });
		struct span own = strbuf_span(&name);
		if (clock && !figure_is_sum(own, "s") && figure_is_sum(span_of(label), "s")) {
			strbuf_setlen(&name, 0); /* "total time" tells more than "time" */
			strbuf_adds(&name, label);
			own = strbuf_span(&name);
		}
		bool figure = behind > end || figure_better(own, figure_unit_by_name(own)) ||
		              (!whole && (headed || !*others));
		struct span left = span_trim((struct span){ line, (size_t)(c - line) }, " ");
		bool spread = span_ends(left, SPAN("±")) || span_ends(left, SPAN("+/-"));
		figure = lasts ? own.n && !span_is_listed_nocase(own, "eta remaining left") &&
		                     (!clock || figure_is_sum(own, "s"))
		               : figure && !spread;
		if (!name.n)
			strbuf_addf(&name, "c%zu", column);
		struct span called = strbuf_span(&name);
		bool progress = *end == '/' || (c > line && c[-1] == '/'); /* "batch 10/100" */
		bool step = is_step(called), alone = behind == end && !lasts && !progress;
		/* "gpu-17" and "stage-2.cluster" are names of hosts */
		bool glued = c > line && c[-1] == '-' && span_eq(called, SPAN("gpu"));
		bool host = glued || is_letter(*end) || *end == '.' || *end == '-';
		bool setting = alone && !host &&
		               (figure_is_setting(called, "case") || figure_is_setting(called, "part"));
		*table = *table || (headed && setting);
		/* alternatives may have the same step, which is the work of all, and the same case */
		bool same = step || setting;
		const char *group = free_group(a, called, same ? "" : label, same ? "" : first, column,
		                               (const char *[]){ strbuf_str(&out), same ? "" : others });
		bool named = group && (figure || setting || step);
		strbuf_release(&name);
		add_text(&out, done, c - sign);
		bool commas = memchr(c, ',', (size_t)(end - c));
		strbuf_addf(&out, "%s%s", named ? group : "",
		            lasts    ? clock ? "[0-9]+:[0-9][0-9:.]*" : "[0-9][0-9.dhms ]*[hms]"
		            : commas ? "[-+0-9.,Ee]+"
		            : figure || !whole || sign ? "[-+0-9.Ee]+"
		                                       : "[0-9]+");
		add_text(&out, end, behind);
		strbuf_adds(&out, named ? ")" : "");
		any |= named && figure;
		done = behind;
		c = done - 1;
	}
	add_text(&out, done, done + strlen(done));
	const char *pattern = arena_take(a, &out);
	return any && is_printed(span_of(pattern)) ? pattern : NULL;
}

/* Number of figures and steps that a pattern takes. */
static size_t count_groups(const char *pattern)
{
	size_t nr = 0;
	for (; (pattern = strstr(pattern, "(?<")); pattern++)
		nr++;
	return nr;
}

/* True if one of the alternatives of a pattern is the beginning of `longer`. */
static bool is_begun(const char *alternatives, const char *longer)
{
	for (const char *p = alternatives, *end; p; p = end ? end + 1 : NULL) {
		end = strstr(p, "|^");
		if (strncmp(p, longer, end ? (size_t)(end - p) : strlen(p)) == 0)
			return true;
	}
	return false;
}

/* The pattern that finds the most values in the beginning of a log, or those of its lines, in its
   beginning and its end, that have more figures; "" if no pattern finds any. `*left` is the number
   of lines that would make the pattern too long; `*table` as for pattern_of(). */
static const char *find_pattern(struct value_tree *t, const char *file, size_t *left, bool *table,
                                struct diag_log *log)
{
	enum { BYTES = 64 << 10, PATTERNS = 40 };
	struct span all = t->bytes, rest = { all.p, all.n < BYTES ? all.n : BYTES }, s;
	const char *best = "";
	size_t most = 0, tried = 0;
	t->bytes = rest;
	while (tried < PATTERNS && value_line(&rest, &s)) {
		size_t before = t->nr_values;
		const char *pattern = pattern_of(&t->arena, s, all.p, "", table);
		if (pattern && strcmp(best, pattern) != 0 && !text_pattern_fault(pattern) && ++tried &&
		    text_lines_add(t, file, pattern, log) == ST_OK && t->nr_values - before > most) {
			most = t->nr_values - before;
			best = pattern;
		}
	}
	t->bytes = all;
	struct text_matcher *m = *best ? text_matcher_new(best) : NULL;
	for (rest = all; m && value_line(&rest, &s);) {
		bool near = s.p - all.p < BYTES || rest.n < BYTES;
		const char *own = near ? pattern_of(&t->arena, s, all.p, "-", table) : NULL;
		if (!own || text_matcher_groups(m, s) >= count_groups(own))
			continue;
		/* a line that goes on has the names of the shorter one; others have names of their own */
		own = pattern_of(&t->arena, s, all.p, "", table);
		own = is_begun(best, own) ? own : pattern_of(&t->arena, s, all.p, best, table);
		const char *both = own ? arena_printf(&t->arena, "%s|%s", best, own) : best;
		bool fits = own && !text_pattern_fault(both);
		*left += own && !fits;
		if (fits) {
			best = both;
			text_matcher_free(m);
			m = text_matcher_new(best);
		}
	}
	text_matcher_free(m);
	return best;
}

/* A text within single quotes of YAML. */
static const char *doubled(struct arena *a, const char *text)
{
	struct strbuf out = STRBUF_INIT;
	for (; *text; text++)
		strbuf_addf(&out, *text == '\'' ? "''" : "%c", *text);
	return arena_take(a, &out);
}

/* ---- proposing a format for a file ---- */

static bool is_table(const struct value *row)
{
	bool texts = row && count_figures(row);
	/* "2026-01-02 12:00:01,123 INFO …" is a line of a log */
	texts = texts && !(row->first->key.n && is_digit(row->first->key.p[0]) &&
	                   memchr(row->first->key.p, ':', row->first->key.n));
	for (const struct value *v = row ? row->first : NULL; v && texts; v = v->next)
		texts = /* the index column of pandas has an empty name */
		    (v->key.n || v == row->first) &&
		    !is_number(&(struct value){ .type = JSCAN_STRING, .key = SPAN("v"), .text = v->key });
	return texts;
}

/* True if a log has a table with bars, and figures beside it. */
static bool has_figures_beside(struct value_tree *t)
{
	bool bars = csv_has_bars(t->bytes), beside = false, table = false;
	for (struct span rest = t->bytes, s; bars && !beside && value_line(&rest, &s);) {
		bool bar = s.n && strchr("|+", s.p[strspn(s.p, " ")]);
		beside = !bar && pattern_of(&t->arena, s, t->bytes.p, "-", &table);
	}
	return beside;
}

enum status result_propose(struct source *src, const char *file, struct result_proposal *out,
                           struct diag_log *log)
{
	struct value_tree t = { 0 };
	struct proposal p = {
		.a = &t.arena, .take = STRBUF_INIT, .work = "", .case_name = "", .sum_of = ""
	};
	const char *keys = "";
	bool table = false;
	size_t left = 0;
	*out = (struct result_proposal){ .lines = STRBUF_INIT };
	enum status st = value_bytes_read(src, &t, log);
	bool json = st == ST_OK && value_is_json(t.bytes);
	if (json) {
		/* the first line of a log may begin with the time in brackets, which looks like a list */
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
	/* a list is one of cases, also with one record, if something names it */
	bool list = span_ends(span_of(file), SPAN(".jsonl"));
	for (; json && first && first->type == JSCAN_ARRAY; list = true)
		first = first->first;
	table = !json && table && is_table(first) && !has_figures_beside(&t);
	if (st == ST_OK && json && first && first->type == JSCAN_OBJECT) {
		if ((records = records_of(first))) {
			keys = arena_printf(p.a, "      records: '%s[*]'\n", member(&p, "", records->key));
			add_work_around(&p, first, "^", 0);
			first = records->first;
		}
		add_records(&p, first, first->next || records || list);
	} else if (st == ST_OK && table) {
		keys = "      read: csv\n";
		add_records(&p, first, true);
	} else if (st == ST_OK && !json) {
		const char *pattern = find_pattern(&t, file, &left, &p.table, log);
		keys = arena_printf(p.a, "      read: text\n      pattern: '%s'\n", doubled(p.a, pattern));
		t.root.first = t.root.last = NULL;
		p.lines = true;
		if (*pattern)
			st = text_lines_add(&t, file, pattern, log);
		if (t.root.first)
			add_records(&p, t.root.first, true);
	}
	if (st == ST_OK && p.nr) {
		strbuf_addf(&out->lines, "    - match: %s\n%s%s",
		            quoted(&p, is_writable(span_of(file)) ? file : "*"), keys,
		            p.series ? "      series: true\n" : "");
		if (*p.case_name && !p.named)
			strbuf_addf(&out->lines, "      case: '%s'\n", p.case_name);
		if (*p.work)
			strbuf_addf(&out->lines, "      work: [%s]\n", p.work);
		if (p.take.n)
			strbuf_addf(&out->lines, "      take:%s\n", strbuf_str(&p.take));
		if (p.samples.n)
			strbuf_addf(&out->lines, "      samples:%s\n", strbuf_str(&p.samples));
		if (p.nr > FIGURES)
			strbuf_addf(&out->lines, "      # and %zu more figures\n", p.nr - FIGURES);
		if (p.lines && csv_has_bars(t.bytes))
			strbuf_adds(
			    &out->lines,
			    "      # 'read: csv' reads the table with bars, if it is a file of its own\n");
		if (left)
			strbuf_addf(&out->lines,
			            "      # and %zu more lines with figures: a format with 'rest: true' reads "
			            "them\n",
			            left);
	}
	out->is_open = p.open;
	out->is_plain = (json || table) && p.known && p.nr <= FIGURES;
	strbuf_release(&p.take);
	strbuf_release(&p.samples);
	value_tree_release(&t);
	return st;
}
