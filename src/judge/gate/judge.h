/// Judging: two runs and the rules give a report with verdicts. Verdicts are made in this folder
/// only.
#ifndef GG_GATE_JUDGE_H
#define GG_GATE_JUDGE_H

#include "base/diag.h"
#include "diff/bench.h"
#include "model/category.h"
#include "model/history.h"
#include "model/report.h"
#include "model/rule.h"

/// The mildest verdict that makes the status of a run ST_FAILED; FAIL_ON_NEVER: no verdict does. If
/// a figure cannot be judged or, except with FAIL_ON_NEVER, is undecided, the status is ST_INPUT,
/// unless it is ST_FAILED.
enum fail_on { FAIL_ON_FAIL, FAIL_ON_WARN, FAIL_ON_NEVER };

/// What is judged, and by which rules. All pointers are borrowed.
struct judge_input {
	const struct rules *rules;
	const struct category_table *categories;
	/// The runs of both sides. The candidates are the runs given as `RUN…`, then those of --repeat.
	/// If there is no stored baseline, `baseline` is the first control run (--control), if any.
	struct bench_runs runs;
	const char *reference_commit; ///< commit of runs.reference; "" if unknown
	/// true if there should be a stored baseline, but there is none: the status is then ST_BASELINE
	bool needs_baseline;
	bool only_own; ///< true if rules that the user has neither written nor changed are left out, as
	               ///< there is no baseline
	int64_t today; ///< days since 1970-01-01 (UTC), for the end dates of waivers
	enum fail_on fail_on;
	const char *baseline_path; ///< path of the baseline as the user wrote it
	const char *baseline_workload; ///< workload that the stored baseline was made for; NULL: no
	                               ///< baseline is stored, and the first one is made with --new

	/// commit and time of the approved run; "" if unknown
	const char *baseline_commit, *baseline_time;
	bool ignore_environment; ///< true if differences in keys of must_match only give a warning;
	                         ///< false if they are an error

	/// Arguments with which `gpugate approve` would read the same runs with the same options. The
	/// report uses them to advise how to accept the runs. NULL: no such advice.
	const char *const *promote;
	size_t nr_promote;
	/// number of words at the beginning of `promote` that are valid for `gpugate check`, too, and
	/// name the same runs there
	size_t nr_check;
	const char *const *limits; ///< values of --limit, for the command that judges the runs again
	size_t nr_limits;
};

/// Judge the candidate. `out` is always initialized and filled; the caller ends with
/// report_release(). Returns ST_OK if checks were judged; out->status is then ST_OK, ST_FAILED,
/// ST_INPUT, or ST_BASELINE if there was no baseline. Otherwise out->status and out->error say why
/// nothing was judged: ST_USAGE (no rules, a rule that selects nothing, a limit in a unit that does
/// not fit, a waiver that has ended, settings other than those of a digest), ST_BASELINE (another
/// environment, or no ranks) or ST_INPUT (another number of ranks than the rules ask for, a run
/// that is given twice, runs of different environments).
GG_MUST_CHECK enum status judge(const struct judge_input *in, struct report *out,
                                struct diag_log *log);

/// Compare the run `a` (as baseline) with the run `b` without rules: fill `out` with figures,
/// changed kernels and breakdowns. Returns ST_USAGE if their digests were made by different
/// settings; `out` then has the error. The caller ends with report_release() in any case.
GG_MUST_CHECK enum status compare_runs(const struct run *a, const struct run *b,
                                       const struct category_table *categories, struct report *out,
                                       struct diag_log *log);

#endif
