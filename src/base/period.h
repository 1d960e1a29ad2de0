/// Finds the period of a sequence of launches: the shortest pattern that repeats.
#ifndef GG_BASE_PERIOD_H
#define GG_BASE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// A sequence of launches in order: names[0..nr) are ids of their names, each below `nr_names`.
struct launch_sequence {
	const uint32_t *names;
	size_t nr;
	const int64_t *mean_ns; ///< mean GPU time of one launch, indexed by id of the name
	size_t nr_names;
};

/// Least regularity, in 1e-6 %, from which a repeating pattern counts as a period: 90 %.
#define PERIOD_NEEDED INT64_C(90000000)

/// The period of a sequence; owns its list.
struct period {
	VEC(size_t)
	/// index of the first launch of each repetition, then the end of the last repetition; empty if
	/// there is no period
	starts;
	int64_t launches; ///< median number of launches in a repetition
	int64_t regularity; ///< regularity of the period in 1e-6 %. If there is no period: that of the
	                    ///< most regular pattern below PERIOD_NEEDED, or 0 if there is no such
	                    ///< pattern or fewer than two repetitions are whole
};

/// Finds the period. The regularity of a pattern is the percentage of launches that also occur in
/// the previous repetition: the lowest of the percentages by number, by GPU time and by distinct
/// name. A pattern may be the period if its regularity is at least PERIOD_NEEDED. It is ruled out
/// if a longer pattern is far more regular, or if steps vary and a shorter one is regular enough.
/// The one whose repetitions are most alike in length is the period; of several equally even ones,
/// the shortest. Caller releases `out`. O(n) time, 16 temporary bytes per launch.
void period_find(const struct launch_sequence *s, struct period *out);

/// Releases all memory of the period.
void period_release(struct period *p);

#endif
