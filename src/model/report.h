/// The report model: rows in final order, formatted text beside raw numbers. Writers decide
/// nothing.
#ifndef GG_MODEL_REPORT_H
#define GG_MODEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/status.h"
#include "base/vec.h"
#include "metric/metric.h"
#include "model/finding.h"
#include "model/flame.h"
#include "model/run_report.h"

/// Verdicts, in the order of rules.md, "Verdicts".
enum verdict {
	VERDICT_INCONCLUSIVE,
	VERDICT_MISSING,
	VERDICT_WAIVED,
	VERDICT_FAIL,
	VERDICT_UNDECIDED,
	VERDICT_WARN,
	VERDICT_IMPROVED,
	VERDICT_PASS,
	VERDICT_SKIPPED,
	NR_VERDICTS
};

/// Name of a verdict: "fail", "warn", …; static.
const char *verdict_name(enum verdict v);

/// One row of "where the change went". The rows of level 0 add up to the change of their table; the
/// rows of level n + 1 that follow a row of level n add up to that row.
struct part {
	int level; ///< 0 class, 1 category, 2 kernel, 3 count/mean; memory: category, site, line
	const char *label; ///< label as valid UTF-8, not escaped, although strangers may have chosen it
	int64_t change; ///< change in the unit of the table
	const char *text; ///< "+9.00 ms"
	const char *detail; ///< "renamed", "launches 12 → 14", …; "" if there is nothing to add
	struct source_line at; ///< source line of a place in the code; otherwise without a file
};

/// Where the change of a check (or of a diff) went, in parts that add up.
struct breakdown {
	const char *title; ///< title: "step.cuda_time by class, category and kernel"
	enum unit unit;
	int64_t change; ///< sum of the parts of level 0
	const struct metric *metric; ///< metric of a memory breakdown; else NULL
	const char *memory; ///< memory of a memory breakdown, "memory 0 of rank 3"; else NULL
	VEC(struct part) parts;
};

/// The kind of run that a point of a trend is from.
enum trend_source {
	TREND_APPROVED, ///< a run that is, or once was, the pin
	TREND_PAST, ///< a run of the main branch other than those
	TREND_CANDIDATE,
};

struct trend_point {
	enum trend_source source;
	int64_t value; ///< value in the metric's unit
	const char *commit, *time; ///< provenance of the run; "" if unknown
};

/// One figure in all runs that the gate knows, the oldest first and the candidate's last.
struct trend {
	VEC(struct trend_point) points;
};

/// The measurements behind the two values of a check (judgement.md, "Noise").
struct evidence {
	int64_t baseline_runs; ///< number of runs whose median is the baseline's value
	int64_t candidate_runs;
	int64_t past_runs; ///< number of past runs from which the noise is known
	VEC(int64_t) runs; ///< the candidate's value in each of its runs, if there are several
	bool has_noise, has_detectable, has_false_alarms, has_steps;
	/// In the metric's unit: what noise may cause; smallest change that fails.
	int64_t noise, detectable;
	bool has_limit[2]; ///< a value below limit[0] or above limit[1] breaks the rule
	int64_t limit[2]; ///< limits in the metric's unit
	int64_t false_alarms; ///< expected failures of this check in unchanged runs, 1e-6 per run
	/// Candidate runs, or pairs with a control run, that would decide.
	int64_t more_runs, more_pairs;
	int64_t steps[2], median[2], spread[2]; ///< number, median and MAD over steps
	int64_t p; ///< p-value of a two-sided Mann-Whitney test, in 1e-6
	const char *noise_text, *detectable_text; ///< "±1.20 ms", "3.1 ms (+2.1 %)"; "" if unknown
	const char *plan_text; ///< "2 more runs of the candidate would decide"; "" if there is none
	const char *text; ///< one sentence or more on all evidence; "" if there is none
};

/// A key of `select` and its glob, both fit for one line.
struct select_pair {
	const char *key, *value;
};

