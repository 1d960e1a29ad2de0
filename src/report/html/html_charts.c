/* Draws charts over time: step times and levels of memory, for each rank and memory. */

#include "base/number.h"
#include "html/html.h"
#include "html/svg.h"
#include "report/document.h"

/* Largest number of values of one line in the table below a chart. */
enum { NUMBERS = 40 };

/* Largest number of dots on a line. A line of more points has no dots, since they would overlap. */
enum { DOTS = 100 };

enum { LINES_MAX = 6 };

struct line {
	const char *name; ///< name of the line in the legend
	const char *class; ///< classes of the style sheet: side ("base", "cand", …) and stroke, such as
	                   ///< "base dashed"
	enum unit unit;
	bool right; ///< true: the line belongs to the second axis, which is in percent
	int64_t first_x; ///< x of the first point of the series, which may not be among `points`
	struct svg_points points; ///< points of the line; chart() releases them
	const int64_t *summary; ///< statistics (by enum statistic) of a line without points; else NULL
};

struct chart {
	const char *title, *label;
	enum unit x_unit, unit;
	bool dots;
	struct line lines[LINES_MAX];
	size_t nr;
};

/* ---- drawing of a chart ---- */

static void ranges(const struct chart *c, struct svg_range *x, struct svg_range *y)
{
	*x = *y = (struct svg_range){ INT64_MAX, INT64_MIN, 1 };
	for (size_t i = 0; i < c->nr; i++) {
		const struct line *l = &c->lines[i];
		for (size_t k = 0; k < l->points.list.nr; k++) {
			svg_range_add(x, l->points.list.v[k].x);
			if (!l->right)
				svg_range_add(y, l->points.list.v[k].y);
		}
		if (l->summary) {
			svg_range_add(y, l->summary[STAT_MIN]);
			svg_range_add(y, l->summary[STAT_MAX]);
		}
	}
	*y = svg_axis(*y, c->unit == UNIT_BYTES);
}

static const struct svg_range percent = { 0, 100000000, 4 };

static void draw_line(struct html *h, const struct chart *c, const struct line *l,
                      struct svg_range x, struct svg_range y)
{
	if (l->summary) {
		svg_band(&h->body, arena_printf(&h->arena, "band %s", l->class), y, l->summary[STAT_MIN],
		         l->summary[STAT_MAX]);
		svg_horizontal(&h->body, arena_printf(&h->arena, "line %s", l->class), y,
		               l->summary[STAT_MEDIAN]);
		return;
	}
	svg_line(&h->body, arena_printf(&h->arena, "line %s", l->class), x, l->right ? percent : y,
	         &l->points, false);
	if (c->dots && l->points.list.nr <= DOTS)
		svg_line(&h->body, arena_printf(&h->arena, "dots %s", l->class), x, y, &l->points, true);
}

static void describe(struct html *h, const struct line *l)
{
	html_printf(h, "%s: ", l->name);
	if (l->summary) {
		html_printf(h, "median %s, from ", unit_text(&h->arena, l->unit, l->summary[STAT_MEDIAN]));
		html_printf(h, "%s to ", unit_text(&h->arena, l->unit, l->summary[STAT_MIN]));
		html_printf(h, "%s. ", unit_text(&h->arena, l->unit, l->summary[STAT_MAX]));
		return;
	}
	struct svg_range r = { INT64_MAX, INT64_MIN, 1 };
	for (size_t i = 0; i < l->points.list.nr; i++)
		svg_range_add(&r, l->points.list.v[i].y);
	html_printf(h, "%zu points from %s ", l->points.list.nr, unit_text(&h->arena, l->unit, r.lo));
	html_printf(h, "to %s. ", unit_text(&h->arena, l->unit, r.hi));
}

