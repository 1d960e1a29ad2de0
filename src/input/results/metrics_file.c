#include "results/result_file.h"

#include "base/decimal.h"
#include "base/text.h"
#include "io/jscan.h"
#include "metric/figure_name.h"
#include "results/readings.h"

/* ---- recognizing of metrics files ---- */

/* True if `first`, the first bytes of a file, may be a metrics file: a JSON object with at least
   one number, without lists, and without keys of traces and snapshots. Other values than numbers
   are allowed only if the whole object is in `first`: the reader then names them in its error. */
bool metrics_recognize(struct span first)
{
	struct span key;
	bool numbers = false, others = false, foreign = false;
	struct source *src = source_memory("", first.p, first.n, NULL);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, NULL);
	if (jscan_object(js))
		while (!foreign && jscan_key(js, &key)) {
			foreign = (result_is_foreign(key) && !span_eq(key, SPAN("ph"))) ||
			          span_eq(key, SPAN("nodes")) || span_eq(key, SPAN("blocks"));
			enum jscan_type type = jscan_peek(js);
			bool number = type == JSCAN_NUMBER || type == JSCAN_NAN;
			foreign = foreign || type == JSCAN_ARRAY;
			numbers = numbers || number;
			others = others || !number;
			jscan_skip(js);
		}
	bool whole = jscan_status(js) == ST_OK && jscan_end(js);
	jscan_free(js);
	source_close(src);
	return numbers && !foreign && (whole || !others);
}

/* ---- reading of metrics files ---- */

struct inputs_reader {
	struct jscan *js;
	struct digest *d;
	struct arena *scratch;
	bool *other;
	struct strbuf work; ///< the settings of the run, in lines NAME=VALUE
	struct strbuf sums; ///< for figures that are totals: the settings, and lines NAME+VALUE with
	                    ///< counts of the work that was done
	struct strbuf unmeasured; ///< the first figures that were not measured, with their values
	size_t nr_unmeasured, nr_named;
};

static void add_work(struct inputs_reader *r, const char *name, char sign, struct span text)
{
	struct strbuf *works[] = { &r->work, &r->sums };
	for (size_t i = sign == '+'; i < 2; i++)
		strbuf_addf(works[i], "%s%s%c%.*s", works[i]->n ? "\n" : "", name, sign, (int)text.n,
		            text.p);
}

static void add_figure(struct inputs_reader *r, const char *name, const char *quoted,
                       const struct value *v, uint64_t byte)
{
	struct decimal value = { 0, 0 };
	struct span said = SPAN(""), key = v->key, bracket = figure_name_unit(&key);
	bool setting = figure_is_setting(span_of(name), "record");
	enum decimal_fault fault = reading_number(v, &value, &said);
	/* the unit in the name, even if it is an unknown one such as "seq/ms" */
	const char *text = bracket.n ? arena_dup(r->scratch, bracket) : NULL;
	const char *unit = said.n      ? figure_unit_of(said)
	                   : bracket.n ? figure_unit_of(bracket)
	                               : figure_unit_by_name(key);
	if (fault == DECIMAL_TOO_LONG) {
		jscan_fail(r->js, byte,
		           "%s has more than %d significant digits, which cannot all be kept: round it",
		           quoted, DECIMAL_SIGNIFICANT);
	} else if (v->type == JSCAN_NULL && setting) {
		add_work(r, name, '=', SPAN("none"));
	} else if ((reading_is_unmeasured(v) && !(v->type == JSCAN_STRING && v->text.n && setting)) ||
	           (fault == DECIMAL_OK && reading_is_impossible(value, span_of(name), unit, false))) {
		r->nr_unmeasured++;
		if (r->nr_named < READING_NAMED)
			strbuf_addf(&r->unmeasured, "%s%s is %s", r->nr_named++ ? ", " : "", quoted,
			            v->type == JSCAN_STRING ? text_quote(r->scratch, v->text)
			                                    : arena_dup(r->scratch, v->text));
	} else if (fault == DECIMAL_NO_NUMBER || (said.n && !unit)) {
		*r->other = true;
		jscan_fail(
		    r->js, byte,
		    "%s is a text: a metrics file holds only numbers, perhaps with a unit, and run.yaml "
		    "what else is known of the run; " TEXT_NO_FORMAT,
		    quoted);
	} else {
		size_t order = r->d->inputs.nr;
		bool chosen = figure_is_setting(span_of(name), "flat");
		bool counts = figure_is_setting(span_of(name), "count");
		if ((chosen || counts) && value.digits <= 0)
			add_work(r, name, chosen ? '=' : '+', v->text);
		vec_push(&r->d->inputs,
		         (struct input_stat){ .name = name,
		                              .title = name,
		                              .place = input_place(false, unit, order),
		                              .value = value.value,
		                              .digits = value.digits,
		                              .unit = unit ? unit : UNIT_BARE,
		                              .better = figure_better(key, unit ? unit : text),
		                              .spread_share = -1,
		                              .spread = -1,
		                              .micro = INPUT_EXACT });
	}
}

