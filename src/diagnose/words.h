/// Internal to diagnose/: figures of a rank, and as people read them.
#ifndef GG_DIAGNOSE_WORDS_H
#define GG_DIAGNOSE_WORDS_H

#include "base/arena.h"
#include "base/number.h"
#include "model/diagnosis.h"

/// For shares, which are held in 1e-6 %.
#define PERCENT MICRO

/// Median over steps of metric `id` in rank `r` of the run; of several devices or memories
/// the worst. False, with 0, where the rank has none.
bool figure_of_rank(const struct run_view *v, size_t r, enum metric_id id, int64_t *out);

/// The answer to `q` as one number: figures of several items are added up. False where the
/// run has none.
bool figure_of_run(const struct run_view *v, const struct query *q, int64_t *out);

/// The figure of a metric without labels, by its default reduction.
bool figure_of_metric(const struct run_view *v, enum metric_id id, int64_t *out);

/// How long a step takes: wall time, or the duration of the window of a trace without steps.
/// False, with 0, where neither is known.
bool figure_of_step(const struct run_view *v, int64_t *out);

/// A share or quotient, too, and its unit; 1e-6 % of a share. False where it cannot be formed.
bool figure_of_diagnosis(const struct run_view *v, const struct diagnosis_figure *f, int64_t *out,
                         enum unit *unit);

#endif
