/// From symptoms to causes: the failed, warned and undecided checks of a gate run become findings.
///
/// Detectors compare both sides and append suspects: possible causes, each with the amount that it
/// explains of each group of figures (suspect.h). A check then belongs to the suspect that explains
/// most of its change. Suspects without a check are not reported.
#ifndef GG_CAUSE_CAUSE_H
#define GG_CAUSE_CAUSE_H

#include "diff/bench.h"
#include "model/report.h"

/// Fill `out->findings`, with the causes in `runs`; without a baseline there is nothing to compare
/// with. `out` must already have its checks with their verdicts, and its insights (remarks on
/// ranks). If there are at least `min_runs` accepted runs of main, the reference is their median,
/// without the approved run.
void causes_find(const struct bench_runs *runs, struct naming naming, int64_t min_runs,
                 struct report *out);

#endif
