/// Where a change comes from: breakdowns whose parts add up exactly on every level.
#ifndef GG_DIFF_BREAKDOWN_OF_H
#define GG_DIFF_BREAKDOWN_OF_H

#include "diff/bench.h"
#include "model/report.h"

struct breakdown_query {
	const struct metric *metric;
	const char *cls; ///< "compute" or "communication" if only one class counts; NULL: both
	struct span label; ///< the kernel, category, phase, … whose change is broken down
	int64_t change; ///< change to explain, which all parts add up to
	int64_t later; ///< share of `change` that lies between the pin and the baseline's later runs
	const char *stat; ///< name of the statistic that changed, such as "median"
	bool renamed; ///< kernel.time: true if the baseline's figure has the kernel's old name
	struct rank_scope ranks; ///< ranks to which the change and the activity pairs belong
};

/// Breakdown of a change as the column "parts" of its metric says. Time, counts and bytes of GPU
/// activities are broken down by class, category and kernel, and into "launches" (Δcount × mean)
/// and "mean" (count × Δmean); other metrics by call, by terms or by rank. Changes are those of
/// means over steps, ranks and runs; last parts complete the sum. A renamed kernel is one part. `a`
/// owns the breakdown, the caller its parts. NULL for shares and rates, and if no parts are known.
struct breakdown *breakdown_of(const struct bench *b, const struct activity_pairs *p,
                               const struct breakdown_query *q, struct arena *a);

#endif