static void plot(struct html *h, const struct chart *c)
{
	struct svg_range x, y;
	bool right = false;
	ranges(c, &x, &y);
	html_puts(h, "<div class=\"plot\">");
	svg_labels(&h->body, c->unit, y, "y");
	html_picture(h, SVG_BOX, arena_printf(&h->arena, "%s, %s", c->title, c->label));
	for (size_t i = 0; i < c->nr; i++)
		describe(h, &c->lines[i]);
	html_puts(h, "</desc>");
	svg_grid(&h->body, y);
	for (size_t i = 0; i < c->nr; i++) {
		draw_line(h, c, &c->lines[i], x, y);
		right = right || c->lines[i].right;
	}
	html_puts(h, "</svg>");
	if (right)
		svg_labels(&h->body, UNIT_PCT, percent, "y right");
	html_puts(h, "<div class=\"x\" aria-hidden=\"true\">");
	/* on an axis of counts, the middle has a label only if it is a whole number */
	int step = c->x_unit == UNIT_COUNT && ((__int128)x.hi - x.lo) % 2 ? 2 : 1;
	for (int i = 0; i <= 2 && x.hi >= x.lo; i += x.hi > x.lo ? step : 3)
		html_printf(
		    h, "<span>%s</span>",
		    unit_text(&h->arena, c->x_unit, (int64_t)(x.lo + ((__int128)x.hi - x.lo) * i / 2)));
	html_puts(h, "</div></div>\n");
}

static void numbers(struct html *h, const struct chart *c)
{
	const struct doc_column columns[] = {
		{ "line", DOC_LEFT },
		{ c->dots                ? "step"
		  : c->x_unit == UNIT_NS ? "time"
		                         : "action",
		  DOC_RIGHT },
		{ "value", DOC_RIGHT },
	};
	struct document d;
	doc_init(&d);
	struct doc_table *t =
	    doc_table(&d, arena_printf(&h->arena, "numbers: %s, %s", c->title, c->label), columns, 3);
	for (size_t i = 0; i < c->nr; i++) {
		const struct line *l = &c->lines[i];
		for (size_t k = 0; k < l->points.list.nr && k < NUMBERS; k++) {
			const struct series_point *p = &l->points.list.v[k];
			doc_row(&d, 0);
			doc_words_cell(&d, l->name);
			doc_figure_cell(&d, unit_text(&h->arena, c->x_unit, p->x), true, p->x);
			doc_figure_cell(&d, unit_text(&h->arena, l->unit, p->y), true, p->y);
		}
		t->more += l->points.list.nr > NUMBERS ? l->points.list.nr - NUMBERS : 0;
	}
	html_numbers(h, &d);
}

/* Draw a chart, if it has lines, and release its lines. */
static void chart(struct html *h, struct chart *c)
{
	if (!c->nr)
		return;
	html_puts(h, "<figure class=\"chart\" data-of=\"");
	html_text(h, c->label);
	html_puts(h, "\"><figcaption>");
	html_text(h, c->title);
	html_puts(h, ", ");
	html_text(h, c->label);
	html_puts(h, "</figcaption>\n<p class=\"legend\">");
	for (size_t i = 0; i < c->nr; i++)
		html_printf(h,
		            "<span><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path "
		            "class=\"line %s\" d=\"M0 5H30\"/></svg>%s</span>",
		            c->lines[i].class, c->lines[i].name);
	html_puts(h, "</p>\n");
	plot(h, c);
	numbers(h, c);
	html_puts(h, "</figure>\n");
	for (size_t i = 0; i < c->nr; i++)
		vec_release(&c->lines[i].points.list);
}

/* ---- series of both sides ---- */

static const struct series *series_find(const struct run_report *run, const char *id,
                                        const char *label)
{
	return run ? FIND(i, run->series.v, run->series.nr,
	                  strcmp(run->series.v[i].id, id) == 0 &&
	                      strcmp(run->series.v[i].label, label) == 0)
	           : NULL;
}

static void add_line(struct chart *c, const char *name, const char *class, const struct series *s)
{
	if (!s || c->nr == LINES_MAX || (!s->points.nr && !s->summary))
		return;
	struct line *l = &c->lines[c->nr++];
	*l = (struct line){ .name = name, .class = class, .unit = s->unit, .summary = s->summary };
	l->first_x = s->points.nr ? s->points.v[0].x : 0;
	svg_thin(s->points.v, s->points.nr, &l->points);
}

