/// Collectives matched across the ranks of a run, and the time for which ranks wait for other ranks
/// in collectives.
#ifndef GG_MODEL_RANKS_H
#define GG_MODEL_RANKS_H

#include "model/digest.h"

/// One rank's call of a collective.
struct match_member {
	uint32_t rank; ///< index of the rank in run->ranks
	uint32_t at; ///< index of the collective in digest.collectives of the rank
};

/// A collective that two or more ranks took part in.
struct rank_match {
	const struct match_member *members; ///< members, sorted by rank
	size_t nr;
	int64_t wire_ns; ///< transfer time: the shortest duration among the members, which is that of
	                 ///< the member that entered last
	size_t last; ///< index of the member that entered last: the one with the shortest duration;
	             ///< `nr` if several have it
};

/// Receives each match; `m` is valid only during the call.
typedef void rank_match_fn(void *ctx, const struct rank_match *m);

/// Matches the collectives of all ranks of a run by step number, process group, kind and their
/// order within these. So an extra collective in one step does not affect other steps. Only
/// complete measured steps are matched, and only those before the point where a digest's list is
/// cut. Takes 12 bytes of memory per collective.
void ranks_each_match(const struct run *run, rank_match_fn *fn, void *ctx);

/// The collective that the member `m` of a match refers to, in the list of the member's rank.
static inline const struct collective *match_collective(const struct run *run,
                                                        const struct match_member *m)
{
	return &run->ranks.v[m->rank]->collectives.v[m->at];
}

/// Number of steps, from the first one on, for which the digest lists every collective; its list
/// may be cut off after COLLECTIVES_KEPT.
int64_t digest_covered_steps(const struct digest *d);

/// Replaces the compute time of each of `nr` ranks by its distance from the median compute time, in
/// 1e-6 % of the median. MEMORY_UNKNOWN stays; if fewer than two times are known, all become
/// MEMORY_UNKNOWN.
void ranks_skew(int64_t *compute, size_t nr);

/// Fills `out`, one element per rank of the run, with the figures that can be computed only from
/// all ranks, or takes them from a stored baseline. They are unknown (`known` is false) if the run
/// has one rank, and for a rank without a trace.
void ranks_cross(const struct run *run, struct cross_rank *out);

#endif
