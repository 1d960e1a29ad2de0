/* Draws a figure over the runs of the history: as a chart with its levels, and as a line of
   bars. */
#include "base/number.h"
#include "document/render.h"
#include "history/trends_document.h"
#include "html/svg.h"

/* Draw the level (median) of each stretch of runs without a change point as a line. */
static void draw_levels(const struct trends *t, const struct trend_figure *f, struct svg_range x,
                        struct svg_range y, struct strbuf *out)
{
	int64_t from = 0;
	for (size_t i = 0; i <= t->points.nr; i++) {
		const struct trend_change *p = i < t->points.nr ? &t->points.v[i] : NULL;
		if (p && p->figure != f->place)
			continue;
		int64_t level = p ? p->before : f->level;
		struct svg_points line = { 0 };
		vec_push(&line.list, (struct series_point){ from, level });
		vec_push(&line.list, (struct series_point){ p ? p->last : x.hi, level });
		svg_line(out, "line base", x, y, &line, false);
		vec_release(&line.list);
		from = p ? p->first : from;
	}
}

void trends_draw(const struct trends *t, const struct trend_figure *f, struct document *d,
                 struct strbuf *out)
{
	struct svg_range y = { INT64_MAX, INT64_MIN, 1 };
	struct svg_range x = { 0, (int64_t)t->runs.nr - 1, 1 };
	struct svg_points dots = { 0 };
	for (size_t k = 0; k < f->values.nr; k++) {
		svg_range_add(&y, f->values.v[k]);
		vec_push(&dots.list, (struct series_point){ f->runs.v[k], f->values.v[k] });
	}
	y = svg_axis(y, f->unit == UNIT_BYTES);
	strbuf_adds(out, "<figure class=\"chart\"><figcaption>");
	doc_html_escape(out, span_of(trend_name(d, f, SPAN(""))));
	strbuf_adds(out, "</figcaption>\n");
	strbuf_adds(out, "<div class=\"plot\">");
	svg_labels(out, f->unit, y, "y");
	strbuf_addf(out,
	            "<svg " SVG_BOX
	            " role=\"img\" aria-label=\"%zu runs, oldest first, and their levels\">",
	            f->values.nr);
	svg_grid(out, y);
	svg_band(out, "band base", y, number_sub(f->level, f->spread), number_add(f->level, f->spread));
	draw_levels(t, f, x, y, out);
	svg_line(out, "dots cand", x, y, &dots, true);
	strbuf_adds(out, "</svg></div>\n</figure>\n");
	vec_release(&dots.list);
}

enum { SPARK_CHARS = 16 };

/* Draw the values of all runs, oldest first, as a line of at most SPARK_CHARS bars. A bar that
   covers several runs shows their highest value. */
const char *trend_sparkline(struct document *d, const struct trend_figure *f)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▅", "▇" };
	enum { NR_BARS = NR_OF(bars) };
	struct strbuf b = STRBUF_INIT;
	size_t nr = f->values.nr, chars = nr < SPARK_CHARS ? nr : SPARK_CHARS;
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (size_t i = 0; i < nr; i++) {
		number_lower(&low, f->values.v[i]);
		number_raise(&high, f->values.v[i]);
	}
	for (size_t k = 0, i = 0; k < chars; k++) {
		int64_t top = INT64_MIN;
		for (; i < nr * (k + 1) / chars; i++)
			number_raise(&top, f->values.v[i]);
		__int128 range = (__int128)high - low, above = (__int128)top - low;
		strbuf_adds(&b, bars[range ? number_div_round(above * (NR_BARS - 1), range) : 0]);
	}
	return arena_take(&d->arena, &b);
}
