#include "results/readings.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "metric/metric.h"
#include "metric/unit.h"
#include "results/path.h"
#include "results/result_file.h"

/// State of reading the figures of a file.
struct taker {
	const struct reading_file *f;
	const struct result_take *row; ///< row of the format, which takes one or more figures
	bool is_samples;
	struct value *record;
	size_t number; ///< index of the record among those that the format takes; 0 for a series
	bool several; ///< true if the file has other records
	struct span case_name; ///< name of the case as a prefix of figures' names, with its '/'; "" if
	                       ///< there is none
	struct span case_text; ///< name of the case, as the file spells it
	const char *work; ///< settings and counts of work of the case, as lines (struct input_stat)
	const char *row_work; ///< `work` and, if the figures of the row are totals, the count of what
	                      ///< they are summed over, such as requests
	const struct value *list; ///< list of records to which `around` applies
	const char *around; ///< settings from outside of the record, which all records in `list` share
	struct readings *out;
	struct arena *a;
	const char *file; ///< name of the file without directories and file name endings
	struct diag_log *log;
	enum status status;
	bool of_cases; ///< true if the steps of a series are of several cases
	bool said_runs; ///< true if a warning has said that the file holds several runs
};

/* ---- one value of a record ---- */

/* The unit of a figure as text, from the first of these that has one: the value, the row of the
   format, the member at the path `unit_at`, brackets in the name. "" if none has one. */
static struct span unit_said(const struct taker *t, struct value *v, struct span text,
                             struct span bracket)
{
	const char *at = t->row->unit_at;
	const struct value *said = NULL;
	if (text.n || t->row->unit) /* a unit in the value itself is preferred */
		return text.n ? text : span_of(t->row->unit);
	if (at)
		said = *at == '^' ? path_find(at, v) : path_find(at, t->record);
	return said ? said->text : bracket;
}

/* The name of a figure as the file spells it: filled in from the row's template or, if the row has
 * no template, the last name that a '*' in the row's path matched, or else the last name in the
 * path.
 */
static struct span name_of(const struct taker *t, const struct path_hit *hit)
{
	struct template_words words = {
		.record = t->record, .file = t->file, .key = hit->first_key, .value = hit->v
	};
	return t->row->as        ? template_fill(t->row->as, &words, t->a)
	       : hit->last_key.p ? hit->last_key
	                         : path_name(t->row->at);
}

/* Cuts the unit in brackets off the name of a figure, and returns it; "" if there is none. If the
   key of another member has the same text before its unit, as "time (us)" has it beside "time
   (ms)", the name keeps its unit. */
static struct span cut_unit(const struct value *v, struct span *name)
{
	struct span whole = *name, unit = figure_name_unit(name);
	for (const struct value *m = unit.n && v->parent ? v->parent->first : NULL; m; m = m->next) {
		struct span other = m->key;
		if (m != v && span_starts(other, *name) && figure_name_unit(&other).n &&
		    span_eq(other, *name))
			*name = whole;
	}
	return unit;
}

/* The text of `key` that the first to the last '*' of a step matched: "ttft" for the key
   mean_ttft_ms and the step "mean_*_ms". The step is the first of the path `at` that has a '*'. */
static struct span key_match(const char *at, struct span key)
{
	const char *star = strchr(at, '*');
	if (!star || !key.p)
		return key;
	const char *from = star;
	while (from > at && from[-1] != '.')
		from--;
	size_t before = (size_t)(star - from), after = 0;
	for (const char *p = star; *p && *p != '.' && *p != '['; p++)
		after = *p == '*' ? 0 : after + 1;
	bool fits = key.n >= before + after;
	return fits ? (struct span){ key.p + before, key.n - before - after } : key;
}

/* The name of a figure for people, from the row's template. It is `plain`, the figure's name
 * without the case, if the row has no template, if `plain` has a '/', or if the template gives no
 * text or one that is too long. */
static const char *title_of(const struct taker *t, struct span first_key, const char *plain)
{
	if (!t->row->title || strchr(plain, '/'))
		return plain;
	struct template_words words = { .record = t->record,
		                            .file = t->file,
		                            .key = key_match(t->row->at, first_key) };
	char *title = arena_dup(t->a, template_fill(t->row->title, &words, t->a));
	for (char *c = title; *c; c++)
		if (*c == '_' || !figure_title_has(*c))
			*c = ' ';
	return title[0] && strlen(title) <= INPUT_NAME_MAX ? title : plain;
}

