/// Whether the evidence holds: findings, each with the metrics that it spoils.
#ifndef GG_GATE_TRUST_H
#define GG_GATE_TRUST_H

#include "model/digest.h"
#include "model/report.h"

/// Append the findings of the `nr` runs of the candidate and of the baseline (NULL: none) to
/// `out->trust`, the candidate's first. Statistics over steps want `min_steps` usable ones.
void trust_findings(const struct run *baseline, const struct run *candidates, size_t nr,
                    int64_t min_steps, struct report *out);

/// First finding that spoils `m`, or NULL. `rank` −1: whichever rank it is about.
const struct trust_finding *trust_spoiler(const struct report *r, const struct metric *m,
                                          int64_t rank);

/// False where all that the run has are snapshots.
bool trust_any_trace(const struct run *run);

#endif
