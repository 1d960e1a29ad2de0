/// The "bench": all runs of a comparison, each with its view (an index of its figures), and
/// functions that query the runs of both sides for a figure.
#ifndef GG_DIFF_BENCH_H
#define GG_DIFF_BENCH_H

#include "diff/pairs.h"
#include "model/history.h"
#include "model/step_kinds.h"

/// The runs to compare; all are borrowed.
struct bench_runs {
	const struct run *baseline; ///< the approved run; NULL if there is no baseline yet

	/// the run among `recent` that explains changes with its details (such as kernels); NULL: the
	/// approved run does
	const struct run *reference;
	const struct history *recent; ///< accepted runs since the approved one; NULL if there are none

	/// all runs of the main branch, whatever their verdict; NULL if there are none
	const struct history *history;
	const struct run *candidates; ///< runs of the code to be judged; there must be at least one
	size_t nr_candidates;
	/// runs of the baseline's code (control runs), alternating with the candidates
	const struct run *controls;
	size_t nr_controls;
};

/// Origin of a run. The columns of a bench are sorted in this order.
enum bench_source {
	SOURCE_PIN,
	SOURCE_RECENT,
	SOURCE_HISTORY, ///< a run of the main branch that only shows how large noise is
	SOURCE_SINGLE, ///< a run of the candidate that has no control run, while other runs of the
	               ///< candidate have one
	SOURCE_CANDIDATE,
	SOURCE_CONTROL,
	NR_SOURCES,
};

#define NO_VIEW SIZE_MAX

/// One run of the comparison: a column in the table of values, which has a row for each item.
struct bench_column {
	enum bench_source source;
	uint64_t epoch; ///< for a past run: hash of the run that was the approved one when the past run
	                ///< was stored
	const struct past_run *past; ///< the stored record of a past run; NULL for other runs
	size_t view; ///< index into bench.view; NO_VIEW for a past run that is known only by its stored
	             ///< record
};

/// The value of one item in one run.
struct cell {
	bool has;
	int64_t value;
	int64_t lacks; ///< number of the run's ranks that do not have the item
	bool reference; ///< true if this run of main is one of those whose median is the baseline's
	                ///< value
};

/// The runs of a comparison, their views and their columns. The runs are borrowed.
struct bench {
	struct naming naming;
	struct bench_runs runs;
	int64_t min_runs; ///< if there are at least this many recent runs, the baseline's value is
	                  ///< their median, without the approved run
	uint64_t pin; ///< hash of the approved run's figures, from past_source_hash()
	bool against_itself; ///< true if the first candidate has exactly the figures of the approved
	                     ///< run, and must be the same recording
	bool before_period; ///< true if the approved run has steps, but was stored by a gpugate version
	                    ///< without the metric step.period
	int64_t tick_ns; ///< tick (smallest step) of the coarsest clock among all runs except control
	                 ///< runs, in ns (struct trust_counts)

	/// the approved run's entry among the recent runs; NULL if it has none
	const struct past_run *twin;
	struct run none; ///< empty run, which is used as the baseline if there is none
	/// the run of each side that explains a change with its details: for the baseline the reference
	/// run or, if there is none, the approved run; for the candidate its first run
	const struct run *run[NR_SIDES];
	const struct run *approved; ///< the approved run; without a baseline, the empty run `none`

	/// views of run[SIDE_BASELINE], then of each candidate, then of each control run. If the
	/// approved run is not run[SIDE_BASELINE], its view is the last one
	struct run_view *view;
	/// kinds of steps of run[SIDE_BASELINE] and the candidate; without a baseline, only of the
	/// candidate
	struct step_kinds kinds;
	unsigned memory; ///< sources of memory figures, such as snapshots, that the runs with views
	                 ///< have in common, as bits of memory_sources()
	struct bench_column *columns; ///< all runs, without duplicates
	size_t nr_columns;
	/// indices of the columns, oldest run first; columns of runs without a time come first
	size_t *by_time;
	struct activity_pairs pairs;
	struct arena arena;
};

/// Fill `b` and build the views of all runs. The runs and the tables of `naming` are borrowed. The
/// caller releases with bench_release().
void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming);

/// Release the views and all other memory of the bench.
void bench_release(struct bench *b);

/// One item on both sides. With control runs, the baseline's value is their median, and the
/// candidate's value is the median of its runs that have a control run. Without control runs, or if
/// the metric is exact, the candidate's value is the median of all its runs. The baseline's value
/// is then the median of the recent runs if at least min_runs of them have the item, else the
/// median of the approved run and the recent runs. Once the item became better on main, only the
/// runs since then count.
struct entry {
	struct span label; ///< label of the item, such as a kernel's name

	/// for a kernel that the candidate renamed: its name in the baseline; else empty
	struct span was;
	int64_t rank;
	bool has[NR_SIDES];
	int64_t value[NR_SIDES];
	const int64_t *runs[NR_SIDES]; ///< for each side, the values of its runs; `value` has their
	                               ///< median. Owned by the bench
	size_t nr_runs[NR_SIDES];
	bool has_pin;
	int64_t pin; ///< the approved run's value of the item
	bool is_explained;
	int64_t explained; ///< the item's value in bench.run[SIDE_BASELINE], the run that explains the
	                   ///< change with its details; valid if `is_explained`

	/// values of the item, one for each column of the bench, which owns the array
	const struct cell *cells;
};

/// The result of bench_query().
struct entries {
	VEC(struct entry) list; ///< entries sorted by label, then rank
};

/// Query all runs of both sides. A side has no values if none of its runs recorded what the metric
/// needs. Labels are borrowed from the bench. The caller releases with vec_release(&out->list).
void bench_query(struct bench *b, const struct query *q, struct entries *out);

/// The answers to `q` that a past run has stored; `*nr` becomes their number. If the run stored
/// none, these are its answers to the same query for all items, or for all items of a class, which
/// include those that `q` asks for. Owned by the run or the bench.
const struct past_value *bench_past_answers(struct bench *b, const struct past_run *run,
                                            const struct query *q, size_t *nr);

/// A run of the candidate in which more ranks lack all `nr` items than in the approved run, and
/// than in any control run. `*ranks` becomes the number of ranks that have one of the items in this
/// run. NULL if there is no such run.
const struct run *bench_in_some(const struct bench *b, const struct entry *items, size_t nr,
                                int64_t *ranks);

/// One entry with the label `label` for the `nr` items together. They must be of one rank and of
/// the metric `m`. The entry's value in a run is the sum over those items that the run has.
struct entry bench_sum(struct bench *b, const struct metric *m, const struct entry *items,
                       size_t nr, struct span label);

/// True if the side recorded what the metric `m` needs. If there are several candidates, it is
/// enough that one of them did.
bool bench_has(const struct bench *b, enum side_index side, const struct metric *m);

/// True if a run of the side is folded and its fold lacks the figures that answer the query.
bool bench_lacks(const struct bench *b, enum side_index side, const struct query *q);

#endif
