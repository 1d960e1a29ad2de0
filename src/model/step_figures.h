/// Figures of steps: samples, or what is stored in their place.
#ifndef GG_MODEL_STEP_FIGURES_H
#define GG_MODEL_STEP_FIGURES_H

#include "model/digest.h"

/// What is stored of a step figure in place of samples, by enum statistic; NULL where samples
/// are kept and where it was not recorded.
const int64_t *digest_summary(const struct digest *d, enum metric_id id);

/// True if a step figure was recorded: a file of an older minor lacks those that came later.
bool digest_has_steps(const struct digest *d, enum metric_id id);

/// Samples of a step figure, those that there are: of a step that has none the list knows nothing.
struct step_samples {
	const int64_t *value, *step; ///< `nr` values, numbers of their steps
	size_t nr; ///< in measured steps
	size_t usable; ///< of them, the first: in usable steps
};

/// Samples of a step figure that was recorded as such (digest_has_steps(), no summary), borrowed
/// from `d`, or from `a` if some step has none.
struct step_samples digest_samples(const struct digest *d, enum metric_id id, struct arena *a);

/// A statistic over the usable steps, from samples or the summary. False if it was not recorded or
/// no usable step has a sample.
bool digest_step_stat(const struct digest *d, enum metric_id id, enum statistic stat, int64_t *out);

#endif
