#include "results/readings.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/result_file.h"

ORDERING(reading_cmp, struct reading, BY_TEXT(name) RISING(order))

/* ---- one figure from its values ---- */

/// The values of one figure.
struct group {
	struct reading *v;
	size_t nr;
	int64_t *values; ///< array of `nr` values, scaled by 10^digits
	int64_t digits;
};

/* Adds the figure `of` or, if `ending` is not "", a statistic of it that `ending` names, with the
 * given value. `same_kind` is true if what is added has the unit of the figure, and is better in
 * the same direction. The spread is computed from the values of the group `g`, which are
 * overwritten; `g` may be NULL. */
static struct input_stat *put(struct digest *d, const struct reading *of, const char *ending,
                              struct decimal value, bool same_kind, const struct group *g)
{
	struct input_stat s = {
		.name = *ending ? arena_printf(&d->arena, "%s.%s", of->name, ending) : of->name,
		.title = *ending ? arena_printf(&d->arena, "%s %s", ending, of->title) : of->title,
		.place = input_place(of->row->headline, of->unit, of->order),
		.value = value.value,
		.digits = value.digits,
		.unit = same_kind ? of->unit : UNIT_BARE,
		.better = same_kind ? of->better : NULL,
		.spread_share = -1,
		.spread = -1,
		.work = same_kind ? of->work : NULL,
		.micro = INPUT_EXACT
	};
	if (of->count > 1 && !*ending && !g) {
		s.samples = of->count;
		s.spread_share = input_spread(of->stdev);
	}
	if (g && g->nr > 1) {
		int64_t median, mad = number_mad(g->values, g->nr, &median);
		s.samples = (int64_t)g->nr;
		/* 1.4826 × median absolute deviation is the standard deviation of a normal distribution */
		s.spread_share = median ? input_spread(1.4826 * (double)mad / fabs((double)median)) : -1;
	}
	vec_push(&d->inputs, s);
	return &d->inputs.v[d->inputs.nr - 1];
}

/* Scales the values of a group to a common number of decimal places: three more than any of them
 * has, or fewer if the largest value would then have too many digits. */
static void group_scale(struct group *g, struct arena *a)
{
	int64_t digits = 0, most = INT64_MAX;
	for (size_t i = 0; i < g->nr; i++) {
		int64_t room = decimal_digits_for(g->v[i].value, DECIMAL_SIGNIFICANT);
		number_raise(&digits, g->v[i].value.digits + 3);
		number_lower(&most, g->v[i].value.value ? room : most);
	}
	g->digits = digits < most ? digits : most;
	g->values = arena_alloc(a, g->nr, sizeof *g->values);
	for (size_t i = 0; i < g->nr; i++)
		g->values[i] = decimal_scaled(g->v[i].value, g->digits);
}

/* Adds a percentile with its uncertainty. The position of a percentile in the sorted list has a
 * standard deviation, `far`. The uncertainty is half the difference between the values at `far`
 * below and above this position. It is stored as the spread of a normal distribution for which the
 * median of as many values would have the same uncertainty. */
static void put_percentile(struct digest *d, const struct group *g, int percent)
{
	double n = (double)g->nr, p = percent / 100.0, at = (n - 1) * p, far = sqrt(n * p * (1 - p));
	size_t from = (size_t)fmax(floor(at - far), 0), to = (size_t)fmin(ceil(at + far), n - 1);
	struct decimal value = decimal_of(number_percentile(g->values, g->nr, percent), g->digits);
	struct input_stat *s = put(d, g->v, percent == 90 ? "p90" : "p99", value, true, NULL);
	s->samples = (int64_t)g->nr;
	if (g->nr > 1) {
		double error = ((double)g->values[to] - (double)g->values[from]) / 2;
		double whole = (double)decimal_scaled(value, g->digits);
		s->spread_share = whole ? input_spread(error * sqrt(n / M_PI_2) / fabs(whole)) : -1;
	}
}

/* Converts a number to another unit; false if the two units measure different things. */
static bool in_unit(struct decimal *value, const char *from, const char *to)
{
	int own = figure_unit_find(span_of(from)), unit = figure_unit_find(span_of(to));
	if (own == unit)
		return true;
	if (own < 0 || unit < 0 ||
	    strcmp(figure_units[own].dimension, figure_units[unit].dimension) != 0)
		return false;
	*value = input_in(
	    &(struct input_stat){ .value = value->value, .digits = value->digits, .unit = from }, unit);
	return true;
}

/* Reads the limit that `share_below` of a format gives; false if it is invalid. */
static bool read_limit(const char *text, struct decimal *limit, struct span *unit)
{
	struct value v = { .type = JSCAN_STRING, .text = span_of(text) };
	return reading_number(&v, limit, unit) == DECIMAL_OK && (!unit->n || figure_unit_of(*unit));
}