/* Computes a − b; false unless the result is exact. */
static bool less(struct decimal a, struct decimal b, struct decimal *out)
{
	int64_t digits = a.digits > b.digits ? a.digits : b.digits, value;
	int64_t x = decimal_scaled(a, digits), y = decimal_scaled(b, digits);
	bool whole = x != INT64_MAX && x != INT64_MIN && y != INT64_MAX && y != INT64_MIN;
	if (!whole || __builtin_sub_overflow(x, y, &value))
		return false;
	*out = decimal_of(value, digits);
	return true;
}

/* Reads `v` as a number; subtracts and scales as the row of the format says (`minus`, `scale`).
 * Returns the end of a sentence on what is wrong, or NULL. */
static const char *number_of(struct taker *t, struct value *v, struct decimal *out,
                             struct span *unit)
{
	struct decimal other, scale;
	enum decimal_fault fault = reading_number_as(v, t->row->thousands, out, unit);
	if (fault == DECIMAL_TOO_LONG)
		return "with more than 18 significant digits, which cannot all be kept: round it";
	if (fault != DECIMAL_OK || (unit->n && (!figure_unit_of(*unit) || t->row->scale)))
		return "not a number";
	if (t->row->minus) {
		const struct value *m = path_find(t->row->minus, t->record);
		if (!m || reading_number(m, &other, NULL) != DECIMAL_OK || !less(*out, other, out))
			return "and what is subtracted from it is not a number";
	}
	if (t->row->scale && (decimal_parse(span_of(t->row->scale), &scale) != DECIMAL_OK ||
	                      !decimal_times(*out, scale, out)))
		return "which has too many digits to be scaled";
	return NULL;
}

/* True if a value that is not a number only happens to fit the path, and is not meant as a figure:
 * a text beside the figures, or a column that a step lacks. `any` is true if a '*' in the path led
 * to the value, `lenient` if the row of the format need not find a number. */
static bool is_other(const struct taker *t, const struct value *v, bool lenient, bool any)
{
	bool series = t->f->format->series;
	if (t->is_samples) /* a sample without a number may be of a failed request, and without it the
	                      figure would be too good; only a format that was made for the file
	                      knows that a null is meant */
		return v->type == JSCAN_NULL && series && t->row->optional && t->f->format->match;
	if (v->type == JSCAN_NULL)
		return series ? t->f->format->read == READ_CSV : lenient;
	return lenient && !reading_begins_as_number(v->text) && !reading_is_unmeasured(v) &&
	       (any || !reading_is_shortened(v->text));
}

/* True if `v` is a text or null, and the figure may also have numbers. A text or null among numbers
   means that this value was not measured. */
static bool is_one_of_several(const struct taker *t, const struct value *v)
{
	const struct result_format *f = t->f->format;
	bool none = v->type == JSCAN_NULL && !f->series; /* a step of a table may lack a column */
	return (v->type == JSCAN_STRING || none) && (f->series || f->repeats != REPEATS_ERROR);
}

/* The number of a value, which may be a text with a unit; NaN if it has none. */
static double double_of(const struct value *v)
{
	struct decimal number;
	bool any = v && reading_number(v, &number, NULL) == DECIMAL_OK;
	return any ? (double)number.value * pow(10, -(double)number.digits) : NAN;
}

static double number_at(const struct taker *t, const char *template, struct value *v,
                        struct span key)
{
	struct template_words words = { .record = t->record, .file = "", .key = key, .value = v };
	const char *path = template_fill(template, &words, t->a).p;
	return path_fault(path) ? NAN : double_of(path_find(path, t->record));
}

/* Fills `stdev` and `count` of a reading from the members that its row of the format names; they
 * stay 0 if these members are absent. `key` is the name that the first '*' of the row's path
 * matched. */
