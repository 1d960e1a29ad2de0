/// The memory of each side whose value decided.
#ifndef GG_GATE_MEMORY_PAIR_H
#define GG_GATE_MEMORY_PAIR_H

#include "gate/bench.h"

/// One memory of one rank.
struct memory_ref {
	const struct digest *digest;
	const struct memory_stat *stat;
};

/// The memories that the values of `e`, an answer to `q`, are those of: the first of
/// a side, or the first that both sides have. False where a side has none, because
/// its value is a mean.
bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_ref out[NR_SIDES]);

/// "memory 0", of several ranks "memory 0 of rank 3", "memory 0 (baseline) and memory 1
/// (candidate)".
const char *memory_pair_name(const struct bench *b, const struct memory_ref refs[NR_SIDES],
                             struct arena *a);

#endif
