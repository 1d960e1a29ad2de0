/// Internal to diagnose/: reading single figures of a rank or of a run.
#ifndef GG_DIAGNOSE_WORDS_H
#define GG_DIAGNOSE_WORDS_H

#include "base/arena.h"
#include "base/number.h"
#include "model/diagnosis.h"

/// One percent as a share, since shares are in 1e-6 %.
#define PERCENT MICRO

/// Median over steps of metric `id` in rank `r` of the run; for several devices or memories the
/// worst value. Sets 0 and returns false if the rank lacks the figure.
bool figure_of_rank(const struct run_view *v, size_t r, enum metric_id id, int64_t *out);

/// The result of query `q` as one number; if several items match, their figures are added. False
/// if the run lacks the figure.
bool figure_of_run(const struct run_view *v, const struct query *q, int64_t *out);

/// The figure of a metric without labels, with the metric's default reduction over ranks. False if
/// the run lacks the figure.
bool figure_of_metric(const struct run_view *v, enum metric_id id, int64_t *out);

/// Duration of a step: its wall time, or the whole window for a trace without steps. Sets 0 and
/// returns false if both are unknown.
bool figure_of_step(const struct run_view *v, int64_t *out);

/// Compute a figure that a rule of rules/diagnosis.yaml defines, with its unit; it may be a
/// quotient or a share (in 1e-6 %). False if it cannot be formed.
bool figure_of_diagnosis(const struct run_view *v, const struct diagnosis_figure *f, int64_t *out,
                         enum unit *unit);

#endif
