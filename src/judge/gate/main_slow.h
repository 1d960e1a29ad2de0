/// Slowdowns that the main branch already has, which a change under review did not cause.
#ifndef GG_GATE_MAIN_SLOW_H
#define GG_GATE_MAIN_SLOW_H

#include "diff/bench.h"
#include "gate/compare.h"

/// If the main branch's runs since the approved one show a lasting change of the figure of entry
/// `e` for the worse, returns a sentence about it, owned by `a`; else NULL. `*up_to` becomes the
/// size of that change plus the change that the broken limit of the decision `d` allows, in 1e-6
/// percent of the baseline.
const char *main_slow_since(const struct bench *b, const struct entry *e,
                            const struct comparison *c, const struct decision *d, struct arena *a,
                            int64_t *up_to);

#endif
