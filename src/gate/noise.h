/// What stands behind the two values of a check: how sure its change is, and what it would take
/// to be surer.
///
/// A change is sure where unchanged code shows as large a one with a chance below the share of
/// the gate's budget that the check has (noise_model.h has the variances).
#ifndef GG_GATE_NOISE_H
#define GG_GATE_NOISE_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// Evidence on `e`, about which `c` is asked; what `c` has to know of noise is set in it. Lists of
/// `out` are the caller's, texts are owned by `a`. Exact metrics have no noise.
void noise_evidence(const struct noise_model *m, const struct entry *e, struct comparison *c,
                    struct arena *a, struct evidence *out);

/// Sum up over the checks: how many of them fail in unchanged runs, and what is not known.
void noise_summary(struct report *out);

#endif
