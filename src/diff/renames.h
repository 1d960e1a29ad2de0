/// Renamed kernels: kernels that differ in nothing but the name.
#ifndef GG_DIFF_RENAMES_H
#define GG_DIFF_RENAMES_H

#include "diff/pairs.h"

/// Set `partner` of those kernels of `p` that only one side has.
void renames_find(struct activity_pairs *p);

#endif
