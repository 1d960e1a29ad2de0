/// The message of a check: what changed, from and to which value, and the limit.
#ifndef GG_GATE_MESSAGE_H
#define GG_GATE_MESSAGE_H

#include "gate/compare.h"

/// One limit in words, such as "increase 5% and 2ms" or "max 30%".
const char *message_limit(struct arena *a, const struct limits *map, const struct limit *l);

/// All limits of a map, joined by "or"; "" if the map is empty.
const char *message_limits(struct arena *a, const struct limits *map);

/// One sentence on `check`, whose figures and limit are filled in. `spoiler` is the message of the
/// trust finding that makes the metric unreliable; NULL if there is none.
const char *message_of(struct arena *a, const struct comparison *c, const struct decision *d,
                       const struct check *check, const char *spoiler);

#endif
