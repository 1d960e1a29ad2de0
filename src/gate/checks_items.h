/// The items of for_each: the top of both sides.
#ifndef GG_GATE_CHECKS_ITEMS_H
#define GG_GATE_CHECKS_ITEMS_H

#include "diff/bench.h"
#include "model/rule.h"

/// Keep the entries of the items that are among the top N by time on either side and have
/// the rule's least share there; those with the most of the metric come first. A renamed
/// kernel becomes one entry.
void checks_keep_items(struct bench *b, const struct rule *rule, struct entries *entries);

#endif
