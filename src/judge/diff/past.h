/// The record of a run in a stored baseline: answers to the queries of the rules.
#ifndef GG_DIFF_PAST_H
#define GG_DIFF_PAST_H

#include "model/history.h"
#include "model/rule.h"

/// The figures of `run` that the rules will need once it is part of a baseline: the figures that
/// each rule checks (with for_each, for twice as many items as the rule checks), step.cuda_time if
/// a limit is a share of it, and the GPU time of operators and categories, from which noise is
/// estimated. The caller fills in the provenance and releases the list of values. The texts live in
/// `a`.
void past_run_of(const struct rules *rules, struct naming naming, const struct run *run,
                 struct arena *a, struct past_run *out);

/// Hash of the figures of all ranks: two runs have the same hash only if they were read from
/// identical artifacts.
uint64_t past_source_hash(const struct run *run);

/// The first run of `h` with the figures of `run`, or NULL. Approving a run makes it both the
/// approved run and the first recent run. `h` may be NULL.
const struct past_run *past_find(const struct history *h, const struct run *run);

#endif
