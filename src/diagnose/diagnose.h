/// The analysis of a single run from its digests: facts, tables, series, what the run is bound by,
/// and what to do about it.
#ifndef GG_DIAGNOSE_DIAGNOSE_H
#define GG_DIAGNOSE_DIAGNOSE_H

#include "model/run_report.h"

/// Number of metrics in the summary, which are those with a title, in their order.
enum { NR_FACT_METRICS = 22 };
extern const enum metric_id fact_metrics[NR_FACT_METRICS];

/// Append the lines of the summary.
void diagnose_facts(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append tables of figures, those for which the run has data.
void diagnose_tables(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append step times and levels of memory for charts, for at most SERIES_RANKS ranks.
void diagnose_series(const struct run_view *v, struct arena *a, struct run_report *out);
enum { SERIES_RANKS = 32 };

/// What the run is bound by, the evidence for it, and what is unknown. Unknown causes are named as
/// such rather than guessed.
void diagnose_bound(const struct run_view *v, struct arena *a, struct classification *out);

/// What to do: recommendations of rules whose conditions hold, and of diagnoses in code. Those that
/// save most come first, then by id.
void diagnose_recommend(const struct run_view *v, const struct diagnosis_rules *rules,
                        struct arena *a, struct run_report *out);

/// All of it, or without `whole` only facts and recommendations; owned by `a`, to be released with
/// run_report_release().
struct run_report *diagnose_run(const struct run_view *v, const struct diagnosis_rules *rules,
                                bool candidate, bool whole, struct arena *a);

/// Replace the lists of kernels and operators by those of `v`, whose digests are limited to
/// `phase`. All other lists are removed, since they describe the whole run.
void diagnose_phase(const struct run_view *v, const char *phase, struct arena *a,
                    struct run_report *out);

/// Keep only those recommendations in `r` that are new since `baseline` or save over 10 % more.
/// Also removes those that the baseline lacks data for. `v` is the view of the baseline.
void diagnose_limit(struct run_report *r, const struct diagnosis_rules *rules,
                    const struct run_report *baseline, const struct run_view *v);

#endif
