/// Change points of a series of values, at which its level changes for good; Student's t
/// distribution.
#ifndef GG_DIFF_CHANGES_H
#define GG_DIFF_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// Fewest values on each side of a change point: one or two runs are not a new level.
enum { CHANGE_LEAST = 3 };

/// Largest p value, in millionths, of a split of a series that the gate takes for a change point;
/// also the default of `gpugate history`.
enum { CHANGE_CHANCE = 1000 };

/// Largest number of values that are searched: only the newest values of a series are. It is the
/// number of runs that `gpugate store` keeps. The time grows with the square of this number.
enum { CHANGE_MOST = 200 };

struct change_point {
	size_t at; ///< index of the first value of the new level
	bool up; ///< true if the new level is the higher one
	int64_t p; ///< p value in millionths: the share of permutations (the series itself included)
	           ///< that have as good a split, or the p value of Student's t test
};

struct change_list {
	VEC(struct change_point) list; ///< change points sorted by `at`
};

/// Find change points by E-divisive with means (Matteson & James, "A nonparametric approach for
/// multiple change point analysis", 2014, with the distance |x − y|², which detects changes of the
/// mean). The best split of the series is kept if at most a share `p` (in millionths, above 0) of
/// its permutations has a split as good. Then both pieces are searched. The random numbers follow
/// from the values: equal series give equal points. Only the newest CHANGE_MOST values are
/// searched. The caller releases the list.
///
/// With `early`, a split is also kept if its p value by Student's t test is at most `p`; three runs
/// on a new level can then be enough. Callers that look for levels in the times of one operator do
/// not set it: two kernels that replace each other now and then would show levels by chance.
void changes_find(const int64_t *v, size_t nr, int64_t p, bool early, struct change_list *out);

/// P(T > x) in Student's t distribution with `df` > 0 degrees of freedom.
double student_tail(double x, double df);

/// The x for which P(T > x) = `tail` in Student's t distribution, 0 < `tail` < 0.5; at most 1e9.
double student_quantile(double tail, double df);

/// Split groups of values at their change points, since a difference between two levels is not
/// noise. `group` holds the group of each of the `nr` values, oldest first; values after a group's
/// first change point get new group numbers. Each group is first cut into pieces of 64 successive
/// values, so that the time does not grow with the square of `nr`. The oldest piece may be shorter,
/// and each later one is a group of its own. A piece that drifts is not split, since the drift
/// shows how far its values may move. With `early`, three values can be enough for a new level
/// (changes_find()).
void levels_split(const double *v, uint64_t *group, size_t nr, bool early);

#endif
