/// The level of a memory over time, reduced to the points of a chart.
#ifndef GG_REPLAY_LEVEL_POINTS_H
#define GG_REPLAY_LEVEL_POINTS_H

#include "model/digest.h"

/// Collects levels of a memory for a chart: the lowest and highest levels of each of several equal
/// slices of the history, and the first and last level. The caller may add further levels to
/// `list`, and releases it.
struct level_points {
	VEC(struct memory_level) list;
	int64_t last; ///< number of history entries at the last level (memory_level.entries)
	int64_t slice; ///< number of entries in each of the equal slices of the history
	struct memory_level low, high,
	    high_reserved; ///< levels in the current slice with the least allocated bytes, with the
	                   ///< most, and with the most reserved bytes
};

/// Prepares to add levels. `last` is the number of history entries at the last level.
void level_points_init(struct level_points *l, int64_t last);

/// Adds the next level of the history.
void level_points_add(struct level_points *l, const struct memory_level *now);

/// Appends the points to the digest, sorted and without duplicates; call it after the last level.
void level_points_finish(struct level_points *l, struct digest *d);

#endif
