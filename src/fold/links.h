/// Slow links, and ranks for which the others wait and for no other: what ends and durations of
/// matched collectives say of each rank.
#ifndef GG_FOLD_LINKS_H
#define GG_FOLD_LINKS_H

#include "model/digest.h"

/// One matched collective as a rank saw it.
struct link_point {
	int64_t wire_ns; ///< shortest duration
	int64_t lag_ns; ///< its end after the median end of the ranks; clocks may differ
	int64_t sort, bytes; ///< what it is and how much it moves, -1 unknown: the same takes as long
	bool last; ///< the rank came last: its own lag is part of the wire time then
};

/// By how much the rank's ends fall behind for each ns on the wire, in 1e-6: the median slope
/// of all pairs of collectives of which one is longer by a quarter, which no clock offset
/// moves. 0 where the evidence is thin: few pairs, wire times that do not vary, or
/// slopes that rise in less than nine of ten. O(nr²); `p` is reordered.
int64_t link_slope(struct link_point *p, size_t nr);

/// For each rank the largest link_slope() over the sets of ranks that it communicates with, and how
/// long the others waited for it and for no other; both begin as 0. `matched`: collectives of each
/// rank that are matched.
void ranks_links(const struct run *run, const int64_t *matched, int64_t *slope, int64_t *alone_ns);

#endif
