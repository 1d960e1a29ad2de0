/// The record of a run in a stored baseline or its history: answers to the queries of the rules.
#ifndef GG_DIFF_PAST_H
#define GG_DIFF_PAST_H

#include "model/history.h"
#include "model/rule.h"

/// Make the record of `run`: the figures that the rules will need once the run is part of a
/// baseline. These are the figures that each rule checks (with for_each, for twice as many items as
/// the rule checks), the same for each kind of step that may be judged by itself, step.cuda_time if
/// a limit is a share of it, and the GPU time of operators and categories, from which noise is
/// estimated. The caller fills in the provenance and releases the list of values. The texts live in
/// `a`.
void past_run_of(const struct rules *rules, struct naming naming, const struct run *run,
                 struct arena *a, struct past_run *out);

/// Hash of the figures of all ranks: runs that were read from identical artifacts have the same
/// hash, and so have runs whose figures are all equal.
uint64_t past_source_hash(const struct run *run);

/// The first run of `h` with the figures of `run`; NULL if there is none, or if `h` is NULL. The
/// approved run of a baseline may be one of its recent runs, too.
const struct past_run *past_find(const struct history *h, const struct run *run);

#endif
