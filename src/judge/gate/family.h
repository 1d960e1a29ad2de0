/// Items of for_each without a counterpart on the other side: kernels that all have new names, and
/// kinds of items that a side did not record at all.
#ifndef GG_GATE_FAMILY_H
#define GG_GATE_FAMILY_H

#include "diff/bench.h"
#include "model/rule.h"

/// True for metrics of items that may appear and disappear, such as kernels.
bool family_is_of_items(const struct metric *m);

/// True for a kernel that the side which lacks it may have among those too small to be listed.
bool family_may_be_hidden(const struct bench *b, const struct metric *m, const struct entry *e);

/// True if the side has none of `entries`, and no other item of the metric either, whatever the
/// rule selects: nothing of the kind was recorded. False for metrics that are not about items.
bool family_unrecorded(struct bench *b, const struct rule *rule, const struct entries *entries,
                       enum side_index side);

/// Append to `out` the family of each rank: the entry FAMILY_LABEL for those items of `entries`
/// that only one side has, all together. A rank has one if these items make up most of what the
/// rule selects on both sides, since what the rule is about then has new names. `entries` has the
/// items before the top ones are chosen. Returns true if the metric does not add up, so that there
/// is no family, and a rank has items on both sides but none in common.
bool family_add(struct bench *b, const struct rule *rule, const struct entries *entries,
                struct entries *out);

#define FAMILY_LABEL "all that is new or gone"

#endif