static void add_spread(const struct taker *t, struct reading *r, struct value *v, struct span key)
{
	const struct result_take *row = r->row;
	const double margin = 3.29, bound = 2.58; /* half-width, in standard errors, of a confidence
	                                             interval of 99.9 % (JMH), and of 99 % (asv) */
	double figure = fabs(double_of(v));
	struct span word = key_match(row->at, key);
	double error = row->error    ? number_at(t, row->error, v, word)
	               : row->margin ? number_at(t, row->margin, v, word) / margin
	               : row->upper  ? (number_at(t, row->upper, v, word) - figure) / bound
	                             : NAN;
	if ((!row->count && isnan(error)) || !(figure > 0))
		return;
	/* a standard error is stored as if the figure were the mean of two values: their standard
	   deviation is √2 times as large as the standard error */
	double count = isnan(error) ? number_at(t, row->count, v, word) : 2;
	double stdev = !isnan(error) ? error / figure * M_SQRT2
	               : row->stdev  ? number_at(t, row->stdev, v, word) / figure
	                             : number_at(t, row->stdev_share, v, word);
	if (count > 1 && count < 1e15 && stdev >= 0 && stdev < 1e6) {
		r->count = (int64_t)count;
		r->stdev = stdev;
	}
}

static void take_value(void *ctx, const struct path_hit *hit)
{
	struct taker *t = ctx;
	struct readings *out = t->out;
	struct value *v = hit->v;
	struct span first_key = hit->first_key;
	struct span text = SPAN("");
	struct decimal number = { 0, 0 };
	bool lenient = t->row->optional || first_key.p;
	if (t->status != ST_OK || v->taken)
		return;
	struct span name = name_of(t, hit), bracket = cut_unit(v, &name);
	struct span heading = v->key;
	if (!bracket.n && t->row->as) /* the name comes from a template, but the key of the value may
	                                 tell the unit */
		bracket = figure_name_unit(&heading);
	const char *fault = number_of(t, v, &number, &text);
	bool no_number = fault && strcmp(fault, "not a number") == 0;
	bool other = no_number && is_other(t, v, lenient, first_key.p);
	if (name.n == 0 || (other && !is_one_of_several(t, v)))
		return; /* the value is in a column without a heading, or a text beside the figures */
	if (fault && !(no_number && (lenient || reading_is_unmeasured(v)))) {
		t->status = diag_fail(
		    t->log, ST_INPUT, "%s: %s is %s, %s", t->f->name,
		    reading_text(name, t->case_text, &t->log->arena),
		    v->text.n ? text_quote(&t->log->arena, v->text) : "a list or an object", fault);
	} else {
		v->taken = !other || v->type == JSCAN_NULL;
		static const char *const better[] = {
			[RESULT_LOWER] = "lower", [RESULT_HIGHER] = "higher", [RESULT_NEITHER] = NULL
		};
		struct span said = unit_said(t, v, text, bracket);
		const char *unit = said.n ? figure_unit_of(said) : figure_unit_by_name(name);
		struct strbuf b = STRBUF_INIT;
		strbuf_add(&b, t->case_name);
		figure_name_add(name, &b);
		const char *full = arena_take(t->a, &b);
		struct reading r = {
			.name = full,
			.title = title_of(t, first_key, full + t->case_name.n),
			.case_text = t->case_text,
			.text = name,
			.row = t->row,
			.work = t->row_work,
			.is_samples = t->is_samples,
			.is_other = other,
			.unit = unit ? unit : UNIT_BARE,
			.better = t->row->better
			              ? better[t->row->better]
			              : figure_better(name, unit || !said.n ? unit : arena_dup(t->a, said)),
			.record = t->number,
			.order = out->list.nr,
			.value = number
		};
		if (said.n && !unit) /* a unit that is not known cannot be converted: it must be the same */
			r.work = arena_printf(t->a, "%s%sunit=%.*s", r.work ? r.work : "", r.work ? "\n" : "",
			                      (int)said.n, said.p);
		bool zero = t->is_samples && !number.value && figure_is_above_0(name);
		if (fault || zero || reading_is_impossible(number, name, r.unit, t->row->negative))
			r.unmeasured = v;
		else
			add_spread(t, &r, v, first_key);
		out->nr_names += r.order == 0 || strcmp(out->list.v[r.order - 1].name, full) != 0;
		vec_push(&out->list, r);
		if (out->nr_names > RESULT_FIGURES_MAX)
			t->status = diag_fail(t->log, ST_INPUT, "%s: more than %d figures in a result file",
			                      t->f->name, RESULT_FIGURES_MAX);
	}
}

