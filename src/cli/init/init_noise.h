/// Limits derived from the spread of a baseline's history.
#ifndef GG_INIT_INIT_NOISE_H
#define GG_INIT_INIT_NOISE_H

#include "model/history.h"
#include "model/rule.h"

/// A limit suggested by the spread of a figure.
struct init_limit {
	int64_t limit; ///< three times the spread, but at least 1 %; in 1e-6 percent
	int64_t spread; ///< scaled median absolute deviation of the runs' figures, in 1e-6 percent
	size_t runs;
};

/// Find the limit for the rule `r`. False if fewer than five runs of the history `h` have the
/// rule's figure, if the rule checks several items, or if its limit is already at least as strict.
bool init_limit_of(const struct rule *r, const struct history *h, struct init_limit *out);

#endif
