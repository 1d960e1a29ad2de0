/// The steps of both sides of a check, as evidence beside its verdict.
#ifndef GG_GATE_NOISE_STEPS_H
#define GG_GATE_NOISE_STEPS_H

#include "diff/bench.h"
#include "model/report.h"

/// Fill in what `out` says of the steps of `e`, the answer to `q`: nothing where a side has
/// fewer than five.
void noise_steps(struct bench *b, const struct entry *e, const struct query *q,
                 struct evidence *out);

#endif