const char *reading_share_fault(const char *limit)
{
	struct decimal number;
	struct span unit;
	return read_limit(limit, &number, &unit) ? NULL : "is not a number with a unit, such as 200ms";
}

/* Adds the percentage of the samples that are below a limit, such as a service level objective. */
static void put_share(struct digest *d, const struct group *g, struct decimal limit)
{
	enum { DIGITS = 6 };
	size_t below = 0;
	double at = (double)limit.value * pow(10, -(double)limit.digits);
	for (size_t i = 0; i < g->nr; i++)
		below += (double)g->values[i] * pow(10, -(double)g->digits) < at;
	double p = (double)below / (double)g->nr;
	struct reading r = *g->v;
	struct strbuf ending = STRBUF_INIT;
	r.unit = "%";
	r.better = r.better && strcmp(r.better, "lower") == 0 ? "higher" : NULL;
	strbuf_adds(&ending, "below_");
	figure_name_add(span_of(r.row->share_below), &ending);
	struct input_stat *s = put(d, &r, arena_take(&d->arena, &ending),
	                           decimal_of(llround(p * 100e6), DIGITS), true, NULL);
	s->title = arena_printf(&d->arena, "share of %s below %s", r.title, r.row->share_below);
	s->samples = (int64_t)g->nr;
	s->spread_share = p > 0 ? input_spread(sqrt((1 - p) / p)) : -1;
}

static void put_statistics(struct digest *d, struct group *g)
{
	const char *share = g->v->row->share_below;
	struct decimal limit;
	struct span said;
	qsort(g->values, g->nr, sizeof *g->values, number_cmp_i64);
	put_percentile(d, g, 90);
	put_percentile(d, g, 99);
	if (share && read_limit(share, &limit, &said) &&
	    (!said.n || in_unit(&limit, figure_unit_of(said), g->v->unit)))
		put_share(d, g, limit);
	put(d, g->v, "n", decimal_of((int64_t)g->nr, 0), false, NULL);
	put(d, g->v, "median", decimal_of(number_percentile(g->values, g->nr, 50), g->digits), true, g);
}

static enum status refuse_twice(const struct reading_file *f, const struct reading *r,
                                struct diag_log *log)
{
	struct arena *a = &log->arena;
	const char *todo = f->format->read == READ_TEXT
	                       ? "let 'case' have what differs between its lines, such as an engine "
	                         "or a rank, or say 'series: true' if they are steps of one case"
	                       : "keep one run in the file (others are files of their own: --repeat), "
	                         "or say 'repeats' in a format of your own";
	return diag_fail(log, ST_INPUT, "%s: %s%s is there twice; %s", f->name,
	                 r->case_text.n ? "case " : "figure ",
	                 r->case_text.n ? text_quote(a, r->case_text) : text_quote(a, r->text), todo);
}

/* True if the group is a figure of a log whose values are all the same, as they are if each process
   of a job has printed the same line. */
static bool is_one_line(const struct group *g, const struct result_format *f)
{
	size_t i = 0;
	while (i < g->nr && g->v[i].value.value == g->v->value.value &&
	       g->v[i].value.digits == g->v->value.digits && strcmp(g->v[i].unit, g->v->unit) == 0 &&
	       strcmp(g->v[i].work ? g->v[i].work : "", g->v->work ? g->v->work : "") == 0 &&
	       !g->v[i].unmeasured == !g->v->unmeasured)
		i++;
	return f->read == READ_TEXT && !g->v->is_samples && i == g->nr;
}

/* Moves the values that were not measured from the group to r->unmeasured. If these are more than
   1 % of the values, the group becomes empty and the figure counts as not measured, since the
   values that are left may be the better ones. The same applies to a series whose newest value was
   not measured. */
static void set_aside(struct group *g, struct readings *r, bool series)
{
	size_t nr = 0, all = g->nr;
	bool newest = !series || !g->v[all - 1].unmeasured;
	for (size_t i = 0; i < g->nr; i++)
		if (g->v[i].unmeasured)
			vec_push(&r->unmeasured, g->v[i]);
		else
			g->v[nr++] = g->v[i];
	g->nr = (all - nr) * 100 > all || !newest ? 0 : nr;
}

