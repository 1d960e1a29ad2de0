/// Inside of attribution: what its breakdowns share.
#ifndef GG_GATE_ATTRIBUTION_PARTS_H
#define GG_GATE_ATTRIBUTION_PARTS_H

#include "gate/attribution.h"
#include "gate/parts.h"

/// Append what completes the sum: what the baseline's later runs had moved already,
/// and `rest`, the difference between the statistic and the mean.
void attribution_complete(const struct parts *p, const struct attribution_query *q, int64_t rest);

/// Sum of a step.* metric over the usable steps of `d`.
__int128 attribution_step_total(const struct digest *d, enum metric_id id);

/// Change of the mean over `steps` of sums over them, rounded; 0 where a side has no steps.
int64_t attribution_mean_change(const __int128 sum[NR_SIDES], const int64_t steps[NR_SIDES]);

/// Breakdown of the time in calls: of synchronisation, of an operator, of a kind of
/// collective. NULL for others.
struct breakdown *attribution_of_calls(const struct bench *b, const struct attribution_query *q,
                                       struct arena *a);

/// Breakdown of a step.* figure that is not a sum over GPU activities, by the figures
/// that it is made of or by rank; of waiting and transfer by rank. NULL for others.
struct breakdown *attribution_of_steps(const struct bench *b, const struct attribution_query *q,
                                       struct arena *a);

#endif
