/// The only place that decides: two runs and rules in, a report with verdicts out.
#ifndef GG_GATE_JUDGE_H
#define GG_GATE_JUDGE_H

#include "base/diag.h"
#include "model/category.h"
#include "model/report.h"
#include "model/rule.h"

struct judge_input {
	const struct rules *rules;
	const struct category_table *categories;
	const struct run *candidate;
	const struct run *baseline;
	const char *baseline_path; ///< as the user may name it
	const char *baseline_workload; ///< what it was made for
	const char *baseline_commit; ///< provenance of the pin, "" unknown
	bool ignore_environment; ///< must_match differences are warnings
};

/// Judge the candidate. `out` is initialised and filled whatever the outcome
/// (report_release() by the caller). ST_OK: checks were judged, and out->status is
/// ST_OK, ST_FAILED or ST_INPUT. Else out->status and out->error say why not: ST_USAGE
/// (a rule that selects nothing; marker, warm-up or categories other than a digest's),
/// ST_BASELINE (environment), ST_INPUT (number of ranks).
GG_MUST_CHECK enum status judge(const struct judge_input *in, struct report *out,
                                struct diag_log *log);

/// Two runs side by side without rules: figures, drift, breakdowns.
GG_MUST_CHECK enum status compare_runs(const struct run *a, const struct run *b,
                                       const struct category_table *categories, struct report *out,
                                       struct diag_log *log);

#endif
