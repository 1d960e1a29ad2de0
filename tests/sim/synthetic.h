/// Synthetic runs for the simulation: digests whose figures have noise of a known kind.
#ifndef GG_TESTS_SYNTHETIC_H
#define GG_TESTS_SYNTHETIC_H

#include "gate/judge.h"

/// State of random numbers that are the same on all machines (splitmix64).
struct dice {
	uint64_t state;
};

/// A uniform random number in (0, 1).
double dice_uniform(struct dice *d);

/// A random number with the standard normal distribution.
double dice_normal(struct dice *d);

/// Kinds of noise between runs.
enum weather_kind {
	WEATHER_NORMAL,
	WEATHER_HEAVY, ///< heavy tails: Student's t with 3 degrees of freedom, with the same variance
	               ///< as normal noise
	WEATHER_OUTLIERS, ///< like normal noise, but 1 run in 20 is 20 % slower
	WEATHER_BIMODAL, ///< each run is boosted or throttled, and has no other noise
	WEATHER_DRIFT, ///< the machine drifts from run to run (AR(1), 0.95)

	/// Another algorithm is chosen now and then: time moves between two kernels of one operator.
	WEATHER_ALGORITHM,

	/* States of the machine, which a control run shares with its partner. Work that the memory
	   bounds follows a clock by a fifth. */
	WEATHER_CLOCKS, ///< one of three clocks in each run: 0, 4 % or 9 % lower
	WEATHER_STICKY, ///< two clocks 5 % apart; the state changes in 15 % of the runs
	WEATHER_HOST, ///< the candidate runs on a host that main has never run on
	WEATHER_DOUBLED, ///< 2 % of the runs take twice as long
	WEATHER_NEIGHBOR, ///< a neighbor slows the work that the memory bounds in 10 % of the runs
	WEATHER_SKEWED, ///< lognormal slow-down of shape 1, with a standard deviation of 2 %
	WEATHER_STEPS, ///< the clock falls by a geometric number of steps of 1.06 %
	WEATHER_DAYS, ///< AR(1) 0.8 with a standard deviation of 2 %, and a daily cycle of 1 %
	WEATHER_FACTOR, ///< one lognormal factor a run, with the standard deviation `state`

	/* What each run draws anew. */
	WEATHER_THERMAL, ///< the steps become slower within a run, by about 4 % in all
	WEATHER_WARMUP, ///< the first steps of a run are slow, by up to 30 %
	WEATHER_CHOICE, ///< in 10 % of the runs an operator takes 3 % more or less
	WEATHER_HICCUPS, ///< 1 % of the steps take half a step longer
	WEATHER_MEMORY, ///< 15 % of the runs take 1.5 % more memory
};

/// Noise between runs of unchanged code.
struct weather {
	enum weather_kind kind;
	double noise; ///< standard deviation of the compute time between runs, as a share
	double shared; ///< share of the machine's variance that the candidate's runs have in common
	double state; ///< standard deviation of the state of WEATHER_FACTOR
	double restless; ///< share of the control runs that are in another state of the machine
	double wall; ///< standard deviation of a factor of each run's wall time
	double idle; ///< time of a step in which the GPU is idle, as a share of its work; 0: a fifth
	size_t better; ///< 0, or the number of runs since main lost the first effect
	bool says_host; ///< true: the recordings say that they come from one host
};

enum { NR_KERNELS = 20, NR_STEPS = 5, MAX_RUNS = 64 };

/// Random factors of the times of one run, as logarithms.
struct luck {
	double machine, own[NR_KERNELS], comm, host, wall;
	double state[NR_KERNELS]; ///< what the state of the machine adds to each kernel
	double step[NR_STEPS], hiccup[NR_STEPS]; ///< of each step: compute time, share of a step lost
	double peak;
};

/// Effect of a change on each kernel, and on the wall time of steps beside, as logarithms.
struct effect {
	double kernel[NR_KERNELS], wall;
};

/// An effect of `share` (0.1: 10 % longer) on all kernels, or only on `kernel` if it is ≥ 0.
struct effect effect_of(int kernel, double share);

/// Draw the random parts of `nb` runs of the baseline and `nc` of the candidate; with `controls`
/// also as many runs of the baseline's code, alternating with the candidate's.
void luck_of(const struct weather *w, struct dice *dice, size_t nb, size_t nc, bool controls,
             struct luck *out);

/// Variances of a kernel's time between runs: the machine's part and the kernel's own part. From
/// them follows what the best possible rule would detect.
void variances_of(const struct weather *w, double *machine, double *own);

/// Makes a category for each operator. An operator launches one or two kernels.
void synthetic_categories(struct category_table *t);

/// A digest without figures, to be filled repeatedly by synthetic_fill(). The caller ends with
/// digest_free().
struct digest *synthetic_digest(const char *communication);

/// Fill `d` with the figures of one run.
void synthetic_fill(struct digest *d, const struct luck *l, const struct effect *e,
                    const struct weather *w);

#endif
