/// What is known of a check beside its two values.
#ifndef GG_GATE_CHECKS_BESIDE_H
#define GG_GATE_CHECKS_BESIDE_H

#include "diff/bench.h"
#include "model/rule.h"

/// True where the figure of the rule's `unless` says the same on each side that has `e`.
bool check_is_told(struct bench *b, const struct rule *rule, const struct entry *e);

/// True if the baseline is of a version that did not record the rule's metric.
bool check_predates(const struct bench *b, const struct rule *rule);

/// Tick of the clock of the GPU activities in ns, the coarser one of both sides; 0: 1 ns, or
/// unknown.
int64_t check_tick(const struct bench *b);

/// What a change of `e` must exceed to be one, in ns: the clock's tick for each launch behind it. 0
/// for what is not a time, and where the traces of both sides are finer than microseconds.
int64_t check_floor(struct bench *b, const struct rule *rule, const struct entry *e);

#endif
