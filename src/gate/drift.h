/// How the kernels of two sides differ: drift classes and the figures of pairs.
#ifndef GG_GATE_DRIFT_H
#define GG_GATE_DRIFT_H

#include "gate/pairs.h"
#include "model/report.h"

/// Kernels in the table of a report: those that moved most. Also the N of a diff.
enum { DRIFT_ROWS_TOP = 20 };

/// kernel.drift_pct over the union of both sides' top `top` kernels, in 1e-6
/// percent. False where it cannot be formed: the baseline's sum is 0.
bool drift_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// kernel.top_overlap_pct in 1e-6 percent. False where neither side has kernels.
bool drift_overlap_pct(const struct activity_pairs *p, int64_t top, int64_t *out);

/// The kernel of the other side that `a`, new or gone, was renamed from or to:
/// as many launches per step, one category, means within 10 %, and each the only
/// nearest in time of the other. NULL where there is none.
const struct activity_pair *drift_partner(const struct activity_pairs *p,
                                          const struct activity_pair *a);

/// Append the rows of the top kernels of both sides to `out->drift`, the
/// largest absolute change first. A renamed kernel is one row.
void drift_rows(const struct activity_pairs *p, const struct category_table *categories,
                struct report *out);

#endif
