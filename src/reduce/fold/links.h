/// Finds slow links, and ranks for which all others wait while no other rank is waited for, from
/// ends and durations of matched collectives.
#ifndef GG_FOLD_LINKS_H
#define GG_FOLD_LINKS_H

#include "model/digest.h"

/// A collective that was found on all of its ranks, with the times that one of these ranks
/// recorded.
struct link_point {
	int64_t wire_ns; ///< transfer time: the duration on the rank where the collective is shortest
	int64_t lag_ns; ///< how much later the collective ended on this rank than in the median over
	                ///< all ranks; has a constant error if the ranks' clocks differ
	int64_t sort, bytes; ///< kind and size of the collective, -1 if unknown; equal collectives take
	                     ///< equally long
	bool last; ///< true if the rank was the last to enter the collective: its lag then depends on
	           ///< the transfer time in another way (see link_slope())
};

/// How far the ends on a rank lag behind for each ns of transfer, in millionths: the median slope
/// over all pairs of collectives of which one transfer takes at least a quarter longer than the
/// other; differences within a pair cancel clock offsets. 0 if there are few pairs, if transfer
/// times are equal, or if less than nine of ten slopes are above 0. O(nr²); `p` is reordered.
int64_t link_slope(struct link_point *p, size_t nr);

/// Sets for each rank the largest link_slope() over the sets of ranks with which it communicates
/// (`slope`), and the time in which the others waited for this rank and for no other (`alone_ns`).
/// Both arrays are zeroed at first. `matched` is the number of matched collectives of each rank.
void ranks_links(const struct run *run, const int64_t *matched, int64_t *slope, int64_t *alone_ns);

#endif
