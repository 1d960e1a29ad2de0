/// The items (such as kernels) that a rule with for_each checks: the top N of both sides.
#ifndef GG_GATE_CHECKS_ITEMS_H
#define GG_GATE_CHECKS_ITEMS_H

#include "diff/bench.h"
#include "model/rule.h"

/// Keep only the entries of items that are among the top N by time on either side, and that have at
/// least the rule's `min_share` of the time on a side. Sort the entries by value, largest first. A
/// renamed kernel is one entry.
void checks_keep_items(struct bench *b, const struct rule *rule, struct entries *entries);

#endif
