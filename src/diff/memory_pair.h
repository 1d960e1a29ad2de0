/// The memory of each side whose value decided.
#ifndef GG_DIFF_MEMORY_PAIR_H
#define GG_DIFF_MEMORY_PAIR_H

#include "diff/bench.h"

/// One memory of one rank.
struct memory_ref {
	const struct digest *digest;
	const struct memory_stat *stat;
};

/// One memory of each side, and the values that they have.
struct memory_pair {
	struct memory_ref memory[NR_SIDES];
	int64_t value[NR_SIDES];
};

/// The memories behind `e`, an answer to `q`: of the pin, and of the run of the candidate
/// whose value is nearest to the median of its runs; of each the first that has the value,
/// or the first that both sides have. False where a side has none, because its value is a
/// mean or the pin lacks it.
bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_pair *out);

/// "memory 0", of several ranks "memory 0 of rank 3", "memory 0 (baseline) and memory 1
/// (candidate)".
const char *memory_pair_name(const struct bench *b, const struct memory_ref refs[NR_SIDES],
                             struct arena *a);

#endif
