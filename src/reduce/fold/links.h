/// Finds slow links from the durations of collectives, and the time in which all ranks wait for a
/// single rank.
#ifndef GG_FOLD_LINKS_H
#define GG_FOLD_LINKS_H

#include "model/digest.h"

/// A collective that was found on all of its ranks, with the times that one of these ranks
/// recorded.
struct link_point {
	int64_t wire_ns; ///< transfer time: the duration on the rank where the collective is shortest
	int64_t lag_ns; ///< how much later the collective ended on this rank than on the median rank;
	                ///< has a constant error if the ranks' clocks differ
	int64_t sort, bytes; ///< kind, and size in bytes or -1 if unknown; collectives that agree in
	                     ///< both take equally long
	bool last; ///< true if the rank was the last to enter the collective; link_slope() treats these
	           ///< collectives separately
};

/// How much later collectives end on a rank per ns of transfer time, in millionths of a ns: a
/// median over pairs of collectives whose transfer times differ by at least a quarter. The
/// difference within a pair cancels the offset of the rank's clock. There are three medians: of
/// collectives in which the rank came last, of the others, and of all; the largest is returned. A
/// median counts as 0 if there are few pairs, or if less than nine of ten slopes are above 0. Takes
/// O(nr²) time and memory.
int64_t link_slope(struct link_point *p, size_t nr);

/// For each rank, sets `slope` to the largest link_slope() over the sets of ranks with which it
/// communicates, and `alone_ns` to the time in which the other ranks of a collective waited for
/// this rank only. The caller zeroes both. `matched` is the number of matched collectives of each
/// rank.
void ranks_links(const struct run *run, const int64_t *matched, int64_t *slope, int64_t *alone_ns);

#endif