/* Call `fn` for each series of one kind, but at most HTML_CHARTS times: the candidate's series
   first, then those that only the baseline has. Returns the number of series. */
static size_t each_label(struct html *h, const char *id,
                         void (*fn)(struct html *h, const struct series *s))
{
	const struct run_report *runs[] = { h->r->run, h->r->baseline_run };
	size_t nr = 0;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; runs[side] && i < runs[side]->series.nr; i++) {
			const struct series *s = &runs[side]->series.v[i];
			if (strcmp(s->id, id) == 0 && !(side && series_find(runs[0], id, s->label)) &&
			    nr++ < HTML_CHARTS)
				fn(h, s);
		}
	return nr;
}

void html_more_charts(struct html *h, size_t nr)
{
	if (nr > HTML_CHARTS)
		html_printf(h, "<p class=\"note\">%zu more in the JSON</p>\n", nr - HTML_CHARTS);
}

/* ---- charts of steps ---- */

static void step_chart(struct html *h, const struct series *s)
{
	struct chart c = {
		.title = s->title, .label = s->label, .x_unit = UNIT_COUNT, .unit = s->unit, .dots = true
	};
	add_line(&c, "baseline", "base", series_find(h->r->baseline_run, s->id, s->label));
	add_line(&c, html_side(h, true), "cand", series_find(h->r->run, s->id, s->label));
	/* number the steps of each line anew: the first measured step of each side is step 1 */
	for (size_t i = 0; i < c.nr; i++)
		for (size_t k = 0; k < c.lines[i].points.list.nr; k++)
			c.lines[i].points.list.v[k].x -= c.lines[i].first_x - 1;
	chart(h, &c);
}

void html_steps(struct html *h)
{
	html_puts(h, "<p class=\"note\">By measured step, counted from 1.</p>\n"
	             "<div class=\"charts\" data-choice=\"rank\">\n");
	html_more_charts(h, each_label(h, "step.time", step_chart));
	html_more_charts(h, each_label(h, "step.cuda_time", step_chart));
	html_puts(h, "</div>\n");
}

/* ---- charts of memory over time ---- */

/* Add a line of fragmentation: the share of reserved memory that is not allocated, in 1e-6 %.
   Nothing is added unless both series have the same number of points. */
static void add_fragmentation(struct chart *c, const char *name, const char *class,
                              const struct series *allocated, const struct series *reserved)
{
	if (!allocated || !reserved || c->nr == LINES_MAX ||
	    allocated->points.nr != reserved->points.nr)
		return;
	struct svg_points all = { 0 };
	for (size_t i = 0; i < allocated->points.nr; i++) {
		int64_t a = allocated->points.v[i].y, r = reserved->points.v[i].y;
		vec_push(&all.list, (struct series_point){ allocated->points.v[i].x,
		                                           r > 0 && a <= r ? number_pct(r - a, r) : 0 });
	}
	struct line *l = &c->lines[c->nr++];
	*l = (struct line){ .name = name, .class = class, .unit = UNIT_PCT, .right = true };
	svg_thin(all.list.v, all.list.nr, &l->points);
	vec_release(&all.list);
}

static void level_chart(struct html *h, const struct series *s)
{
	const struct series *a[2], *r[2];
	const struct run_report *runs[] = { h->r->baseline_run, h->r->run };
	struct chart c = {
		.title = "level over time", .label = s->label, .x_unit = s->x_unit, .unit = UNIT_BYTES
	};
	for (int i = 0; i < 2; i++) {
		a[i] = series_find(runs[i], "memory.allocated", s->label);
		r[i] = series_find(runs[i], "memory.reserved", s->label);
		/* a line over time and a line over numbers of allocator actions cannot share an x axis */
		if (a[i] && a[i]->x_unit != s->x_unit)
			a[i] = r[i] = NULL;
	}
	bool both = h->r->baseline_run != NULL;
	add_line(&c, "allocated, baseline", "base", a[0]);
	add_line(&c, "reserved, baseline", "base dashed", r[0]);
	add_line(&c, both ? "allocated, candidate" : "allocated", "cand", a[1]);
	add_line(&c, both ? "reserved, candidate" : "reserved", "cand dashed", r[1]);
	add_fragmentation(&c, "fragmentation, baseline", "base dotted", a[0], r[0]);
	add_fragmentation(&c, both ? "fragmentation, candidate" : "fragmentation", "frag dotted", a[1],
	                  r[1]);
	chart(h, &c);
}

