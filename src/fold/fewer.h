/// Ranks that have fewer collectives than their peers.
#ifndef GG_FOLD_FEWER_H
#define GG_FOLD_FEWER_H

#include "model/digest.h"

/// What a rank has less of than its peers, those of its process group with the same steps.
struct fewer {
	enum collective_kind kind;
	struct span group; ///< description of the process group, borrowed from the digest
	int64_t count;
	int64_t usual; ///< median of the peers; 0: the rank lacks none
};

/// For each rank of `run` the first kind and group of which it has fewer; `out` begins as 0. Ranks
/// of a folded run were compared with those of their block.
void ranks_fewer(const struct run *run, struct fewer *out);

#endif
