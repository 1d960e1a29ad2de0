/// Figures of memory that are made of other figures, without sites.
#ifndef GG_DIFF_ATTRIBUTION_LEVELS_H
#define GG_DIFF_ATTRIBUTION_LEVELS_H

#include "diff/breakdown.h"
#include "diff/memory_pair.h"

/// Append the parts of `change`, that of metric `id` between two memories: levels of
/// which one is what the others add up to; of a share what is changed by its whole, then
/// by the rest. False, and nothing appended, where a side does not know them.
bool memory_levels(const struct parts *p, const struct memory_ref memory[NR_SIDES],
                   enum metric_id id, int64_t change);

#endif
