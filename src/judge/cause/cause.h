/// From symptoms to causes: the failed, warned and undecided checks of a gate run become findings.
///
/// Detectors compare both sides and append suspects: possible causes, each with the amount that it
/// explains of each group of figures (suspect.h). A check then belongs to the suspect that explains
/// most of its change. Suspects without a check are not reported.
#ifndef GG_CAUSE_CAUSE_H
#define GG_CAUSE_CAUSE_H

#include "diff/bench.h"
#include "model/report.h"

/// Input of causes_find(): the runs that the report is about, and settings.
struct cause_input {
	/// the runs of both sides; `baseline` is NULL if there is nothing to compare with
	struct bench_runs runs;
	struct naming naming;
	/// if there are at least this many accepted runs of main, the reference is their median,
	/// without the approved run
	int64_t min_runs;
};

/// Fill `out->findings`. `out` must already have its checks with their verdicts, and its insights
/// (remarks on ranks).
void causes_find(const struct cause_input *in, struct report *out);

#endif
