/* The command baseline log, which prints the history of a stored baseline. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diff/past.h"
#include "report/document.h"
#include "report/table.h"

struct shown {
	struct setup setup;
	struct baseline b;
	struct document d;
	struct short_names names; ///< display names of kernels
};

/* Headline such as "baseline · default: approved 2027-01-31 by ada at a1b2c3d4e5; 7 accepted
   runs". */
static void put_headline(struct shown *s)
{
	const struct provenance *p = &s->b.provenance;
	struct document *d = &s->d;
	size_t nr = s->b.reference.runs.nr;
	d->marker = arena_printf(&d->arena, "baseline-%s", s->b.workload);
	doc_paragraph(d);
	doc_words(d, "baseline · ");
	doc_said(d, s->b.workload);
	doc_words(d, ": approved");
	if (strlen(p->time) >= 10)
		doc_printf(d, " %.10s", p->time);
	if (p->who[0]) {
		doc_words(d, " by ");
		doc_name(d, p->who);
	}
	if (p->commit[0]) {
		doc_words(d, " at ");
		doc_commit(d, p->commit, NULL);
	}
	doc_printf(d, "; %zu later run%s accepted", nr, nr == 1 ? "" : "s");
}

static enum status shown_begin(struct shown *s, const struct options *o, struct diag_log *log)
{
	const char *path;
	*s = (struct shown){ 0 };
	doc_init(&s->d);
	TRY(setup_init(&s->setup, o, log));
	TRY(setup_baseline_path(&s->setup, o, NULL, &s->setup.rules.arena, &path, log));
	TRY(setup_baseline_read(o, path, &s->b, log));
	put_headline(s);
	return ST_OK;
}

static enum status shown_end(struct shown *s, const struct options *o, enum status st,
                             struct diag_log *log)
{
	struct page_frame frame = { .tool = "gpugate", .heading = s->b.workload, .word = "baseline" };
	if (st == ST_OK)
		st = output_document(o, &s->d, &frame, false, log);
	doc_release(&s->d);
	short_names_release(&s->names);
	baseline_release(&s->b);
	setup_release(&s->setup);
	return st;
}

static const char *or_absent(const char *text)
{
	return text && *text ? text : "–";
}

enum { LOG_ITEMS = 5 };

static void log_run(struct document *d, const char *place, const struct provenance *p)
{
	doc_row(d, 0);
	doc_words_cell(d, place);
	doc_name_cell(d, or_absent(p->time));
	doc_cell(d);
	doc_commit(d, or_absent(p->commit), NULL);
	doc_name_cell(d, or_absent(p->who));
	doc_said_cell(d, or_absent(p->reason));
}

static void log_runs(const struct baseline *b, struct document *d)
{
	static const struct doc_column columns[] = { { "run", DOC_RIGHT },
		                                         { "time", DOC_LEFT },
		                                         { "commit", DOC_LEFT },
		                                         { "who", DOC_LEFT },
		                                         { "reason", DOC_LEFT } };
	doc_section(d, "runs", "Runs, oldest first", DOC_OPEN);
	doc_table(d, "Runs, oldest first", COLUMNS(columns));
	log_run(d, "pin", &b->provenance);
	for (size_t i = 0; i < b->reference.runs.nr; i++)
		log_run(d, arena_printf(&d->arena, "%zu", i + 1), &b->reference.runs.v[i].provenance);
	doc_end(d);
}

/* The runs whose figures are shown: the approved run, then the recent runs. */
struct timeline {
	const struct past_run *runs[BASELINE_RECENT + 1];
	size_t nr;
};

static const struct past_value *value_at(const struct past_run *run, const struct past_value *key)
{
	return run->values.nr ? bsearch(key, run->values.v, run->values.nr, sizeof *key, past_value_cmp)
	                      : NULL;
}

/* Largest number of decimals that the figure has in any run: metrics files may differ in this. */
static int64_t digits_of(const struct timeline *s, const struct past_value *key)
{
	int64_t digits = key->digits;
	for (size_t i = 0; i < s->nr; i++) {
		const struct past_value *v = value_at(s->runs[i], key);
		number_raise(&digits, v ? v->digits : digits);
	}
	return digits;
}

/* The value with `digits` decimals; false if the run lacks it. */
static bool scaled_at(const struct past_run *run, const struct past_value *key, int64_t digits,
                      int64_t *out)
{
	const struct past_value *v = value_at(run, key);
	if (v)
		*out = decimal_scaled((struct decimal){ v->value, v->digits }, digits);
	return v != NULL;
}

/* Append a bar per run, one character each; the lowest value has the lowest bar. */
static void add_sparkline(struct strbuf *b, const struct timeline *s, const struct past_value *key)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▅", "▇" };
	enum { NR_BARS = sizeof bars / sizeof *bars };
	int64_t low = INT64_MAX, high = INT64_MIN, digits = digits_of(s, key), value = 0;
	for (size_t i = 0; i < s->nr; i++) {
		if (!scaled_at(s->runs[i], key, digits, &value))
			continue;
		number_lower(&low, value);
		number_raise(&high, value);
	}
	for (size_t i = 0; i < s->nr; i++) {
		bool has = scaled_at(s->runs[i], key, digits, &value);
		__int128 range = (__int128)high - low;
		int64_t bar =
		    has && range ? number_div_round(((__int128)value - low) * (NR_BARS - 1), range) : 0;
		strbuf_adds(b, has ? bars[bar] : "·");
		if (i == 0)
			strbuf_adds(b, "│");
	}
}

