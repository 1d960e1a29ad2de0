/// Differences between the kernels of the baseline and of the candidate ("drift"): for each kernel
/// what kind of change it has (enum drift), and metrics over all kernels.
#ifndef GG_DIFF_DRIFT_H
#define GG_DIFF_DRIFT_H

#include "diff/pairs.h"
#include "model/report.h"

/// Number of kernels in the report's drift table, chosen by the size of their changes. In `gpugate
/// diff`, also the number of kernels of each side from which the drift metrics are computed.
enum { DRIFT_ROWS_TOP = 20 };

/// kernel.drift_pct: the rise in time of the kernels that are among the `top` kernels by time on
/// either side (of all kernels if `top` is negative), in 1e-6 percent of their time in the
/// baseline. All slower kernels add to it and, in each category, the time of new kernels as far as
/// it exceeds the time of those that are gone. Faster kernels do not count. A renamed kernel is one
/// kernel. False if the kernels' time in the baseline is 0.
bool drift_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.top_overlap_pct: number of kernels that are among the `top` kernels by time on both
/// sides, in 1e-6 percent of the length of the longer one of these two lists. False if neither side
/// has kernels.
bool drift_overlap_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.resource_changes: among the `top` kernels by time of either side, the number of kernels
/// that need other resources (such as registers) in the candidate, of those that both sides launch
/// equally often. `*text` becomes a text, owned by `arena`, that names up to three of them and what
/// changed; NULL if none changed. False if no such kernel has a resource that both sides recorded.
bool drift_resources(const struct activity_pairs *p, int64_t top, struct arena *arena, int64_t *out,
                     const char **text);

/// The value of `m`, one of the three metrics above, in its unit. False if the metric has no value.
bool drift_figure(const struct activity_pairs *p, const struct metric *m, int64_t top,
                  int64_t *out);

/// The pair with the kernel name `name`, or NULL.
const struct activity_pair *drift_find(const struct activity_pairs *p, struct span name);

/// True for a kernel that only one side lists, and that the other side may have in its sum of small
/// kernels.
bool drift_may_be_small(const struct activity_pairs *p, const struct activity_pair *a);

/// Append rows for the kernels with the largest changes to `out->drift`, the largest absolute
/// change first, and the names of all kernels to `out->kernels`. A renamed kernel has one row.
void drift_rows(const struct activity_pairs *p, const struct category_table *categories,
                struct report *out);

#endif
