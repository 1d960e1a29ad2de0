/// Ranks that have fewer collectives than their peers.
#ifndef GG_FOLD_FEWER_H
#define GG_FOLD_FEWER_H

#include "model/digest.h"

/// Collectives of which a rank has fewer than its peers. Its peers are the ranks that have the same
/// steps and belong to the process group of these collectives.
struct fewer {
	enum collective_kind kind;
	struct span group; ///< description of the process group, borrowed from the digest
	int64_t count; ///< number of collectives of this kind and group on the rank
	int64_t usual; ///< median number over the peers; 0 if the rank does not have fewer
};

/// Finds for each rank of `run` the first kind of collective and process group of which it has
/// fewer than its peers. `out` must have a zeroed element for each rank. In a folded run, the
/// result is from a comparison with the ranks of the same block (fold.h).
void ranks_fewer(const struct run *run, struct fewer *out);

#endif
