/// Joins the artifacts of one rank into one digest: the traces of a profiler schedule that repeats,
/// one for each cycle, and the memory snapshot.
#ifndef GG_MERGE_CYCLES_H
#define GG_MERGE_CYCLES_H

#include "model/digest.h"

/// Why two traces of a rank cannot be joined as cycles of one profiler schedule, as a static
/// sentence, or NULL if they can. Both must have measured steps, found by markers, all with
/// different numbers. Their settings must be equal, and their environments must not contradict each
/// other.
const char *cycles_fault(const struct digest *a, const struct digest *b);

/// Joins the digests of each rank in place, so that one digest per rank is left. Figures of the
/// whole run go to the first rank. `run` must be in the order of run_digest_cmp(), and
/// cycles_fault() must be NULL for any two traces of a rank.
///
/// Steps of several cycles are sorted by number, but the last step of a cycle goes to the end if it
/// is cut short. Counts, times and figures of devices are added; so are the windows, without the
/// time between cycles. Maxima, numbers of shapes and numbers of streams become the largest of all
/// cycles; the last two are lower limits. Levels at the end and progress are those of the last
/// cycle. The most frequent shape, a median and a rate are those of the cycle with more executions.
/// Occupancy is weighted by time; growth is the steepest of any cycle. The first COLLECTIVES_KEPT
/// collectives are kept, but only those before the point where a cycle's own list is cut.
void run_join(struct run *run);

#endif
