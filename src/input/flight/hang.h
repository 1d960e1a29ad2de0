/// Compares the dumps of all ranks of a job, to find which rank hangs, and in which collective.
#ifndef GG_FLIGHT_HANG_H
#define GG_FLIGHT_HANG_H

#include "flight/dump.h"

/// Adds errors to `log`, one for each rank that never entered a collective in which others wait, or
/// that left no dump while others wait, or that entered another collective than its peers did at
/// the same position in a process group. `v` must be sorted by rank, with one dump per rank. Ranks
/// that wait for others themselves are named only if all of them wait. Returns the number of
/// errors. O(n log n) time in the entries.
size_t flight_find_hangs(struct flight_dump *const *v, size_t nr, const char *name,
                         struct diag_log *log);

#endif
