/// All operators slower by one factor (clock, power cap, another GPU): one cause, one failing
/// check.
#ifndef GG_GATE_UNIFORM_H
#define GG_GATE_UNIFORM_H

#include "gate/noise_model.h"
#include "model/report.h"

/// Decide whether all operators changed by one factor, and fill out->uniform. If they did, the
/// first failing check on the whole machine reports it, and other checks that got worse by no more
/// than that factor become milder: a failing check on the machine or on wall time becomes a
/// warning, and a warning on an operator or a kernel becomes a pass.
void uniform_settle(const struct noise_model *m, struct report *out);

#endif
