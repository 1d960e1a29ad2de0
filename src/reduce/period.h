/// The period of a sequence of launches: the shortest pattern that goes on repeating.
#ifndef GG_REDUCE_PERIOD_H
#define GG_REDUCE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// What is launched, in order: names[0..nr), each below `nr_names`.
struct launch_sequence {
	const uint32_t *names;
	size_t nr;
	const int64_t *mean_ns; ///< by name: GPU time of one launch
	size_t nr_names;
};

struct period {
	VEC(size_t) starts; ///< first launch of each repetition, then the end of the last; empty: none
	int64_t launches; ///< of a repetition: the median
	int64_t regularity; ///< 1e-6 %; where there is none, that of the pattern that came nearest
};

/// Regularity: the least of three shares, of the launches, of their time and of the distinct names,
/// that come again from one repetition to the next. Below PERIOD_NEEDED there is no
/// period. Of those that are nearly as regular as the best it is the shortest. `out` is the
/// caller's to release. O(n) time, 16 bytes for each launch meanwhile.
void period_find(const struct launch_sequence *s, struct period *out);

/// Give the memory back.
void period_release(struct period *p);

#endif
