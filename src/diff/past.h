/// What a stored baseline remembers of a run: its answers to the queries of rules.
#ifndef GG_DIFF_PAST_H
#define GG_DIFF_PAST_H

#include "model/history.h"
#include "model/rule.h"

/// Answers of `run` to what the rules ask of a baseline: each rule's query (of for_each
/// twice as many items as it has checks on), and step.cuda_time where a limit is a share of
/// it. Provenance is left to the caller; texts are owned by `a`. Caller releases the list.
void past_run_of(const struct rules *rules, struct naming naming, const struct run *run,
                 struct arena *a, struct past_run *out);

/// Hash of the figures of all ranks: the same for the same artifacts only.
uint64_t past_source_hash(const struct run *run);

/// The first of the runs that is `run`, or NULL: promoting makes a run the pin and the first
/// of the recent ones. `h` may be NULL.
const struct past_run *past_find(const struct history *h, const struct run *run);

#endif
