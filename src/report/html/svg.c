#include "html/svg.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/number.h"

void svg_range_add(struct svg_range *r, int64_t v)
{
	r->lo = v < r->lo ? v : r->lo;
	r->hi = v > r->hi ? v : r->hi;
}

/* ---- axes and scales ---- */

static __int128 floor_to(__int128 v, __int128 step)
{
	__int128 q = v / step;
	return (q * step > v ? q - 1 : q) * step;
}

struct svg_range svg_axis(struct svg_range r, bool binary)
{
	__int128 lo = r.lo, hi = r.hi;
	if (lo > 0 && (lo < hi / 2 || lo == hi))
		lo = 0;
	if (hi < 0 && lo == hi)
		hi = 0;
	/* distances between grid lines: 1, 2, 5, 10, … or, if `binary`, powers of two */
	__int128 step = 1;
	for (int nth = 0;; step = !binary && nth++ % 3 == 1 ? step / 2 * 5 : step * 2) {
		__int128 from = floor_to(lo, step), to = -floor_to(-hi, step);
		if (to - from > SVG_INTERVALS * step)
			continue;
		if (from < INT64_MIN || to > INT64_MAX)
			return (struct svg_range){ r.lo, r.hi, 1 };
		return (struct svg_range){ (int64_t)from, (int64_t)(to > from ? to : from + 1),
			                       to > from ? (int)((to - from) / step) : 1 };
	}
}

void svg_labels(struct strbuf *b, enum unit unit, struct svg_range y, const char *class)
{
	struct arena a = ARENA_INIT;
	const char *texts[SVG_INTERVALS + 1];
	bool alike = false;
	for (int i = 0; i <= y.intervals; i++) {
		int64_t value = (int64_t)(y.lo + ((__int128)y.hi - y.lo) * i / y.intervals);
		texts[i] = unit_text(&a, unit, value);
		alike = alike || (i && strcmp(texts[i], texts[i - 1]) == 0);
	}
	for (int i = 1; i <= y.intervals && alike; i++)
		texts[i] = unit_change(&a, unit, (int64_t)(((__int128)y.hi - y.lo) * i / y.intervals));
	strbuf_addf(b, "<div class=\"%s\" aria-hidden=\"true\">", class);
	for (int i = y.intervals; i >= 0; i--)
		strbuf_addf(b, "<span>%s</span>", texts[i]);
	strbuf_adds(b, "</div>");
	arena_release(&a);
}

/* Position of the value `v` on an axis of length `size` with the range `r`. */
static int64_t place(struct svg_range r, int64_t v, int64_t size)
{
	if (r.hi <= r.lo)
		return size / 2;
	return number_div_round(((__int128)v - r.lo) * size, (__int128)r.hi - r.lo);
}

static int64_t place_y(struct svg_range y, int64_t v)
{
	return SVG_HEIGHT - place(y, v, SVG_HEIGHT);
}

void svg_thin(const struct series_point *v, size_t nr, struct svg_points *out)
{
	size_t slices = nr < SVG_POINTS ? nr : SVG_POINTS;
	*out = (struct svg_points){ 0 };
	for (size_t k = 0, i = 0; k < slices; k++) {
		size_t end = nr * (k + 1) / slices, best = i;
		for (; i < end; i++)
			best = v[i].y > v[best].y ? i : best;
		vec_push(&out->list, v[best]);
	}
}

/* ---- lines and areas ---- */

void svg_grid(struct strbuf *b, struct svg_range y)
{
	strbuf_adds(b, "<path class=\"grid\" d=\"");
	for (int i = 0; i <= y.intervals; i++)
		strbuf_addf(b, "M0 %dH%d", SVG_HEIGHT * i / y.intervals, SVG_WIDTH);
	strbuf_adds(b, "\"/>");
}

void svg_line(struct strbuf *b, const char *class, struct svg_range x, struct svg_range y,
              const struct svg_points *p, bool dots)
{
	strbuf_addf(b, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < p->list.nr; i++)
		strbuf_addf(b, "%c%" PRId64 " %" PRId64 "%s", dots || i == 0 ? 'M' : 'L',
		            place(x, p->list.v[i].x, SVG_WIDTH), place_y(y, p->list.v[i].y),
		            dots ? "h0" : "");
	strbuf_adds(b, "\"/>");
}

void svg_horizontal(struct strbuf *b, const char *class, struct svg_range y, int64_t value)
{
	strbuf_addf(b, "<path class=\"%s\" d=\"M0 %" PRId64 "H%d\"/>", class, place_y(y, value),
	            SVG_WIDTH);
}

void svg_band(struct strbuf *b, const char *class, struct svg_range y, int64_t from, int64_t to)
{
	int64_t top = place_y(y, to);
	strbuf_addf(b, "<rect class=\"%s\" y=\"%" PRId64 "\" width=\"%d\" height=\"%" PRId64 "\"/>",
	            class, top, SVG_WIDTH, place_y(y, from) - top);
}

/* ---- bars and segments ---- */

/* Width of the bar for `part`, in 1e-3 % of the picture. A bar for `whole` has half of the
 * picture's width. Every `part` above 0 has at least a visible width. */
static int64_t width_of(__int128 part, int64_t whole)
{
	enum { HALF = 50000, SLIVER = 200 };
	if (part <= 0 || whole <= 0)
		return 0;
	int64_t w = number_div_round(part * HALF, whole);
	return w < SLIVER ? SLIVER : w < HALF ? w : HALF;
}

void svg_bar_signed(int64_t part, int64_t whole, struct strbuf *b)
{
	int64_t width = width_of(part < 0 ? -(__int128)part : part, whole);
	int64_t from = part < 0 ? 50000 - width : 50000;
	if (!width)
		return;
	strbuf_addf(b,
	            "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"%s\" x=\"%" PRId64
	            ".%" PRId64 "%%\" y=\"3\" width=\"%" PRId64 ".%" PRId64
	            "%%\" height=\"12\"/></svg>",
	            part < 0 ? "less" : "more", from / 1000, from % 1000 / 100, width / 1000,
	            width % 1000 / 100);
}

void svg_segment(struct strbuf *b, int color, int64_t from, int64_t to, int64_t whole)
{
	struct svg_range r = { 0, whole, 1 };
	int64_t left = place(r, from, SVG_WIDTH);
	strbuf_addf(b, "<rect class=\"c%d\" x=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%d\"/>",
	            color, left, place(r, to, SVG_WIDTH) - left, SVG_HEIGHT);
}
