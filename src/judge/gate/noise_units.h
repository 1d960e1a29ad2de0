/// The units of a noise model: the operators or categories by which GPU time is judged.
#ifndef GG_GATE_NOISE_UNITS_H
#define GG_GATE_NOISE_UNITS_H

#include "gate/noise_model.h"

/// Fill `units` and `kind` of the noise model `m`: with operators, or with categories if operators
/// are unknown.
void noise_units_find(struct noise_model *m);

/// Noise of the operator or category `e` due to the clock, as a share of its time: one tick per
/// launch. 0 if the clock is finer than microseconds.
double noise_unit_tick(const struct noise_model *m, const struct entry *e);

#endif
