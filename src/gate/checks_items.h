/// The items (such as kernels) that a rule with for_each checks: the top N of both sides.
#ifndef GG_GATE_CHECKS_ITEMS_H
#define GG_GATE_CHECKS_ITEMS_H

#include "diff/bench.h"
#include "model/rule.h"

/// Keep only the entries whose items are among the top N by time on either side and have the rule's
/// `min_share` there. Sort them by their value, largest first. A renamed kernel is one entry.
void checks_keep_items(struct bench *b, const struct rule *rule, struct entries *entries);

#endif
