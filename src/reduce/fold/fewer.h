/// Ranks that have fewer collectives than their peers.
#ifndef GG_FOLD_FEWER_H
#define GG_FOLD_FEWER_H

#include "model/digest.h"

/// The collectives of one kind and process group, if a rank has fewer of them than its peers. Its
/// peers are the ranks that have the same steps and belong to the process group of these
/// collectives.
struct fewer {
	enum collective_kind kind;
	struct span group; ///< description of the process group, borrowed from the digest
	int64_t count; ///< number of collectives of this kind and group on the rank
	int64_t usual; ///< median number over the peers; 0 if the rank does not have fewer
};

/// For each rank of `run`, finds the first pair of kind and process group with fewer collectives on
/// this rank than on its peers. `out` must have a zeroed element for each rank. If the run is
/// folded, the result is the one that was stored when the ranks were folded; a rank may then have
/// been compared only with the other ranks of its block (FOLD_BLOCK).
void ranks_fewer(const struct run *run, struct fewer *out);

#endif