/* Index of the last low point of a memory level: in the last quarter of the points, the last one
 * whose value is in the lowest quarter of their range. The points after it belong to a step that
 * was cut short. */
static size_t last_low(const struct series *s)
{
	struct svg_range r = { INT64_MAX, INT64_MIN, 1 };
	size_t nr = s->points.nr, from = nr * 3 / 4;
	for (size_t i = from; i < nr; i++)
		svg_range_add(&r, s->points.v[i].y);
	while (nr > from + 1 && s->points.v[nr - 1].y > r.lo + (r.hi - r.lo) / 4)
		nr--;
	return nr - 1;
}

/* Index of the first point that is at least 90 % of the highest point in the first third of the
   points. */
static size_t first_high(const struct series *s)
{
	int64_t most = 0;
	size_t high = 0;
	for (size_t i = 0; i < s->points.nr / 3; i++)
		number_raise(&most, s->points.v[i].y);
	while (s->points.v[high].y < most - most / 10)
		high++;
	return high;
}

/* Add a line of the memory that stays allocated: at each time the smallest level from then on. The
   line begins at the first high level and ends at the last low one: see first_high(), last_low().
 */
static void add_kept(struct chart *c, const char *name, const char *class, const struct series *s)
{
	if (!s || !s->points.nr || s->x_unit != c->x_unit)
		return;
	struct svg_points kept = { 0 };
	size_t from = first_high(s), to = last_low(s);
	int64_t least = INT64_MAX;
	for (size_t i = from; i <= to; i++)
		vec_push(&kept.list, s->points.v[i]);
	for (size_t i = kept.list.nr; i-- > 0;) {
		number_lower(&least, kept.list.v[i].y);
		kept.list.v[i].y = least;
	}
	struct line *l = &c->lines[c->nr++];
	*l = (struct line){ .name = name, .class = class, .unit = s->unit };
	svg_thin(kept.list.v, kept.list.nr, &l->points);
	vec_release(&kept.list);
}

static void kept_chart(struct html *h, const struct series *s)
{
	struct chart c = { .title = "memory that stays allocated",
		               .label = s->label,
		               .x_unit = s->x_unit,
		               .unit = UNIT_BYTES };
	add_kept(&c, "baseline", "base", series_find(h->r->baseline_run, s->id, s->label));
	add_kept(&c, html_side(h, true), "cand", series_find(h->r->run, s->id, s->label));
	chart(h, &c);
}

void html_memory(struct html *h)
{
	const struct report *r = h->r;
	bool pair = run_has_peaks(r->baseline_run) && run_has_peaks(r->run);
	html_printf(h, "<div class=\"charts%s\" data-choice=\"memory\">\n", pair ? " pair" : "");
	bool leaks = ANY(i, r->findings.nr, r->findings.v[i].cause == CAUSE_LEAK);
	if (leaks)
		each_label(h, "memory.allocated", kept_chart);
	if (run_has_series(r->run, "memory.reserved") ||
	    run_has_series(r->baseline_run, "memory.reserved"))
		html_puts(h, "<p class=\"note\">Fragmentation is the share of reserved memory that is not "
		             "allocated, on the axis to the right.</p>\n");
	if (r->baseline_run && run_has_series(r->run, "memory.") &&
	    !run_has_series(r->baseline_run, "memory."))
		html_puts(h, "<p class=\"note\">The baseline has no levels over time (stored ones of many "
		             "ranks keep only the peaks): the chart is of the candidate.</p>\n");
	html_more_charts(h, each_label(h, "memory.allocated", level_chart));
	html_peaks(h, h->r->run);
	html_peaks(h, h->r->baseline_run);
	html_puts(h, "</div>\n");
}
