/// Whether the evidence holds: findings, each with the metrics that it spoils.
#ifndef GG_GATE_TRUST_H
#define GG_GATE_TRUST_H

#include "model/digest.h"
#include "model/report.h"

/// Append the findings of both runs to `out->trust`, the candidate's first.
/// Statistics over steps want `min_steps` usable ones.
void trust_findings(const struct run *baseline, const struct run *candidate, int64_t min_steps,
                    struct report *out);

/// First finding that spoils `m`, or NULL. `rank` −1: whichever rank it is about.
const struct finding *trust_spoiler(const struct report *r, const struct metric *m, int64_t rank);

/// Steps of `d` that statistics use: without the last one where it has less than
/// half of the activities that are usual in its rank (three steps or more).
size_t trust_usable_steps(const struct digest *d);

/// False where all that the run has are snapshots.
bool trust_any_trace(const struct run *run);

#endif
