/// Slow links, and ranks for which the others wait and for no other: what ends and durations of
/// matched collectives say of each rank.
#ifndef GG_FOLD_LINKS_H
#define GG_FOLD_LINKS_H

#include "model/digest.h"

/// One matched collective, as seen by a rank.
struct link_point {
	int64_t wire_ns; ///< duration on the rank with the shortest one, which is the transfer time
	int64_t lag_ns; ///< time from the median end of all ranks to its own end; clocks may differ
	int64_t sort, bytes; ///< kind and size, -1 if unknown: equal collectives take equally long
	bool last; ///< true if the rank came last: then its own lag is part of the transfer time
};

/// How far the rank's ends lag behind for each ns of transfer, in 1e-6: the median slope over all
/// pairs of collectives of which one takes a quarter longer, so that clock offsets cancel. 0 if the
/// evidence is thin: few pairs, equal transfer times, or slopes that rise in less than nine of ten
/// pairs. O(nr²); `p` is reordered.
int64_t link_slope(struct link_point *p, size_t nr);

/// For each rank the largest link_slope() over the sets of ranks that it communicates with, and how
/// long the others waited for it and for no other; both begin as 0. `matched`: collectives of each
/// rank that are matched.
void ranks_links(const struct run *run, const int64_t *matched, int64_t *slope, int64_t *alone_ns);

#endif
