/// Synthetic runs for the simulation: digests whose figures are noisy in known ways.
#ifndef GG_TESTS_SYNTHETIC_H
#define GG_TESTS_SYNTHETIC_H

#include "gate/judge.h"

/// Random numbers that are the same everywhere (splitmix64).
struct dice {
	uint64_t state;
};

/// Uniform in (0, 1).
double dice_uniform(struct dice *d);

/// Standard normal.
double dice_normal(struct dice *d);

/// What the noise of runs is like.
enum weather_kind {
	WEATHER_NORMAL,
	WEATHER_HEAVY, ///< Student's t with 3 degrees of freedom, scaled to the same variance
	WEATHER_OUTLIERS, ///< 1 run in 20 is 20 % slower
	WEATHER_BIMODAL, ///< boost or throttled: the machine's noise is that of the state
	WEATHER_DRIFT, ///< the machine drifts from run to run (AR(1), 0.95)
	WEATHER_ALGORITHM, ///< another algorithm is chosen again and again: time moves between two
	                   ///< kernels of one operator
};

/// How runs of unchanged code differ.
struct weather {
	enum weather_kind kind;
	double noise; ///< standard deviation of the compute time from run to run, a share
	double shared; ///< part of the machine's variance that the candidate's runs have in common
	bool says_host; ///< the recordings say that they come from one host
};

enum { NR_KERNELS = 20, NR_STEPS = 5, MAX_RUNS = 64 };

/// What is random about one run, as logarithms.
struct luck {
	double machine, own[NR_KERNELS], comm, host;
};

/// What a change does to the kernels: logarithms.
struct effect {
	double kernel[NR_KERNELS];
};

/// All kernels by `share` (0.1: 10 % longer); or, with `kernel` ≥ 0, that one alone.
struct effect effect_of(int kernel, double share);

/// The luck of `nb` runs of the baseline, `nc` of the candidate and, with `controls`, as many of
/// the baseline in turn with them.
void luck_of(const struct weather *w, struct dice *dice, size_t nb, size_t nc, bool controls,
             struct luck *out);

/// Variance of the compute time of one run less that of the machine, and of a kernel's own part:
/// for what nobody can beat.
void variances_of(const struct weather *w, double *machine, double *own);

/// Categories: one for each operator, which launches one kernel or two.
void synthetic_categories(struct category_table *t);

/// A digest without figures that synthetic_fill() fills again and again. Caller: digest_free().
struct digest *synthetic_digest(const char *communication);

/// Make `d` the digest of a run.
void synthetic_fill(struct digest *d, const struct luck *l, const struct effect *e,
                    const struct weather *w);

#endif
