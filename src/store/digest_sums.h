/// Whether figures of a digest can be those of one run.
#ifndef GG_STORE_DIGEST_SUMS_H
#define GG_STORE_DIGEST_SUMS_H

#include "model/digest.h"

/// NULL, or what two figures say against each other: times of a step that are not the sum of their
/// parts, kernels that do not add up to the steps, statistics in no possible order. What a run of
/// several GPUs says is not looked at: it is the median over them. Owned by `a`.
const char *digest_contradiction(const struct digest *d, struct arena *a);

#endif
