/// A folded run: one digest for many ranks. The digest's rows are sums over the ranks. Everything
/// else is in struct fold: numbers and figures of each rank, or only the distribution of each
/// figure over the ranks. Struct fold also has the collectives of process groups whose ranks are in
/// several blocks (FOLD_BLOCK). All data are integers that do not depend on the order in which
/// ranks were folded.
#ifndef GG_MODEL_FOLD_H
#define GG_MODEL_FOLD_H

#include "model/digest.h"
#include "model/history.h"
#include "model/rule.h"
#include "model/tally.h"

/// Number of ranks in a block. A block begins at a multiple of this number, and its ranks are
/// folded together once all of them are there.
enum { FOLD_BLOCK = 64 };

/// Largest number of ranks whose digests a fold keeps whole.
enum { FOLD_KEPT = 32 };

/// Value for a rank that lacks the figure.
#define FOLD_ABSENT INT64_MIN

/// Numbers that are stored for each rank.
enum fold_number {
	FOLD_SOURCE, ///< source_hash of the rank's digest
	FOLD_STEPS, ///< number of measured steps
	FOLD_USABLE, ///< number of complete measured steps
	FOLD_PATTERN, ///< index in `patterns` of the list of the rank's step numbers
	FOLD_DEED, ///< index in `deeds` of the rank's texts, such as what it did last
	FOLD_GPU, ///< 1 if the rank has kernels, else 0
	FOLD_CUT, ///< collectives_cut of the rank's digest
	FOLD_SHARE, ///< GPU activities in the rank's last step, in millionths of the median number in
	            ///< its other steps
	FOLD_STEP, ///< FOLD_STEP to FOLD_PENDING are members of struct progress
	FOLD_LAUNCHES,
	FOLD_COLLECTIVES,
	FOLD_PENDING,
	FOLD_COVERED, ///< FOLD_COVERED to FOLD_LAST are members of struct cross_rank
	FOLD_STEP_NS,
	FOLD_MATCHED,
	FOLD_WAIT,
	FOLD_TRANSFER,
	FOLD_LATE,
	FOLD_LAST,
	FOLD_ALONE, ///< time in ns in which the other ranks of a collective waited for this rank only
	FOLD_LINK, ///< link_slope() of the rank (fold/links.h), from collectives whose ranks are all in
	           ///< this rank's block of FOLD_BLOCK ranks
	FOLD_TRUST, ///< from here on, members of struct trust_counts (fold_of_trust())
	FOLD_FEWER_KIND = FOLD_TRUST + 20, ///< FOLD_FEWER_KIND to FOLD_FEWER_USUAL are members of
	                                   ///< struct fewer (fold/fewer.h)
	FOLD_FEWER_COUNT,
	FOLD_FEWER_USUAL,
	FOLD_ACCOUNT, ///< from here on, members of struct trust_counts that version 0.2 lacked
	NR_FOLD_NUMBERS = FOLD_ACCOUNT + 28
};

/// The members of struct digest that are stored for each rank: for each number before FOLD_TRUST
/// the offset of an int64_t, or 0 if the number is not a member of struct digest.
extern const size_t fold_members[FOLD_TRUST];

/// The enum fold_number of member `i` of struct trust_counts, in the order of trust_counts_row.
static inline size_t fold_of_trust(size_t i)
{
	size_t first = FOLD_FEWER_KIND - FOLD_TRUST;
	return i < first ? FOLD_TRUST + i : FOLD_ACCOUNT + (i - first);
}

/// A list of step numbers that one or more ranks have in common.
struct fold_pattern {
	int64_t *v; ///< step numbers; owned by the fold's arena
	size_t nr;
};

/// Texts that one or more ranks have in common: what they did last, or wait in (struct progress);
/// the process group in which they have fewer collectives than their peers; their GPU that was
/// throttled most, and their GPU that was shared with the largest number of processes.
struct fold_deed {
	struct span op, activity, waits_in;
	struct span fewer_in; ///< group in which the ranks have fewer collectives; empty if none
	struct span throttled, reasons; ///< id of the GPU throttled most, and why; empty if none was
	struct span shared; ///< id of the GPU shared with the largest number of processes; empty if
	                    ///< none was
};

/// The values of one metric and label over all ranks.
struct fold_figure {
	enum metric_id metric;
	enum statistic stat; ///< statistic over the steps; STAT_MEDIAN if a rank has a single value

	/// For metrics of devices or memories: how the values of the several devices or memories of a
	/// rank were reduced to one. REDUCE_EACH: they were not reduced, and only ranks with a single
	/// device or memory have a value.
	enum reduce within;
	/// name of the item, such as a kernel; empty if the metric has no labels, or if its labels are
	/// devices or memories
	struct span label;
	enum category_class cls; ///< class of a kernel; only for metrics of kernels

	/// category of a kernel. In figures by place in the code, the class of the kernels that count,
	/// "compute" or "communication"; empty if kernels of both classes count
	struct span category;
	int64_t *value; ///< value of each rank, or FOLD_ABSENT; owned. NULL if only `tally` is known
	struct tally tally; ///< distribution of the values, if `value` is NULL
};

/// The collectives of a series on one rank.
struct fold_member {
	/// number of the rank, number of its collectives in the series, and their duration
	int64_t rank, count, dur_ns;
};

/// One collective of a series, matched across ranks.
struct fold_match {
	/// number of the step; index of the collective among those of the series in this step, from 0
	int64_t step, place;
	struct tally dur; ///< distribution of the durations over the ranks that took part
};