struct check {
	const char *id; ///< id of the rule, with the item if there is one: RULE[ITEM]
	const char *rule; ///< id of the rule
	enum check_group group;
	const struct metric *metric;
	const char *item; ///< kernel, rank, … that is checked, valid UTF-8; or ""
	const struct select_pair *select; ///< the rule's `select`, ended by a pair without a key
	enum statistic stat; ///< the rule's statistic over steps
	enum verdict verdict;
	enum worse worse; ///< direction that is worse: the metric's, unless the rule names another
	bool has_baseline, has_candidate, has_change, has_pct;
	int64_t baseline, candidate, change; ///< values in the metric's unit
	int64_t change_pct; ///< change in 1e-6 percent of the baseline
	const char *baseline_text, *candidate_text, *change_text; ///< formatted values; "–" if absent
	const char *pct_text; ///< relative change, "+12.3 %"; "" if unknown
	const char *limit; ///< limit as text, "increase 5% and 2ms"; "" if there is none
	const char *message; ///< one sentence: what changed, from which value to which, and the limit
	struct breakdown *breakdown; ///< where the change went, or NULL
	const struct trust_finding *spoiler; ///< trust finding that prevents a decision, or NULL
	struct evidence evidence;
	struct trend *trend; ///< past values of a figure of the whole run; else NULL
	const char *waiver; ///< "until 2027-01-31: issue 1234", also in the message; NULL if none
};

/// A reason not to believe figures of the recordings: checks on the metrics in `spoils` cannot be
/// decided.
struct trust_finding {
	const char *id; ///< "dropped-kernels", …
	int64_t rank; ///< number of the rank; -1 for the whole run
	bool candidate; ///< true: a finding on the candidate; false: on the baseline
	bool warning_only; ///< true if the finding makes no check inconclusive
	VEC(const char *) spoils; ///< names of metrics that cannot be believed
	const char *message;
};

struct env_row {
	const char *key, *baseline, *candidate; ///< values of the key; NULL if unknown on that side
	bool match;
	bool must; ///< true if the key is listed in must_match
};

/// The kinds of change of a kernel between the two sides.
enum drift {
	DRIFT_SLOWER,
	DRIFT_FASTER,
	DRIFT_MORE_LAUNCHES,
	DRIFT_FEWER_LAUNCHES,
	DRIFT_NEW,
	DRIFT_GONE,
	DRIFT_RENAMED,
	DRIFT_SAME,
	NR_DRIFTS
};

/// Names of enum drift ("slower", "more launches", …); static.
extern const char *const drift_names[NR_DRIFTS];

/// One kernel on both sides.
struct drift_row {
	const char *kernel; ///< match name of the kernel, valid UTF-8
	const char *category;
	enum drift drift;
	const char *renamed_to; ///< new name if `drift` is DRIFT_RENAMED, else NULL
	bool has_baseline, has_candidate;
	int64_t baseline_ns, candidate_ns, change_ns; ///< times in ns per step
	int64_t baseline_count, candidate_count; ///< numbers of launches, in 1e-6 per step
	const char *baseline_text, *candidate_text, *change_text, *count_text;
	const char *shape_text; ///< "grid 4×106×1, block 128×1×1" or "other shape: …"; "" if unknown
};

/// A figure of both sides in a diff: one row of the table of all figures.
struct figure_row {
	const struct metric *metric;
	const char *item;
	const char *baseline_text, *candidate_text, *change_text, *pct_text;
	bool has_baseline, has_candidate, has_pct;
	int64_t baseline, candidate, change, change_pct;
	struct source_line at; ///< source line of a place in the code; otherwise without a file
};

/// The largest tensor of one category of memory on both sides of a diff, in requested bytes.
struct scaling_row {
	const char *memory, *category;
	int64_t baseline, candidate; ///< size in bytes
	const char *baseline_text, *candidate_text;
	const char *ratio_text; ///< "× 1.50"
};

/// A column of the table of ranks.
struct rank_column {
	const char *title;
	const char *head; ///< short title for text of 100 columns; NULL: such text lacks the column
	bool plain; ///< the column is left out if it is the same for all ranks
};

/// One rank of a run beside its peers.
struct rank_row {
	int64_t rank;
	bool candidate;
	VEC(const char *) cells; ///< texts, one for each of report.rank_columns; "–" if absent
	VEC(int64_t) values; ///< raw values of the cells, to sort by; INT64_MIN if absent
};

/// An observation on one run that is worth naming: a straggler, a slow link, an outlier.
struct insight {
	const char *id; ///< kind of insight: "straggler", "slow-link", "slow-rank", …
	bool candidate;
	int64_t rank; ///< number of the rank; -1 for the whole run
	const char *message; ///< one sentence
};

