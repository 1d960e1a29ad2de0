/// Where a change went: breakdowns in parts that add up, exactly, on every level.
#ifndef GG_DIFF_BREAKDOWN_OF_H
#define GG_DIFF_BREAKDOWN_OF_H

#include "diff/bench.h"
#include "model/report.h"

struct breakdown_query {
	const struct metric *metric;
	const char *cls; ///< compute or communication, if only one counts; NULL both
	struct span label; ///< the kernel, category, phase, … that the change is of
	int64_t change; ///< what the parts have to add up to
	int64_t later; ///< of it, what lies between the pin and the later runs of the baseline
	const char *stat; ///< name of the statistic that `change` is one of
	bool renamed; ///< kernel.time: the baseline's figure is that of the old name
	struct rank_scope ranks; ///< that the change is of; the pairs are of the same
};

/// Breakdown of a change, as the column "parts" of its metric says: of time, counts and bytes of
/// GPU activities by class, category and kernel, "launches" (Δcount × mean) against "mean"
/// (count × Δmean); of others by call, by terms or by rank. Changes are those of means over steps,
/// ranks and runs, with last parts that complete the sum. A renamed kernel is one part.
/// Owned by `a`, its parts by the caller. NULL for shares and rates, and where no parts are known.
struct breakdown *breakdown_of(const struct bench *b, const struct activity_pairs *p,
                               const struct breakdown_query *q, struct arena *a);

#endif
