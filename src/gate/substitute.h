/// Kernels explain, operators fail: what takes the place of a kernel, and what became of it.
#ifndef GG_GATE_SUBSTITUTE_H
#define GG_GATE_SUBSTITUTE_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// What may do the work of a kernel that another does not do any more.
struct substitute {
	bool found; ///< else the kernel stands by itself
	struct decision decision; ///< what the limits of the kernel's rule make of it
	int64_t change; ///< ns per step
	const char *text; ///< "category 'GEMM' rose by +0.3 %"; owned by the arena
};

/// What stands behind `e`, a check of `rule` about which `c` is asked.
void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out);

#endif
