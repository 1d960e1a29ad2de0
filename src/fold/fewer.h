/// Ranks that have fewer collectives than their peers.
#ifndef GG_FOLD_FEWER_H
#define GG_FOLD_FEWER_H

#include "model/digest.h"

/// Collectives of which a rank has fewer than its peers: the ranks with the same process group and
/// the same steps.
struct fewer {
	enum collective_kind kind;
	struct span group; ///< description of the process group, borrowed from the digest
	int64_t count; ///< number of these collectives on the rank
	int64_t usual; ///< median number over the peers; 0 if the rank lacks none
};

/// Finds for each rank of `run` the first kind and group of which it has fewer. `out` has an
/// element for each rank, zeroed by the caller. The ranks of a folded run were compared within
/// their block.
void ranks_fewer(const struct run *run, struct fewer *out);

#endif
