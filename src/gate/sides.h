/// The parts of a report that gate and diff share.
#ifndef GG_GATE_SIDES_H
#define GG_GATE_SIDES_H

#include "model/digest.h"
#include "model/report.h"

/// Fill both sides' context from the baseline (NULL: none yet) and the first of the `nr` runs
/// of the candidate; `partial`, and `same_artifact` of any of them with its warning.
void sides_fill(const struct run *baseline, const struct run *candidates, size_t nr,
                struct report *out);

/// True where all ranks of both are the very same artifacts.
bool sides_same_artifact(const struct run *x, const struct run *y);

#endif