/// One side of the comparison, for the context line.
struct side {
	const char *label; ///< path as the user gave it
	const char *gpu, *commit; ///< name of the GPU and commit; "" if unknown
	int64_t ranks, steps;
	int64_t runs; ///< number of runs, of the candidate's code or of pin and recent runs; 0 means 1
	bool has_pin_age; ///< true if pin_age_days is known; only for the baseline
	int64_t pin_age_days; ///< days since the pin was approved
	bool window; ///< figures per step are figures of the whole window
	int64_t period; ///< repetitions of the launches in a trace without step markers; 0 if none
	const char *marker; ///< marker that would give `marker_steps` steps, or NULL
	int64_t marker_steps;
	bool snapshot_only; ///< no rank has a trace
	bool metrics_only; ///< nor a snapshot: metrics files
	VEC(struct span) notes; ///< "GPU work belongs to the step that launched it"
};

/// What the CI system says about the run, for links; NULL if unknown.
struct ci_links {
	const char *commits, *job; ///< addresses: of commits (the id is appended), and of the job
	const char *commit; ///< commit that the job runs for
};

/// Number of runs of a side.
static inline int64_t side_runs(const struct side *s)
{
	return s->runs > 1 ? s->runs : 1;
}

/// The command that the report is from. `diff` has no rules and no verdict; `report` has only a
/// candidate and no verdict.
enum report_kind { REPORT_CHECK, REPORT_DIFF, REPORT_RUN };

struct report {
	struct arena arena; ///< arena that owns every string of the report
	enum report_kind kind;
	const char *workload, *rules, *baseline_path;
	const char *profile; ///< profile of the rules that is in use; NULL if there is none
	enum verdict verdict; ///< PASS, WARN, FAIL, MISSING or INCONCLUSIVE, for all checks together
	enum status status; ///< status from which the exit code follows
	const char *headline; ///< "fail: 2 of 14 checks beyond their limits"
	const char *error; ///< the first error, if it left no checks (exit 2–5); else NULL
	const char *accept; ///< command that makes the candidate the baseline; "" if there is none
	const char *decide; ///< command that would decide all checks; "" if none is undecided
	bool same_artifact; ///< the candidate is the same artifact as the baseline
	bool partial; ///< the report is of --quick, from a part of the run
	int64_t counts[NR_VERDICTS];
	bool has_false_alarms;
	int64_t false_alarms; ///< expected failing checks of a gate run without any change, 1e-6
	const char *false_alarms_text; ///< a sentence on `false_alarms`; NULL if there is none
	struct {
		bool judged; ///< there are enough operators (or categories) to judge
		bool found; ///< all operators are slower alike, and a check of the machine fails for it
		int64_t pct; ///< how much slower the operators are, in 1e-6 %
	} uniform;
	int64_t plan_runs, plan_pairs; ///< runs or pairs that would decide all checks
	struct side baseline, candidate;
	struct ci_links links;
	VEC(struct env_row) environment;
	VEC(struct finding) findings; ///< findings by cost; each open check belongs to one
	VEC(struct trust_finding) trust;
	VEC(struct rank_column) rank_columns; ///< columns of the table of ranks, except "rank"
	VEC(struct rank_row) ranks; ///< the candidate's first; empty if a run has one rank
	VEC(struct insight) insights; ///< insights, the candidate's first
	VEC(const char *) warnings; ///< warnings, one line each, the most important first
	VEC(struct check) checks; ///< failed checks first, then in the order of the rules
	VEC(struct drift_row) drift; ///< kernels, sorted by the size of the change
	VEC(struct figure_row) code; ///< GPU time by operator, module and place; only in a diff
	VEC(struct figure_row) figures; ///< every run-level figure of both sides; only in a diff
	/// Breakdowns of step.cuda_time, then memory; only in diffs.
	VEC(struct breakdown *) breakdowns;
	/// What is said of each run by itself, owned by the arena; NULL if nothing is. In a check that
	/// failed or warned, recommendations for the baseline are left out from the candidate's.
	struct run_report *run, *baseline_run;
	struct flame flame; ///< GPU time by the place in the code that launched the work
	VEC(struct scaling_row) scaling; ///< largest tensors, by memory, size; only in a diff
};

/// The finding that explains check number `i`, or NULL.
const struct finding *report_finding(const struct report *r, size_t i);

/// Initializes `r` as an empty report.
void report_init(struct report *r);

/// Removes all checks, because none counts if one of them cannot be made.
void report_drop_checks(struct report *r);

/// Releases all memory that it holds.
void report_release(struct report *r);

#endif
