/// The level of a memory over time, reduced to the points of a chart.
#ifndef GG_REPLAY_LEVEL_POINTS_H
#define GG_REPLAY_LEVEL_POINTS_H

#include "model/memory.h"

/// Keeps the lowest and highest levels of equal parts of the history, and the first and last of
/// all, beside the points that the caller adds to p->points.
struct level_points {
	struct memory_profile *p;
	int64_t last; ///< `entries` of the last point
	int64_t part; ///< entries of a part
	struct memory_point low, high, high_reserved; ///< of the part
};

/// The points go to p->points; their `entries` will run from 0 to `last`.
void level_points_init(struct level_points *l, struct memory_profile *p, int64_t last);

/// The next point.
void level_points_add(struct level_points *l, const struct memory_point *now);

/// After the last one: puts the points in order, each once.
void level_points_finish(struct level_points *l);

#endif
