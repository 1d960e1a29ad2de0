/// Columns of steps as differences from other columns. GPU time, for example, is nearly the sum of
/// its parts: what is left of it once the parts have been subtracted has fewer digits, or is 0. A
/// column in this form is not an array. Versions that do not know the form therefore refuse the
/// file, so that the form needs no minor version of its own.
#ifndef GG_STORE_STEP_BASES_H
#define GG_STORE_STEP_BASES_H

#include "store/step_columns.h"

/// Up to this number of steps, all columns are written as they are. With more steps, a column may
/// be written as differences.
enum { STEPS_PLAIN = 256 };

/// Largest number of columns (bases) from which the values of one column are guessed.
enum { STEP_BASES_MAX = 8 };

/// Sentinel in a column of differences: the column has no value (NO_SAMPLE) for this step.
#define NO_REST INT64_MIN

/// Columns whose values are added up, with their signs, as a guess of the values of another column.
/// Where a digest or a step lacks a value, it counts as 0. A column as its own base gives the value
/// of the step before, and 0 in the first step.
struct step_bases {
	size_t nr;
	int column[STEP_BASES_MAX]; ///< a column that is added, or ~column of one that is subtracted
};

/// The bases with which the column takes the fewest digits, judged by the digest that has most
/// steps; without bases if none take fewer. Bases can be the columns in the set `known`, and the
/// column itself: then the value of the previous step is subtracted.
struct step_bases step_bases_choose(const void *const *digests, size_t nr, size_t column,
                                    uint64_t known);

/// Subtracts the sum of the bases from each value of a column, which the digest must have. The
/// differences go to `rest`, which has room for all steps. False if a difference exceeds int64.
bool step_bases_subtract(const struct digest *d, size_t column, const struct step_bases *b,
                         int64_t *rest);

/// Adds the sum of the bases to each difference that the column of a digest holds, which gives the
/// column's values. False if a value would be negative or too large.
bool step_bases_add(struct digest *d, size_t column, const struct step_bases *b);

#endif
