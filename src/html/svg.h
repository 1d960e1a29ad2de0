/// Charts as SVG text, with integers only. Pictures stretch to their box; words stand beside them.
#ifndef GG_HTML_SVG_H
#define GG_HTML_SVG_H

#include "base/strbuf.h"
#include "model/run_report.h"

/// Size of a picture in its own units.
enum { SVG_WIDTH = 10000, SVG_HEIGHT = 1000 };

/// Points of a line at most.
enum { SVG_POINTS = 500 };

/// From where to where an axis goes, lo ≤ hi, and in how many intervals.
struct svg_range {
	int64_t lo, hi;
	int parts;
};

/// A growable list of points, owned.
struct svg_points {
	VEC(struct series_point) list;
};

/// `r` with `v` in it.
void svg_range_add(struct svg_range *r, int64_t v);

/// `r` widened to at most SVG_PARTS intervals of equal, round length; from 0 on where `r` is
/// near it. `binary`: round are powers of two.
enum { SVG_PARTS = 6 };
struct svg_range svg_axis(struct svg_range r, bool binary);

/// At most SVG_POINTS of `nr` points, by x: of each part of the line its highest.
/// Caller releases with vec_release(&out->list).
void svg_thin(const struct series_point *v, size_t nr, struct svg_points *out);

/// Lines of the grid.
void svg_grid(struct strbuf *b, struct svg_range y);

/// Labels of the lines of the grid, from above, in an element of the class. Where figures as people
/// read them are the same on two lines, the lowest is told and how much more the others are.
void svg_labels(struct strbuf *b, enum unit unit, struct svg_range y, const char *class);

/// A line through points, or a dot at each, of a class of the style sheet.
void svg_line(struct strbuf *b, const char *class, struct svg_range x, struct svg_range y,
              const struct svg_points *p, bool dots);

/// A line from edge to edge at `value`, or an area between two.
void svg_level(struct strbuf *b, const char *class, struct svg_range y, int64_t value);
void svg_band(struct strbuf *b, const char *class, struct svg_range y, int64_t from, int64_t to);

/// A bar of its own picture: `part` of `whole` from the middle to that side which its sign says.
void svg_bar_signed(struct strbuf *b, int64_t part, int64_t whole);

/// A segment of a stacked bar, between two parts of `whole`.
void svg_segment(struct strbuf *b, int color, int64_t from, int64_t to, int64_t whole);

#endif
