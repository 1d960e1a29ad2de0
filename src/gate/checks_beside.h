/// What is known of a check beside its two values.
#ifndef GG_GATE_CHECKS_BESIDE_H
#define GG_GATE_CHECKS_BESIDE_H

#include "diff/bench.h"
#include "model/rule.h"

/// What the checks of one rule ask of other metrics, each question asked once. Begins with bench
/// and rule only; caller releases with beside_release().
struct beside {
	struct bench *bench;
	const struct rule *rule;
	struct entries others; ///< of the rule's `unless`
	struct entries launches; ///< kernels per step behind figures
	struct span category; ///< that `launches` are of; empty: of all
	bool has_others, has_launches; ///< they have been asked for
};

/// Give the memory back.
void beside_release(struct beside *b);

/// True where the figure of the rule's `unless` says the same on each side that has `e`.
bool check_is_told(struct beside *b, const struct entry *e);

/// What a change of `e` must exceed to be one, in ns: the clock's tick for each launch behind it. 0
/// for what is not a time, and where the traces of both sides are finer than microseconds. `m` is
/// the rule's metric, of figures of files with the unit of `e`.
int64_t check_floor(struct beside *b, const struct metric *m, const struct entry *e);

#endif