bool reading_is_of_sweep(struct span folder)
{
	/* GenAI-Perf writes no separator before the number: "model-openai-chat-concurrency16" */
	for (size_t from = 0, n = 1; from + n < folder.n; n++) {
		const char *end = folder.p + from + n;
		size_t sep = strchr("_-=", *end) != NULL;
		if (from + n + sep < folder.n && is_digit(end[sep]) &&
		    figure_is_setting((struct span){ folder.p + from, n }, "sweep"))
			return true;
		from = *end == '-' ? from + n + 1 : from;
		n = *end == '-' ? 0 : n;
	}
	return false;
}

struct span reading_sweep_of(const char *path)
{
	struct span folder = SPAN("");
	for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
		folder = (struct span){ path, (size_t)(slash - path) };
	folder.n = reading_is_of_sweep(folder) ? folder.n : 0;
	return folder;
}

/* The part of `path` that names the benchmark of a file of Criterion: the folders after
 * target/criterion or, in another place, the last folder. "" unless `path` is the newest run's
 * file, new/estimates.json. */
static struct span criterion_folders(const char *path)
{
	const char *end = strstr(path, "/new/estimates.json"), *from = end, *at = path;
	while (from && from > path && from[-1] != '/')
		from--;
	for (; end && (at = strstr(at, "criterion/")) && at + strlen("criterion/") <= end; at++)
		from = at + strlen("criterion/");
	return end ? (struct span){ from, (size_t)(end - from) } : SPAN("");
}

static void name_case(struct taker *t)
{
	struct span text = reading_sweep_of(t->f->name);
	t->case_name = t->case_text = SPAN("");
	const char *name = t->f->format->case_name;
	if (name && strcmp(name, "{folders}") == 0) {
		text = criterion_folders(t->f->name);
		name = NULL;
	}
	if (!name && !text.n)
		return;
	if (name)
		text = template_fill(
		    name,
		    &(struct template_words){ .record = t->record,
		                              .file = t->file,
		                              .key = t->record->key,
		                              .no_folders = strchr(name, '{') != strrchr(name, '{') },
		    t->a);
	t->case_text = figure_case_settle(text, t->a);
	struct strbuf b = STRBUF_INIT;
	figure_name_add(t->case_text, &b);
	strbuf_addch(&b, '/');
	t->case_name = span_of(arena_take(t->a, &b));
}

/* Appends the setting or count at a path to `out`, as a line of name, `sign` and value. */
static void add_item(const struct taker *t, const char *path, char sign, struct strbuf *out)
{
	struct template_words words = { .record = t->record, .file = t->file, .key = t->record->key };
	path = template_fill(path, &words, t->a).p;
	const struct value *v = path_find(path, t->record);
	/* null is a value in JSON only: in a table, it means that a step lacks what another step has */
	bool none = v && v->type == JSCAN_NULL && sign == '=' && t->f->format->read == READ_JSON;
	if (!v || v->type == JSCAN_OBJECT || v->type == JSCAN_ARRAY || (v->type == JSCAN_NULL && !none))
		return;
	struct strbuf name = STRBUF_INIT;
	for (const char *p = path + strspn(path, "^"); *p; p++)
		strbuf_add(&name, (struct span){ p, *p != '"' });
	strbuf_adds(out, out->n ? "\n" : "");
	figure_name_add(strbuf_span(&name), out);
	strbuf_release(&name);
	strbuf_addch(out, sign);
	figure_name_add(none ? SPAN("none") : figure_case_plain(v->text), out);
}

/* Appends settings and counts that the format names. If `around`, those outside of the record are
 * appended, which all records of a list share; else those within the record. */
static void add_work(const struct taker *t, bool around, struct strbuf *out)
{
	const struct result_format *f = t->f->format;
	for (size_t i = 0; i < f->work.nr + f->work_done.nr; i++) {
		bool done = i >= f->work.nr;
		const char *path = done ? f->work_done.v[i - f->work.nr].p : f->work.v[i].p;
		if (around == (*path == '^' && !strchr(path, '{')))
			add_item(t, path, done ? '~' : '=', out);
	}
}

