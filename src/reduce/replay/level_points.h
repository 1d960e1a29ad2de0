/// The level of a memory over time, reduced to the points of a chart.
#ifndef GG_REPLAY_LEVEL_POINTS_H
#define GG_REPLAY_LEVEL_POINTS_H

#include "model/memory.h"

/// Collects the lowest and highest levels of equal parts of the history, and the first and last
/// level. The caller may add further points to p->points.
struct level_points {
	struct memory_profile *p;
	int64_t last; ///< number of history entries at the last level (memory_point.entries)
	int64_t part; ///< number of entries in each of the equal parts of the history
	struct memory_point low, high, high_reserved; ///< points of the lowest and highest levels in
	                                              ///< the current part
};

/// Prepares to add points to p->points. `last` is the number of history entries at the
/// last level.
void level_points_init(struct level_points *l, struct memory_profile *p, int64_t last);

/// Adds the next level of the history.
void level_points_add(struct level_points *l, const struct memory_point *now);

/// Sorts the points and removes duplicates; call it after the last level.
void level_points_finish(struct level_points *l);

#endif
