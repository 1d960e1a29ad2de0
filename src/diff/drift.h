/// How the kernels of two sides differ: drift classes and the figures of pairs.
#ifndef GG_DIFF_DRIFT_H
#define GG_DIFF_DRIFT_H

#include "diff/pairs.h"
#include "model/report.h"

/// Kernels in the table of a report: those that moved most. Also the N of a diff.
enum { DRIFT_ROWS_TOP = 20 };

/// kernel.drift_pct over the union of both sides' top `top` kernels, of which a renamed
/// one is one, in 1e-6 percent. False where it cannot be formed: the baseline's sum is 0.
bool drift_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.top_overlap_pct in 1e-6 percent. False where neither side has kernels.
bool drift_overlap_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// The pair of a kernel, or NULL.
const struct activity_pair *drift_find(const struct activity_pairs *p, struct span name);

/// True for a kernel that one side lacks, but may hold among those too small to keep.
bool drift_may_be_folded(const struct activity_pairs *p, const struct activity_pair *a);

/// Append the rows of the top kernels of both sides to `out->drift`, the
/// largest absolute change first. A renamed kernel is one row.
void drift_rows(const struct activity_pairs *p, const struct category_table *categories,
                struct report *out);

#endif
