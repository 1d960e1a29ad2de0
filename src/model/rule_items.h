/// What a rule is about in one run.
#ifndef GG_MODEL_RULE_ITEMS_H
#define GG_MODEL_RULE_ITEMS_H

#include "model/rule.h"

/// Names, sorted and without repetition after names_finish().
struct names {
	VEC(struct span) list;
};

/// Append the kernels, operators, … of `v` that `rule` has checks on: of `for_each` the
/// `top` largest, otherwise all that it selects; of a PAIR metric the `top` largest
/// kernels. Names are borrowed from the view; `a` is scratch.
void rule_items_add(const struct run_view *v, const struct rule *rule, int64_t top, struct arena *a,
                    struct names *out);

/// Sort, and drop what is there twice.
void names_finish(struct names *n);

/// After names_finish().
bool names_has(const struct names *n, struct span name);

#endif
