#include "history/trends.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/number.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "diff/changes.h"
#include "metric/figure_name.h"
#include "metric/file_figure.h"

enum { PARTS_MOST = 5, PART_SHARE = 10 };

/* ---- runs of the history ---- */

static void add_run(struct trends *t, const struct past_run *run)
{
	const struct provenance *p = &run->provenance;
	int64_t place = (int64_t)t->runs.nr;
	vec_push(&t->runs, (struct trend_run){ .place = place,
	                                       .commit = p->commit,
	                                       .time = p->time,
	                                       .who = p->who,
	                                       .reason = p->reason,
	                                       .verdict = text_or_empty(run->verdict),
	                                       .approved = run->source_hash == run->pin });
}

/* ---- series of figures ---- */

/* The metric of a figure of a result file that is neither in the approved run nor in the reference
   run. Unit and direction follow from its name. */
static const struct metric *metric_by_name(struct span name, struct arena *a)
{
	struct input_stat s = { .name = arena_dup(a, name), .micro = INPUT_EXACT };
	const struct input_stat *one = &s;
	const struct metric *m;
	input_settle(&s, 1, a);
	s.unit = figure_unit_by_name(span_of(s.name + input_case(&s).n));
	input_metrics(&one, 1, a, &m);
	return m;
}

struct run_value {
	struct past_value v;
	int64_t run;
	const struct metric *of;
};

/* Set `of` to the metric of a value; NULL if an earlier gpugate version stored a metric that no
   longer exists. Each figure of a result file has a metric of its own, whichever rule stored it. */
static void find_metric(struct trends *t, const struct run_view *stored, struct run_value *r)
{
	const char *blank = strchr(r->v.query, ' '), *ranks = strstr(r->v.query, " ranks=");
	bool of_file = strncmp(r->v.query, "input.", strlen("input.")) == 0 && ranks;
	const char *end = of_file ? ranks : blank ? blank : r->v.query + strlen(r->v.query);
	struct span name = { r->v.query, (size_t)(end - r->v.query) };
	const struct metric *m = metric_named(name, &t->arena);
	r->of = m;
	if (!m || m->need != NEED_INPUT)
		return;
	r->of = view_metric(stored, m, r->v.label);
	if (r->of == m)
		r->of = metric_by_name(r->v.label.n ? r->v.label : span_of(m->name + strlen("input.")),
		                       &t->arena);
	r->v.query = arena_printf(&t->arena, "%s%s", r->of->name, end);
	r->v.label = SPAN("");
}

static bool is_item(const struct past_value *v)
{
	return v->label.n || v->rank >= 0;
}

ORDERING(value_order, struct run_value,
         THEN(is_item(&x->v) - is_item(&y->v)) THEN(past_value_cmp(&x->v, &y->v)))

/* Fill in the values, with as many decimals as the most precise one has, but at most as many as the
   largest one has room for. */
static void fill_figure(const struct run_value *v, size_t nr, struct trend_figure *f)
{
	int64_t most = INT64_MAX;
	for (size_t i = 0; i < nr; i++) {
		struct decimal own = { v[i].v.value, v[i].v.digits };
		number_raise(&f->digits, own.digits);
		number_lower(&most, decimal_digits_for(own, DECIMAL_SIGNIFICANT));
	}
	number_lower(&f->digits, most);
	for (size_t i = 0; i < nr; i++) {
		if (i && v[i - 1].run == v[i].run)
			continue;
		f->newest = decimal_scaled((struct decimal){ v[i].v.value, v[i].v.digits }, f->digits);
		vec_push(&f->values, f->newest);
		vec_push(&f->runs, v[i].run);
	}
}

/* The direction in which a metric gets worse. For a figure of a result file, a rule may set it;
   else the figure's own direction counts, as in checks. */
static enum worse direction(const struct rules *rules, const struct metric *m)
{
	if (m->need != NEED_INPUT)
		return m->worse;
	if (m->mixed)
		return WORSE_EITHER;
	struct input_stat s = { .name = m->name + strlen("input."), .title = m->head };
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *r = &rules->rules.v[i];
		if (r->metric->id == METRIC_INPUT && r->worse != WORSE_EITHER && input_is_of(r->metric, &s))
			return r->worse;
	}
	return m->worse;
}

/* Add the figure whose `nr` values are `v`, the oldest first. */
static void add_figure(struct trends *t, const struct rules *rules, const struct run_value *v,
                       size_t nr)
{
	const struct metric *m = v->of;
	struct trend_figure f = { .place = (int64_t)t->figures.nr,
		                      .query = v->v.query,
		                      .of = m,
		                      .metric = m->name,
		                      .label = v->v.label,
		                      .rank = v->v.rank,
		                      .unit = m->unit,
		                      .worse = direction(rules, m) };
	fill_figure(v, nr, &f);
	if (m->need == NEED_INPUT)
		f.unit = unit_of_figure(unit_figure(m->unit), (int)f.digits);
	f.digits = unit_digits(f.unit);
	f.unit_word = unit_name(f.unit);
	vec_push(&t->figures, f);
}

