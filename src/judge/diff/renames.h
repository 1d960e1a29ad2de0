/// Renamed kernels: kernels of both sides that differ only in their names.
#ifndef GG_DIFF_RENAMES_H
#define GG_DIFF_RENAMES_H

#include "diff/pairs.h"

/// Find renamed kernels: one that only the baseline has, and one that only the candidate has, which
/// are alike (struct activity_pair). Each becomes the `partner` of the other.
void renames_find(struct activity_pairs *p);

#endif
