/// Figures of phases: of what a training step consists of, and of a server's steps by kind.
#ifndef GG_MODEL_PHASES_H
#define GG_MODEL_PHASES_H

#include "model/view.h"

/// True for phases of whole steps (prefill, decode, mixed).
static inline bool phase_is_whole(enum phase p)
{
	return (int)p >= (int)NR_INNER_PHASES;
}

/// What a metric adds up to in every phase: metrics of the same phase; the wall time of a step
/// over the devices that work for it.
struct phase_sum {
	enum metric_id metric;
	bool whole; ///< only phases of whole steps have it
	size_t nr;
	enum metric_id terms[4];
};

/// The row of a metric that some phase has (host and wall time, sums over GPU activities, the
/// number of kernels), or NULL; static.
const struct phase_sum *phase_sum_of(const struct metric *m);

/// True where phase `p` has the metric: whole steps all of them; others no host or wall time, and
/// step.comm_time is only of PHASE_COMMUNICATION.
bool phase_has_metric(enum phase p, const struct metric *m);

/// A metric in the steps of one phase.
struct phase_samples {
	int64_t *value; ///< nr, in order of the steps
	int64_t *step; ///< nr: their numbers
	size_t nr;
	size_t usable; ///< without a last step cut short
};

/// Samples of metric `m` in phase `p`, owned by `a`; false where the digest has none, or keeps
/// only summaries.
bool phase_samples_of(const struct digest *d, enum phase p, const struct metric *m, struct arena *a,
                      struct phase_samples *out);

/// The summary of those samples, with at least one that is usable.
struct phase_summary phase_summarise(enum phase p, const struct metric *m,
                                     const struct phase_samples *s);

/// The summary of `m` in phase `p`, of samples or as it is stored; false where there is none.
bool phase_summary_of(const struct digest *d, enum phase p, const struct metric *m,
                      struct phase_summary *out);

/// As rank_figures() (model/view.h), of each phase that rank `r` tells: the label is its name.
void rank_phase_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                        void *ctx);

/// What a query asks for of rank `r`: rank_phase_figures() where it names a phase, else
/// rank_figures().
void rank_asked_figures(const struct run_view *v, size_t r, const struct query *q, figure_fn *fn,
                        void *ctx);

#endif
