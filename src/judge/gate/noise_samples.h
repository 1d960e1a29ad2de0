/// Noise of a figure of a metrics file, estimated from its samples within each run.
#ifndef GG_GATE_NOISE_SAMPLES_H
#define GG_GATE_NOISE_SAMPLES_H

#include "diff/bench.h"

/// Variance of the logarithm of `metric` in one run that comes from the small number of samples:
/// the mean over all runs with samples, 0 if there are none. `label` names the figure if the metric
/// covers several. The variance between runs is larger, since all samples of a run come from one
/// machine.
double noise_of_samples(const struct bench *b, const struct metric *metric, struct span label);

#endif
