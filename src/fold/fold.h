/// A folded run: one digest for many ranks. Its rows are the sums over the ranks, and its struct
/// fold has the rest: numbers of each rank, figures of each rank or how their values are spread,
/// and collectives of process groups that no block of ranks holds whole. All of it is integers that
/// are the same in whatever order ranks are folded.
#ifndef GG_FOLD_FOLD_H
#define GG_FOLD_FOLD_H

#include "fold/tally.h"
#include "model/digest.h"
#include "model/view.h"

/// Ranks that are folded together: those from a multiple of it on, once all of them are there.
enum { FOLD_BLOCK = 64 };

/// In place of a figure that a rank does not have.
#define FOLD_ABSENT INT64_MIN

/// Numbers of each rank.
enum fold_number {
	FOLD_SOURCE, ///< source_hash
	FOLD_STEPS, ///< measured steps
	FOLD_USABLE, ///< of them, usable ones
	FOLD_PATTERN, ///< index of their numbers
	FOLD_DEED, ///< index of its texts
	FOLD_GPU, ///< 1: it has kernels
	FOLD_CUT, ///< collectives_cut
	FOLD_SHARE, ///< digest_last_share()
	FOLD_STEP, ///< of struct progress, as are those that follow
	FOLD_LAUNCHES,
	FOLD_COLLECTIVES,
	FOLD_PENDING,
	FOLD_COVERED, ///< steps of struct cross_rank, as are those that follow
	FOLD_STEP_NS,
	FOLD_MATCHED,
	FOLD_WAIT,
	FOLD_TRANSFER,
	FOLD_LATE,
	FOLD_LAST,
	FOLD_ALONE, ///< others waited for it and for no other
	FOLD_LINK, ///< slope of its links among the ranks of its block (fold/links.h)
	FOLD_TRUST, ///< the first member of trust_counts_row; the others follow
	FOLD_FEWER_KIND = FOLD_TRUST + 20, ///< of struct fewer, as are those that follow
	FOLD_FEWER_COUNT,
	FOLD_FEWER_USUAL,
	NR_FOLD_NUMBERS
};

/// Numbers of the steps of some ranks, as the digest has them.
struct fold_pattern {
	int64_t *v; ///< owned by the fold's arena
	size_t nr;
};

/// Texts of some ranks: what they did last (struct progress), and what they have less of.
struct fold_deed {
	struct span op, activity, waits_in;
	struct span fewer_in; ///< group of struct fewer
};

/// Figures of one metric and label.
struct fold_figure {
	enum metric_id metric;
	enum statistic stat; ///< over steps; STAT_MEDIAN where a rank has one value
	/// Of a metric by device or memory without a label: what becomes of several of one rank;
	/// REDUCE_EACH: of ranks with one only.
	enum reduce within;
	struct span label; ///< as in struct figure; empty: none, or all devices or memories
	enum category_class cls; ///< of kernels
	struct span category; ///< of kernels; of the code the class of kernels, empty: all
	int64_t *value; ///< by rank, FOLD_ABSENT; NULL: only `tally` is known; owned
	struct tally tally; ///< where `value` is NULL
};

/// A rank in a series.
struct fold_member {
	int64_t rank, count, dur_ns; ///< of its collectives in it
};

/// A collective of a series.
struct fold_match {
	int64_t step, place; ///< number of the step; from 0 within step and series
	struct tally dur; ///< of the ranks that take part
};

/// Collectives of one kind in a process group that has ranks of several blocks.
struct fold_series {
	enum collective_kind kind;
	int64_t group_size; ///< -1 unknown
	struct span group; ///< its name, else its description
	VEC(struct fold_member) members; ///< by rank
	VEC(struct fold_match) matches; ///< by step and place
};

struct fold {
	struct arena arena; ///< of texts
	size_t nr; ///< ranks
	int64_t *rank; ///< rising; owned
	bool by_rank; ///< numbers and figures of each rank are known; not so in baselines
	bool is_mean; ///< the digest's rows are the mean of a rank (fold_settle()), not sums
	int64_t *number[NR_FOLD_NUMBERS]; ///< by rank; owned
	VEC(struct fold_pattern) patterns; ///< sorted, all different
	VEC(struct fold_deed) deeds; ///< sorted, all different
	VEC(struct fold_figure) figures; ///< sorted (fold_figure_cmp())
	VEC(struct fold_series) series; ///< sorted (fold_series_cmp())
	struct run *thin; ///< made by fold_thin(), owned
};

/// Release it; NULL is fine.
void fold_free(struct fold *f);

/// The number of ranks of a run.
size_t run_nr_ranks(const struct run *run);

/// What is folded of a run, NULL nothing.
const struct fold *run_fold(const struct run *run);

/// The ranks of a run one by one: itself, or fold_thin() of one that is folded.
const struct run *run_ranks(const struct run *run);

/// Orders of the lists.
int fold_figure_cmp(const void *a, const void *b);
int fold_series_cmp(const void *a, const void *b);
int fold_match_cmp(const void *a, const void *b);
int fold_pattern_cmp(const void *a, const void *b);
int fold_deed_cmp(const void *a, const void *b);

/// The ranks as a run of their own: digests that have what is known of a rank, without rows.
/// Borrowed from the fold. Without `by_rank` they have no more than their numbers.
const struct run *fold_thin(const struct digest *d);

/// Hand on the figures of `m` that are known of rank `at` of the fold.
void fold_rank_figures(const struct fold *f, size_t at, const struct metric *m, figure_fn *fn,
                       void *ctx);

/// The median over steps of rank `at`; false where it is not known.
bool fold_step_median(const struct fold *f, size_t at, enum metric_id id, int64_t *out);

/// True where there are figures of `m`.
bool fold_has(const struct fold *f, const struct metric *m);

/// GPU activities of the last step of a rank, in 1e-6 of what is usual in it.
int64_t digest_last_share(const struct digest *d);

/// Classes of kernels that figures of the code come for, ended by NULL; static.
extern const char *const fold_classes[];

/// True for figures that have a value for each rank.
bool fold_is_by_rank(const struct fold_figure *f);

/// Answers of a folded run to a query as run_query() has them, not yet ordered. With EACH it is the
/// worst rank that answers.
void fold_query(const struct run_view *v, const struct query *q, struct answers *out);

/// What a folded run cannot answer of a query ("…"), or NULL.
const char *fold_refusal(const struct query *q, const struct naming *n);

#endif
