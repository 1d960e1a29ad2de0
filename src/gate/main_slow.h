/// Main is slower already than its baseline: what a change under review is not to blame for.
#ifndef GG_GATE_MAIN_SLOW_H
#define GG_GATE_MAIN_SLOW_H

#include "diff/bench.h"
#include "gate/compare.h"

/// If the runs of main since the pin have changed their level of `e` for the worse, and none of the
/// new level was approved, what is said of it, and into `up_to` the change (1e-6 percent of the
/// baseline) that is main's, with what the broken limit of `d` allows beside it. Else NULL. Owned
/// by `a`.
const char *main_slow_since(const struct bench *b, const struct entry *e,
                            const struct comparison *c, const struct decision *d, struct arena *a,
                            int64_t *up_to);

#endif
