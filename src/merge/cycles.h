/// Artifacts of one rank as one digest: the traces of a schedule that repeats, and the snapshot.
#ifndef GG_MERGE_CYCLES_H
#define GG_MERGE_CYCLES_H

#include "model/digest.h"

/// Why two traces of a rank cannot be joined as cycles, in words, or NULL: their measured
/// steps need other numbers, and the settings and the environment must not differ. Static.
const char *cycles_fault(const struct digest *a, const struct digest *b);

/// Join what is of one rank, in place; what is of the whole run, with its first rank: one digest
/// per rank is left. `run` is in the order of run_digest_cmp(), and cycles_fault() is NULL for any
/// two traces of a rank.
///
/// Of cycles, steps stand in order of number, those that a cycle ends with cut short last.
/// Counts, times and device figures are sums (a window is that of all cycles, without what lies
/// between), largest ones the largest, levels at the end and progress those of the last cycle.
/// What cannot be added: the most frequent shape, a median and a rate are of the cycle
/// with more executions, shapes and streams at least those of one cycle, occupancy is weighted
/// by time, growth is the steepest of a cycle. The first COLLECTIVES_KEPT collectives stay, and
/// none behind a place where a cycle has some cut.
void run_join(struct run *run);

#endif
