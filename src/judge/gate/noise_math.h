/// Statistics for noise.h. They use doubles, since they only estimate how large the noise is.
#ifndef GG_GATE_NOISE_MATH_H
#define GG_GATE_NOISE_MATH_H

#include <stddef.h>
#include <stdint.h>

#include "diff/changes.h"

/// Center of `nr` > 0 values: the median of up to five values; for more, the mean without the
/// lowest and the highest fifth.
double noise_center(const double *v, size_t nr);

/// Variance of noise_center() if each of the `nr` values has variance 1.
double noise_center_variance(size_t nr);

/// Variance of `nr` values within their groups; 0 if there are no degrees of freedom. With five or
/// more values, each is first limited to a distance of 4 scaled MADs (median absolute deviations)
/// from the median of its group. group[i] is the number of the group of v[i]. `*df` becomes the
/// number of degrees of freedom. `v` is overwritten.
double noise_variance(double *v, const uint64_t *group, size_t nr, double *df);

/// Median of `nr` > 0 values.
double noise_median(const double *v, size_t nr);

/// Scaled MAD (median absolute deviation) from 0: 1.4826 times the median of the absolute values of
/// `nr` > 0 values.
double noise_mad(const double *v, size_t nr);

/// Prior estimate of a variance: its value `s2` and its weight `df` in degrees of freedom.
struct noise_prior {
	double s2, df;
};

/// The prior that `nr` > 0 variances of similar figures have in common. Each variance was measured
/// with `df` > 0 degrees of freedom. The prior is a scaled inverse chi-square distribution, fitted
/// by moments of the variances' logarithms (Smyth 2004, limma).
struct noise_prior noise_prior_of(const double *s2, size_t nr, double df);

/// The variance `s2`, measured with `df` degrees of freedom, shrunk towards `prior`.
double noise_moderated(struct noise_prior prior, double s2, double df);

/// Scaled MAD (median absolute deviation): 1.4826 times the median distance of `nr` > 0 values from
/// their median.
int64_t scaled_mad(const int64_t *v, size_t nr);

/// Two-sided p value of the Mann-Whitney test. Exact for up to 20 values per side without ties,
/// else the normal approximation corrected for ties and continuity. Each side must have a value.
double mann_whitney(const int64_t *x, size_t nr_x, const int64_t *y, size_t nr_y);

#endif
