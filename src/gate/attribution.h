/// Where a change went: breakdowns in parts that add up, exactly, on every level.
#ifndef GG_GATE_ATTRIBUTION_H
#define GG_GATE_ATTRIBUTION_H

#include "gate/pairs.h"
#include "model/report.h"

struct attribution_query {
	const struct metric *metric;
	struct span label; ///< kernel.time, category.time: of which
	int64_t change; ///< what the parts have to add up to
	const char *stat; ///< name of the statistic that `change` is one of
};

/// Breakdown of a change in time by class, category, kernel and "launches"
/// (Δcount × mean) against "mean" (count × Δmean): changes of means over steps
/// and ranks, with a last part that completes the sum. Owned by `a`, its parts
/// by the caller. NULL where the metric's time has no parts.
struct breakdown *attribution_of(const struct activity_pairs *p,
                                 const struct category_table *categories,
                                 const struct attribution_query *q, struct arena *a);

#endif
