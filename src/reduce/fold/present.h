/// Finds the ranks of a job that are missing in a run.
#ifndef GG_FOLD_PRESENT_H
#define GG_FOLD_PRESENT_H

#include "base/strbuf.h"
#include "model/digest.h"

/// A sentence on why `run` does not have `expected` ranks ("ranks 3 and 5 of 8 are missing"), or
/// NULL if it does. Owned by `a`.
const char *present_fault(const struct run *run, int64_t expected, struct arena *a);

/// Appends `nr` ascending ranks, which may repeat, as "3, 5 to 7 and 9"; at most ten ranges are
/// named.
void ranks_name(const int64_t *ranks, size_t nr, struct strbuf *out);

#endif
