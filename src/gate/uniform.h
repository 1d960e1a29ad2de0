/// All operators slower alike: a clock, a power cap, another GPU. One reason, one failing check.
#ifndef GG_GATE_UNIFORM_H
#define GG_GATE_UNIFORM_H

#include "gate/noise_model.h"
#include "model/report.h"

/// Decide whether the operators moved alike: fill out->uniform. Where they did, the first failing
/// check of the machine speaks for all: others on the machine and on wall time that rose by no more
/// only warn, warnings of operators and kernels are taken back.
void uniform_settle(const struct noise_model *m, struct report *out);

#endif
