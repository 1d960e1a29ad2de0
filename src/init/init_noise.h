/// Limits from the spread that a baseline's history has measured.
#ifndef GG_INIT_INIT_NOISE_H
#define GG_INIT_INIT_NOISE_H

#include "model/history.h"
#include "model/rule.h"

/// A limit that the spread of a figure allows.
struct init_limit {
	int64_t limit; ///< 1e-6 percent: three times the spread, 1 % at least
	int64_t spread; ///< the same: scaled median absolute deviation of the runs
	size_t runs;
};

/// That of the rule `id` of `rules`; false where fewer than five runs of `h` have its figure, it is
/// of items, or its limit for an increase is no closer than that.
bool init_limit_of(const struct rules *rules, const struct history *h, struct span id,
                   struct init_limit *out);

#endif
