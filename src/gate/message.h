/// The sentence of a check: what, from, to, limit.
#ifndef GG_GATE_MESSAGE_H
#define GG_GATE_MESSAGE_H

#include "gate/compare.h"

/// A limit in words: "increase 5% and 2ms", "max 30%".
const char *message_limit(struct arena *a, const struct limits *map, const struct limit *l);

/// All limits of a map, joined by "or"; "" for an empty one.
const char *message_limits(struct arena *a, const struct limits *map);

/// One sentence on `check`, whose figures and limit are filled in. `spoiler` is
/// the message of the finding that spoils it, NULL none.
const char *message_of(struct arena *a, const struct comparison *c, const struct decision *d,
                       const struct check *check, const char *spoiler);

#endif
