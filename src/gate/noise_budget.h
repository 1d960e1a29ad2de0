/// How the budget of false alarms is divided over the checks.
#ifndef GG_GATE_NOISE_BUDGET_H
#define GG_GATE_NOISE_BUDGET_H

#include "gate/noise_model.h"

/// Fill in the chances of false alarms by family, of a model whose units are known.
void noise_budget(struct noise_model *m, const struct rules *rules);

#endif
