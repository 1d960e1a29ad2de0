/// The kinds of steps in two runs: of a server (prefill, decode, mixed), or of training that
/// accumulates gradients (update, accumulation).
#ifndef GG_MODEL_STEP_KINDS_H
#define GG_MODEL_STEP_KINDS_H

#include "base/number.h"
#include "model/phases.h"

/// Kinds of steps in two runs. All zero if more than a tenth of the steps of a run are of no known
/// kind, or if all steps of both runs are of the same kind.
struct step_kinds {
	/// true for a kind that is judged by itself, since both runs have enough steps of it
	bool apart[NR_PHASES];
	/// true if the kinds that are `apart` hold nearly all of the GPU time of both runs
	bool all_apart;
	/// How much of a change of the mean GPU time per step comes from other shares of the kinds: the
	/// mean step of the second run, if each kind took as long as in the first run, minus the mean
	/// step of the first run. Absolute value, in 1e-6 % of the first run's mean step.
	int64_t mix;
	/// True if the mean over all steps is judged instead of the median. The median is the time of
	/// an accumulation step or of an update, depending on which kind has more steps.
	bool by_mean;
	int64_t steps[2][NR_PHASES]; ///< number of steps of each kind in each run, all ranks together
};

/// Counts the steps of two runs by kind, and decides which kinds are judged by themselves. In a
/// comparison, `first` is the baseline.
struct step_kinds step_kinds_of(const struct run *first, const struct run *second);

/// True if each kind is judged by itself, and the shares of the kinds differ so much between the
/// runs that figures over all steps, such as the time of a kernel per step, cannot be compared.
static inline bool step_kinds_other_mix(const struct step_kinds *k)
{
	return k->all_apart && k->mix > MICRO;
}

/// The queries that replace the query `q` of a built-in rule: one for each kind that is judged by
/// itself, or one for the mean (by_mean), or `q` itself. Returns their number.
size_t step_kinds_queries(const struct step_kinds *k, const struct query *q,
                          struct query out[NR_PHASES]);

#endif
