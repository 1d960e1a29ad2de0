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

/// How runs of unchanged code differ; standard deviations are shares (0.02: 2 %).
struct weather {
	const char *name;
	double between; ///< of the compute time, from run to run
	double within; ///< of a step, from step to step
	double correlation; ///< of two kernels' times, from run to run
	double drift; ///< of the machine: a random walk, so much per run
	double outliers; ///< share of runs that are 20 % slower
};

enum { NR_KERNELS = 12, NR_STEPS = 10 };

/// One run: what is random about it.
struct luck {
	double kernel[NR_KERNELS], step[NR_STEPS], comm, host;
};

/// What a change does to the kernels: factors.
struct effect {
	const char *name;
	double kernel[NR_KERNELS];
};

/// All kernels by `factor`; or, with `kernel` ≥ 0, that one alone.
struct effect effect_of(const char *name, int kernel, double factor);

/// How much of the compute time the kernel is: they sum to 1, the first is the largest.
double kernel_share(size_t kernel);

/// The luck of the next run; `walk` is where the machine has drifted to, and is moved on.
struct luck luck_of(const struct weather *w, struct dice *dice, double *walk);

/// A digest without figures that synthetic_fill() fills again and again. Caller: digest_free().
struct digest *synthetic_digest(const char *communication);

/// Make `d` the digest of a run.
void synthetic_fill(struct digest *d, const struct luck *l, const struct effect *e);

#endif
