/// Checks whether the figures of a digest can belong to one run.
#ifndef GG_STORE_DIGEST_SUMS_H
#define GG_STORE_DIGEST_SUMS_H

#include "model/digest.h"

/// A sentence on two figures that contradict each other, or NULL: times of a step that are not the
/// sum of their parts, kernels that do not add up to the steps, statistics in an impossible order.
/// A run of several GPUs is not checked, since its figures are medians over the GPUs. Owned by `a`.
const char *digest_contradiction(const struct digest *d, struct arena *a);

#endif
