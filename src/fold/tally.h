/// Values of many ranks without the ranks: what reductions over them ask for, in integers that are
/// the same in whatever order values come.
#ifndef GG_FOLD_TALLY_H
#define GG_FOLD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "metric/statistic.h"

/// Up to so many values are kept as they are; of more, how many lie in which part of the scale.
enum { TALLY_EXACT = 64 };

/// A median that is not known exactly.
#define TALLY_UNKNOWN INT64_MIN

/// So many values, of which `key` is the value, or the part of the scale that they lie in: of each
/// doubling there are 128 parts, so that what lies in one differs by 0.8 % at most.
struct tally_bin {
	int64_t key, count;
};

/// Values of ranks. All zero: none.
struct tally {
	int64_t count;
	int64_t high, low; ///< the sum: high · 2³² + low, 0 ≤ low < 2³²
	int64_t min, max;
	int64_t second; ///< the smallest without one that is `min`, which it may equal; of two or more
	int64_t min_rank, max_rank; ///< the lowest rank that has it
	int64_t median; ///< where it is known exactly, else TALLY_UNKNOWN; lost where values join
	VEC(struct tally_bin) bins; ///< rising; of values where `count` is TALLY_EXACT or less
};

/// One more value.
void tally_add(struct tally *t, int64_t value, int64_t rank);

/// The values of both, which are of different ranks.
void tally_join(struct tally *t, const struct tally *more);

/// A copy, which its owner releases.
struct tally tally_copy(const struct tally *t);

/// Give the memory back; none are left.
void tally_release(struct tally *t);

/// Reduce one or more values: exact, but the median of more than TALLY_EXACT values is known only
/// to a part of the scale, within which they are taken to be evenly spread.
int64_t tally_reduce(const struct tally *t, enum reduce reduce);

/// The median of two or more values without the least.
int64_t tally_median_of_others(const struct tally *t);

/// True where count, sum, extremes and bins may be of the same values.
bool tally_is_sound(const struct tally *t);

#endif
