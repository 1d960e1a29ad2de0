/// Replaced kernels: a kernel is excused only by the time of the kernels that it replaces.
#ifndef GG_GATE_SUBSTITUTE_H
#define GG_GATE_SUBSTITUTE_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// The operator or category that launches a kernel, with the kernels that the kernel may replace.
/// What some of them fell by is shared among those that rose, in proportion to their rise, each ns
/// once; so the net changes of all add up to the change of the operator or category.
struct substitute {
	bool found; ///< false: no operator or category is known, so the kernel is judged by itself
	struct decision decision; ///< decision on the operator or category by the kernel's limits
	int64_t change; ///< change of the operator or category in ns per step
	int64_t net; ///< the candidate's value of the kernel less its share of what others fell by
	bool net_sure; ///< true if noise cannot explain the net change
	const char *text; ///< text such as "category 'GEMM' changed by +0.3 %"; owned by the arena
};

/// Find the operator or category that the kernel `e` belongs to, and decide on it by the limits of
/// `rule`. `c` is the comparison of the kernel itself.
void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out);

#endif
