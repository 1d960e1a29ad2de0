/// Types and functions that only the breakdown_*.c files use.
#ifndef GG_DIFF_BREAKDOWN_INTERNAL_H
#define GG_DIFF_BREAKDOWN_INTERNAL_H

#include "diff/breakdown.h"
#include "diff/breakdown_of.h"

/// The change to break down, and the data that it comes from.
struct breakdown_input {
	const struct bench *bench;
	const struct activity_pairs *pairs;
	const struct breakdown_query *query;
	struct arena *arena;
	bool any_ranks; ///< true: a change of several ranks may be broken down by items such as calls;
	                ///< false: it is left to the breakdown by rank
};

/// A rank of one side that the query covers.
struct covered_rank {
	int side;
	const struct run_view *view;
	const struct rank_view *rank;
	/// label of the query; for a renamed kernel, on the baseline's side its old name
	struct span label;
};

/// Call `fn` for each rank that the query covers, in all runs of both sides.
void breakdown_each_rank(const struct breakdown_input *in,
                         void (*fn)(void *ctx, const struct covered_rank *r), void *ctx);

/// Number of ranks of the baseline that the query covers.
size_t breakdown_nr_ranks(const struct breakdown_input *in);

/// Start an empty breakdown with a title such as "kernel.time of 'gemm' by launches and mean".
struct parts breakdown_begin(const struct breakdown_input *in, const char *by);

/// Write the children of `root` as parts, and finish the breakdown. A last row has the change
/// `rest`, which the parts do not explain: they are changes of means, while the change may be that
/// of another statistic.
struct breakdown *breakdown_end(struct parts *p, struct node *root, const struct breakdown_query *q,
                                int64_t rest);

/// The change that the parts add up to. It counts from the run of main whose details are known, and
/// not from the median of main's runs.
static inline int64_t breakdown_change(const struct breakdown_query *q)
{
	return number_sub(q->change, q->later);
}

/// True if breakdown_by_call() knows the metric: it is a number of calls, collectives or launches,
/// or a sum of the durations or sizes of calls, collectives, copies or GPU activities.
bool breakdown_has_calls(enum metric_id id);

/// Breakdown by class, category and kernel.
struct breakdown *breakdown_by_activity(const struct breakdown_input *in);

/// Breakdown by module, place (function in the code), operator and kernel. NULL if there is no
/// baseline, or if no rows of the code table add up to the metric; for metrics of steps also NULL
/// unless both sides know modules or places.
struct breakdown *breakdown_by_code(const struct breakdown_input *in);

/// Breakdown into the number of calls, collectives or copies and their mean, by name if they have
/// several names. NULL if the metric is not made of these, or if the rows of a rank do not add up
/// to it. Also NULL for several ranks if a breakdown by rank is more precise, unless `any_ranks` is
/// set.
struct breakdown *breakdown_by_call(const struct breakdown_input *in);

/// Breakdown by terms that add up to the metric in every step, device, kernel or thread. NULL for
/// memory metrics, if the metric has no such terms, or if a rank did not record them. Also NULL for
/// several ranks if a breakdown by rank is more precise, unless `any_ranks` is set.
struct breakdown *breakdown_by_term(const struct breakdown_input *in);

/// Breakdown of a metric of one phase, which the label names, by the work in that phase. NULL if
/// there are no figures that add up to the metric.
struct breakdown *breakdown_by_phase(const struct breakdown_input *in);

/// Breakdown by rank. NULL if the query covers fewer than two ranks of the baseline, or if one of
/// these, or its figure, is missing on a side.
struct breakdown *breakdown_by_rank(const struct breakdown_input *in);

/// Breakdown of a change in the number of steps that a rank lacks into two parts: by how much the
/// number of steps that any rank has changed, and by how much the number of steps that this rank
/// has.
struct breakdown *breakdown_of_lacked_steps(const struct breakdown_input *in);

#endif
