/// The distribution of a figure over many ranks, from which reductions (maximum, median, …) are
/// computed. All members are integers, so the distribution does not depend on the order in which
/// values were added.
#ifndef GG_MODEL_TALLY_H
#define GG_MODEL_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "metric/statistic.h"

/// Up to this number of values, each value is kept exactly. If there are more, only the number of
/// values in each bucket of a logarithmic scale is kept.
enum { TALLY_EXACT = 64 };

/// Value of tally.median if the exact median is not known.
#define TALLY_UNKNOWN INT64_MIN

/// A number of equal values, with the value as `key`; or the number of values in one bucket of the
/// scale, with the bucket as `key`. Each doubling has 128 buckets, so that values in one bucket
/// differ by 0.8 % at most.
struct tally_bin {
	int64_t key, count;
};

/// The distribution of values over ranks. It is empty if all members are 0.
struct tally {
	int64_t count;
	int64_t high, low; ///< sum of the values: high · 2³² + low, 0 ≤ low < 2³²
	int64_t min, max;
	int64_t second; ///< second smallest value, which may equal `min`; only with two or more values
	int64_t min_rank, max_rank; ///< lowest rank with the smallest value, and with the largest value
	int64_t median; ///< exact median; TALLY_UNKNOWN if it is not known, as after two tallies were
	                ///< joined

	/// sorted by `key`; a bin is for one value if the tally's `count` is at most TALLY_EXACT, else
	/// for one bucket of the scale
	VEC(struct tally_bin) bins;
};

/// Adds a value of a rank.
void tally_add(struct tally *t, int64_t value, int64_t rank);

/// Adds the values of `more`, which are of other ranks.
void tally_join(struct tally *t, const struct tally *more);

/// A copy, which the caller releases with tally_release().
struct tally tally_copy(const struct tally *t);

/// Releases the memory; the tally is then empty.
void tally_release(struct tally *t);

/// Reduces one or more values. The result is exact unless it is a median, there are more than
/// TALLY_EXACT values, and `median` is TALLY_UNKNOWN: the median is then estimated, as if the
/// values within a bucket of the scale were evenly spread.
int64_t tally_reduce(const struct tally *t, enum reduce reduce);

/// The median of the values without the smallest one; needs two or more values.
int64_t tally_median_of_others(const struct tally *t);

/// True if count, sum, extremes and bins do not contradict each other.
bool tally_is_sound(const struct tally *t);

#endif