/* ---- one record of the file ---- */

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static void take_row(struct taker *t, const struct result_take *row, bool is_samples)
{
	const struct result_format *f = t->f->format;
	struct path_ignore ignore = { f->ignore.v, f->ignore.nr };
	size_t before = t->out->list.nr;
	t->row = row;
	t->is_samples = is_samples;
	t->row_work = t->work;
	if (row->sum_of) {
		struct strbuf work = STRBUF_INIT;
		strbuf_adds(&work, t->work ? t->work : "");
		add_item(t, row->sum_of, '+', &work);
		t->row_work = text_or_null(arena_take(t->a, &work));
	}
	path_visit(row->at, t->record, &ignore, take_value, t);
	bool any = t->out->list.nr > before || row->optional || strchr(row->at, '*') || f->series;
	if (t->status == ST_OK && !any)
		t->status =
		    diag_fail(t->log, ST_INPUT, "%s: %s%sno figure at '%s', where the format %s has one",
		              t->f->name, t->case_text.n ? text_quote(&t->log->arena, t->case_text) : "",
		              t->case_text.n ? " has " : "", row->at, f->name);
}

/* Warns of failed requests, which a list 'errors' in the record names. For the first record, such
   lists in the objects around it count, too. */
static void say_errors(const struct taker *t)
{
	const struct value *first = NULL;
	size_t nr = 0;
	for (const struct value *of = t->record; of; of = t->number ? NULL : of->parent) {
		const struct value *list = value_get(of, SPAN("errors"));
		for (const struct value *e = list ? list->first : NULL; e; e = e->next)
			if (e->type == JSCAN_STRING && e->text.n &&
			    !span_is_listed_nocase(e->text, "none null ok")) {
				first = first ? first : e;
				nr++;
			}
	}
	if (first)
		diag_warn(t->log,
		          "%s: 'errors' has %zu text%s, such as %s: see whether the figures are of "
		          "all requests",
		          t->f->name, nr, text_s((int64_t)nr), text_quote(&t->log->arena, first->text));
}

static void take_record(struct taker *t)
{
	const struct result_format *f = t->f->format;
	struct arena *a = &t->log->arena;
	const char *fault = reading_fault(t->f, t->record, t->log);
	enum { DEPTH = 4 };
	const struct value *failure = fault ? NULL : reading_failure_in(t->record, DEPTH);
	for (const struct value *v = t->record->parent; v && !failure && !fault; v = v->parent)
		failure = v->type == JSCAN_OBJECT ? reading_failure_in(v, 0) : NULL;
	if (failure)
		fault = reading_failure_text(failure, a);
	if (fault) {
		const char *said =
		    arena_printf(a, "the run is not valid%s%s: %s", t->case_text.n ? ", case " : "",
		                 t->case_text.n ? text_quote(a, t->case_text) : "", fault);
		if (failure && t->several)
			diag_warn(t->log, "%s: %s; its figures are missing", t->f->name, said);
		else
			t->status = diag_fail(t->log, ST_INPUT, "%s: %s", t->f->name, said);
		return;
	}
	say_errors(t);
	struct strbuf work = STRBUF_INIT;
	if (!t->around || t->record->parent != t->list) { /* for speed, these settings are collected
		                                                 only once for each list */
		add_work(t, true, &work);
		t->around = arena_dup(t->a, strbuf_span(&work));
		t->list = t->record->parent;
	} else {
		strbuf_adds(&work, t->around);
	}
	add_work(t, false, &work);
	t->work = text_or_null(arena_take(t->a, &work));
	for (size_t i = 0; i < f->samples.nr + f->take.nr && t->status == ST_OK; i++)
		take_row(t, i < f->samples.nr ? &f->samples.v[i] : &f->take.v[i - f->samples.nr],
		         i < f->samples.nr);
}

/* True if the step `than` lacks a member of the step `of`. A null does not count as one. */
static bool has_more(const struct value *of, const struct value *than)
{
	const struct value *at = than->first, *own = NULL;
	for (const struct value *v = of->first; v; v = v->next, at = own ? own->next : at) {
		own = at && span_eq(at->key, v->key) ? at : value_get(than, v->key);
		if (v->type != JSCAN_NULL && (!own || own->type == JSCAN_NULL))
			return true;
	}
	return false;
}