static void read_value(struct inputs_reader *r, const char *key, const char *name,
                       const char *quoted, uint64_t byte)
{
	struct value v = { .type = jscan_peek(r->js), .key = span_of(key), .text = SPAN("null") };
	bool list = v.type == JSCAN_ARRAY, number = v.type == JSCAN_NUMBER;
	if (list || v.type == JSCAN_OBJECT) {
		*r->other = true;
		jscan_fail(r->js, byte, "%s is %s, as \"latency.p50\"; " TEXT_NO_FORMAT, quoted,
		           list ? "a list: write a number of it" : "an object: write its numbers flat");
	} else if (v.type == JSCAN_TRUE || v.type == JSCAN_FALSE || v.type == JSCAN_END) {
		*r->other = v.type != JSCAN_END;
		jscan_fail(r->js, byte, "%s is not a number: write 1 or 0; " TEXT_NO_FORMAT, quoted);
	} else if (number                   ? jscan_number(r->js, &v.text)
	           : v.type == JSCAN_STRING ? jscan_string(r->js, &v.text)
	                                    : jscan_literal(r->js, &v.type)) {
		if (v.type == JSCAN_NAN)
			v.text = SPAN("NaN");
		if (reading_is_failure(&v))
			jscan_fail(r->js, byte, "the run is not valid: %s",
			           reading_failure_text(&v, r->scratch));
		else
			add_figure(r, name, quoted, &v, byte);
	}
}

static void read_pairs(struct inputs_reader *r)
{
	struct span key;
	while (jscan_key(r->js, &key)) {
		const char *quoted = text_quote(r->scratch, key), *own = arena_dup(r->scratch, key);
		struct strbuf b = STRBUF_INIT;
		figure_name_unit(&key);
		if (input_name_is_valid(key, false))
			strbuf_add(&b, key);
		else
			figure_name_add(key, &b);
		const char *name = arena_take(&r->d->arena, &b);
		name = input_name_settle(name, &r->d->arena); /* as once the digest is read again */
		uint64_t byte = jscan_value_byte(r->js);
		bool twice = ANY(i, r->d->inputs.nr, strcmp(r->d->inputs.v[i].name, name) == 0);
		/* a backslash in a key may remain from an escape that JSON does not know */
		*r->other = !key.n || key.n > INPUT_NAME_MAX || memchr(key.p, '\\', key.n);
		if (*r->other)
			jscan_fail(
			    r->js, byte,
			    "%s is not a name of a figure: use 1 to %d letters or digits; " TEXT_NO_FORMAT,
			    quoted, INPUT_NAME_MAX);
		else if (twice)
			jscan_fail(r->js, byte, "%s is there twice: keep one of them", quoted);
		else if (r->d->inputs.nr == INPUTS_MAX)
			jscan_fail(r->js, byte, "%s is one figure too many: a metrics file has at most %d",
			           quoted, INPUTS_MAX);
		else
			read_value(r, own, name, quoted, byte);
	}
}

enum status inputs_read(struct source *src, struct digest *d, bool *other, struct diag_log *log)
{
	struct arena scratch = ARENA_INIT;
	struct jscan *js =
	    jscan_new(src, &(struct jscan_options){ .tolerant = true, .nan = true }, log);
	struct inputs_reader r = { .js = js, .d = d, .scratch = &scratch, .other = other };
	*other = false;
	if (jscan_object(js))
		read_pairs(&r);
	else
		jscan_fail(js, jscan_value_byte(js), "not an object of figures");
	jscan_end(js);
	uint64_t byte, faults = jscan_faults(js, &byte);
	d->trust.json_faults = (int64_t)faults;
	d->trust.fault_byte = (int64_t)byte;
	const char *work = r.work.n ? arena_dup(&d->arena, strbuf_span(&r.work)) : NULL;
	const char *of_sum = r.sums.n ? arena_dup(&d->arena, strbuf_span(&r.sums)) : NULL;
	for (size_t i = 0; i < d->inputs.nr; i++) {
		struct input_stat *s = &d->inputs.v[i];
		struct span name = span_of(s->name);
		s->work = figure_is_setting(name, "flat") ? NULL
		          : figure_is_sum(name, s->unit)  ? of_sum
		                                          : work;
	}
	vec_sort(&d->inputs, text_cmp);
	d->source_hash = digest_hash_inputs(d);
	enum status st = jscan_status(js);
	if (st == ST_OK)
		reading_say_contradictions(source_name(src), d, log);
	if (st == ST_OK && r.nr_unmeasured)
		st = reading_say_unmeasured(source_name(src), strbuf_str(&r.unmeasured),
		                            r.nr_unmeasured - r.nr_named, d, log);
	jscan_free(js);
	strbuf_release(&r.unmeasured);
	strbuf_release(&r.work);
	strbuf_release(&r.sums);
	arena_release(&scratch);
	return st;
}
