/// Charts as SVG text, computed with integers only. A picture stretches to the size of its box, so
/// that its labels are HTML beside it.
#ifndef GG_HTML_SVG_H
#define GG_HTML_SVG_H

#include "base/strbuf.h"
#include "model/run_report.h"

/// Width and height of a picture in units of its own coordinates.
enum { SVG_WIDTH = 10000, SVG_HEIGHT = 1000 };
#define SVG_BOX \
	"viewBox=\"0 0 10000 1000\" preserveAspectRatio=\"none\"" ///< SVG_WIDTH and SVG_HEIGHT as
	                                                          ///< attributes of <svg>

/// Largest number of points on a line.
enum { SVG_POINTS = 500 };

/// Range of an axis, lo ≤ hi, and its number of intervals.
struct svg_range {
	int64_t lo, hi;
	int intervals;
};

/// A list of points.
struct svg_points {
	VEC(struct series_point) list;
};

/// Extend `r` to include `v`.
void svg_range_add(struct svg_range *r, int64_t v);

/// Largest number of intervals of an axis.
enum { SVG_INTERVALS = 6 };

/// Returns `r` widened to at most SVG_INTERVALS intervals of equal, round length; they include 0 if
/// `r` is a single value, or if `r.lo` is between 0 and `r.hi` / 2. `binary`: round lengths are
/// powers of two.
struct svg_range svg_axis(struct svg_range r, bool binary);

/// Reduce `nr` points, which must be sorted by x, to at most SVG_POINTS: of each group of
/// successive points, the highest one stays. The caller releases `out->list` with vec_release().
void svg_thin(const struct series_point *v, size_t nr, struct svg_points *out);

/// Append horizontal grid lines at the ends of all intervals of the axis `y`.
void svg_grid(struct strbuf *b, struct svg_range y);

/// Append the labels of the grid lines, topmost first, in an element of class `class`. If two
/// labels would read the same, only the lowest label is written in full, and all others as
/// differences from it.
void svg_labels(struct strbuf *b, enum unit unit, struct svg_range y, const char *class);

/// Append a line through the points or, with `dots`, a dot at each. `class` is a class of the style
/// sheet.
void svg_line(struct strbuf *b, const char *class, struct svg_range x, struct svg_range y,
              const struct svg_points *p, bool dots);

/// Append a horizontal line at `value`.
void svg_horizontal(struct strbuf *b, const char *class, struct svg_range y, int64_t value);

/// Append the area between the values `from` and `to`.
void svg_band(struct strbuf *b, const char *class, struct svg_range y, int64_t from, int64_t to);

/// Append a picture with a bar whose length shows `part` as a share of `whole`. The bar starts in
/// the middle of the picture and goes to the right if `part` is positive, else to the left.
void svg_bar_signed(int64_t part, int64_t whole, struct strbuf *b);

/// Append a segment of a stacked bar of length `whole`: from `from` to `to`, in color number
/// `color`.
void svg_segment(struct strbuf *b, int color, int64_t from, int64_t to, int64_t whole);

#endif
