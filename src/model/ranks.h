/// Collectives matched across the ranks of a run, and what they say of each rank.
#ifndef GG_MODEL_RANKS_H
#define GG_MODEL_RANKS_H

#include "model/digest.h"

/// One rank's part in a collective.
struct match_member {
	uint32_t rank; ///< index in run->ranks
	uint32_t at; ///< index in its collectives
};

/// A collective that two or more ranks took part in.
struct rank_match {
	const struct match_member *members; ///< ascending by rank
	size_t nr;
	int64_t wire_ns; ///< the shortest duration: nobody waits in it
	size_t last; ///< the member that came last; nr where several are equally short
};

/// Receives matches; `m` is valid during the call only.
typedef void rank_match_fn(void *ctx, const struct rank_match *m);

/// The collectives of a run, matched by number of the step, process group, kind and
/// order within these: what is in a step that others lack does not move the rest. Only
/// usable steps, none from where a digest's list is cut. O(n log n) time, 12 bytes per
/// collective.
void ranks_each_match(const struct run *run, rank_match_fn *fn, void *ctx);

/// The part of rank `rank` of the run in a match.
static inline const struct collective *match_part(const struct run *run,
                                                  const struct match_member *m)
{
	return &run->ranks.v[m->rank]->collectives.v[m->at];
}

/// Fill `out`, one per rank of the run: what its digest has of a stored baseline, else
/// from its collectives and steps. Not known where the run has one rank, nor of a rank
/// without a trace.
void ranks_cross(const struct run *run, struct cross_rank *out);

#endif
