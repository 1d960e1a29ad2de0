/// Finds out whether the recordings can be trusted. Each finding says which metrics are unreliable.
#ifndef GG_TRUST_TRUST_H
#define GG_TRUST_TRUST_H

#include "model/digest.h"
#include "model/report.h"
#include "model/rule.h"

/// Append the findings on the candidate's `nr` runs and on the baseline (NULL if there is none) to
/// `out->trust`, the candidate's first. A finding says so if a rank has fewer usable steps (whole
/// steps after the warm-up) than the rules need (`steps: min`); if `rules` is NULL, it needs one.
/// If the rules do not set this number, it is three, or as many as the baseline has if these are
/// fewer; without a baseline it is one. In any case a candidate needs at least half as many as the
/// baseline.
void trust_findings(const struct run *baseline, const struct run *candidates, size_t nr,
                    const struct rules *rules, struct report *out);

/// Append findings on the `nr` control runs, which are compared with the stored baseline like runs
/// of the candidate. Must be called before trust_findings(), which sorts all findings.
void trust_find_controls(const struct run *baseline, const struct run *controls, size_t nr,
                         const struct rules *rules, struct report *out);

/// Append findings from the recorded state of the GPUs: throttling for more than 1 % of the watched
/// time, other processes on the GPU, and too few samples of power. `how`: whether throttling makes
/// times unreliable. The other arguments are those of trust_findings().
void trust_find_machines(const struct run *baseline, const struct run *candidates, size_t nr,
                         enum throttled how, struct report *out);

/// First finding that makes the metric of the rule unreliable on rank `rank` (−1: on any rank), or
/// NULL. Findings on a whole run count for each rank, and those on any rank for metrics that
/// combine ranks. A finding does not count if it is on differing work that the rule's `same_work`
/// names, on shares of the kinds of steps while the rule selects a phase, or on a share that fell
/// by at most trust_tolerance().
const struct trust_finding *trust_spoiler(const struct report *r, const struct rule *rule,
                                          int64_t rank);

/// How much lower a share, such as that of the GPU time in judged steps, may be on one side, in
/// 1e-6 %: a third of the smallest limit in the rule's `fail` (in `warn`, if `fail` is empty); 0 if
/// there is no limit, or one that is not an increase or decrease in percent.
int64_t trust_tolerance(const struct rule *rule);

/// True if a rank of the run has a trace; false if all have only memory snapshots or result files.
bool trust_any_trace(const struct run *run);

#endif
