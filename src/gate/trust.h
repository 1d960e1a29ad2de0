/// Whether the evidence holds: findings, each with the metrics that it spoils.
#ifndef GG_GATE_TRUST_H
#define GG_GATE_TRUST_H

#include "model/digest.h"
#include "model/report.h"

/// Append the findings of the `nr` runs of the candidate and of the baseline (NULL: none) to
/// `out->trust`, the candidate's first. Statistics over steps want `min_steps` usable ones; 0: 3,
/// or as many as the baseline has. A candidate wants half of the baseline's, whatever is said.
void trust_findings(const struct run *baseline, const struct run *candidates, size_t nr,
                    int64_t min_steps, struct report *out);

/// Append what the state of the GPUs says against times: throttled for more than 1 % of the time
/// that was watched (`warns`: it spoils nothing), other processes on the GPU. Run as above.
void trust_find_machines(const struct run *baseline, const struct run *candidates, size_t nr,
                         bool warns, struct report *out);

/// First finding that spoils `m`, or NULL. `rank` −1: whichever rank it is about.
const struct trust_finding *trust_spoiler(const struct report *r, const struct metric *m,
                                          int64_t rank);

/// False where all that the run has are snapshots.
bool trust_any_trace(const struct run *run);

#endif
