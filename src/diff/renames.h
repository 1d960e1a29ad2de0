/// Kernels that have another name and are otherwise the same.
#ifndef GG_DIFF_RENAMES_H
#define GG_DIFF_RENAMES_H

#include "diff/pairs.h"

/// Set `partner` of the kernels of `p` that only one side has.
void renames_find(struct activity_pairs *p);

#endif
