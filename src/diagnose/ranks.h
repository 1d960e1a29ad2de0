/// What is worth naming across the ranks of a run, using only their digests: a slow rank,
/// a late one, a slow link, a worker whose functions are unlike its peers'. Who only
/// waits is not named.
#ifndef GG_DIAGNOSE_RANKS_H
#define GG_DIAGNOSE_RANKS_H

#include "model/report.h"
#include "model/view.h"

/// Append what is worth naming of the run to `out->insights`, by rank; texts are owned
/// by `out`. Nothing where the run has one rank.
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out);

/// Append the ranks of the run side by side to `out->ranks`, and the columns where there
/// are none yet; a note of `side` on the GPU utilization. Nothing where the run has one rank.
void diagnose_rank_table(const struct run_view *v, bool candidate, struct report *out);

#endif
