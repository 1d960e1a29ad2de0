/// Items of for_each that a rule does not check, or checks by other limits.
#ifndef GG_GATE_EXCEPTIONS_H
#define GG_GATE_EXCEPTIONS_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// Append a warning for each pattern of the rule's `except` and `overrides` that fits none of the
/// entries, which are all items of both sides.
void exceptions_warn(const struct rule *rule, const struct entries *entries, struct report *out);

/// Drop the entries that fit a pattern of `except`. True where there were any.
bool exceptions_drop(const struct rule *rule, struct entries *entries);

/// The rule for entry `e`: `rule`, or a copy of it, owned by `a`, with the limits of the first
/// override that fits.
const struct rule *exceptions_rule(const struct rule *rule, const struct entry *e, struct arena *a);

#endif