static enum status group_put(struct group *g, struct readings *r, const struct reading_file *f,
                             struct digest *d, struct diag_log *log)
{
	const struct reading *first = g->v, *last = &g->v[g->nr - 1];
	for (size_t i = 0; i < d->inputs.nr && f->format->rest; i++)
		if (strcmp(d->inputs.v[i].name, first->name) == 0)
			return ST_OK;
	unsigned repeats = f->format->series ? REPEATS_LAST : f->format->repeats;
	for (size_t i = 1; i < g->nr; i++)
		if (!span_eq(g->v[i].text, first->text) || !span_eq(g->v[i].case_text, first->case_text))
			return diag_fail(
			    log, ST_INPUT,
			    "%s: %s and %s would both be the figure %s: change the "
			    "format's 'case' or 'as'",
			    f->name,
			    text_quote(&log->arena, first->case_text.n ? first->case_text : first->text),
			    text_quote(&log->arena, g->v[i].case_text.n ? g->v[i].case_text : g->v[i].text),
			    first->name);
	if (first->record != last->record && repeats == REPEATS_ERROR) {
		if (!is_one_line(g, f->format))
			return refuse_twice(f, first, log);
		g->nr = 1;
	}
	size_t others = 0;
	for (size_t i = 0; i < g->nr; i++)
		others += g->v[i].is_other;
	if (others == g->nr)
		return ST_OK;
	if (first->is_samples) {
		size_t drop = (size_t)first->row->drop;
		if (drop >= g->nr)
			return diag_fail(log, ST_INPUT,
			                 "%s: %s has %zu values, of which the first %zu are to be "
			                 "dropped",
			                 f->name, first->name, g->nr, drop);
		g->v += drop;
		g->nr -= drop;
	} else if (repeats == REPEATS_LAST) {
		g->v += g->nr - 1;
		g->nr = 1;
	}
	set_aside(g, r, f->format->series);
	if (!g->nr)
		return ST_OK;
	for (size_t i = 1; i < g->nr; i++) {
		if (!in_unit(&g->v[i].value, g->v[i].unit, g->v->unit))
			return diag_fail(log, ST_INPUT,
			                 "%s: the values of %s have units that measure different things",
			                 f->name, g->v->name);
		g->v[i].unit = g->v->unit;
	}
	if (g->v->is_samples) {
		group_scale(g, &d->arena);
		put_statistics(d, g);
	} else if (g->nr == 1) {
		put(d, g->v, "", g->v->value, true, NULL);
	} else {
		group_scale(g, &d->arena);
		put(d, g->v, "", decimal_of(number_median(g->values, g->nr), g->digits), true, g);
	}
	return ST_OK;
}

const char *reading_text(struct span figure, struct span of, struct arena *a)
{
	return arena_printf(a, "%s%s%s", text_quote(a, figure), of.n ? " of case " : "",
	                    of.n ? text_quote(a, of) : "");
}

enum status reading_say_unmeasured(const char *file, const char *text, size_t more,
                                   const struct digest *d, struct diag_log *log)
{
	const char *others = more ? arena_printf(&log->arena, "; so are %zu more values", more) : "";
	if (!d->inputs.nr)
		return diag_fail(log, ST_INPUT, "%s: %s, not measured%s, and nothing else is", file, text,
		                 others);
	diag_warn(log, "%s: %s, not measured%s", file, text, others);
	return ST_OK;
}

static enum status say_unmeasured(const struct readings *r, const char *file,
                                  const struct digest *d, struct diag_log *log)
{
	const char *text = "";
	size_t i = 0;
	for (size_t named = 0, end; i < r->unmeasured.nr && named < READING_NAMED; named++, i = end) {
		const struct reading *u = &r->unmeasured.v[i];
		for (end = i + 1; end < r->unmeasured.nr && !strcmp(r->unmeasured.v[end].name, u->name);)
			end++;
		text = arena_printf(&log->arena, "%s%s%s is %s", text, i ? ", " : "",
		                    reading_text(u->text, u->case_text, &log->arena),
		                    u->unmeasured->type == JSCAN_NULL
		                        ? "null"
		                        : text_quote(&log->arena, u->unmeasured->text));
		struct decimal number;
		struct span unit;
		bool plain = reading_number(u->unmeasured, &number, &unit) == DECIMAL_OK &&
		             (!unit.n || figure_unit_of(unit));
		if (!plain && reading_is_shortened(u->unmeasured->text))
			text = arena_printf(&log->arena, "%s (a text)", text);
		if (end - i > 1)
			text = arena_printf(&log->arena, "%s (%zu values)", text, end - i);
	}
	return reading_say_unmeasured(file, text, r->unmeasured.nr - i, d, log);
}

ORDERING_POINTERS(title_cmp, struct input_stat, BY_TEXT(title) BY_TEXT(name))

/* If several figures of one case have the same title, the title of each becomes its name,
   without the case. */
