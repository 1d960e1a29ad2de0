/// What `explain` says of kernels, operators and other items of the rules' baseline.
#ifndef GG_CLI_EXPLAIN_ITEMS_H
#define GG_CLI_EXPLAIN_ITEMS_H

#include "cli/options.h"
#include "model/rule.h"

/// The ids of the rules that check the metric, or "no rule". Owned by the rules.
const char *explain_judges(const struct metric *m, struct rules *rules);

/// What the baseline of the rules has under `name`: the whole name, its figure, and a rule that
/// selects it. NULL if there is no such item, or no baseline. Owned by the rules.
const char *explain_items(const struct options *o, const char *name, struct rules *rules);

#endif