const struct trend_figure *trend_figure_of(const struct trends *t, int64_t place)
{
	return FIND(i, t->figures.v, t->figures.nr, t->figures.v[i].place == place);
}

bool trend_is_item(const struct trend_figure *f)
{
	return f->label.n || f->rank >= 0;
}

/* True for a figure of a result file that neither a rise nor a fall makes better. */
static bool is_neither(const struct trend_figure *f)
{
	return f->of->need == NEED_INPUT && f->worse == WORSE_EITHER;
}

/* Order of figures: those of whole runs come before those of items, then those with a better and a
   worse direction before the others, then those that come first in a check's report. */
ORDERING(figure_order, struct trend_figure,
         THEN(trend_is_item(x) - trend_is_item(y)) THEN(is_neither(x) - is_neither(y))
             THEN(COMPARE(x->of->place, y->of->place)) RISING(place))

/* Add every figure that at least one run recorded. */
static void add_figures(struct trends *t, const struct baseline *b, const struct rules *rules,
                        const struct past_run *const *runs, size_t nr)
{
	VEC(struct run_value) all = VEC_INIT;
	/* in the view of the reference run, else of the approved run, figures of result files have the
	   metrics that they have in `check` */
	struct run_view stored[] = { { .run = baseline_explained(b) }, { .run = &b->pin } };
	run_views_align(stored, NR_OF(stored), &t->arena);
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < runs[i]->values.nr; k++) {
			struct run_value r = { .v = runs[i]->values.v[k], .run = (int64_t)i };
			find_metric(t, stored, &r);
			if (r.of)
				vec_push(&all, r);
		}
	vec_sort(&all, value_order);
	for (size_t i = 0, end; i < all.nr; i = end) {
		for (end = i + 1; end < all.nr && value_order(&all.v[i], &all.v[end]) == 0;)
			end++;
		add_figure(t, rules, &all.v[i], end - i);
	}
	vec_release(&all);
	vec_sort(&t->figures, figure_order);
	for (size_t i = 0; i < t->figures.nr; i++)
		t->figures.v[i].place = (int64_t)i;
}

/* ---- change points ---- */

/* Median and spread (`*scatter`, number_spread()) of the values of runs [from, to); false if no run
   has the figure. */
static bool level_of(const struct trend_figure *f, int64_t from, int64_t to, int64_t *median,
                     int64_t *scatter)
{
	int64_t *v = mem_calloc(f->values.nr + 1, sizeof *v);
	size_t nr = 0;
	for (size_t i = 0; i < f->values.nr; i++)
		if (f->runs.v[i] >= from && f->runs.v[i] < to)
			v[nr++] = f->values.v[i];
	if (nr)
		*scatter = number_spread(v, nr, median);
	free(v);
	return nr > 0;
}

static int64_t size_of(const struct trend_part *p)
{
	return number_distance(p->after, p->before);
}

ORDERING(part_cmp, struct trend_part, THEN(COMPARE(size_of(y), size_of(x))) BY_SPAN(label))

/* True if amounts in the two units can be compared: the units have one name, or both are times,
   such as "ns" and "ns/step". Amounts of figures of result files cannot be compared, since it is
   not known which figure is a part of another. */
static bool is_like(enum unit a, enum unit b)
{
	bool named = strcmp(unit_name(a), unit_name(b)) == 0;
	return a < UNIT_FIGURES && b < UNIT_FIGURES && (named || (unit_is_time(a) && unit_is_time(b)));
}

/* Add the items (kernels, operators, …) that changed most at a change point: by at least a tenth of
   the change of its figure. */
static void add_parts(struct trends *t, const struct trend_change *p, int64_t from, int64_t to)
{
	const struct trend_figure *whole = &t->figures.v[p->figure];
	VEC(struct trend_part) parts = VEC_INIT;
	int64_t change = number_distance(p->after, p->before), scatter;
	size_t item = 0, nr = t->figures.nr; /* figures of whole runs come before those of items */
	SEARCH(item, nr, i, !trend_is_item(&t->figures.v[i]));
	for (size_t i = item; i < t->figures.nr; i++) {
		const struct trend_figure *f = &t->figures.v[i];
		struct trend_part part = { .figure = p->figure,
			                       .first = p->first,
			                       .metric = f->metric,
			                       .label = f->label,
			                       .rank = f->rank,
			                       .unit = f->unit };
		if (f == whole || !is_like(f->unit, whole->unit) ||
		    !level_of(f, from, p->first, &part.before, &scatter) ||
		    !level_of(f, p->first, to, &part.after, &scatter) ||
		    size_of(&part) < change / PART_SHARE || !size_of(&part))
			continue;
		vec_push(&parts, part);
	}
	vec_sort(&parts, part_cmp);
	for (size_t i = 0; i < parts.nr && i < PARTS_MOST; i++) {
		parts.v[i].place = (int64_t)i;
		vec_push(&t->parts, parts.v[i]);
	}
	vec_release(&parts);
}

