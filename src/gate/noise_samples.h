/// What the samples within runs say of the noise of a figure of a file.
#ifndef GG_GATE_NOISE_SAMPLES_H
#define GG_GATE_NOISE_SAMPLES_H

#include "diff/bench.h"

/// Variance that the logarithm of `metric`, of the figure `label` where it is on several, has in
/// one run because it comes from few samples: the mean over the runs that say so; 0 where none
/// does. Runs differ by this and by what their machines do, which samples of one run share.
double noise_of_samples(const struct bench *b, const struct metric *metric, struct span label);

#endif
