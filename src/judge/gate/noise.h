/// The noise of a check: how sure its change is, and how many more runs would decide it.
///
/// A change is sure if unchanged code shows as large a change only with a probability below that of
/// the check. The false-alarm budget of the gate is divided among the checks (noise_model.h).
#ifndef GG_GATE_NOISE_H
#define GG_GATE_NOISE_H

#include "diff/bench.h"
#include "gate/compare.h"
#include "gate/noise_model.h"
#include "model/report.h"

/// Fill `out` with the evidence on the values of `e`, and set the members of the comparison `c`
/// that depend on noise. The caller releases the lists of `out`; `a` owns its texts. Exact metrics,
/// such as counts, have no noise.
void noise_evidence(const struct noise_model *m, const struct entry *e, struct comparison *c,
                    struct arena *a, struct evidence *out);

/// Text such as "2 more runs of the candidate would decide", from the plan in `e`; owned by `a`.
const char *noise_plan_text(struct arena *a, const struct evidence *e);

/// Fill in how many checks are expected to fail in a run of unchanged code: the sum of the checks'
/// probabilities of failing. The probability of a check is known only with five or more past runs.
void noise_summary(struct report *out);

/// Fill in what `out` says about the steps of `e`, an entry of the query `q`. It stays empty if the
/// metric has no samples per step, if a side has fewer than five of them, or if the candidate is
/// the approved run itself.
void noise_steps(struct bench *b, const struct entry *e, const struct query *q,
                 struct evidence *out);

/// Decide whether all operators became slower by one factor (lower clock, power cap, another GPU),
/// and a check on the GPU time of whole steps fails for this reason; fill out->uniform. If so, only
/// the first such check reports the factor. Other checks become milder if the factor explains their
/// change: failures of checks on GPU or wall time of steps become warnings, and warnings on
/// operators or kernels become passes.
void uniform_settle(const struct noise_model *m, struct report *out);

#endif
