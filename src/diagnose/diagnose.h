/// What a run says by itself, using only its digests: facts, tables, series, what it is bound
/// by, and what to do about it.
#ifndef GG_DIAGNOSE_DIAGNOSE_H
#define GG_DIAGNOSE_DIAGNOSE_H

#include "model/run_report.h"

/// Metrics that the summary tells, in its order: those with a title.
enum { NR_FACT_METRICS = 22 };
extern const enum metric_id fact_metrics[NR_FACT_METRICS];

/// Lines of the summary.
void diagnose_facts(const struct run_view *v, struct arena *a, struct run_report *out);

/// Tables of figures, each only where the run has them.
void diagnose_tables(const struct run_view *v, struct arena *a, struct run_report *out);

/// Step times and levels of memory, for charts; at most SERIES_RANKS ranks.
void diagnose_series(const struct run_view *v, struct arena *a, struct run_report *out);
enum { SERIES_RANKS = 32 };

/// What the run is bound by, the evidence, and what is not known. Never a guess.
void diagnose_bound(const struct run_view *v, struct arena *a, struct classification *out);

/// What to do, most to save first, then by id: rules that hold, and diagnoses in code.
void diagnose_recommend(const struct run_view *v, const struct diagnosis_rules *rules,
                        struct arena *a, struct run_report *out);

/// All of it, or without `whole` only facts and recommendations; owned by `a`, to be released with
/// run_report_release().
struct run_report *diagnose_run(const struct run_view *v, const struct diagnosis_rules *rules,
                                bool candidate, bool whole, struct arena *a);

/// Put the lists of kernels and operators of `v`, whose digests are narrowed to `phase`, in
/// place of those of the whole run; all other lists go, since they are of the whole run.
void diagnose_phase(const struct run_view *v, const char *phase, struct arena *a,
                    struct run_report *out);

/// Leave in `r` the recommendations that are new or whose saving grew by more than 10 %
/// since `baseline`, of which `v` is the view. Those that the baseline cannot be asked for go.
void diagnose_limit(struct run_report *r, const struct diagnosis_rules *rules,
                    const struct run_report *baseline, const struct run_view *v);

#endif
