/// The statistics behind noise.h: doubles, for evidence and for how far noise reaches.
#ifndef GG_GATE_NOISE_MATH_H
#define GG_GATE_NOISE_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Spread of the runs of one side.
struct spread {
	double center, reach; ///< median, and how far from it a run still counts; < 0: any does
	size_t kept; ///< runs within reach: the others are set aside
	double s; ///< sample standard deviation of those kept; 0 of fewer than two
};

/// Spread of `nr` > 0 values; they reach 5 scaled MADs. Where more than half of the
/// values are equal none is set aside.
struct spread spread_of(const int64_t *v, size_t nr);

/// True where `s` sets `value` aside.
bool spread_excludes(const struct spread *s, int64_t value);

/// Scaled MAD: 1.4826 times the median distance from the median of `nr` > 0 values.
int64_t scaled_mad(const int64_t *v, size_t nr);

/// Variance of the median of `nr` > 0 normal values of variance 1.
double median_variance(size_t nr);

/// Two-sided p of the Mann-Whitney test: exact for up to 20 and 20 values without ties,
/// else the normal approximation with ties and continuity. Both sides have values.
double mann_whitney(const int64_t *x, size_t nr_x, const int64_t *y, size_t nr_y);

/// How many estimated standard deviations make `checks` ≥ 1 checks together as unlikely to be
/// beyond them by chance as one check is to be beyond `k`. The estimate has `nu` > 0 degrees
/// of freedom.
double noise_k_of(double k, size_t nu, double checks);

/// What a change has to be beyond: a limit and noise (noise.h).
struct threshold {
	double limit; ///< change that the rule allows
	double shift; ///< what the change is measured from, less the baseline's value
	double per_s; ///< noise as measured over s: k · √(v(n_c) + 1.57 / n_b); 0: no noise
};

/// Noise at the spread `s`, moderated.
double threshold_noise(const struct threshold *t, double s);

/// Probability that a change of nothing, normal with standard deviation `scale` · σ, is
/// beyond `t`. Of σ only the estimate `s` with `nu` ≥ 2 degrees of freedom is known: over
/// all such s the result has the mean of a baseline of one run fewer, without bias.
double threshold_false_alarms(const struct threshold *t, double scale, double s, size_t nu);

#endif
