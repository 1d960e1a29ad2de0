/// GPU activities of both sides, brought together by name.
#ifndef GG_GATE_PAIRS_H
#define GG_GATE_PAIRS_H

#include "base/number.h"
#include "model/view.h"

enum side_index { SIDE_BASELINE, SIDE_CANDIDATE, NR_SIDES };

/// One activity name: a kernel under its match name, or a memcpy or memset.
/// Sums are those of the measured steps of all ranks, saturated.
struct activity_pair {
	enum event_kind kind;
	struct span name; ///< borrowed from the views
	int category; ///< kernels; -1 none
	enum category_class cls;
	int64_t count[NR_SIDES], total_ns[NR_SIDES];
	int64_t time_ns[NR_SIDES]; ///< per step, rounded
	const struct kernel_row *row[NR_SIDES]; ///< kernels: of the first rank that has it
	size_t seq; ///< order of collection
};

struct activity_pairs {
	VEC(struct activity_pair) list; ///< by kind, then name
	int64_t steps[NR_SIDES]; ///< measured steps of all ranks together
};

/// a − b, saturated.
static inline int64_t number_sub(int64_t a, int64_t b)
{
	return number_div_round((__int128)a - b, 1);
}

/// Collect; the views must outlive `p`. Caller releases with vec_release(&p->list).
void activity_pairs_init(struct activity_pairs *p, const struct run_view *baseline,
                         const struct run_view *candidate);

/// Change of the time per step that comes from the number of launches: Δcount ×
/// the baseline's mean, rounded. The rest of time_ns' change is that of the mean.
int64_t activity_launches_ns(const struct activity_pairs *p, const struct activity_pair *a);

/// −1, 0 or 1: launches per step fell, stayed the same exactly, or rose.
int activity_count_order(const struct activity_pairs *p, const struct activity_pair *a);

#endif
