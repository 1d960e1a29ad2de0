/// All runs on the bench: their views, and one way to ask both sides for a figure.
#ifndef GG_DIFF_BENCH_H
#define GG_DIFF_BENCH_H

#include "diff/pairs.h"
#include "model/history.h"

/// What is compared; all is borrowed.
struct bench_runs {
	const struct run *baseline; ///< the pin; NULL where there is no baseline yet
	const struct history *recent; ///< NULL none
	const struct run *candidates; ///< runs of the same code, at least one
	size_t nr_candidates;
};

struct bench {
	struct naming naming;
	struct bench_runs runs;
	int64_t min_runs; ///< recent runs from which on they alone are the reference: of the rule
	const struct past_run *twin; ///< the pin among the recent runs, or NULL
	struct run none; ///< stands in for a baseline that is not there
	const struct run *run[NR_SIDES]; ///< the pin, the first candidate
	struct run_view *view; ///< of the pin, then of each candidate
	struct activity_pairs pairs;
	struct arena arena;
};

/// Views of all runs, which are borrowed like `naming`'s tables. Caller
/// releases with bench_release().
void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming);

/// Give the memory back.
void bench_release(struct bench *b);

/// What both sides have of one item. The candidate's value is the median of its runs that
/// have it; the baseline's that of the recent runs where at least min_runs have it, else
/// of the pin and the recent runs together (rules.md, "Reference").
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
	int64_t pin; ///< value of the pin alone
};
struct entries {
	VEC(struct entry) list; ///< ordered by label, then rank
};

/// Ask both sides; a side that did not record what the metric needs has nothing.
/// Labels are borrowed from the bench. Caller releases with vec_release(&out->list).
void bench_query(struct bench *b, const struct query *q, struct entries *out);

/// Decimal places of a figure of metrics files: those that it has on either side, as far as int64
/// holds the largest of all runs a thousand times: 6, 12 or 18.
int bench_input_digits(const struct bench *b, struct span name);

/// bench_query() of input.*, `q` with values of `digits` decimal places: the entries whose figures
/// have so many. `a` owns the metric.
void bench_query_inputs(struct bench *b, const struct query *q, int digits, struct arena *a,
                        struct entries *out);

/// True where side `side` recorded what `m` needs: of several candidates, one of them.
bool bench_has(const struct bench *b, enum side_index side, const struct metric *m);

#endif
