/* Draws a figure over all known runs, with the noise around the baseline and the limits: a small
   chart in the tile of a key figure, a large one in the history. */
#include "base/number.h"
#include "html/html.h"
#include "html/svg.h"
#include "metric/unit.h"
#include "report/document.h"
#include "report/table.h"

enum { CHARTS = 4 };

/* A limit as a line of a chart. */
struct limit_line {
	bool warns; /* true if a check beyond it only warns */
	int64_t value;
};

/* The limits that a chart shows: those of `fail` and, if the check warned or has no limit of
 * `fail`, those of `warn`. While the noise is not known, a check only warns even beyond the limit
 * of `fail`, so that the limit of `warn`, which is nearer, is shown instead. Returns their number.
 */
static size_t limits_of(const struct check *c, struct limit_line out[4])
{
	const struct evidence *e = &c->evidence;
	bool weak = e->has_noise && !noise_is_known(c) && c->verdict != VERDICT_FAIL;
	size_t nr = 0;
	for (int i = 0; i < 2; i++)
		if (e->has_limit[i] && !(weak && e->has_warn[i]))
			out[nr++] = (struct limit_line){ weak, e->limit[i] };
	for (int i = 0; i < 2; i++)
		if (e->has_warn[i] && (weak || !e->has_limit[i] || c->verdict == VERDICT_WARN))
			out[nr++] = (struct limit_line){ true, e->warn[i] };
	return nr;
}

static struct svg_range range_of(const struct check *c)
{
	struct svg_range y = { INT64_MAX, INT64_MIN, 1 };
	const struct evidence *e = &c->evidence;
	struct limit_line limits[4];
	for (size_t i = 0; i < c->trend->points.nr; i++)
		svg_range_add(&y, c->trend->points.v[i].value);
	if (noise_is_known(c)) {
		svg_range_add(&y, number_sub(c->baseline, e->noise));
		svg_range_add(&y, number_add(c->baseline, e->noise));
	}
	for (size_t i = limits_of(c, limits); i-- > 0;)
		svg_range_add(&y, limits[i].value);
	return y;
}

/* Draw the points of the trend whose source is `source` as dots or, if `source` < 0, all points as
   a line. */
static void put_points(struct html *h, const struct check *c, struct svg_range y, int source,
                       const char *class)
{
	struct svg_points p = { 0 };
	size_t nr = c->trend->points.nr;
	for (size_t i = 0; i < nr; i++)
		if (source < 0 || c->trend->points.v[i].source == (enum trend_source)source)
			vec_push(&p.list, (struct series_point){ (int64_t)i, c->trend->points.v[i].value });
	if (p.list.nr)
		svg_line(&h->body, class, (struct svg_range){ 0, (int64_t)nr - 1, 1 }, y, &p, source >= 0);
	vec_release(&p.list);
}

static void draw(struct html *h, const struct check *c, struct svg_range y)
{
	const struct evidence *e = &c->evidence;
	if (noise_is_known(c))
		svg_band(&h->body, "band base", y, number_sub(c->baseline, e->noise),
		         number_add(c->baseline, e->noise));
	svg_horizontal(&h->body, "line base dotted", y, c->baseline);
	struct limit_line limits[4];
	for (size_t i = limits_of(c, limits); i-- > 0;)
		svg_horizontal(&h->body, limits[i].warns ? "line warn dashed" : "line limit dashed", y,
		               limits[i].value);
	put_points(h, c, y, -1, "line past");
	put_points(h, c, y, TREND_PAST, "dots past");
	put_points(h, c, y, TREND_APPROVED, "dots approved");
	put_points(h, c, y, TREND_CANDIDATE, "dots cand");
}

/* Begin an entry of a legend with the line or dot `path`, in the class `class` of the style sheet.
 */
static void put_key(struct html *h, const char *element, const char *class, const char *path)
{
	html_printf(h,
	            "<span%s><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path "
	            "class=\"%s\" d=\"%s\"/></svg>",
	            element, class, path);
}

/* Write an entry of the legend for each limit: a sample of its line, and whether a check beyond the
   limit warns or fails. */
static void put_limits(struct html *h, const struct check *c, const char *element)
{
	struct limit_line limits[4];
	size_t nr = limits_of(c, limits);
	for (size_t i = 0; i < nr; i++) {
		put_key(h, element, limits[i].warns ? "line warn dashed" : "line limit dashed", "M0 5H30");
		html_printf(h, "%s %s</span>", limits[i].warns ? "warns beyond" : "fails beyond",
		            unit_text(&h->arena, c->metric->unit, limits[i].value));
	}
}

/* Begin a small chart, with space above and below so that dots are not cut. */
static void open_spark(struct html *h, struct svg_range *y)
{
	int64_t room = (y->hi - y->lo) / 10 + 1;
	y->lo = number_sub(y->lo, room);
	y->hi = number_add(y->hi, room);
	html_puts(h, "<svg class=\"spark\" " SVG_BOX " aria-hidden=\"true\">");
}

void html_spark(struct html *h, size_t check)
{
	const struct check *c = &h->r->checks.v[check];
	if (!c->trend || !c->has_change || c->trend->points.nr < 2)
		return;
	struct svg_range y = range_of(c);
	open_spark(h, &y);
	draw(h, c, y);
	html_puts(h, "</svg>");
	put_limits(h, c, " class=\"spark-key\"");
}

