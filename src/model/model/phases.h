/// Figures of phases: of the parts of a training step, and of the steps of a server by kind.
#ifndef GG_MODEL_PHASES_H
#define GG_MODEL_PHASES_H

#include "model/step_figures.h"
#include "model/view.h"

/// True for phases that are whole steps (prefill, decode, …).
static inline bool phase_is_whole(enum phase p)
{
	return (int)p >= (int)NR_INNER_PHASES;
}

/// Largest number of terms of a sum.
enum { PHASE_TERMS = 4 };

/// A metric as the sum of other metrics of the same phase. The terms of the wall time add up to the
/// wall time multiplied by the number of devices that work for the step.
struct phase_sum {
	enum metric_id metric;
	bool whole; ///< true if only phases of whole steps have the metric; false if all phases have it
	enum metric_id terms[PHASE_TERMS]; ///< terms; 0 (step.time, never a term) if unused
};

/// The sum that defines a metric in phases; NULL if phases do not have the metric. Static.
const struct phase_sum *phase_sum_of(const struct metric *m);

/// True if phase `p` has the metric `m`. Only metrics with a phase_sum_of() have figures of phases.
/// Phases that are whole steps have all of these. Parts of steps lack those that are `whole`, such
/// as the wall time, and only PHASE_COMMUNICATION has step.comm_time. PHASE_ALL has none.
bool phase_has_metric(enum phase p, const struct metric *m);

/// Fills `out` with samples of metric `m` in phase `p`, owned by `a`. False if the digest has no
/// such samples, or keeps only summaries.
bool phase_samples_of(const struct digest *d, enum phase p, const struct metric *m, struct arena *a,
                      struct step_samples *out);

/// The summary of samples. At least one sample must be of a complete measured step.
struct phase_summary phase_summarize(enum phase p, const struct metric *m,
                                     const struct step_samples *s);

/// The summary of `m` in phase `p`, from samples or as it is stored; false if there is none.
bool phase_summary_of(const struct digest *d, enum phase p, const struct metric *m,
                      struct phase_summary *out);

/// Like rank_figures() (model/view.h), but one figure for each phase in rank `r`; the label is the
/// phase.
void rank_phase_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                        void *ctx);

/// Calls `fn` with the figures of rank `r` among which the query `q` selects: one for each phase if
/// `q` names a phase, else those of rank_figures(). For metrics with PARTS_CODE, only work in the
/// phases and of the class that `q` names counts. The caller must still select by the other globs
/// of `q` (figure_is_selected()).
void rank_asked_figures(const struct run_view *v, size_t r, const struct query *q, figure_fn *fn,
                        void *ctx);

#endif
