/* Draws a figure over all known runs, with the noise around the baseline and the limits: a small
   chart in the tile of a key figure, a large one in the history. */
#include "base/number.h"
#include "html/html.h"
#include "html/svg.h"
#include "metric/unit.h"
#include "report/document.h"
#include "report/table.h"

enum { CHARTS = 4, LEAST_POINTS = 3 };

static struct svg_range range_of(const struct check *c)
{
	struct svg_range y = { INT64_MAX, INT64_MIN, 1 };
	const struct evidence *e = &c->evidence;
	for (size_t i = 0; i < c->trend->points.nr; i++)
		svg_range_add(&y, c->trend->points.v[i].value);
	if (noise_is_known(c)) {
		svg_range_add(&y, number_sub(c->baseline, e->noise));
		svg_range_add(&y, number_add(c->baseline, e->noise));
	}
	for (int i = 0; i < 2; i++)
		if (e->has_limit[i])
			svg_range_add(&y, e->limit[i]);
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
	svg_level(&h->body, "line base dotted", y, c->baseline);
	for (int i = 0; i < 2; i++)
		if (e->has_limit[i])
			svg_level(&h->body, "line limit dashed", y, e->limit[i]);
	put_points(h, c, y, -1, "line past");
	put_points(h, c, y, TREND_PAST, "dots past");
	put_points(h, c, y, TREND_APPROVED, "dots approved");
	put_points(h, c, y, TREND_CANDIDATE, "dots cand");
}

void html_spark(struct html *h, size_t check)
{
	const struct check *c = &h->r->checks.v[check];
	if (!c->trend || !c->has_change || c->trend->points.nr < 2)
		return;
	struct svg_range y = range_of(c);
	int64_t room = (y.hi - y.lo) / 10 + 1; /* space above and below, so that dots are not cut */
	y.lo = number_sub(y.lo, room);
	y.hi = number_add(y.hi, room);
	html_puts(h, "<svg class=\"spark\" " SVG_BOX " aria-hidden=\"true\">");
	draw(h, c, y);
	html_puts(h, "</svg>");
	for (int i = 0; i < 2; i++) {
		int64_t limit = c->evidence.limit[i];
		bool warns = c->verdict == VERDICT_WARN;
		bool beyond = i ? c->candidate > limit : c->candidate < limit;
		if (c->evidence.has_limit[i])
			html_printf(h, "<span class=\"spark-key\">dashed: %s %s%s</span>",
			            warns && !beyond ? "would fail at" : "limit",
			            unit_text(&h->arena, c->metric->unit, limit),
			            warns && beyond ? ", only a warning" : "");
	}
}

static void put_words(struct html *h, const struct check *c)
{
	const struct evidence *e = &c->evidence;
	enum unit unit = c->metric->unit;
	html_printf(h, "%zu runs; the baseline is %s, the candidate %s. ", c->trend->points.nr,
	            unit_text(&h->arena, unit, c->baseline), unit_text(&h->arena, unit, c->candidate));
	if (noise_is_known(c))
		html_printf(h, "Noise of %s. ", e->noise_text);
	for (int i = 0; i < 2; i++)
		if (e->has_limit[i])
			html_printf(h, "The limit is %s. ", unit_text(&h->arena, unit, e->limit[i]));
}

static void put_legend(struct html *h, const struct check *c)
{
	static const char *const keys[][3] = {
		{ "past", "dots", "runs of the past" }, { "approved", "dots", "approved" },
		{ "cand", "dots", "candidate" },        { "base", "band", "noise around the reference" },
		{ "limit", "line", "limit" },
	};
	html_puts(h, "<p class=\"legend\">");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		bool band = i == 3, limit = i == 4;
		if ((band && !noise_is_known(c)) ||
		    (limit && !c->evidence.has_limit[0] && !c->evidence.has_limit[1]))
			continue;
		html_puts(h, "<span><svg class=\"key\" viewBox=\"0 0 30 10\" aria-hidden=\"true\">");
		if (band)
			html_puts(h, "<rect class=\"band base\" width=\"30\" height=\"10\"/>");
		else
			html_printf(h, "<path class=\"%s %s%s\" d=\"%s\"/>", keys[i][1], keys[i][0],
			            limit ? " dashed" : "", limit ? "M0 5H30" : "M15 5h0");
		html_printf(h, "</svg>%s</span>", keys[i][2]);
	}
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

/* True if the figure is equal in all runs, so that a chart would add nothing. */
static bool is_constant(const struct trend *t)
{
	for (size_t i = 1; i < t->points.nr; i++)
		if (t->points.v[i].value != t->points.v[0].value)
			return false;
	return true;
}

/* Order of charts: figures with the verdict of the report first, then those of the whole step. */
static int weight(const struct report *r, const struct check *c)
{
	if (!c->trend || !c->has_change || c->trend->points.nr < LEAST_POINTS || c->metric->exact ||
	    is_constant(c->trend))
		return 0;
	bool told = c->verdict == r->verdict && r->verdict != VERDICT_PASS;
	bool step = c->metric->id == METRIC_STEP_COMPUTE_TIME || c->metric->id == METRIC_STEP_PERIOD;
	return told ? 2 : step;
}

/* True if a check with the same metric was drawn already, since rules may check several statistics
   of it. */
static bool is_drawn(const struct check *const *drawn, size_t nr, const struct check *c)
{
	for (size_t i = 0; i < nr; i++)
		if (drawn[i]->metric == c->metric)
			return true;
	return false;
}

void html_history(struct html *h)
{
	const struct check *drawn[CHARTS];
	size_t nr = 0;
	html_puts(h, "<div class=\"charts\">\n");
	for (int least = 2; least > 0; least--)
		for (size_t i = 0; i < h->r->checks.nr && nr < CHARTS; i++)
			if (weight(h->r, &h->r->checks.v[i]) == least &&
			    !is_drawn(drawn, nr, &h->r->checks.v[i])) {
				drawn[nr] = &h->r->checks.v[i];
				put_chart(h, drawn[nr++]);
			}
	html_puts(h, "</div>\n");
}