/* Draw the values of a column of the table of ranks as dots, side by side. */
static void put_ranks(struct html *h, size_t column, bool candidate, struct svg_range y,
                      const char *class)
{
	struct svg_points p = { 0 };
	const struct report *r = h->r;
	int64_t nr = 0;
	for (size_t i = 0; i < r->ranks.nr; i++)
		if (r->ranks.v[i].candidate == candidate) {
			const struct report_cell *cell = &r->ranks.v[i].cells.v[column];
			if (cell->kind == CELL_FIGURE)
				vec_push(&p.list, (struct series_point){ nr, cell->value });
			nr++;
		}
	if (p.list.nr)
		svg_line(&h->body, class, (struct svg_range){ 0, nr - 1, 1 }, y, &p, true);
	vec_release(&p.list);
}

void html_spark_ranks(struct html *h, size_t column)
{
	struct svg_range y = { INT64_MAX, INT64_MIN, 1 };
	const struct report *r = h->r;
	for (size_t i = 0; i < r->ranks.nr; i++)
		if (r->ranks.v[i].cells.v[column].kind == CELL_FIGURE)
			svg_range_add(&y, r->ranks.v[i].cells.v[column].value);
	open_spark(h, &y);
	put_ranks(h, column, false, y, "dots base");
	put_ranks(h, column, true, y, "dots cand");
	html_puts(h, "</svg>");
	put_key(h, " class=\"spark-key\"", "dots cand", "M15 5h0");
	html_puts(h, "candidate, a dot for each rank</span>");
	put_key(h, " class=\"spark-key\"", "dots base", "M15 5h0");
	html_puts(h, "baseline</span>");
}

static void put_words(struct html *h, const struct check *c)
{
	const struct evidence *e = &c->evidence;
	enum unit unit = c->metric->unit;
	html_printf(h, "%zu runs; the baseline is %s, the candidate %s. ", c->trend->points.nr,
	            unit_text(&h->arena, unit, c->baseline), unit_text(&h->arena, unit, c->candidate));
	if (noise_is_known(c))
		html_printf(h, "Noise of %s. ", e->noise_text);
	struct limit_line limits[4];
	for (size_t i = limits_of(c, limits); i-- > 0;)
		html_printf(h, "It %s beyond %s. ", limits[i].warns ? "warns" : "fails",
		            unit_text(&h->arena, unit, limits[i].value));
}

static void put_legend(struct html *h, const struct check *c)
{
	static const char *const dots[][2] = { { "dots past", "runs of the past" },
		                                   { "dots approved", "approved" },
		                                   { "dots cand", "candidate" } };
	html_puts(h, "<p class=\"legend\">");
	for (size_t i = 0; i < NR_OF(dots); i++) {
		put_key(h, "", dots[i][0], "M15 5h0");
		html_printf(h, "%s</span>", dots[i][1]);
	}
	if (noise_is_known(c))
		html_puts(h, "<span><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><rect "
		             "class=\"band base\" width=\"30\" height=\"10\"/></svg>noise around the "
		             "reference</span>");
	put_limits(h, c, "");
	html_puts(h, "</p>\n");
}

/* Write the values as a table, for readers without the picture. */
static void put_numbers(struct html *h, const struct check *c)
{
	static const char *const sources[] = {
		[TREND_APPROVED] = "approved", [TREND_PAST] = "past", [TREND_CANDIDATE] = "candidate"
	};
	static const struct doc_column columns[] = {
		{ "run", DOC_LEFT }, { "commit", DOC_LEFT }, { "time", DOC_LEFT }, { "value", DOC_RIGHT }
	};
	struct document d;
	doc_init(&d);
	doc_table(&d, arena_printf(&h->arena, "history of %s", c->metric->name), columns, 4);
	for (size_t i = 0; i < c->trend->points.nr; i++) {
		const struct trend_point *p = &c->trend->points.v[i];
		doc_row(&d, 0);
		doc_words_cell(&d, sources[p->source]);
		doc_name_cell(&d, p->commit);
		doc_name_cell(&d, p->time);
		doc_figure_cell(&d, unit_text(&h->arena, c->metric->unit, p->value), true, p->value);
	}
	html_numbers(h, &d);
}

static void put_chart(struct html *h, const struct check *c)
{
	struct svg_range y = svg_axis(range_of(c), c->metric->unit == UNIT_BYTES);
	const char *title = metric_label(c->metric);
	html_puts(h, "<figure class=\"chart\"><figcaption>");
	html_text(h, title);
	html_puts(h, c->verdict == VERDICT_FAIL        ? ": failed"
	             : c->verdict == VERDICT_WARN      ? ": only a warning"
	             : c->verdict == VERDICT_UNDECIDED ? ": undecided"
	                                               : "");
	html_puts(h, "</figcaption>\n");
	put_legend(h, c);
	html_puts(h, "<div class=\"plot\">");
	svg_labels(&h->body, c->metric->unit, y, "y");
	html_picture(h, SVG_BOX, arena_printf(&h->arena, "%s, history", title));
	put_words(h, c);
	html_puts(h, "</desc>");
	svg_grid(&h->body, y);
	draw(h, c, y);
	html_puts(h, "</svg><div class=\"x\" aria-hidden=\"true\"><span>earliest run</span>"
	             "<span>candidate</span></div></div>\n");
	put_numbers(h, c);
	html_puts(h, "</figure>\n");
}

void html_history(struct html *h)
{
	const struct metric *drawn[CHARTS]; /* metrics that have a chart already, since several
	                                       checks may be on statistics of one metric */
	size_t nr = 0;
	html_puts(h, "<div class=\"charts\">\n");
	for (int least = 2; least > 0; least--)
		for (size_t i = 0; i < h->r->checks.nr && nr < CHARTS; i++) {
			const struct check *c = &h->r->checks.v[i];
			if (ANY(k, nr, drawn[k] == c->metric) || doc_history_weight(h->r, c) != least)
				continue;
			drawn[nr++] = c->metric;
			put_chart(h, c);
		}
	html_puts(h, "</div>\n");
}
