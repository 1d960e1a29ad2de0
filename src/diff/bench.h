/// All runs on the bench: their views, and one way to ask both sides for a figure.
#ifndef GG_DIFF_BENCH_H
#define GG_DIFF_BENCH_H

#include "diff/pairs.h"
#include "model/history.h"

/// What is compared; all is borrowed.
struct bench_runs {
	const struct run *baseline; ///< the pin; NULL where there is no baseline yet
	const struct history *recent; ///< accepted runs after the pin; NULL none
	const struct history
	    *sample; ///< all runs of the main branch, whatever their verdict; NULL none
	const struct run *candidates; ///< runs of the same code, at least one
	size_t nr_candidates;
	const struct run *controls; ///< the baseline's code again, each in turn with a candidate
	size_t nr_controls;
};

/// Whose run it is. The order is that of columns.
enum bench_source {
	SOURCE_PIN,
	SOURCE_RECENT,
	SOURCE_SAMPLE, ///< only in the noise sample
	SOURCE_CANDIDATE,
	SOURCE_CONTROL,
	NR_SOURCES,
};

/// One run of all that are compared.
struct bench_column {
	enum bench_source source;
	uint64_t epoch; ///< of past runs: the pin that was the baseline's when they were made
	const struct past_run *past; ///< of past runs
	size_t view; ///< of the others
};

/// What a run says of an item.
struct cell {
	bool has;
	int64_t value;
};

struct bench {
	struct naming naming;
	struct bench_runs runs;
	int64_t min_runs; ///< recent runs from which on they alone are the reference: of the rule
	uint64_t pin; ///< past_source_hash() of the pin
	bool against_itself; ///< the first candidate is the artifact that the pin is of
	bool before_period; ///< ranks of the pin have steps without step.period
	int64_t tick_ns; ///< the coarsest clock (struct trust_counts) of pin and candidates
	const struct past_run *twin; ///< the pin among the recent runs, or NULL
	struct run none; ///< stands in for a baseline that is not there
	const struct run *run[NR_SIDES]; ///< the pin, the first candidate
	struct run_view *view; ///< of the pin, then of each candidate, then of each control
	struct bench_column *columns; ///< every run once
	size_t nr_columns;
	size_t *by_time; ///< the columns, runs of the past oldest first, of no time before them
	struct activity_pairs pairs;
	struct arena arena;
};

/// Views of all runs, which are borrowed like `naming`'s tables. Caller
/// releases with bench_release().
void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming);

/// Give the memory back.
void bench_release(struct bench *b);

/// What both sides have of one item. The candidate's value is the median of its runs that
/// have it; the baseline's that of the controls, for a metric that is not exact; else that of
/// the recent runs where at least min_runs have it, else of the pin and the recent runs
/// together (rules.md, "Reference").
struct entry {
	struct span label; ///< as in struct answer
	struct span was; ///< name of a kernel in the baseline that the candidate renamed; or empty
	int64_t rank;
	bool has[NR_SIDES];
	int64_t value[NR_SIDES];
	const int64_t *runs[NR_SIDES]; ///< the values that value[] is the median of, in the order of
	                               ///< the runs; owned by the bench
	size_t nr_runs[NR_SIDES];
	bool has_pin;
	int64_t pin; ///< value of the pin only
	const struct cell *cells; ///< by column; owned by the bench
};
struct entries {
	VEC(struct entry) list; ///< ordered by label, then rank
};

/// Ask both sides; a side that did not record what the metric needs has nothing.
/// Labels are borrowed from the bench. Caller releases with vec_release(&out->list).
void bench_query(struct bench *b, const struct query *q, struct entries *out);

/// True where column `i` is one of those that the baseline's value of `e` is the median of, the
/// controls aside.
bool bench_is_reference(const struct bench *b, const struct entry *e, size_t i);

/// True where side `side` recorded what `m` needs: of several candidates, one of them.
bool bench_has(const struct bench *b, enum side_index side, const struct metric *m);

#endif
