/// Inside of attribution: what its breakdowns share.
#ifndef GG_DIFF_ATTRIBUTION_INTERNAL_H
#define GG_DIFF_ATTRIBUTION_INTERNAL_H

#include "diff/attribution.h"
#include "diff/breakdown.h"

/// Append what completes the sum: what the baseline's later runs had moved already,
/// and `rest`, the difference between the statistic and the mean.
void attribution_complete(const struct parts *p, const struct attribution_query *q, int64_t rest);

/// Sum of a step.* metric over the usable steps of `d`.
__int128 attribution_step_total(const struct digest *d, enum metric_id id);

/// Change of the mean over `steps` of sums over them, rounded; 0 where a side has no steps.
int64_t attribution_mean_change(const __int128 sum[NR_SIDES], const int64_t steps[NR_SIDES]);

/// What something comes to on each side, in all.
struct attribution_row {
	const char *label, *detail;
	__int128 sum[NR_SIDES];
};
enum { ATTRIBUTION_ROWS = 4 };

/// Append the changes of the means of at most ATTRIBUTION_ROWS sums over `of`, and what
/// completes the sum. Each is the difference of two rounded running sums, so that rounding
/// does not accumulate: what it leaves (1 ns) is the last one's.
void attribution_rows(const struct parts *p, const struct attribution_query *q,
                      const struct attribution_row *rows, size_t nr, const int64_t of[NR_SIDES]);

/// A rank of a run, in the scope of a query.
struct rank_part {
	int side;
	const struct run_view *view;
	const struct rank_view *rank;
	struct span label; ///< what the query is on: of the baseline the old name of a kernel
};

/// Call `fn` for each rank of all runs of both sides that `q` is on.
void attribution_each_rank(const struct bench *b, const struct activity_pairs *p,
                           const struct attribution_query *q,
                           void (*fn)(void *ctx, const struct rank_part *part), void *ctx);

/// The kernel of a query on one; NULL where the rank has none.
const struct kernel_row *attribution_kernel(const struct rank_part *part);

/// Number of ranks of the baseline that `q` is on.
size_t attribution_nr_ranks(const struct bench *b, const struct attribution_query *q);

/// Breakdown of what is a number of something times what one of them comes to: calls,
/// collectives, copies; by name where a figure has several. NULL for others, and for those
/// that ranks tell more of where there are several, unless `any_ranks`.
struct breakdown *attribution_of_calls(const struct bench *b, const struct activity_pairs *p,
                                       const struct attribution_query *q, bool any_ranks,
                                       struct arena *a);

/// Breakdown of a figure by others that add up to it in every step, device, kernel or
/// thread. NULL as above, and where a rank does not know them.
struct breakdown *attribution_of_made(const struct bench *b, const struct activity_pairs *p,
                                      const struct attribution_query *q, bool any_ranks,
                                      struct arena *a);

/// Breakdown of a phase's figure (its label) by what runs in the phase.
struct breakdown *attribution_of_phase(const struct bench *b, const struct activity_pairs *p,
                                       const struct attribution_query *q, struct arena *a);

/// Breakdown by rank; NULL for one rank alone, and where both sides do not have the same.
/// Of steps that a rank lacks by those that the others have and its own.
struct breakdown *attribution_of_ranks(const struct bench *b, const struct activity_pairs *p,
                                       const struct attribution_query *q, struct arena *a);

#endif
