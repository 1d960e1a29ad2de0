/// The analysis of a single run from its digests: facts, tables, series, the resource that limits
/// the run ("bound"), and recommendations.
#ifndef GG_DIAGNOSE_DIAGNOSE_H
#define GG_DIAGNOSE_DIAGNOSE_H

#include "model/report.h"

/// Metrics that the summary shows, in the order of the summary: those that have a title in
/// metric_table and are figures of a whole rank, of its GPUs or of its memories.
enum { NR_FACT_METRICS = 22 };
extern const enum metric_id fact_metrics[NR_FACT_METRICS];

/// Append the lines of the summary to `out->facts`.
void diagnose_facts(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append the tables of figures for which the run has data.
void diagnose_tables(const struct run_view *v, struct arena *a, struct run_report *out);

/// Append data for charts: step times and levels of memory of at most SERIES_RANKS ranks. If there
/// are several ranks, also append the compute time of each step of every rank.
void diagnose_series(const struct run_view *v, struct arena *a, struct run_report *out);
enum { SERIES_RANKS = 32 };

/// Set `out` to what limits the run's speed (its bound), the evidence for it, and what is unknown.
/// Idle time that no recorded cause explains counts as unknown, unless its length suggests that the
/// GPU waits for launches.
void diagnose_bound(const struct run_view *v, struct arena *a, struct classification *out);

/// Append recommendations, sorted by the time that they save, the most first, then by id. They come
/// from those rules of rules/diagnosis.yaml whose conditions hold, and from C functions.
void diagnose_recommend(const struct run_view *v, const struct diagnosis_rules *rules,
                        struct arena *a, struct run_report *out);

/// The texts of the recommendations that C functions make. A row without an id ends the table.
extern const struct recommendation diagnose_in_code[];

/// The row of the static table diagnose_in_code with this id, or NULL.
const struct recommendation *diagnose_advice(struct span id);

/// The complete analysis of a run or, if `whole` is false, only its facts, bound and
/// recommendations. `candidate`: the run is the candidate, not the baseline. `a` owns the report,
/// but the caller releases its lists with run_report_release().
struct run_report *diagnose_run(const struct run_view *v, const struct diagnosis_rules *rules,
                                bool candidate, bool whole, struct arena *a);

/// Compare the digests of a run's ranks. Append insights (remarks in the report) to
/// `out->insights`, sorted by rank: a slow rank, a late rank, a slow link, or functions that differ
/// from the same functions of other ranks. Ranks that only wait for others are not named. Append a
/// row for each rank to `out->ranks` (in a folded run, only for ranks that an insight names), and
/// the columns if there are none yet. Append a note on GPU utilization to the notes of the
/// candidate or of the baseline. `out` owns the texts. Nothing is appended if the run has only one
/// rank, or is a folded baseline without figures of single ranks (fold.by_rank).
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out);

/// Replace all tables of the report by those of kernels, categories of kernels, and operators of
/// `v`, whose digests are limited to `phase`. The other tables are not made again, since they
/// describe the whole run. `phase` must live as long as the report.
void diagnose_phase(const struct run_view *v, const char *phase, struct arena *a,
                    struct run_report *out);

/// Keep only those recommendations in the report `r` that the baseline does not have, or that save
/// over 10 % more than in the baseline. Recommendations for which the baseline lacks data are
/// removed, too. `v` is the view of the baseline.
void diagnose_limit(struct run_report *r, const struct diagnosis_rules *rules,
                    const struct run_report *baseline, const struct run_view *v);

#endif