static void add_point(struct trends *t, const struct trend_figure *f, int64_t from, int64_t to,
                      const struct change_point *c)
{
	struct trend_change p = { .figure = f->place,
		                      .last = f->runs.v[c->at - 1],
		                      .first = f->runs.v[c->at],
		                      .p = c->p,
		                      .change_pct = INT64_MIN };
	int64_t scatter;
	level_of(f, from, p.first, &p.before, &scatter);
	level_of(f, p.first, to, &p.after, &scatter);
	p.middle = p.before + number_sub(p.after, p.before) / 2;
	if (p.before > 0)
		p.change_pct = number_pct((__int128)p.after - p.before, p.before);
	bool up = f->worse == WORSE_UP, down = f->worse == WORSE_DOWN;
	p.is_worse = (up && p.after > p.before) || (down && p.after < p.before);
	p.is_better = (up && p.after < p.before) || (down && p.after > p.before);
	for (int64_t i = p.first; i < to; i++)
		p.approved = p.approved || t->runs.v[i].approved;
	vec_push(&t->points, p);
	add_parts(t, &p, from, to);
}

static void find_points(struct trends *t, struct trend_figure *f, int64_t p)
{
	struct change_list c;
	int64_t from = 0, end = (int64_t)t->runs.nr;
	changes_find(f->values.v, f->values.nr, p, true, &c);
	for (size_t i = 0; i < c.list.nr; i++) {
		int64_t to = i + 1 < c.list.nr ? f->runs.v[c.list.v[i + 1].at] : end;
		add_point(t, f, from, to, &c.list.v[i]);
		from = f->runs.v[c.list.v[i].at];
	}
	level_of(f, from, end, &f->level, &f->spread);
	for (size_t i = t->points.nr - c.list.nr; i < t->points.nr; i++) {
		struct trend_change *point = &t->points.v[i];
		point->stands = point->is_worse && (f->worse == WORSE_UP ? f->level > point->middle
		                                                         : f->level < point->middle);
	}
	vec_release(&c.list);
}

static bool is_wanted(const struct trend_figure *f, const struct trend_options *o)
{
	if (o->metric)
		return fnmatch(o->metric, f->metric, 0) == 0;
	return !trend_is_item(f);
}

/* Remove figures that the user did not ask for. Figures of items were only needed to find the items
   that changed together with another figure. */
static void drop_unwanted(struct trends *t, const struct trend_options *o)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->figures.nr; i++) {
		struct trend_figure *f = &t->figures.v[i];
		if (is_wanted(f, o)) {
			t->figures.v[nr++] = *f;
			continue;
		}
		vec_release(&f->values);
		vec_release(&f->runs);
	}
	t->figures.nr = nr;
}

static const char *headline(struct trends *t)
{
	size_t nr = t->points.nr, runs = t->runs.nr, figures = t->figures.nr;
	if (runs < 2 * CHANGE_LEAST)
		return arena_printf(&t->arena,
		                    "%zu run%s of the main branch, too few to see changes: add every run "
		                    "with 'gpugate store'",
		                    runs, text_s(runs));
	return arena_printf(&t->arena, "%zu change%s in %zu figure%s over %s%zu runs", nr, text_s(nr),
	                    figures, text_s(figures), runs > CHANGE_MOST ? "the newest " : "",
	                    runs > CHANGE_MOST ? (size_t)CHANGE_MOST : runs);
}

const struct history *trends_history(const struct baseline *b)
{
	return b->history.runs.nr ? &b->history : &b->recent;
}

void trends_make(const struct baseline *b, const char *workload, const struct trend_options *o,
                 const struct rules *rules, struct trends *out)
{
	const struct history *h = trends_history(b);
	VEC(const struct past_run *) runs = VEC_INIT;
	*out = (struct trends){ .arena = ARENA_INIT, .workload = workload };
	for (size_t i = 0; i < h->runs.nr; i++) {
		int64_t day;
		if (date_parse(span_of(h->runs.v[i].provenance.time), &day) && day < o->since)
			continue;
		vec_push(&runs, &h->runs.v[i]);
		add_run(out, &h->runs.v[i]);
	}
	add_figures(out, b, rules, runs.v, runs.nr);
	vec_release(&runs);
	for (size_t i = 0; i < out->figures.nr; i++)
		if (is_wanted(&out->figures.v[i], o))
			find_points(out, &out->figures.v[i], o->p);
	drop_unwanted(out, o);
	out->headline = headline(out);
}

void trends_release(struct trends *t)
{
	for (size_t i = 0; i < t->figures.nr; i++) {
		vec_release(&t->figures.v[i].values);
		vec_release(&t->figures.v[i].runs);
	}
	vec_release(&t->figures);
	vec_release(&t->runs);
	vec_release(&t->points);
	vec_release(&t->parts);
	arena_release(&t->arena);
}
