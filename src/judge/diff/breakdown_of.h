/// Breakdowns that show where a change comes from. Their parts add up exactly on every level.
#ifndef GG_DIFF_BREAKDOWN_OF_H
#define GG_DIFF_BREAKDOWN_OF_H

#include "diff/bench.h"
#include "model/report.h"

/// The change that is broken down.
struct breakdown_query {
	const struct metric *metric;
	const char *cls; ///< class of the kernels included, "compute" or "communication"; NULL: both
	struct span label; ///< name of the kernel, category, phase, … whose change is broken down
	int64_t change; ///< change to explain, which all parts add up to
	int64_t later; ///< part of `change` that has no parts: by how much the run of main whose parts
	               ///< are known differs from the median of main's runs
	const char *stat; ///< name of the statistic that changed, such as "median"
	bool renamed; ///< for kernel.time: true if the kernel had another name in the baseline
	struct rank_scope ranks; ///< ranks to which the change and the activity pairs belong
};

/// Breakdown of a change by the method in the column "parts" of its metric. Time, counts and bytes
/// of GPU activities are broken down by class, category and kernel, and into "launches" (Δcount ×
/// mean) and "mean" (count × Δmean); other metrics by call, by terms or by rank. Parts are changes
/// of means over steps, ranks and runs; a last part has the difference between their sum and the
/// change. A renamed kernel is one part. `a` owns the breakdown, the caller its list of parts. NULL
/// for shares and rates, and if no parts are known.
struct breakdown *breakdown_of(const struct bench *b, const struct activity_pairs *p,
                               const struct breakdown_query *q, struct arena *a);

#endif
