/// The period of a sequence of launches: the shortest pattern that goes on repeating.
#ifndef GG_BASE_PERIOD_H
#define GG_BASE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// Launches in order: names[0..nr), each below `nr_names`.
struct launch_sequence {
	const uint32_t *names;
	size_t nr;
	const int64_t *mean_ns; ///< by name: GPU time of one launch
	size_t nr_names;
};

/// Regularity, in 1e-6 %, below which launches have no period.
#define PERIOD_NEEDED INT64_C(90000000)

struct period {
	VEC(size_t)
	starts; ///< first launch of each repetition, then the end of the last; empty if there is no
	        ///< period
	int64_t launches; ///< median per repetition
	int64_t regularity; ///< 1e-6 %; without a period that of the best pattern
};

/// Regularity: the least of three shares (launches, their time, distinct names) that recur from one
/// repetition to the next. Below PERIOD_NEEDED there is no period. Among patterns that are nearly
/// as regular as the best, the shortest is the period. Caller releases `out`. O(n) time, 16
/// temporary bytes per launch.
void period_find(const struct launch_sequence *s, struct period *out);

/// Give the memory back.
void period_release(struct period *p);

#endif
