/// Items of a rule with for_each that the rule excludes (`except`), or checks by other limits
/// (`overrides`).
#ifndef GG_GATE_EXCEPTIONS_H
#define GG_GATE_EXCEPTIONS_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// How well the text `asked` fits the name in `entries` that it fits best. `entries` has all items
/// of both sides.
enum name_fit exceptions_best(const struct rule *rule, struct span asked,
                              const struct entries *entries);

/// Append a warning for each pattern of the rule's `except` and `overrides` that matches no entry.
/// `entries` has all items of both sides.
void exceptions_warn(const struct rule *rule, const struct entries *entries, struct report *out);

/// Remove the entries that the rule's `except` names. Returns true if there were any. `all` has all
/// items of both sides: a text in `except` names only those of them that it fits best.
bool exceptions_drop(const struct rule *rule, const struct entries *all, struct entries *entries);

/// The rule that applies to entry `e`: `rule` itself, or a copy in arena `a` that has the limits of
/// the first override which names the entry. `all` has all items of both sides.
const struct rule *exceptions_rule(const struct rule *rule, const struct entries *all,
                                   const struct entry *e, struct arena *a);

/// True for metrics of items that may come and go, such as kernels.
bool family_is_of_items(const struct metric *m);

/// True if `e` is a kernel that only one side lists, but that the other side may have among the
/// kernels that are too small to be listed.
bool family_may_be_hidden(const struct bench *b, const struct metric *m, const struct entry *e);

/// True if the side recorded no items of the metric's kind, neither those in `entries` nor others
/// that the rule does not select. False for metrics without items, if `entries` is empty, and if a
/// folded run did not keep what the rule asks for.
bool family_unrecorded(struct bench *b, const struct rule *rule, const struct entries *entries,
                       enum side_index side);

/// Append to `out` the family of each rank that has one: an entry with the label FAMILY_LABEL that
/// sums up the items that only one side has. A rank has a family if, on each side, these items make
/// up at least half of what the rule selects: most names have then changed. `entries` has all items
/// of the rule, not only its top ones. Returns true if a rank has items on both sides, but none in
/// common, while figures of the metric cannot be added up to a family.
bool family_add(struct bench *b, const struct rule *rule, const struct entries *entries,
                struct entries *out);

#define FAMILY_LABEL "all that is new or gone"

#endif
