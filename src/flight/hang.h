/// What the dumps of all ranks of a job say together: who hangs, and in which collective.
#ifndef GG_FLIGHT_HANG_H
#define GG_FLIGHT_HANG_H

#include "flight/dump.h"

/// Add a line to `log` as an error for each rank that never entered a collective in which others
/// wait, that left no dump while others wait, or that entered another collective than its peers in
/// the same place of a process group. `v` is in order of rank, each its own. Ranks that wait for
/// others themselves are not named unless all of them do. Returns the number of lines.
/// O(n log n) time in the entries.
size_t flight_find_hangs(struct flight_dump *const *v, size_t nr, const char *name,
                         struct diag_log *log);

#endif
