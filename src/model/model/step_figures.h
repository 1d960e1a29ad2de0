/// Figures of steps: their samples, or the statistics that are stored instead.
#ifndef GG_MODEL_STEP_FIGURES_H
#define GG_MODEL_STEP_FIGURES_H

#include "model/digest.h"

/// The stored statistics of a step figure, indexed by enum statistic; NULL if samples are kept or
/// the figure was not recorded.
const int64_t *digest_summary(const struct digest *d, enum metric_id id);

/// True if a step figure was recorded. Files of older minor versions lack newer figures; recordings
/// without runtime calls lack figures of launches and waits.
bool digest_has_steps(const struct digest *d, enum metric_id id);

/// Samples of a step figure. Steps without a sample are left out of the list.
struct step_samples {
	const int64_t *value, *step; ///< arrays of `nr` values and of the numbers of their steps
	size_t nr; ///< number of samples in measured steps
	size_t usable; ///< number of samples in complete measured steps, which come first
};

/// Samples of a step figure for which digest_has_steps() is true and digest_summary() is NULL. They
/// are owned by `d`, or by `a` if some step has no sample.
struct step_samples digest_samples(const struct digest *d, enum metric_id id, struct arena *a);

/// A statistic over the complete measured steps, from samples or the summary. False if the figure
/// was not recorded, or if no complete step has a sample.
bool digest_step_stat(const struct digest *d, enum metric_id id, enum statistic stat, int64_t *out);

/// Share, in 1e-6 %, of the complete measured steps that are slow (step_is_slow()), each compared
/// with the median of its kind of steps if the kinds are known; -1 if unknown.
int64_t digest_slow_share(const struct digest *d);

/// True for a step that takes longer than the median step by more than a sixth.
static inline bool step_is_slow(int64_t ns, int64_t median)
{
	return ns - median > median / 6;
}

/// Least share of the time of the measured steps, in 1e-6 %, in which power must have been sampled
/// for machine_energy().
#define ENERGY_LEAST_PCT (80 * MICRO)

/// Share of the measured steps' time in which the power of a GPU was sampled, in 1e-6 %, at most
/// 100 %; -1 if either time is unknown.
int64_t machine_energy_share(const struct digest *d, const struct machine_stat *s);

/// Energy that a GPU takes in a step, in microjoules: its mean power times the median wall time; -1
/// if the energy is unknown, or if power was sampled in less than ENERGY_LEAST_PCT of the steps'
/// time.
int64_t machine_energy(const struct digest *d, const struct machine_stat *s);

#endif