/// Collectives of one kind and process group. The group's ranks are in several blocks of ranks,
/// each of which is folded by itself.
struct fold_series {
	enum collective_kind kind;
	int64_t group_size; ///< number of ranks in the group; -1 if unknown
	struct span group; ///< name of the group, else its description
	VEC(struct fold_member) members; ///< one element for each rank, sorted by rank
	VEC(struct fold_match) matches; ///< collectives of the series, sorted by step and index
};

/// The data of a folded run besides the rows of its digest, which owns this struct.
struct fold {
	struct arena arena; ///< arena that owns the texts and step numbers
	size_t nr; ///< number of ranks
	int64_t *rank; ///< numbers of the ranks, ascending; owned

	/// true if numbers and figures of each rank are known; false in baselines, which have only
	/// distributions
	bool by_rank;
	/// true if the sums in the digest's rows are those of a mean rank (fold_settle()); false if
	/// they are sums over all ranks
	bool is_mean;
	int64_t *number[NR_FOLD_NUMBERS]; ///< numbers, indexed by enum fold_number, then by rank; owned
	VEC(struct fold_pattern) patterns; ///< lists of step numbers, sorted, each once
	VEC(struct fold_deed) deeds; ///< texts that ranks have in common, sorted, each once
	VEC(struct fold_figure) figures; ///< figures, sorted by fold_figure_cmp()
	VEC(struct fold_series)
	series; ///< collectives whose ranks are in several blocks, sorted by
	        ///< fold_series_cmp()
	/// The digests of the ranks that are most unlike the others (fold_keep()). They lack only the
	/// list of single collectives. The folded digest owns these digests. If they come from a file,
	/// they have only their `text`, and fold_complete() reads the rest from it. A baseline has no
	/// such ranks.
	struct run kept;
	/// true if all ranks are kept, because the run was folded only to be compared with a folded run
	bool keeps_all;
	/// In a baseline, answers to those queries of the rules that could otherwise be answered only
	/// from `kept` or from figures of single ranks, which a baseline lacks. Only the member
	/// `values` is used.
	struct past_run asked;
	struct run *thin; ///< the ranks as a run, made by fold_thin() on demand; owned
};

/// Releases a fold; NULL is fine.
void fold_free(struct fold *f);

/// The number of ranks of a run.
size_t run_nr_ranks(const struct run *run);

/// The fold of a folded run; NULL if the run is not folded.
const struct fold *run_fold(const struct run *run);

/// The ranks of a run as single digests: the run itself, or fold_thin() of a folded run.
const struct run *run_ranks(const struct run *run);

/// Compare two elements of the lists of a fold.
row_compare fold_figure_cmp, fold_series_cmp, fold_match_cmp, fold_pattern_cmp, fold_deed_cmp;

/// The ranks of a folded run as a run: digests with the figures that are known of each rank, but
/// without rows. Borrowed from the fold. If `by_rank` is false, the digests hold little more than
/// the number of the rank and what all ranks have in common.
const struct run *fold_thin(const struct digest *d);

/// Calls `fn` with each figure of metric `m` that is known for the rank with index `at`.
void fold_rank_figures(const struct fold *f, size_t at, const struct metric *m, figure_fn *fn,
                       void *ctx);

/// The median over the steps of a figure of the rank with index `at`; false if it is unknown.
bool fold_step_median(const struct fold *f, size_t at, enum metric_id id, int64_t *out);

/// True if the fold has figures of metric `m`, and a rank recorded the data that the metric needs.
bool fold_has(const struct fold *f, const struct metric *m);

/// Number of GPU activities in the last step of a rank, in millionths of the median number in its
/// other steps.
int64_t digest_last_share(const struct digest *d);

/// True if a rank has a figure of the metric for each of its devices, or of its memories.
static inline bool fold_is_item(const struct metric *m)
{
	return m->label == LABEL_DEVICE || m->label == LABEL_MEMORY;
}

/// True for figures that are stored with a value for each rank: medians over the steps, without a
/// label, of a rank as a whole, or of its devices or memories.
bool fold_is_by_rank(const struct fold_figure *f);

/// Answers a query about a folded run like run_query(), but the answers are unsorted. If the query
/// asks for an answer for each rank, only the answer for the worst rank is given. Some queries,
/// such as for kernels of a single rank, need whole digests: they have an answer if the fold keeps
/// the digests of all ranks that the query selects. Otherwise there are no answers, with one
/// exception: if only the view's naming of kernels needs whole digests, the answers have normalized
/// names. `a` is scratch memory.
void fold_query(const struct run_view *v, const struct query *q, struct arena *a,
                struct answers *out);

/// True if `v` is the view of a folded run that cannot answer the query: only whole digests could,
/// and the fold does not keep the digests of all ranks that the query selects.
bool fold_lacks(const struct run_view *v, const struct query *q);

/// True if the query asks for each rank, and `v` is the view of a folded run that answers only for
/// the worst rank. `*worst` becomes the reduction that gives this rank's value.
bool fold_gives_worst(const struct run_view *v, const struct query *q, enum reduce *worst);

/// True if `v` is the view of a folded run that answers only for the worst rank, although the query
/// asks for each rank, and other ranks have other values: a change on these ranks may not be seen.
bool fold_hides_ranks(const struct run_view *v, const struct query *q);

/// Answers, for the fold `out` of a baseline, those queries of the rules that `out` cannot answer
/// itself later. The answers go to out->asked. `v` is the view of the folded run.
void fold_answer_rules(const struct run_view *v, const struct rules *rules, struct fold *out);

#endif
