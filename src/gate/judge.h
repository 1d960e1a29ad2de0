/// The only place that decides: two runs and rules in, a report with verdicts out.
#ifndef GG_GATE_JUDGE_H
#define GG_GATE_JUDGE_H

#include "base/diag.h"
#include "model/category.h"
#include "model/history.h"
#include "model/report.h"
#include "model/rule.h"

/// Which verdict fails a run: ST_FAILED. What cannot be judged is ST_INPUT with all of them.
enum fail_on { FAIL_ON_FAIL, FAIL_ON_WARN, FAIL_ON_NEVER };

struct judge_input {
	const struct rules *rules;
	const struct category_table *categories;
	const struct run *candidates; ///< runs of the same code (--repeat), the first is `RUN…`
	size_t nr_candidates;
	const struct run *baseline; ///< the pin; NULL: there is none
	const struct history *recent; ///< accepted runs after the pin; NULL none
	const struct history
	    *sample; ///< all runs of the main branch, whatever their verdict; NULL none
	/// The baseline's code again (--control), each run in turn with one of the candidate. Where
	/// there is no stored baseline `baseline` is the first of them.
	const struct run *controls;
	size_t nr_controls;
	bool needs_baseline; ///< without one the run is shown, and the outcome is ST_BASELINE
	int64_t today; ///< days since 1970-01-01 (UTC), for waivers
	enum fail_on fail_on;
	const char *baseline_path; ///< as the user may name it
	const char *baseline_workload; ///< what it was made for
	const char *baseline_commit, *baseline_time; ///< provenance of the pin, "" unknown
	bool ignore_environment; ///< must_match differences are warnings
	/// Words behind "gpugate baseline promote" (or create) that name the same runs and options, for
	/// the advice how to accept them; none: no advice.
	const char *const *promote;
	size_t nr_promote;
};

/// Judge the candidate. `out` is initialized and filled whatever the outcome
/// (report_release() by the caller). ST_OK: checks were judged, and out->status is
/// ST_OK, ST_FAILED or ST_INPUT, or ST_BASELINE where there was none. Else out->status and
/// out->error say why not: ST_USAGE (a rule that selects nothing, a waiver that is over; marker,
/// warm-up or categories other than a digest's), ST_BASELINE (environment), ST_INPUT (number of
/// ranks).
GG_MUST_CHECK enum status judge(const struct judge_input *in, struct report *out,
                                struct diag_log *log);

/// Two runs side by side without rules: figures, drift, breakdowns.
GG_MUST_CHECK enum status compare_runs(const struct run *a, const struct run *b,
                                       const struct category_table *categories, struct report *out,
                                       struct diag_log *log);

#endif