/* True if two records are of one kind, and not lines that different groups of a pattern have found.
 */
static bool is_alike(const struct value *a, const struct value *b)
{
	return a->first && b->first && (value_get(a, b->first->key) || value_get(b, a->first->key));
}

/* Adds to the last of `nr` steps, as not measured, the members that earlier steps have and all
 * steps at the end lack. Some tools leave out a loss that is NaN; without this, the loss of an
 * earlier step would count as the newest. */
static void add_lacking(struct value *steps, size_t nr, struct arena *a)
{
	struct value *last = &steps[nr - 1];
	const struct value *whole = NULL;
	size_t others = 0;
	for (size_t i = nr - 1; i > 0; i--) {
		const struct value *s = &steps[i - 1];
		bool same = !has_more(s, last) && !has_more(last, s);
		if (same && whole)
			return;
		whole = whole || same || !is_alike(s, last) ? whole : s;
		others += whole && is_alike(s, last);
	}
	bool lacks = others > 1 && !has_more(last, whole);
	for (const struct value *v = lacks ? whole->first : NULL; v; v = v->next) {
		struct value *own = last->first;
		while (own && !span_eq(own->key, v->key))
			own = own->next;
		if (v->type == JSCAN_NULL || (own && own->type != JSCAN_NULL))
			continue;
		struct value *next = own ? own->next : last->first;
		struct span text = own ? SPAN("null at the end") : SPAN("absent at the end");
		if (!own)
			last->first = own = arena_alloc(a, 1, sizeof *own);
		*own =
		    (struct value){ JSCAN_NAN, .key = v->key, .text = text, .parent = last, .next = next };
	}
}

/// A record, and the name of its case; "" if all records of a series are steps of one.
struct step {
	const char *case_text;
	size_t place; ///< index in the file
	struct value *record;
};
ORDERING(step_cmp, struct step, BY_TEXT(case_text) RISING(place))

/* Combines the records that are steps of one case into one record, an array of the records. */
static struct value *steps_of(const struct step *steps, size_t nr, struct arena *a)
{
	struct value *all = arena_alloc(a, 1, sizeof *all),
	             *copies = arena_alloc(a, nr, sizeof *copies);
	*all = (struct value){ JSCAN_ARRAY, .steps = true, .first = copies,
		                   .parent = steps->record->parent };
	for (size_t i = 0; i < nr; i++) {
		copies[i] = *steps[i].record;
		copies[i].next = i + 1 < nr ? &copies[i + 1] : NULL;
	}
	size_t end = nr; /* the last step, and the last one of another kind */
	add_lacking(copies, nr, a);
	while (end && is_alike(&copies[end - 1], &copies[nr - 1]))
		end--;
	if (end)
		add_lacking(copies, end, a);
	return all;
}

enum { COUNTERS = 6 };

/* Fills `out` with the numbers that count the steps of a record; those that it lacks are NaN. False
   if it lacks all. */
static bool counters_of(const struct value *record, double out[COUNTERS])
{
	static const char *const names[COUNTERS] = { "step",      "global_step", "_step",
		                                         "iteration", "iter",        "epoch" };
	bool any = false;
	for (int k = 0; k < COUNTERS; k++)
		out[k] = NAN;
	for (const struct value *v = record->first; v; v = v->next)
		for (int k = 0; k < COUNTERS; k++)
			if (span_eq_nocase(v->key, span_of(names[k])))
				out[k] = double_of(v);
	for (int k = 0; k < COUNTERS; k++)
		any = any || !isnan(out[k]);
	return any;
}

/* True if the record `r` has what `first` has, and the same settings, the same rank, and the same
   texts, except those that differ between runs (reading_is_of_run()). */
static bool may_be_first(const struct value *first, const struct value *r)
{
	for (const struct value *v = first->first; v; v = v->next) {
		const struct value *own = value_get(r, v->key);
		bool text = v->type == JSCAN_STRING && isnan(double_of(v)) &&
		            !reading_begins_as_number(v->text) && !reading_is_of_run(v->key);
		bool setting = span_is_listed_nocase(v->key, "rank local_rank global_rank") ||
		               figure_is_setting(v->key, "record");
		if (v->type != JSCAN_NULL && (!own || own->type == JSCAN_NULL ||
		                              ((text || setting) && !span_eq(v->text, own->text))))
			return false;
	}
	return true;
}

