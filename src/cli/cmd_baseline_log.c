/* baseline show, log: what a stored baseline holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diff/past.h"
#include "report/table.h"
#include "report/writer.h"

struct shown {
	struct setup setup;
	struct baseline b;
	struct sink *out;
	struct write_options options;
};

static enum status shown_begin(struct shown *s, const struct options *o, struct diag_log *log)
{
	const char *path;
	*s = (struct shown){ .options = output_options(o) };
	TRY(setup_init(&s->setup, o, log));
	TRY(setup_baseline_path(&s->setup, o, NULL, &s->setup.rules.arena, &path, log));
	TRY(setup_baseline_read(o, path, &s->b, log));
	return sink_open("-", false, &s->out, log);
}

static enum status shown_end(struct shown *s, enum status st, struct diag_log *log)
{
	if (st == ST_OK)
		st = sink_commit(s->out, log);
	baseline_release(&s->b);
	setup_release(&s->setup);
	return st;
}

/* Untrusted text, fit for a line, at the end of one or padded to a column. */
static void put_text(struct sink *out, const char *text, size_t width)
{
	struct strbuf b = STRBUF_INIT;
	text_add_log(&b, span_of(text), width ? width : 200);
	for (size_t n = text_chars(strbuf_span(&b)); n < width; n++)
		strbuf_addch(&b, ' ');
	sink_puts(out, strbuf_str(&b));
	strbuf_release(&b);
}

/* ---- show ---- */

enum { KEY_CHARS = 20 };

static void show_value(struct sink *out, const char *value)
{
	sink_puts(out, " ");
	put_text(out, *value ? value : "not recorded", 0);
	sink_puts(out, "\n");
}

static void show_line(struct sink *out, const char *key, const char *value)
{
	sink_printf(out, "%-*s", KEY_CHARS, key);
	show_value(out, value);
}

static void show_baseline(struct shown *s)
{
	struct run_view v;
	const struct baseline *b = &s->b;
	const struct provenance *p = &b->provenance;
	const struct digest *d = b->pin.ranks.v[0];
	show_line(s->out, "workload", b->workload);
	show_line(s->out, "commit", p->commit);
	show_line(s->out, "time", p->time);
	show_line(s->out, "written by", p->tool);
	show_line(s->out, "approved by", p->who);
	show_line(s->out, "reason", p->reason);
	for (size_t i = 0; i < d->env.nr; i++) {
		sink_puts(s->out, "· "); /* no stranger's text begins a line */
		put_text(s->out, d->env.v[i].key, KEY_CHARS - 2);
		show_value(s->out, d->env.v[i].value);
	}
	sink_printf(s->out, "%-*s %zu\n\n", KEY_CHARS, "accepted runs", b->reference.runs.nr);
	run_view_init(&v, &b->pin, &s->setup.naming);
	metrics_write_text(&v, NULL, &s->options, s->out);
	run_view_release(&v);
}

enum status cmd_baseline_show(const struct options *o, struct diag_log *log)
{
	struct shown s;
	enum status st = shown_begin(&s, o, log);
	if (st == ST_OK)
		show_baseline(&s);
	return shown_end(&s, st, log);
}

/* ---- log ---- */

enum {
	LOG_ITEMS = 5,
	COMMIT_CHARS = 12,
	WHO_CHARS = 16,
	NAME_CHARS = 56,
	ITEM_CHARS = 42,
	FIGURE_CHARS = 10,
};

static void log_run(struct sink *out, const char *place, const struct provenance *p)
{
	sink_printf(out, "%4s  ", place);
	put_text(out, *p->time ? p->time : "–", 20);
	sink_puts(out, "  ");
	put_text(out, *p->commit ? p->commit : "–", COMMIT_CHARS);
	sink_puts(out, "  ");
	put_text(out, *p->who ? p->who : "–", WHO_CHARS);
	sink_puts(out, "  ");
	put_text(out, p->reason, 0);
	sink_puts(out, "\n");
}

static void log_runs(const struct baseline *b, struct sink *out)
{
	char place[24];
	sink_puts(out, "runs, oldest first:\n");
	log_run(out, "pin", &b->provenance);
	for (size_t i = 0; i < b->reference.runs.nr; i++) {
		snprintf(place, sizeof place, "%zu", i + 1);
		log_run(out, place, &b->reference.runs.v[i].provenance);
	}
}

/* The pin, then the recent runs, as answers to what the rules ask now. */
struct timeline {
	const struct past_run *runs[BASELINE_RECENT + 1];
	size_t nr;
};