static void settle_titles(struct digest *d)
{
	VEC(struct input_stat *) all = VEC_INIT;
	for (size_t i = 0; i < d->inputs.nr; i++)
		vec_push(&all, &d->inputs.v[i]);
	vec_sort(&all, title_cmp);
	for (size_t i = 0, end; i < all.nr; i = end) {
		struct span of = input_case(all.v[i]);
		for (end = i + 1; end < all.nr && strcmp(all.v[end]->title, all.v[i]->title) == 0 &&
		                  span_eq(input_case(all.v[end]), of);)
			end++;
		for (size_t k = i; k < end && end - i > 1; k++)
			all.v[k]->title = all.v[k]->name + (of.n ? of.n + 1 : 0);
	}
	vec_release(&all);
}

/* A figure that is a statistic, such as a p99: the quantity that it is a statistic of (`what`), and
   its place in the order minimum, percentiles, maximum (figure_statistic()). */
struct one_statistic {
	const char *what, *name;
	int place;
	double value;
};
ORDERING(one_statistic_cmp, struct one_statistic, BY_TEXT(what) RISING(place))

void reading_say_contradictions(const char *file, const struct digest *d, struct diag_log *log)
{
	VEC(struct one_statistic) all = VEC_INIT;
	const struct one_statistic *mean = NULL, *last = NULL, *low = NULL, *high = NULL;
	struct strbuf what = STRBUF_INIT;
	for (size_t i = 0; i < d->inputs.nr; i++) {
		const struct input_stat *s = &d->inputs.v[i];
		if (!s->better || strcmp(s->better, "lower") != 0)
			continue; /* p99 of a rate may be below the median: the rate of the slowest requests */
		struct span of = input_case(s);
		int unit = figure_unit_find(span_of(s->unit));
		double size = unit < 0 ? 1 : (double)figure_units[unit].size;
		strbuf_setlen(&what, 0);
		int place = figure_statistic(span_of(s->name + of.n), &what);
		strbuf_add(&what, of);
		strbuf_adds(&what, unit < 0 ? "" : figure_units[unit].dimension);
		if (place)
			vec_push(&all, (struct one_statistic){
			                   arena_dup(&log->arena, strbuf_span(&what)), s->name, place,
			                   (double)s->value * pow(10, -(double)s->digits) * size });
	}
	strbuf_release(&what);
	vec_sort(&all, one_statistic_cmp);
	for (size_t i = 0; i < all.nr && !low; i++) {
		const struct one_statistic *s = &all.v[i];
		if (i && strcmp(s->what, s[-1].what) != 0)
			mean = last = NULL;
		const struct one_statistic *pairs[][2] = { { last, s },
			                                       { s->place == FIGURE_MIN ? s : NULL, mean },
			                                       { s->place == FIGURE_MAX ? mean : NULL, s } };
		for (int k = 0; k < 3; k++) /* a difference of up to 1 % may be due to rounding */
			if (pairs[k][0] && pairs[k][1] &&
			    pairs[k][0]->value - pairs[k][1]->value > 0.01 * fabs(pairs[k][1]->value)) {
				high = pairs[k][0];
				low = pairs[k][1];
			}
		*(s->place == FIGURE_MEAN ? &mean : &last) = s;
	}
	if (low)
		diag_warn(log, "%s: %s is less than %s: one of them is wrong, or not what it is called",
		          file, text_quote(&log->arena, span_of(low->name)),
		          text_quote(&log->arena, span_of(high->name)));
	vec_release(&all);
}

enum status readings_finish(struct readings *r, const struct reading_file *f, struct digest *d,
                            struct diag_log *log)
{
	vec_sort(&r->list, reading_cmp);
	for (size_t i = 0, end; i < r->list.nr; i = end) {
		struct group g = { .v = &r->list.v[i] };
		for (end = i + 1; end < r->list.nr && strcmp(r->list.v[end].name, g.v->name) == 0;)
			end++;
		g.nr = end - i;
		TRY(group_put(&g, r, f, d, log));
	}
	vec_sort(&d->inputs, text_cmp);
	for (size_t i = 1; i < d->inputs.nr; i++)
		if (strcmp(d->inputs.v[i - 1].name, d->inputs.v[i].name) == 0)
			return diag_fail(log, ST_INPUT,
			                 "%s: figure '%s' is there twice: give one another name "
			                 "with 'as'",
			                 f->name, d->inputs.v[i].name);
	if (r->unmeasured.nr)
		TRY(say_unmeasured(r, f->name, d, log));
	if (d->inputs.nr == 0)
		return diag_fail(log, ST_INPUT, "%s: no figure in a result file of format %s", f->name,
		                 f->format->name);
	reading_say_contradictions(f->name, d, log);
	settle_titles(d);
	d->source_hash = digest_hash_inputs(d);
	return ST_OK;
}
