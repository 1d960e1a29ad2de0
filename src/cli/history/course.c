#include "history/course.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/number.h"
#include "base/search.h"
#include "base/sort.h"
#include "diff/changes.h"

enum { PARTS_MOST = 5, PART_SHARE = 10 };

/* ---- runs of the history ---- */

static void add_run(struct course *t, const struct past_run *run)
{
	const struct provenance *p = &run->provenance;
	int64_t place = (int64_t)t->runs.nr;
	vec_push(&t->runs, (struct course_run){ .place = place,
	                                        .commit = p->commit,
	                                        .time = p->time,
	                                        .who = p->who,
	                                        .reason = p->reason,
	                                        .verdict = run->verdict ? run->verdict : "",
	                                        .approved = run->source_hash == run->pin });
}

/* ---- series of figures ---- */

static bool is_item(const struct past_value *v)
{
	return v->label.n || v->rank >= 0;
}

ORDERING(value_order, struct past_value, THEN(is_item(x) - is_item(y)) THEN(past_value_cmp(x, y)))

/* A value and the run that has it, for sorting by value. */
struct run_value {
	struct past_value v;
	int64_t run;
};

/* Fill in the values with as many decimals as the most precise one has: metrics files differ in
   this. */
static void fill_figure(const struct run_value *v, size_t nr, struct course_figure *f)
{
	f->digits = v->v.digits;
	for (size_t i = 0; i < nr; i++)
		number_raise(&f->digits, v[i].v.digits);
	for (size_t i = 0; i < nr; i++) {
		if (i && v[i - 1].run == v[i].run)
			continue;
		f->newest = decimal_scaled((struct decimal){ v[i].v.value, v[i].v.digits }, f->digits);
		vec_push(&f->values, f->newest);
		vec_push(&f->runs, v[i].run);
	}
}

/* Add the figure with these `nr` values, the oldest first. */
static void add_figure(struct course *t, const struct run_value *v, size_t nr)
{
	const struct past_value *key = &v->v;
	struct span name = { key->query, strcspn(key->query, " ") };
	const struct metric *m = metric_named(name, &t->arena);
	struct course_figure f = { .place = (int64_t)t->figures.nr,
		                       .query = key->query,
		                       .metric = arena_dup(&t->arena, name),
		                       .label = key->label,
		                       .rank = key->rank };
	if (!m)
		return; /* an earlier version stored a metric that no longer exists */
	fill_figure(v, nr, &f);
	bool of_file = m->need == NEED_INPUT;
	f.unit = of_file ? unit_of_figure(-1, (int)f.digits) : m->unit;
	f.digits = of_file ? f.digits : unit_digits(m->unit);
	f.unit_word = unit_name(f.unit);
	f.worse = (int)m->worse;
	vec_push(&t->figures, f);
}

/* Add every figure that at least one run recorded. */
static void add_figures(struct course *t, const struct past_run *const *runs, size_t nr)
{
	VEC(struct run_value) all = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < runs[i]->values.nr; k++)
			vec_push(&all, (struct run_value){ runs[i]->values.v[k], (int64_t)i });
	vec_sort(&all, value_order);
	for (size_t i = 0, end; i < all.nr; i = end) {
		for (end = i + 1; end < all.nr && value_order(&all.v[i], &all.v[end]) == 0;)
			end++;
		add_figure(t, &all.v[i], end - i);
	}
	vec_release(&all);
}

/* ---- change points ---- */

/* Median and scaled MAD of the values of runs [from, to); false if no run has the figure. */
static bool level_of(const struct course_figure *f, int64_t from, int64_t to, int64_t *median,
                     int64_t *scatter)
{
	int64_t *v = mem_calloc(f->values.nr + 1, sizeof *v);
	size_t nr = 0;
	for (size_t i = 0; i < f->values.nr; i++)
		if (f->runs.v[i] >= from && f->runs.v[i] < to)
			v[nr++] = f->values.v[i];
	if (nr)
		*scatter = number_mad(v, nr, median);
	free(v);
	return nr > 0;
}

static int64_t size_of(const struct course_part *p)
{
	return number_distance(p->after, p->before);
}

