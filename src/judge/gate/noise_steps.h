/// Statistical comparison of the steps of both sides, as evidence for the verdict of a check.
#ifndef GG_GATE_NOISE_STEPS_H
#define GG_GATE_NOISE_STEPS_H

#include "diff/bench.h"
#include "model/report.h"

/// Fill in the fields of `out` about the steps of `e`, an entry of the query `q`. They stay empty
/// if a side has fewer than five steps.
void noise_steps(struct bench *b, const struct entry *e, const struct query *q,
                 struct evidence *out);

#endif
