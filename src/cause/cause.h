/// Causes, not symptoms: the failed, warned and undecided checks of a gate run as findings.
///
/// Detectors look at both sides and name what may have happened, each with how much of which
/// figures it explains (suspect.h). A check then hangs below the suspect that explains most of it;
/// suspects without a check are not told.
#ifndef GG_CAUSE_CAUSE_H
#define GG_CAUSE_CAUSE_H

#include "diff/bench.h"
#include "model/report.h"

struct cause_input {
	struct bench_runs runs; ///< baseline NULL: nothing to compare with
	struct naming naming;
	int64_t min_runs; ///< recent runs from which on they alone are the reference
};

/// Fill `out->findings` of a judged report whose insights are there. Texts are owned by `out`.
void causes_find(const struct cause_input *in, struct report *out);

#endif
