/// Insights (remarks in the report) from comparing the digests of a run's ranks: a slow rank, a
/// late rank, a slow link, or functions that differ from those of the peers. Ranks that only wait
/// are not named.
#ifndef GG_DIAGNOSE_RANKS_H
#define GG_DIAGNOSE_RANKS_H

#include "model/report.h"
#include "model/view.h"

/// Append insights on the run to `out->insights`, sorted by rank, and a row per rank to
/// `out->ranks`, with the columns if there are none yet; `out` owns the texts. Also sets the note
/// on GPU utilization in the `side` of the run. Nothing is appended if the run has only one rank.
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out);

#endif
