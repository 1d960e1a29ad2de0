/// The parts of a report that gate and diff share.
#ifndef GG_GATE_SIDES_H
#define GG_GATE_SIDES_H

#include "model/digest.h"
#include "model/report.h"

/// Fill both sides' context, `partial`, and `same_artifact` with its warning.
void sides_fill(const struct run *baseline, const struct run *candidate, struct report *out);

#endif