/* Index of the first record of the last run in a log to which several runs were appended: there,
   the steps go back to where those of the run before began. A run that goes on from a checkpoint
   does not go back so far. */
static size_t last_run(struct taker *t, const struct step *steps, size_t nr_steps)
{
	enum { STEPS = 3 }; /* records of fewer steps may be those of several processes at once */
	double begin[COUNTERS], reached[COUNTERS], now[COUNTERS];
	size_t from = 0, runs = 0, nr = 0;
	for (size_t i = 0; i < nr_steps; i++) {
		bool back = false, anew = nr >= STEPS;
		if (!counters_of(steps[i].record, now))
			continue;
		for (int k = 0; k < COUNTERS && nr; k++) {
			anew = anew && !(now[k] > begin[k]);
			back = back || now[k] < reached[k];
			reached[k] = fmax(reached[k], now[k]);
		}
		nr++;
		if (nr == 1 || (anew && back && may_be_first(steps[from].record, steps[i].record))) {
			from = i;
			runs++;
			nr = 1;
			memcpy(begin, now, sizeof now);
			memcpy(reached, now, sizeof now);
		}
	}
	if (runs > 1 && !t->said_runs)
		diag_warn(t->log,
		          "%s: it holds %zu runs, since its steps begin anew: only the last is read; "
		          "write each run into a file of its own",
		          t->f->name, runs);
	t->said_runs = t->said_runs || runs > 1;
	return runs > 1 ? from : 0;
}

/* Sorts the records of a series by their cases, if they are steps of several. Lines that have
   nothing of what cases are named by, such as those of the whole run, are of none. */
static void sort_by_case(struct taker *t, struct step *steps, size_t nr)
{
	struct value none = { .type = JSCAN_OBJECT, .key = SPAN("") };
	t->record = &none;
	name_case(t);
	const char *unnamed = arena_dup(t->a, t->case_text), *named = unnamed;
	bool several = false;
	for (size_t i = 0; i < nr && t->f->format->case_name; i++) {
		t->record = steps[i].record;
		name_case(t);
		const char *text = arena_dup(t->a, t->case_text);
		bool lacks = strcmp(text, unnamed) == 0;
		several = several || (!lacks && named != unnamed && strcmp(text, named) != 0);
		named = lacks ? named : text;
		steps[i].case_text = lacks ? "" : text;
	}
	for (size_t i = 0; i < nr && !several; i++)
		steps[i].case_text = "";
	t->of_cases = several;
	sort_plain(steps, nr, sizeof *steps, step_cmp);
}

enum status readings_take(const struct reading_file *f, struct value *const *records, size_t nr,
                          struct digest *d, struct diag_log *log)
{
	struct readings out = { 0 };
	struct taker t = { .f = f, .out = &out, .a = &d->arena, .log = log, .several = nr > 1 };
	size_t hidden = *f->file == '.', dot = hidden + strcspn(f->file + hidden, ".");
	t.file = arena_dup(t.a, (struct span){ f->file, dot });
	bool series = f->format->series;
	VEC(struct step) steps = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		vec_push(&steps, (struct step){ "", i, records[i] });
	if (series)
		sort_by_case(&t, steps.v, steps.nr);
	for (size_t i = 0, end; i < steps.nr && t.status == ST_OK; i = end, t.number++) {
		const struct step *step = &steps.v[i];
		for (end = i + 1;
		     series && end < steps.nr && strcmp(steps.v[end].case_text, step->case_text) == 0;)
			end++;
		size_t from = series ? last_run(&t, step, end - i) : 0;
		t.record = series ? steps_of(step + from, end - i - from, t.a) : step->record;
		name_case(&t);
		if (t.of_cases && !*step->case_text)
			t.case_name = t.case_text = SPAN("");
		take_record(&t);
	}
	if (t.status == ST_OK)
		t.status = readings_finish(&out, f, d, log);
	vec_release(&steps);
	vec_release(&out.list);
	vec_release(&out.unmeasured);
	return t.status;
}
