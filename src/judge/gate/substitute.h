/// Replaced kernels: a slower kernel fails only if its operator becomes slower too.
#ifndef GG_GATE_SUBSTITUTE_H
#define GG_GATE_SUBSTITUTE_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// The operator or category that launches a kernel. If the candidate replaces the kernel by another
/// one, the same operator or category launches the new kernel, so that its change shows whether the
/// same work takes longer.
struct substitute {
	bool found; ///< false: no operator or category is known, so the kernel is judged by itself
	struct decision decision; ///< decision on the operator or category by the kernel's limits
	int64_t change; ///< change of the operator or category in ns per step
	const char *text; ///< text such as "category 'GEMM' changed by +0.3 %"; owned by the arena
};

/// Find the operator or category that the kernel `e` belongs to, and decide on it by the limits of
/// `rule`. `c` is the comparison of the kernel itself.
void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out);

#endif
