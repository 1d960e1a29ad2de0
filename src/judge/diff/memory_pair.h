/// For a memory metric: the one memory on each side that the side's value comes from.
#ifndef GG_DIFF_MEMORY_PAIR_H
#define GG_DIFF_MEMORY_PAIR_H

#include "diff/bench.h"

/// One memory of one rank.
struct memory_ref {
	const struct digest *digest;
	const struct memory_stat *stat;
};

/// One memory of the baseline and one of the candidate, and their values.
struct memory_pair {
	struct memory_ref memory[NR_SIDES];
	int64_t value[NR_SIDES];
};

/// Find the memories behind `e`, an entry for the query `q`: in the approved run, and in the
/// candidate's run whose value is nearest to the median. If several memories have that value, the
/// first one that both sides have is taken, else the first. False if the value of a side does not
/// belong to a single memory, because it is a mean or the approved run lacks the item.
bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_pair *out);

/// Text such as "memory 0", with several ranks "memory 0 of rank 3", or "memory 0 (baseline) and
/// memory 1 (candidate)".
const char *memory_pair_name(const struct bench *b, const struct memory_ref refs[NR_SIDES],
                             struct arena *a);

#endif
