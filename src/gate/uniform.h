/// All operators slower by one factor (clock, power cap, another GPU): one cause, one failing
/// check.
#ifndef GG_GATE_UNIFORM_H
#define GG_GATE_UNIFORM_H

#include "gate/noise_model.h"
#include "model/report.h"

/// Decide whether all operators changed by one factor, and fill out->uniform. If so, the first
/// failing check on the whole machine reports it. Other failing checks on the machine and on wall
/// time that got worse by no more than that factor become warnings; such warnings of operators and
/// kernels become passes.
void uniform_settle(const struct noise_model *m, struct report *out);

#endif
