/// GPU activities of both sides, brought together by name.
#ifndef GG_DIFF_PAIRS_H
#define GG_DIFF_PAIRS_H

#include "base/number.h"
#include "model/view.h"

enum side_index { SIDE_BASELINE, SIDE_CANDIDATE, NR_SIDES };

/// One activity name: a kernel under its match name, or a memcpy or memset.
/// Sums are those of the measured steps of all ranks of all runs of a side, saturated.
struct activity_pair {
	enum event_kind kind;
	struct span name; ///< borrowed from the views
	int category; ///< kernels; -1 none
	enum category_class cls;
	bool folded; ///< the sum of kernels of one category that are too small to keep
	int64_t count[NR_SIDES], total_ns[NR_SIDES], bytes[NR_SIDES];
	int64_t time_ns[NR_SIDES]; ///< per step, rounded
	int64_t steps[NR_SIDES]; ///< measured steps of the ranks that have it
	const struct kernel_row *row[NR_SIDES]; ///< kernels: of the first rank that has it
	size_t seq; ///< order of collection
	/// The kernel of the other side that this one, new or gone, was renamed from or to: as
	/// many launches per step, one category, means within 10 %, and each the only nearest in
	/// time of the other. NULL where there is none.
	const struct activity_pair *partner;
};

struct activity_pairs {
	VEC(struct activity_pair) list; ///< by kind, sums of small ones last, name
	int64_t steps[NR_SIDES]; ///< measured steps of all ranks and runs together
	int64_t folded_most[NR_SIDES]; ///< the highest folded_most of the ranks of a side
	bool renamed; ///< some have a partner
};

/// Collect from the pin and from all candidates, whose sums and steps add up, of the ranks
/// in `scope`; the views must outlive `p`. Caller releases with vec_release(&p->list).
void activity_pairs_init(struct activity_pairs *p, const struct run_view *baseline,
                         const struct run_view *candidates, size_t nr_candidates,
                         struct rank_scope scope);

/// True for a kernel that only `side` has, too large to be among those that the other
/// side sums up.
bool activity_is_only(const struct activity_pairs *p, const struct activity_pair *a,
                      enum side_index side);

/// True for a kernel of some ranks of a side that is small enough to be among those which
/// other ranks of that side sum up: its figures are not all there.
bool activity_is_partial(const struct activity_pairs *p, const struct activity_pair *a);

/// Change of the time per step that comes from the number of launches: Δcount ×
/// the baseline's mean, rounded. The rest of time_ns' change is that of the mean.
int64_t activity_launches_ns(const struct activity_pairs *p, const struct activity_pair *a);

/// −1, 0 or 1: launches per step fell, stayed the same exactly, or rose.
int activity_count_order(const struct activity_pairs *p, const struct activity_pair *a);

#endif
