/// "Did you mean" for texts that select none of the items of the runs.
#ifndef GG_GATE_NEAR_H
#define GG_GATE_NEAR_H

#include "diff/bench.h"

/// The end of a message on a query whose name fits none of the items `all`: the three nearest,
/// those of the baseline first, as a report may show them. Owned by `a`.
const char *near_items(const struct query *q, const struct entries *all, struct arena *a);

#endif
