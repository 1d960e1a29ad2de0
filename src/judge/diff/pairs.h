/// GPU activities of both sides (baseline and candidate), paired by name.
#ifndef GG_DIFF_PAIRS_H
#define GG_DIFF_PAIRS_H

#include "base/number.h"
#include "model/view.h"

/// The sides of a comparison, as indices of arrays.
enum side_index { SIDE_BASELINE, SIDE_CANDIDATE, NR_SIDES };

/// The GPU activities with one name. The name of a kernel is the one by which rules match it, which
/// several names in the trace may share. Sums cover the measured steps of all ranks of all runs of
/// a side; a sum that would overflow stays at the maximum.
struct activity_pair {
	enum event_kind kind;
	struct span name; ///< name of the activity; borrowed from the views
	int category; ///< index of a kernel's category in the table of categories; -1 if it has none
	enum category_class cls;
	bool small; ///< true for the sum of the kernels of a category that are too small to list
	int64_t count[NR_SIDES], total_ns[NR_SIDES], bytes[NR_SIDES];
	int64_t time_ns[NR_SIDES]; ///< time in ns per step: total_ns divided by `steps` of struct
	                           ///< activity_pairs
	int64_t steps[NR_SIDES]; ///< for a kernel: number of measured steps of the ranks that list it
	const struct kernel_row *row[NR_SIDES]; ///< for a kernel: its row in the first rank that lists
	                                        ///< it; NULL if no rank does
	int64_t resources[NR_SIDES][NR_RESOURCES]; ///< for a kernel: the largest amount of each
	                                           ///< resource on any rank; < 0 if no rank recorded it

	/// For a kernel that only one side has: the kernel of the other side that it was renamed to or
	/// from; NULL if none is found. Both have the same number of launches per step, the same
	/// category, and mean durations that differ by at most 10 %. Among all such kernels, each of
	/// the two is the nearest to the other in time, and no other kernel is as near.
	const struct activity_pair *partner;
};

/// All activities of both sides. Names are borrowed from the views.
struct activity_pairs {
	VEC(struct activity_pair)
	list; ///< pairs sorted by kind, then name; within a kind, sums of small kernels are last
	int64_t steps[NR_SIDES]; ///< number of measured steps of all ranks and runs together
	int64_t small_most[NR_SIDES]; ///< for each side, the longest time in ns per step that a kernel
	                              ///< in its sums of small kernels can have
	bool renamed; ///< true if at least one kernel was renamed
};

/// Collect the activities of the baseline's run and of all candidates, from the ranks in `scope`;
/// the sums and steps of all candidates are added up. The views must outlive `p`. The caller
/// releases with vec_release(&p->list).
void activity_pairs_init(struct activity_pairs *p, const struct run_view *baseline,
                         const struct run_view *candidates, size_t nr_candidates,
                         struct rank_scope scope);

/// True if the metric `m` is a sum that includes the activity.
bool activity_is_summed(const struct metric *m, const struct activity_pair *a);

/// The figures of the activity that the metric `m` adds up, one for each side: launches, bytes or
/// time, by the unit of `m`.
const int64_t *activity_amounts(const struct metric *m, const struct activity_pair *a);

/// True for a kernel that only `side` has and that is too large to be in the other side's sum of
/// small kernels.
bool activity_is_only(const struct activity_pairs *p, const struct activity_pair *a,
                      enum side_index side);

/// True for a kernel that only some ranks of a side list and that is small: the other ranks may
/// have it in their sum of small kernels, so that its figures are incomplete.
bool activity_is_partial(const struct activity_pairs *p, const struct activity_pair *a);

/// How much of the change of time_ns, in ns per step, comes from the number of launches: Δcount ×
/// the baseline's mean, rounded. The rest of this change comes from the mean. If the baseline does
/// not launch the activity, the whole change comes from the number.
int64_t activity_launches_ns(const struct activity_pairs *p, const struct activity_pair *a);

/// Text such as "168 → 255 registers, 0 B → 96 B of local memory": how the resources of `now` in
/// the candidate differ from those of `was` in the baseline. NULL if no resource that both sides
/// recorded differs. Owned by `arena`.
const char *pair_resources(struct arena *arena, const struct activity_pair *was,
                           const struct activity_pair *now);

/// −1, 0 or 1 if the number of launches per step fell, stayed exactly the same, or rose.
int activity_count_order(const struct activity_pairs *p, const struct activity_pair *a);

/// Find renamed kernels: pairs of a kernel that only the baseline has and a similar one that only
/// the candidate has (struct activity_pair). Each becomes the `partner` of the other.
void renames_find(struct activity_pairs *p);

#endif
