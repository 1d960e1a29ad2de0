/// Items of for_each that a rule excludes (`except`) or checks by other limits (`overrides`).
#ifndef GG_GATE_EXCEPTIONS_H
#define GG_GATE_EXCEPTIONS_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// How well the text `asked` names an item at best, of all items of both sides.
enum name_fit exceptions_best(const struct rule *rule, struct span asked,
                              const struct entries *entries);

/// Append a warning for each pattern of the rule's `except` and `overrides` that matches no entry.
/// `entries` has all items of both sides.
void exceptions_warn(const struct rule *rule, const struct entries *entries, struct report *out);

/// Remove the entries that `except` names; `all` has all items of both sides. Returns true if there
/// were any.
bool exceptions_drop(const struct rule *rule, const struct entries *all, struct entries *entries);

/// The rule that applies to entry `e`: `rule` itself, or a copy in arena `a` with the limits of
/// the first override that names the entry; `all` has all items of both sides.
const struct rule *exceptions_rule(const struct rule *rule, const struct entries *all,
                                   const struct entry *e, struct arena *a);

#endif