ORDERING(part_cmp, struct course_part, THEN(COMPARE(size_of(y), size_of(x))) BY_SPAN(label))

/* True if amounts in the two units can be compared: the units have the same name, or both are
   times, such as "ns" and "ns/step". */
static bool is_like(enum unit a, enum unit b)
{
	return strcmp(unit_name(a), unit_name(b)) == 0 || (unit_is_time(a) && unit_is_time(b));
}

static bool is_of_item(const struct course_figure *f)
{
	return f->label.n || f->rank >= 0;
}

/* Add the items (kernels, operators, …) that changed at the figure's change point, by at least a
   tenth of the figure's change. */
static void add_parts(struct course *t, const struct course_point *p, int64_t from, int64_t to)
{
	const struct course_figure *whole = &t->figures.v[p->figure];
	VEC(struct course_part) parts = VEC_INIT;
	int64_t change = number_distance(p->after, p->before), scatter;
	size_t item = 0, nr = t->figures.nr; /* figures of whole runs come before those of items */
	SEARCH(item, nr, i, !is_of_item(&t->figures.v[i]));
	for (size_t i = item; i < t->figures.nr; i++) {
		const struct course_figure *f = &t->figures.v[i];
		struct course_part part = { .figure = p->figure,
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

static void add_point(struct course *t, const struct course_figure *f, int64_t from, int64_t to,
                      const struct change_point *c)
{
	struct course_point p = { .figure = f->place,
		                      .last = f->runs.v[c->at - 1],
		                      .first = f->runs.v[c->at],
		                      .p = c->p,
		                      .change_pct = INT64_MIN };
	int64_t scatter;
	level_of(f, from, p.first, &p.before, &scatter);
	level_of(f, p.first, to, &p.after, &scatter);
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

static void find_points(struct course *t, struct course_figure *f, int64_t p)
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
	vec_release(&c.list);
}

static bool is_wanted(const struct course_figure *f, const struct course_options *o)
{
	if (o->metric)
		return fnmatch(o->metric, f->metric, 0) == 0;
	return !is_of_item(f);
}

/* Remove figures of items that the user did not ask for; they were needed only to find the items
   that changed together with a figure. */
static void drop_unwanted(struct course *t, const struct course_options *o)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->figures.nr; i++) {
		struct course_figure *f = &t->figures.v[i];
		if (is_wanted(f, o)) {
			t->figures.v[nr++] = *f;
			continue;
		}
		vec_release(&f->values);
		vec_release(&f->runs);
	}
	t->figures.nr = nr;
}

static const char *headline(struct course *t)
{
	size_t nr = t->points.nr, runs = t->runs.nr;
	if (runs < 2 * CHANGE_LEAST)
		return arena_printf(&t->arena,
		                    "%zu run%s of the main branch, too few to see changes: add every run "
		                    "with 'gpugate store'",
		                    runs, runs == 1 ? "" : "s");
	return arena_printf(&t->arena, "%zu change%s in %zu figures over %s%zu runs", nr,
	                    nr == 1 ? "" : "s", t->figures.nr, runs > CHANGE_MOST ? "the newest " : "",
	                    runs > CHANGE_MOST ? (size_t)CHANGE_MOST : runs);
}

void course_make(const struct history *h, const char *workload, const struct course_options *o,
                 struct course *out)
{
	VEC(const struct past_run *) runs = VEC_INIT;
	*out = (struct course){ .arena = ARENA_INIT, .workload = workload };
	for (size_t i = 0; i < h->runs.nr; i++) {
		int64_t day;
		if (date_parse(span_of(h->runs.v[i].provenance.time), &day) && day < o->since)
			continue;
		vec_push(&runs, &h->runs.v[i]);
		add_run(out, &h->runs.v[i]);
	}
	add_figures(out, runs.v, runs.nr);
	vec_release(&runs);
	for (size_t i = 0; i < out->figures.nr; i++)
		if (is_wanted(&out->figures.v[i], o))
			find_points(out, &out->figures.v[i], o->p);
	drop_unwanted(out, o);
	out->headline = headline(out);
}

void course_release(struct course *t)
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
