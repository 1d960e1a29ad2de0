/// The statistics behind noise.h: doubles, which only ever say how far noise reaches.
#ifndef GG_GATE_NOISE_MATH_H
#define GG_GATE_NOISE_MATH_H

#include <stddef.h>
#include <stdint.h>

/// Center of `nr` > 0 values: the median of up to five, then the mean without the fifth that is
/// lowest and the fifth that is highest.
double noise_center(const double *v, size_t nr);

/// Variance of that center where the values have variance 1.
double noise_center_variance(size_t nr);

/// Variance of `nr` values within their groups, of which each is around its median; 0 where
/// none is free. From five values on those beyond 4 scaled MADs count as if they lay there.
/// `*df`: degrees of freedom. `v` is overwritten.
double noise_variance(double *v, const uint64_t *group, size_t nr, double *df);

/// Median of `nr` > 0 values.
double noise_median(const double *v, size_t nr);

/// Scaled MAD around 0 of `nr` > 0 values.
double noise_mad(const double *v, size_t nr);

/// What is known of a variance before it is measured: `s2`, worth `df` degrees of freedom.
struct noise_prior {
	double s2, df;
};

/// The prior that `nr` > 0 variances of like figures, each of `df` > 0 degrees of freedom, have in
/// common: a scaled inverse chi-square, by moments of the logarithms (Smyth 2004, limma).
struct noise_prior noise_prior_of(const double *s2, size_t nr, double df);

/// The variance `s2` of `df` degrees of freedom, drawn towards `prior`.
double noise_moderated(struct noise_prior prior, double s2, double df);

/// P(T > x) of Student's t with `df` > 0 degrees of freedom.
double student_tail(double x, double df);

/// The x that T is beyond with probability `tail`, 0 < tail < 0.5; 1e9 at most.
double student_quantile(double tail, double df);

#endif
