/// Change points of a series: where its level changed for good.
#ifndef GG_DIFF_CHANGES_H
#define GG_DIFF_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/// Fewest values on either side of a change: what one or two runs do is not a level.
enum { CHANGE_LEAST = 3 };

/// Most values of a series that are searched, the newest: as many runs as `baseline append` keeps.
/// The search takes time in the square of them.
enum { CHANGE_MOST = 200 };

struct change_point {
	size_t at; ///< index of the first value of the new level
	int64_t p; ///< 1e-6: share of permutations that part as far, the series itself counted in
};

struct change_list {
	VEC(struct change_point) list; ///< by `at`; owned
};

/// E-divisive with means (Matteson & James, "A nonparametric approach for multiple change point
/// analysis", 2014, with the distance |x − y|², which sees changes of the mean): the part of the
/// series that is split best is split if at most `p` (1e-6, above 0) of its permutations are split
/// as well, and so on within both sides. The permutations follow from the values, so that the same
/// series has the same points. Only the newest CHANGE_MOST values are searched. Caller releases the
/// list.
void changes_find(const int64_t *v, size_t nr, int64_t p, struct change_list *out);

#endif
