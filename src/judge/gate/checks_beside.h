/// Figures that a check needs in addition to the two values that it compares.
#ifndef GG_GATE_CHECKS_BESIDE_H
#define GG_GATE_CHECKS_BESIDE_H

#include "diff/bench.h"
#include "gate/compare.h"
#include "gate/noise_model.h"
#include "model/rule.h"

/// Figures of other metrics that the checks of one rule need. A query is made when a check first
/// needs its answer; the answer is then kept for the next checks. The caller initializes only
/// `bench` and `rule`, and ends with beside_release().
struct beside {
	struct bench *bench;
	const struct rule *rule;
	struct entries others; ///< figures of the metric that the rule's `unless` names
	struct entries launches; ///< for each figure of the rule's metric, the number of kernel
	                         ///< launches per step that the figure sums up
	struct span category; ///< category of the kernels in `launches`; empty: all categories
	bool has_others, has_launches; ///< true once `others` (or `launches`) is filled
};

/// Release the figures that are kept in `b`.
void beside_release(struct beside *b);

/// True if a check of `e` would only repeat another check. On each side that has a value of `e`,
/// the metric that the rule's `unless` names must have a value, too, and the two may differ by at
/// most the rule's `unless_within` (below 0: by any amount). False if the rule has no `unless`.
bool check_is_told(struct beside *b, const struct entry *e);

/// Smallest change of `e` that the clock of the traces can show, in ns: one tick of the clock, or
/// one tick for each kernel launch if the figure is a sum of durations of kernels. 0 if the figure
/// is not a time, or if the ticks are of 1 ns or unknown. `m` is the rule's metric, with the unit
/// of `e`.
int64_t check_floor(struct beside *b, const struct metric *m, const struct entry *e);

/// The operator or category of a kernel, and the time that the kernel took over from other kernels
/// of this operator or category. The time that kernels lost is divided among those that gained
/// time, in proportion to their gains. The net changes of all kernels of an operator then add up to
/// the change of the operator.
struct substitute {
	bool found; ///< false: no operator or category is known, or the rule does not judge by it; the
	            ///< kernel is then judged by itself
	struct decision decision; ///< decision on the operator or category by the kernel's limits
	int64_t change; ///< change of the operator or category in ns per step
	int64_t net; ///< the kernel's value in the candidate, less what it took over
	bool net_sure; ///< true if noise cannot explain the change from the baseline's value to `net`
	struct evidence evidence; ///< on the change of the operator or category; without `runs`
	const char *text; ///< text such as "category 'GEMM' changed by +0.3 %"; owned by the arena
};

/// Find the operator or category that the kernel `e` belongs to, and decide on it by the fail
/// limits of `rule`. `c` is the comparison of the kernel itself.
void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out);

#endif
