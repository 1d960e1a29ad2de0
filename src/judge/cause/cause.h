/// From symptoms to causes: the failed, warned and undecided checks of a gate run become findings.
///
/// Detectors compare baseline and candidate and append suspects: possible causes, each with the
/// amount that it explains of each group of figures (suspect.h). A check then belongs to the
/// suspect that explains most of its change. Suspects without a check are not reported.
#ifndef GG_CAUSE_CAUSE_H
#define GG_CAUSE_CAUSE_H

#include "diff/bench.h"
#include "model/report.h"

/// Fill `out->findings` from the differences between `runs`; without a baseline, there are only
/// findings on recordings that cannot be trusted, and on limits. There are no findings if all
/// checks passed, were waived or were skipped. `out` must already have its checks with their
/// verdicts, and its insights (remarks on ranks). If there are at least `min_runs` accepted runs of
/// main, the baseline's values are their medians, without the approved run.
void causes_find(const struct bench_runs *runs, struct naming naming, int64_t min_runs,
                 struct report *out);

#endif
