/// Facts that a check needs besides its two values.
#ifndef GG_GATE_CHECKS_BESIDE_H
#define GG_GATE_CHECKS_BESIDE_H

#include "diff/bench.h"
#include "model/rule.h"

/// What the checks of one rule ask of other metrics. Each question is asked once and its answer
/// kept. Initialize only `bench` and `rule`; the caller releases it with beside_release().
struct beside {
	struct bench *bench;
	const struct rule *rule;
	struct entries others; ///< figures of the metric that the rule's `unless` names
	struct entries launches; ///< number of kernels per step that each figure is made of
	struct span category; ///< category whose kernels `launches` counts; empty: all kernels
	bool has_others, has_launches; ///< true once `others` and `launches` are filled
};

/// Release the memory of the answers.
void beside_release(struct beside *b);

/// True if the metric of the rule's `unless` says the same as `e` on each side that has `e`.
bool check_is_told(struct beside *b, const struct entry *e);

/// Smallest change of `e` that the clock of the traces can show, in ns: one tick for each launch
/// behind the figure. 0 if the figure is not a time, or if both sides have a clock finer than
/// microseconds. `m` is the rule's metric; for figures of metrics files, it has the unit of `e`.
int64_t check_floor(struct beside *b, const struct metric *m, const struct entry *e);

#endif