static const struct past_value *value_at(const struct past_run *run, const struct past_value *key)
{
	return run->values.nr ? bsearch(key, run->values.v, run->values.nr, sizeof *key, past_value_cmp)
	                      : NULL;
}

/* Places that the values of all runs have: figures of files differ in them. */
static int64_t digits_of(const struct timeline *s, const struct past_value *key)
{
	int64_t digits = key->digits;
	for (size_t i = 0; i < s->nr; i++) {
		const struct past_value *v = value_at(s->runs[i], key);
		number_raise(&digits, v ? v->digits : digits);
	}
	return digits;
}

/* With that many places; false where the run has none. */
static bool scaled_at(const struct past_run *run, const struct past_value *key, int64_t digits,
                      int64_t *out)
{
	const struct past_value *v = value_at(run, key);
	if (v)
		*out = decimal_scaled((struct decimal){ v->value, v->digits }, digits);
	return v != NULL;
}

/* One character per run: the lowest of all is the lowest bar. */
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

/* The newest value, and its change from the pin's. */
static void add_newest(const struct timeline *s, const struct past_value *key, struct sink *out)
{
	struct arena a = ARENA_INIT; /* of the metric */
	struct span query = span_of(key->query);
	const char *space = strchr(key->query, ' ');
	const struct metric *m =
	    metric_named((struct span){ query.p, space ? (size_t)(space - query.p) : query.n }, &a);
	int64_t digits = digits_of(s, key), pin = 0, newest = 0;
	struct strbuf value = STRBUF_INIT, change = STRBUF_INIT;
	for (size_t i = 0; i < s->nr; i++)
		scaled_at(s->runs[i], key, digits, &newest);
	if (m)
		unit_format(&value, m->need == NEED_INPUT ? unit_of_figure(-1, (int)digits) : m->unit,
		            newest, false);
	else /* of a metric that there is no more */
		strbuf_addf(&value, "%" PRId64, newest);
	if (scaled_at(s->runs[0], key, digits, &pin) && pin > 0)
		unit_format(&change, UNIT_PCT, number_pct((__int128)newest - pin, pin), true);
	put_text(out, strbuf_str(&value), FIGURE_CHARS);
	sink_puts(out, "  ");
	put_text(out, strbuf_str(&change), FIGURE_CHARS);
	strbuf_release(&value);
	strbuf_release(&change);
	arena_release(&a);
}

static void log_figure(const struct timeline *s, const struct past_value *key, struct sink *out)
{
	bool item = key->label.n || key->rank >= 0;
	struct strbuf name = STRBUF_INIT, line = STRBUF_INIT;
	if (item)
		text_add_short(&name, key->label, ITEM_CHARS);
	else
		strbuf_adds(&name, key->query);
	if (key->rank >= 0)
		strbuf_addf(&name, "%srank %" PRId64, key->label.n ? ", " : "", key->rank);
	sink_puts(out, item ? "  · " : "· ");
	put_text(out, strbuf_str(&name), NAME_CHARS - (item ? 2 : 0));
	sink_puts(out, "  ");
	add_newest(s, key, out);
	add_sparkline(&line, s, key);
	sink_printf(out, "  %s\n", strbuf_str(&line));
	strbuf_release(&name);
	strbuf_release(&line);
}

static int by_size(const void *a, const void *b)
{
	const struct past_value *x = a, *y = b;
	int c = strcmp(x->query, y->query);
	if (!c && x->value != y->value)
		c = x->value > y->value ? -1 : 1;
	return c ? c : past_value_cmp(x, y);
}

/* Every figure that some run has, the largest items of each query. */
static void log_figures(const struct timeline *s, struct sink *out)
{
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
	sink_puts(out,
	          "\nfigures: newest value, change from the pin; pin│recent runs, oldest first:\n");
	for (size_t i = 0, end; i < keys.nr; i = end) {
		if (keys.v[i].label.n || keys.v[i].rank >= 0) {
			sink_puts(out, "· ");
			put_text(out, keys.v[i].query, 0);
			sink_puts(out, ":\n");
		}
		for (end = i; end < keys.nr && strcmp(keys.v[end].query, keys.v[i].query) == 0; end++)
			if (end - i < LOG_ITEMS)
				log_figure(s, &keys.v[end], out);
		if (end - i > LOG_ITEMS)
			sink_printf(out, "    … %zu more\n", end - i - LOG_ITEMS);
	}
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
		log_runs(&s.b, s.out);
		log_figures(&line, s.out);
		vec_release(&pin.values);
	}
	return shown_end(&s, st, log);
}
