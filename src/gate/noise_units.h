/// What GPU time is judged by: the units of a noise model.
#ifndef GG_GATE_NOISE_UNITS_H
#define GG_GATE_NOISE_UNITS_H

#include "gate/noise_model.h"

/// Fill the units of `m`: operators, or categories where those are not known.
void noise_units_find(struct noise_model *m);

/// Noise that the clock makes of `e`, a unit, as a share of its time: one tick per launch. 0 for a
/// clock that is finer than microseconds.
double noise_unit_tick(const struct noise_model *m, const struct entry *e);

#endif
