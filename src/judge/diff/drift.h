/// Differences between the kernels of the baseline and of the candidate ("drift"): a class for each
/// kernel, and metrics.
#ifndef GG_DIFF_DRIFT_H
#define GG_DIFF_DRIFT_H

#include "diff/pairs.h"
#include "model/report.h"

/// Number of kernels in the report's drift table, chosen by the size of their changes. In `gpugate
/// diff` the drift metrics are computed from as many kernels of each side.
enum { DRIFT_ROWS_TOP = 20 };

/// kernel.drift_pct over all kernels among the top `top` of either side, in 1e-6 percent: what the
/// slower and the new ones rose by, so that time that moved counts once and a faster run has no
/// drift. A renamed kernel counts once, and what is new in a category by what is not gone there.
/// False if the baseline's sum, by which it is divided, is 0.
bool drift_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.top_overlap_pct in 1e-6 percent. False if neither side has kernels.
bool drift_overlap_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.resource_changes among the top `top` of either side. `*text` becomes the first of them
/// with what changed, owned by `arena`; NULL if there is none. False if no kernel has a resource
/// that both sides recorded.
bool drift_resources(const struct activity_pairs *p, int64_t top, struct arena *arena, int64_t *out,
                     const char **text);

/// The metric `m`, one of these, in its unit.
bool drift_figure(const struct activity_pairs *p, const struct metric *m, int64_t top,
                  int64_t *out);

/// The pair with the kernel name `name`, or NULL.
const struct activity_pair *drift_find(const struct activity_pairs *p, struct span name);

/// True for a kernel that one side does not list but may have in its sum of small kernels.
bool drift_may_be_small(const struct activity_pairs *p, const struct activity_pair *a);

/// Append rows for the kernels with the largest changes to `out->drift`, the largest absolute
/// change first. A renamed kernel has one row.
void drift_rows(const struct activity_pairs *p, const struct category_table *categories,
                struct report *out);

#endif
