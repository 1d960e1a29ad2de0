/// Renamed kernels: kernels of both sides that differ only in their names.
#ifndef GG_DIFF_RENAMES_H
#define GG_DIFF_RENAMES_H

#include "diff/pairs.h"

/// Set `partner` of the renamed kernels in the pairs `p`, among those that only one side has.
void renames_find(struct activity_pairs *p);

#endif
