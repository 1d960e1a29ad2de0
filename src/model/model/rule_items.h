/// The items that a rule checks in one run.
#ifndef GG_MODEL_RULE_ITEMS_H
#define GG_MODEL_RULE_ITEMS_H

#include "model/rule.h"

/// A list of names; sorted and without duplicates after names_finish().
struct names {
	VEC(struct span) list;
};

/// Appends the items (kernels, operators, …) of the view `v` that `rule` checks: with `for_each`
/// the `top` largest, otherwise all that it selects; for a PAIR metric the `top` largest kernels.
/// Names are borrowed from the view; `a` is scratch memory.
void rule_items_add(const struct run_view *v, const struct rule *rule, int64_t top, struct arena *a,
                    struct names *out);

/// Sorts the names and removes duplicates.
void names_finish(struct names *n);

/// True if the list holds `name`. Call names_finish() before.
bool names_has(const struct names *n, struct span name);

#endif