/* Add the newest value, and its change since the approved run. */
static void add_newest(const struct timeline *s, const struct past_value *key, struct document *d)
{
	struct span query = span_of(key->query);
	const char *space = strchr(key->query, ' ');
	const struct metric *m = metric_named(
	    (struct span){ query.p, space ? (size_t)(space - query.p) : query.n }, &d->arena);
	int64_t digits = digits_of(s, key), pin = 0, newest = 0;
	bool has_pin = scaled_at(s->runs[0], key, digits, &pin) && pin > 0;
	for (size_t i = 0; i < s->nr; i++)
		scaled_at(s->runs[i], key, digits, &newest);
	int64_t pct = has_pin ? number_pct((__int128)newest - pin, pin) : 0;
	enum unit unit = !m                      ? UNIT_COUNT
	                 : m->need == NEED_INPUT ? unit_of_figure(-1, (int)digits)
	                                         : m->unit;
	doc_figure_cell(d,
	                /* a metric that this version does not know is shown without a unit */
	                m ? unit_text(&d->arena, unit, newest)
	                  : arena_printf(&d->arena, "%" PRId64, newest),
	                true, newest);
	doc_cell(d);
	doc_value(d, has_pin, pct);
	if (has_pin)
		doc_add(d, DOC_FIGURE, m ? tone_of_change(m->worse, pct) : TONE_PLAIN,
		        unit_relative(&d->arena, pct));
}

static const char *label_text(struct document *d, const struct past_value *key)
{
	return text_short(&d->arena, key->label, (size_t)-1);
}

static void log_figure(const struct timeline *s, const struct past_value *key, struct document *d)
{
	struct strbuf line = STRBUF_INIT;
	bool item = key->label.n || key->rank >= 0;
	doc_row(d, item);
	doc_cell(d);
	if (key->label.n)
		doc_name(d, label_text(d, key));
	if (key->rank >= 0)
		doc_printf(d, "%srank %" PRId64, key->label.n ? ", " : "", key->rank);
	if (!item)
		doc_said(d, key->query);
	add_newest(s, key, d);
	add_sparkline(&line, s, key);
	doc_words_cell(d, arena_take(&d->arena, &line));
}

static int by_size(const void *a, const void *b)
{
	const struct past_value *x = a, *y = b;
	int c = strcmp(x->query, y->query);
	if (!c && x->value != y->value)
		c = x->value > y->value ? -1 : 1;
	return c ? c : past_value_cmp(x, y);
}

/* Add a row with a text, as a heading or a remark. */
static void log_words(struct document *d, int level, const char *text)
{
	doc_row(d, level);
	doc_said_cell(d, text);
}

/* Add all figures that the runs have; if a query has items, only the LOG_ITEMS largest figures. */
static void log_figures(const struct timeline *s, struct short_names *names, struct document *d)
{
	static const struct doc_column columns[] = { { "figure", DOC_LEFT },
		                                         { "newest", DOC_RIGHT },
		                                         { "from the pin", DOC_RIGHT },
		                                         { "pin│recent runs", DOC_LEFT } };
	VEC(struct past_value) keys = VEC_INIT;
	for (size_t i = s->nr; i-- > 0;)
		for (size_t k = 0; k < s->runs[i]->values.nr; k++)
			vec_push(&keys, s->runs[i]->values.v[k]);
	vec_sort(&keys, past_value_cmp);
	size_t nr = 0;
	for (size_t i = 0; i < keys.nr; i++)
		if (nr == 0 || past_value_cmp(&keys.v[nr - 1], &keys.v[i]) != 0)
			keys.v[nr++] = keys.v[i];
	keys.nr = nr;
	vec_sort(&keys, by_size);
	for (size_t i = 0; i < keys.nr; i++)
		if (strncmp(keys.v[i].query, "kernel.", 7) == 0 && keys.v[i].label.n)
			short_names_add(names, label_text(d, &keys.v[i]));
	short_names_end(names);
	doc_show_names(d, names);
	doc_section(d, "figures", "Figures", DOC_OPEN);
	doc_table(d, "Figures", COLUMNS(columns))->tree = true;
	for (size_t i = 0, end; i < keys.nr; i = end) {
		if (keys.v[i].label.n || keys.v[i].rank >= 0)
			log_words(d, 0, keys.v[i].query);
		for (end = i; end < keys.nr && strcmp(keys.v[end].query, keys.v[i].query) == 0; end++)
			if (end - i < LOG_ITEMS)
				log_figure(s, &keys.v[end], d);
		if (end - i > LOG_ITEMS)
			log_words(d, 1, arena_printf(&d->arena, "%zu more", end - i - LOG_ITEMS));
	}
	doc_end(d);
	vec_release(&keys);
}

enum status cmd_baseline_log(const struct options *o, struct diag_log *log)
{
	struct shown s;
	enum status st = shown_begin(&s, o, log);
	if (st == ST_OK) {
		struct past_run pin;
		past_run_of(&s.setup.rules, s.setup.naming, &s.b.pin, &s.b.arena, &pin);
		struct timeline line = { .runs = { &pin }, .nr = 1 };
		for (size_t i = 0; i < s.b.reference.runs.nr; i++)
			line.runs[line.nr++] = &s.b.reference.runs.v[i];
		log_runs(&s.b, &s.d);
		log_figures(&line, &s.names, &s.d);
		vec_release(&pin.values);
	}
	return shown_end(&s, o, st, log);
}
