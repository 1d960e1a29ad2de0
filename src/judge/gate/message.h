/// The message of a check: what changed, from and to which value, and the limit.
#ifndef GG_GATE_MESSAGE_H
#define GG_GATE_MESSAGE_H

#include "diff/bench.h"
#include "gate/compare.h"

/// Text of one limit, owned by `a`: "increase 5% and 2ms" or "max 30%". If `c` is not NULL, a limit
/// in spreads is also given in percent of the baseline in `c`: "increase 26.5% (2 spreads)".
const char *message_limit(struct arena *a, const struct limits *map, const struct limit *l,
                          const struct comparison *c);

/// Text of all limits of a rule's fail or warn, joined by "or"; "" if there are none. If `c` is not
/// NULL, limits in spreads are also given in percent. Owned by `a`.
const char *message_limits(struct arena *a, const struct limits *map, const struct comparison *c);

/// One sentence on `check`, whose figures and limit are filled in. `spoiler` is the message of the
/// trust finding that makes the metric unreliable; NULL if the metric is reliable. Owned by `a`.
const char *message_of(struct arena *a, const struct comparison *c, const struct decision *d,
                       const struct check *check, const char *spoiler);

/// The end of a message about a query whose name fits none of the items `all`: "; did you mean 'a',
/// 'b' or 'c'?", with up to three nearest names; among equally near ones, those of the baseline
/// come first. Owned by `a`.
const char *near_items(const struct query *q, const struct entries *all, struct arena *a);

#endif
