/// What the breakdowns of a query share.
#ifndef GG_DIFF_BREAKDOWN_INTERNAL_H
#define GG_DIFF_BREAKDOWN_INTERNAL_H

#include "diff/breakdown.h"
#include "diff/breakdown_of.h"

/// What is asked, and of whom.
struct breakdown_input {
	const struct bench *bench;
	const struct activity_pairs *pairs;
	const struct breakdown_query *query;
	struct arena *arena;
	bool any_ranks; ///< also what ranks tell more of, if there are several
};

/// A rank of a run, in the scope of a query.
struct rank_part {
	int side;
	const struct run_view *view;
	const struct rank_view *rank;
	struct span label; ///< what the query is on: of the baseline the old name of a kernel
};

/// Call `fn` for each rank of all runs of both sides that the query is on.
void breakdown_each_rank(const struct breakdown_input *in,
                         void (*fn)(void *ctx, const struct rank_part *part), void *ctx);

/// Number of ranks of the baseline that the query is on.
size_t breakdown_nr_ranks(const struct breakdown_input *in);

/// The kernel of a query on one; NULL where the rank has none.
const struct kernel_row *breakdown_kernel(const struct rank_part *part);

/// An empty breakdown, "kernel.time of 'gemm' by launches and mean".
struct parts breakdown_begin(const struct breakdown_input *in, const char *by);

/// Write the children of `root`; `rest` is the difference between the statistic and the mean.
struct breakdown *breakdown_end(struct parts *p, struct node *root, const struct breakdown_query *q,
                                int64_t rest);

/// What of the change the parts explain.
static inline int64_t breakdown_change(const struct breakdown_query *q)
{
	return number_sub(q->change, q->later);
}

/// True for metrics that are sums over GPU activities.
bool breakdown_has_activities(enum metric_id id);

/// True for metrics that are a number of calls, collectives or copies times the size of one.
bool breakdown_has_calls(enum metric_id id);

/// By class, category and kernel.
struct breakdown *breakdown_by_activity(const struct breakdown_input *in);

/// By module and place, operator and kernel. NULL for figures that no row of the code table adds up
/// to, and of steps unless both sides know modules or places.
struct breakdown *breakdown_by_code(const struct breakdown_input *in);

/// What is a number of something times what one of them comes to: calls, collectives, copies; by
/// name where a figure has several. NULL for others, and for those that ranks tell more of where
/// there are several, unless `any_ranks`.
struct breakdown *breakdown_by_call(const struct breakdown_input *in);

/// By terms that add up to the figure in every step, device, kernel or thread. NULL as above, and
/// where a rank does not know them.
struct breakdown *breakdown_by_term(const struct breakdown_input *in);

/// A phase's figure (its label) by what runs in the phase.
struct breakdown *breakdown_by_phase(const struct breakdown_input *in);

/// By rank; NULL for a single rank, and where both sides do not have the same.
struct breakdown *breakdown_by_rank(const struct breakdown_input *in);

/// Steps that a rank lacks by those that the others have and its own.
struct breakdown *breakdown_of_lacked_steps(const struct breakdown_input *in);

#endif
