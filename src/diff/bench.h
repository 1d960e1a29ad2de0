/// All runs of a comparison with their views, and one function that queries both sides.
#ifndef GG_DIFF_BENCH_H
#define GG_DIFF_BENCH_H

#include "diff/pairs.h"
#include "model/history.h"

/// The runs to compare; all are borrowed.
struct bench_runs {
	const struct run *baseline; ///< the pin; NULL if there is no baseline yet
	const struct history *recent; ///< accepted runs since the pin; NULL if there are none
	const struct history
	    *sample; ///< all runs of the main branch, whatever their verdict; NULL if there are none
	const struct run *candidates; ///< runs of the same code, at least one
	size_t nr_candidates;
	const struct run *controls; ///< runs of the baseline's code, alternating with the candidates
	size_t nr_controls;
};

/// Where a run comes from; columns are in this order.
enum bench_source {
	SOURCE_PIN,
	SOURCE_RECENT,
	SOURCE_SAMPLE, ///< a run that is only in the noise sample
	SOURCE_CANDIDATE,
	SOURCE_CONTROL,
	NR_SOURCES,
};

/// One run of the comparison.
struct bench_column {
	enum bench_source source;
	uint64_t epoch; ///< only past runs: hash of the pin at the time of the run
	const struct past_run *past; ///< the stored run; NULL for other sources
	size_t view; ///< index into bench.view of a run that is not a past one
};

/// The value of one item in one run.
struct cell {
	bool has;
	int64_t value;
};

struct bench {
	struct naming naming;
	struct bench_runs runs;
	int64_t min_runs; ///< number of recent runs from which on the pin is not in the reference
	uint64_t pin; ///< identity of the pin, from past_source_hash()
	bool against_itself; ///< true if the first candidate is the very artifact of the pin
	bool before_period; ///< true if ranks of the pin have steps but lack step.period
	int64_t tick_ns; ///< tick of the coarsest clock of pin and candidates (struct trust_counts)
	const struct past_run *twin; ///< the pin's entry among the recent runs, or NULL
	struct run none; ///< empty run, used if there is no baseline
	const struct run *run[NR_SIDES]; ///< the pin and the first candidate
	struct run_view *view; ///< views of the pin, then of each candidate, then of each control
	struct bench_column *columns; ///< all runs, without duplicates
	size_t nr_columns;
	size_t *by_time; ///< the columns, runs of the past oldest first, of no time before them
	struct activity_pairs pairs;
	struct arena arena;
};

/// Build the views of all runs. The runs and the tables of `naming` are borrowed. The caller
/// releases with bench_release().
void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming);

/// Release the views and what belongs to them.
void bench_release(struct bench *b);

/// One item on both sides. The candidate's value is the median of its runs that have the item. The
/// baseline's is the median of the controls, unless the metric is exact; without controls that of
/// the recent runs if at least min_runs have it, else that of the pin and the recent runs together
/// (rules.md, "Reference").
struct entry {
	struct span label; ///< label of the item, such as a kernel's name
	struct span was; ///< the baseline's name of a kernel that the candidate renamed; else empty
	int64_t rank;
	bool has[NR_SIDES];
	int64_t value[NR_SIDES];
	const int64_t *runs[NR_SIDES]; ///< values whose median is value[], in the order of the runs;
	                               ///< owned by the bench
	size_t nr_runs[NR_SIDES];
	bool has_pin;
	int64_t pin; ///< the pin's value of the item
	const struct cell *cells; ///< values of the item in all runs; owned by the bench
};
struct entries {
	VEC(struct entry) list; ///< entries sorted by label, then rank
};

/// Query both sides. A side that did not record what the metric needs has no values. Labels are
/// borrowed from the bench. The caller releases with vec_release(&out->list).
void bench_query(struct bench *b, const struct query *q, struct entries *out);

/// True if the baseline's value of `e` is the median of columns that include `i`. Controls do not
/// count.
bool bench_is_reference(const struct bench *b, const struct entry *e, size_t i);

/// True if `side` recorded what `m` needs; one of several candidates is enough.
bool bench_has(const struct bench *b, enum side_index side, const struct metric *m);

#endif
