/// The analysis of a single run from its digests: facts, tables, series, the resource that limits
/// the run ("bound"), and recommendations.
#ifndef GG_DIAGNOSE_DIAGNOSE_H
#define GG_DIAGNOSE_DIAGNOSE_H

#include "model/report.h"

/// Number of metrics in the summary: those that have a title, in the order of the metric table.
enum { NR_FACT_METRICS = 22 };
extern const enum metric_id fact_metrics[NR_FACT_METRICS];

/// Append the lines of the summary.
void diagnose_facts(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append the tables of figures for which the run has data.
void diagnose_tables(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append data for charts, of at most SERIES_RANKS ranks: step times and levels of memory.
void diagnose_series(const struct run_view *v, struct arena *a, struct run_report *out);
enum { SERIES_RANKS = 32 };

/// Set `out` to what limits the run's speed (its bound), the evidence for it, and what is unknown.
/// A cause that was not recorded is named as unknown rather than guessed.
void diagnose_bound(const struct run_view *v, struct arena *a, struct classification *out);

/// Append recommendations: of the rules whose conditions hold, and of the diagnoses in code. They
/// are sorted by the time that they save, the most first, then by id.
void diagnose_recommend(const struct run_view *v, const struct diagnosis_rules *rules,
                        struct arena *a, struct run_report *out);

/// What the diagnoses in code advise, ended by a row without an id.
extern const struct recommendation diagnose_in_code[];

/// The row of that table with this id, or NULL. Static.
const struct recommendation *diagnose_advice(struct span id);

/// The complete analysis or, if `whole` is false, only facts, bound and recommendations. `a` owns
/// the report; the caller ends with run_report_release().
struct run_report *diagnose_run(const struct run_view *v, const struct diagnosis_rules *rules,
                                bool candidate, bool whole, struct arena *a);

/// Insights (remarks in the report) from comparing the digests of a run's ranks: a slow rank, a
/// late rank, a slow link, or functions that differ from those of the peers. Ranks that only wait
/// are not named. Append them to `out->insights`, sorted by rank, and a row per rank to
/// `out->ranks`, with the columns if there are none yet; `out` owns the texts. Also sets the note
/// on GPU utilization in the `side` of the run. Nothing is appended if the run has only one rank.
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out);

/// Replace the lists of kernels and operators in the report by those of `v`, whose digests are
/// limited to `phase`. All other lists are removed, since they describe the whole run.
void diagnose_phase(const struct run_view *v, const char *phase, struct arena *a,
                    struct run_report *out);

/// Keep only those recommendations in the report `r` that are new since the baseline or save over
/// 10 % more than in the baseline. Also removes recommendations for which the baseline lacks data.
/// `v` is the view of the baseline.
void diagnose_limit(struct run_report *r, const struct diagnosis_rules *rules,
                    const struct run_report *baseline, const struct run_view *v);

#endif
