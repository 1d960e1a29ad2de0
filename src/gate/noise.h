/// What stands behind the two values of a check: noise of the runs, samples of the steps.
///
/// noise = k · s · √(v(n_c) + 1.57 / n_b): s is the standard deviation of the baseline's n_b
/// runs, those beyond 5 scaled MADs set aside, and v the variance of a median of n_c runs.
/// k is raised for the items of for_each, so that the checks of top: N together fail by
/// chance as rarely as one. s of few runs is itself uncertain (of ten, by 24 %), and the
/// limit says what noise its author reckoned with: noise beyond the limit is drawn towards
/// it, the less the further they are apart:
/// noise² = (3 · limit⁴ + noise⁴) / (3 · limit² + noise²).
#ifndef GG_GATE_NOISE_H
#define GG_GATE_NOISE_H

#include "diff/bench.h"
#include "gate/compare.h"

/// Evidence on `e`, about which `c`, still without noise, is asked. Lists of `out` are the
/// caller's, texts are owned by `a`. Exact metrics have no noise; nor is there any where the
/// baseline has fewer runs than the rule wants.
void noise_evidence(struct bench *b, const struct entry *e, const struct comparison *c,
                    struct arena *a, struct evidence *out);

/// Sum up over the checks: how many of them fail in unchanged runs, and what is not known.
void noise_summary(struct report *out);

#endif
