/// Joins the artifacts of one rank into one digest: the traces of a schedule that repeats, and the
/// snapshot.
#ifndef GG_MERGE_CYCLES_H
#define GG_MERGE_CYCLES_H

#include "model/digest.h"

/// Why two traces of a rank cannot be joined as cycles of one profiler schedule (a sentence), or
/// NULL if they can: the numbers of their measured steps must differ, settings and environment must
/// be equal. Static.
const char *cycles_fault(const struct digest *a, const struct digest *b);

/// Joins the digests of each rank in place, so that one digest per rank is left; what belongs to
/// the whole run goes to the first rank. `run` must be in the order of run_digest_cmp(), and
/// cycles_fault() must be NULL for any two traces of a rank. Steps of several cycles are sorted by
/// number, but a cycle's last step that is cut short goes to the end. Counts, times and device
/// figures are added (the window is the sum of all windows, without the time between cycles);
/// maxima become the largest of them; levels at the end and progress are those of the last cycle.
/// For other values that cannot be added: the most frequent shape, a median and a rate are those of
/// the cycle with more executions; the number of shapes and streams is at least that of one cycle;
/// occupancy is weighted by time; growth is the steepest of any cycle. The first COLLECTIVES_KEPT
/// collectives are kept, and none after the point where a cycle's own list is cut.
void run_join(struct run *run);

#endif
