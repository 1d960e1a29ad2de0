/// Division of the false-alarm budget among the checks.
#ifndef GG_GATE_NOISE_BUDGET_H
#define GG_GATE_NOISE_BUDGET_H

#include "gate/noise_model.h"

/// Set the probability of a false alarm in one check, for each family of metrics. The units of the
/// model `m` (noise_units.h) must be known already.
void noise_budget(struct noise_model *m, const struct rules *rules);

#endif
