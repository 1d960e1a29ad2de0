/// The report model: rows in final order, with formatted text as well as raw numbers. Writers only
/// arrange and escape.
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
#include "model/run_report.h"

/// The verdicts, the worst first, so that a worse one is a smaller number: X(ID, name, tone in
/// which reports show the name (enum doc_tone), outcome of a check in JUnit (enum outcome), number
/// in OpenMetrics). The numbers in OpenMetrics must never change; they are 5 or more if the gate
/// fails. Only a case of a suite can have the verdict ERROR: it could not be judged.
#define VERDICTS(X)                                              \
	X(FAIL, "fail", TONE_BAD, OUTCOME_FAILURE, 7)                \
	X(ERROR, "error", TONE_BAD, OUTCOME_ERROR, 9)                \
	X(UNDECIDED, "undecided", TONE_OPEN, OUTCOME_ERROR, 8)       \
	X(INCONCLUSIVE, "inconclusive", TONE_OPEN, OUTCOME_ERROR, 6) \
	X(MISSING, "missing", TONE_OPEN, OUTCOME_ERROR, 5)           \
	X(WARN, "warn", TONE_WARN, OUTCOME_NOTE, 4)                  \
	X(WAIVED, "waived", TONE_WARN, OUTCOME_SKIPPED, 3)           \
	X(IMPROVED, "improved", TONE_GOOD, OUTCOME_NOTE, 1)          \
	X(PASS, "pass", TONE_GOOD, OUTCOME_PASS, 0)                  \
	X(SKIPPED, "skipped", TONE_PLAIN, OUTCOME_SKIPPED, 2)

enum verdict {
#define VERDICT(id, ...) VERDICT_##id,
	VERDICTS(VERDICT)
#undef VERDICT
	    NR_VERDICTS
};

/// Names of the verdicts: "fail", "warn", …, and NULL; static.
extern const char *const verdict_names[NR_VERDICTS + 1];

/// True for the verdicts on a figure that is, or may be, beyond a limit; `approve` refuses a run
/// with such a verdict.
static inline bool verdict_is_beyond(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_UNDECIDED;
}

/// One row of a breakdown, which shows where a change went. The rows of depth 0 add up to the
/// change of their table; the rows of depth n + 1 that follow a row of depth n add up to that row.
struct part {
	int depth; ///< depth of the row, from 0. For time: class, category, kernel, number of launches
	           ///< or mean time of a launch. For memory: category, site, line.
	const char *label; ///< label as valid UTF-8, not escaped; it may come from the recording
	int64_t change; ///< change in the unit of the table
	const char *text; ///< text of the change, such as "+9.00 ms"
	const char *detail; ///< remark, such as "renamed" or "launches 12 → 14"; "" if there is none
	struct source_line at; ///< source line, if the part is a place in the code; else `file` is NULL
};

/// The change of a check (or of a diff), split into parts that add up to it.
struct breakdown {
	const struct metric *metric;
	const char *title; ///< title, such as "step.cuda_time by class, category and kernel"
	enum unit unit;
	int64_t change; ///< sum of the parts of depth 0
	const char *memory; ///< name of the memory of a memory breakdown, such as "memory 0 of rank 3";
	                    ///< else NULL
	VEC(struct part) parts;
};

/// The kind of run that a point of a trend is from.
enum trend_source {
	TREND_APPROVED, ///< a run that is, or once was, the pin (the approved run of the baseline)
	TREND_PAST, ///< a run of the main branch that never was the pin
	TREND_CANDIDATE,
};

/// The figure in one run of a trend.
struct trend_point {
	enum trend_source source;
	int64_t value; ///< value in the metric's unit
	const char *commit, *time; ///< commit and time of the run; "" if unknown
};

/// One figure in all runs that the gate knows, the oldest first and the candidate's last.
struct trend {
	VEC(struct trend_point) points;
};

/// Least number of past runs from which noise and the number of false alarms are estimated.
enum { KNOWN_RUNS = 5 };

/// Number of pairs of runs that confirm a failure.
enum { PAIRS_CONFIRM = 3 };

/// The measurements behind the two values of a check (verdicts.md, "Noise").
struct evidence {
	int64_t baseline_runs; ///< number of runs whose median is the baseline's value
	int64_t candidate_runs;
	int64_t past_runs; ///< number of past runs from which the noise was estimated
	VEC(int64_t) runs; ///< candidate's value in each of its runs, if there are several
	bool has_noise, has_detectable, has_false_alarms, has_steps;
	/// size of a change that noise may cause, and smallest change that fails; in the metric's unit
	int64_t noise, detectable;
	bool has_limit[2]; ///< true if there is a lower limit ([0]), an upper limit ([1])
	int64_t limit[2]; ///< limits in the metric's unit
	bool has_warn[2]; ///< like has_limit, for limits that only warn
	int64_t warn[2];
	int64_t false_alarms; ///< expected number of failures per unchanged run, in millionths

	/// Number of further candidate runs, or of pairs with a control run, that would decide the
	/// check.
	int64_t more_runs, more_pairs;
	/// the figure over the steps of baseline and candidate: number of steps, median and MAD;
	/// indexed by enum side_index (judge/diff/pairs.h)
	int64_t steps[2], median[2], spread[2];
	int64_t p; ///< p-value of a two-sided Mann-Whitney test, in millionths

	/// `noise` and `detectable` as text, such as "±1.20 ms"; "" if unknown
	const char *noise_text, *detectable_text;
	const char *plan_text; ///< what would decide the check, such as "2 more runs of the candidate
	                       ///< would decide"; "" if there is no plan
	const char *text; ///< one sentence or more on all evidence; "" if there is none
};

/// A key of `select` and its glob, both fit for one line.
struct select_pair {
	const char *key, *value;
};

/// A check: one figure, or one item of a figure, judged by one rule.
struct check {
	const char *id; ///< id of the rule, with the item if there is one: RULE[ITEM]
	const char *rule; ///< id of the rule
	enum check_group group;
	const struct metric *metric;
	const char *item; ///< name of the kernel, rank, … that is checked, valid UTF-8; or ""
	const struct select_pair *select; ///< keys and globs of `select`, ended by a pair without a key
	enum statistic stat; ///< the rule's statistic over steps
	enum verdict verdict;
	enum worse worse; ///< direction that is worse: the metric's, unless the rule names another
	bool has_baseline, has_candidate, has_change, has_pct;
	bool folded; ///< true if baseline or candidate lacks the figure because that run is folded
	int64_t baseline, candidate, change; ///< values in the metric's unit
	int64_t change_pct; ///< change in 1e-6 percent of the baseline
	const char *baseline_text, *candidate_text, *change_text; ///< formatted values; "–" if absent
	const char *pct_text; ///< relative change, such as "+12.3 %"; "" if unknown
	const char *limit; ///< limit as text, such as "increase 5% and 2ms"; "" if there is none
	bool absolute; ///< true if the limit that is broken is a `max` or `min`
	const char *message; ///< one sentence: what changed, from which value to which, and the limit
	struct breakdown *breakdown; ///< breakdown of the change, or NULL
	const struct trust_finding *spoiler; ///< trust finding that forbids a verdict, or NULL
	struct evidence evidence;
	bool of_all; ///< true if the check is excused because all operators changed by the same factor
	bool unconfirmed; ///< true if the check fails, but more pairs of runs must confirm the failure
	const char *moved; ///< if the reference (the median of recent runs of the main branch) is worse
	                   ///< than the approved run by more than the rule's limit: id of the rule and
	                   ///< both values; else NULL
	struct trend *trend; ///< past values of the figure if it is of the whole run; else NULL
	const char *waiver; ///< waiver that excuses the check, such as "until 2027-01-31: issue 1234";
	                    ///< also in `message`; NULL if there is none
};

/// A reason not to believe figures of the recordings: checks on the metrics in the list `spoils`
/// cannot be decided.
struct trust_finding {
	const char *id; ///< id of the finding, such as "dropped-kernels"
	int64_t rank; ///< number of the rank; -1 for the whole run
	bool candidate; ///< true if the finding is on the candidate; false if it is on the baseline
	bool warning_only; ///< true if the finding makes no check inconclusive
	/// Only in findings that a figure of a result file measures other work than before, else NULL:
	/// names of the settings and counts (requests, samples, …) that differ, with commas between
	/// them, or the name of the first count that differs.
	const char *work;
	VEC(const char *) spoils; ///< names of metrics that cannot be believed
	int64_t fallen; ///< size of the difference between baseline and candidate, in 1e-6 %; 0 if the
	                ///< finding is not about a difference
	bool of_kinds; ///< true if the kinds of steps (such as prefill and decode) have other shares of
	               ///< the steps in the candidate than in the baseline; rules on steps of one kind
	               ///< can still be judged
	const char *message;
};

/// A fact of the environment or the machine, in baseline and candidate.
struct env_row {
	const char *key, *baseline, *candidate; ///< key, and its value in each run; NULL if unknown
	bool match;
	bool must; ///< true if the rules list the key in must_match; false if in should_match
};

/// The kinds of change of a kernel from baseline to candidate.
#define DRIFTS(X)                             \
	X(DRIFT_SLOWER, "slower")                 \
	X(DRIFT_FASTER, "faster")                 \
	X(DRIFT_MORE_LAUNCHES, "more launches")   \
	X(DRIFT_FEWER_LAUNCHES, "fewer launches") \
	X(DRIFT_NEW, "new")                       \
	X(DRIFT_GONE, "gone")                     \
	X(DRIFT_RENAMED, "renamed")               \
	X(DRIFT_SAME, "same")
enum drift { DRIFTS(ENUM_VALUE) NR_DRIFTS };

/// Names of enum drift ("slower", "more launches", …); static.
extern const char *const drift_names[NR_DRIFTS];

/// One kernel in baseline and candidate.
struct drift_row {
	const char *kernel; ///< name after normalization and aliases (struct kernel_row), valid UTF-8
	const char *category;
	enum drift drift;
	const char *renamed_to; ///< new name if `drift` is DRIFT_RENAMED, else NULL
	bool has_baseline, has_candidate;
	int64_t baseline_ns, candidate_ns, change_ns; ///< times in ns per step
	int64_t baseline_count, candidate_count; ///< numbers of launches, in 1e-6 per step
	const char *baseline_text, *candidate_text, *change_text, *count_text;
	const char *shape_text; ///< launch shape, such as "grid 4×106×1, block 128×1×1"; "" if unknown
};

/// A figure of baseline and candidate: one row of the table of all figures of a diff.
struct figure_row {
	const struct metric *metric;
	const char *item;
	const char *baseline_text, *candidate_text, *change_text, *pct_text;
	bool has_baseline, has_candidate, has_pct;
	int64_t baseline, candidate, change, change_pct;
	struct source_line at; ///< source line, if the row is a place in the code; else `file` is NULL
};

/// The largest tensor of one category of memory in baseline and candidate, in requested bytes.
struct scaling_row {
	const char *memory, *category;
	int64_t baseline, candidate; ///< sizes of the tensor in bytes
	const char *baseline_text, *candidate_text;
	const char *ratio_text; ///< candidate divided by baseline, such as "× 1.50"
};

/// A column of the table of ranks.
struct rank_column {
	const char *title;
	const char *head; ///< short title for text reports (100 columns wide); NULL: not shown there
	bool plain; ///< true if the column is left out when all ranks have the same value
};

/// A row of the table of ranks.
struct rank_row {
	int64_t rank;
	bool candidate;
	VEC(struct report_cell) cells; ///< cells, one for each of report.rank_columns
};

/// An observation on one run that is worth naming: a straggler, a slow link, an outlier.
struct insight {
	const char *id; ///< kind of insight: "straggler", "slow-link", "slow-rank", …
	bool candidate;
	int64_t rank; ///< number of the rank; -1 for the whole run
	const char *message; ///< one sentence
};

/// Baseline or candidate of the comparison, as the first lines of the report describe them.
struct side {
	const char *label; ///< path of the run as the user gave it
	const char *gpu, *commit; ///< name of the GPU and commit; "" if unknown
	int64_t ranks, steps;
	int64_t runs; ///< number of runs of the baseline or candidate; 0 means 1
	bool has_pin_age; ///< true if pin_age_days is known; only for the baseline
	int64_t pin_age_days; ///< days since the pin was approved
	/// only for the baseline: commit of the run of the main branch with which tables and findings
	/// compare the candidate, "" if unknown; NULL if they compare with the approved run
	const char *reference;
	bool window; ///< true if there are no steps: figures per step are those of the window
	int64_t period; ///< number of repetitions in a trace without step markers; 0 if none
	const char *marker; ///< step marker that would give `marker_steps` steps, or NULL
	int64_t marker_steps;
	bool snapshot_only; ///< true if no rank has a trace
	bool metrics_only; ///< true if no rank has a trace or a snapshot, only result files
	const char
	    *judged; ///< how much of the run is judged (account_text()); NULL without any GPU work
	const char *ignored; ///< files that were not used, such as "a.log, b.log and 2 more"; "" if
	                     ///< there are none
	VEC(struct span) notes; ///< remarks, such as "GPU work belongs to the step that launched it"
};

/// Links that the CI system gives for the run; a link is NULL if unknown.
struct ci_links {
	const char *commits, *job; ///< address of commits (the id is appended), and of the job
	const char *commit; ///< commit that the job runs for
};

/// Number of runs of baseline or candidate, at least 1.
static inline int64_t side_runs(const struct side *s)
{
	return s->runs > 1 ? s->runs : 1;
}

/// The command that made the report. `diff` has no rules and no verdict; `report` has only a
/// candidate and no verdict.
enum report_kind { REPORT_CHECK, REPORT_DIFF, REPORT_RUN };

/// The kinds of nodes of a flame graph, from the outermost to the innermost.
enum flame_kind {
	FLAME_ALL,
	FLAME_MODULE,
	FLAME_PLACE,
	FLAME_OPERATOR,
	FLAME_KERNEL,
	NR_FLAME_KINDS
};

/// A node of a flame graph: the GPU work that one module, place, operator or kernel makes.
struct flame_node {
	enum flame_kind kind;
	int depth; ///< depth in the tree; 0 is the root, all GPU time
	const char *name; ///< name as valid UTF-8 for one line, not escaped; it may come from the
	                  ///< recording
	int64_t value[2]; ///< ns per step in baseline and candidate; 0 where the node is absent
};

/// A flame graph of GPU time.
struct flame {
	bool both; ///< true: two runs; false: only a candidate, so that each value[0] is 0
	VEC(struct flame_node) nodes; ///< nodes, parents first, siblings by size; may be empty
};

/// The report of a command, from which writers print; report_release() releases it.
struct report {
	struct arena arena; ///< arena that owns every string of the report
	enum report_kind kind;
	const char *workload, *rules, *baseline_path;
	const char *profile; ///< name of the profile of the rules that is in use (--profile), or NULL
	enum verdict verdict; ///< verdict on all checks together; never WAIVED, IMPROVED or SKIPPED
	enum status status; ///< status from which the exit code follows
	const char *headline; ///< first line, such as "fail: 2 of 14 checks beyond their limits"
	const char *summary; ///< headline without its verdict; only of REPORT_CHECK
	const char *made; ///< path of the baseline, if the candidate is the first run and became it;
	                  ///< else NULL
	/// in a diff, metric of the figure that explains most of the change of the wall time; or NULL
	const struct metric *wall_cause;
	const char *error; ///< first error, if it is why there are no checks (exit 2–5); else NULL
	const char *accept; ///< command that makes the candidate the baseline; "" if there is none
	int64_t left_out; ///< number of built-in rules that are left out, because they need a baseline
	                  ///< and there is none
	const char *decide; ///< command that would decide all checks; "" if no check is undecided
	bool same_artifact; ///< true if the candidate is the same artifact as the baseline
	bool partial; ///< true if the report is of --quick, made from a part of the run
	int64_t counts[NR_VERDICTS];
	bool has_false_alarms;
	int64_t false_alarms; ///< expected number of false alarms in a gate run, in millionths
	const char *false_alarms_text; ///< a sentence on `false_alarms`, or on why they are not known;
	                               ///< NULL if no check has noise
	struct {
		bool judged; ///< true if there are enough operators (or categories) to compare
		bool found; ///< true if all operators are slower by one factor, and a check fails for this
		            ///< reason
		int64_t pct; ///< how much slower the operators are, in 1e-6 %
	} uniform;
	int64_t plan_runs, plan_pairs; ///< number of further runs, or pairs, that decide all checks
	int64_t pairs; ///< number of pairs of a run of the change and a control run (a run of the code
	               ///< without the change)
	int64_t unconfirmed; ///< number of checks whose failure the pairs of the plan would confirm
	struct side baseline, candidate;
	struct ci_links links;
	VEC(struct env_row) environment;
	/// facts of the machine that changed; states of GPUs have names of metrics as keys. Empty if
	/// all checks passed.
	VEC(struct env_row) machine;
	/// findings, sorted by cost; each failed, undecided, inconclusive or missing check is in one of
	/// them
	VEC(struct finding) findings;
	VEC(struct trust_finding) trust;
	int64_t
	    expect_ranks; ///< number of ranks that the rules ask of a run; 0: as many as its job has
	VEC(struct rank_column) rank_columns; ///< columns of the table of ranks, except "rank"
	VEC(struct rank_row) ranks; ///< rows of ranks, candidate first; empty if a run has one rank
	VEC(struct insight) insights; ///< insights, those on the candidate first
	const char *unjudged; ///< the warning on figures of files that do not say which direction is
	                      ///< better, or NULL
	VEC(const char *) warnings; ///< warnings, one line each, the most important first
	VEC(struct check) checks; ///< checks: failed ones first, then in the order of the rules
	VEC(struct drift_row) drift; ///< kernels, sorted by the size of the change
	/// names of all kernels of baseline and candidate; writers shorten no two of them to the same
	/// text
	VEC(const char *) kernels;
	VEC(struct figure_row) code; ///< GPU time by operator, module and place; only in a diff
	VEC(struct figure_row) figures; ///< all figures of the two whole runs; only in a diff

	/// Breakdowns of the changes of step.cuda_time, then of memory; only in a diff.
	VEC(struct breakdown *) breakdowns;
	/// Reports on the single runs, owned by the arena; NULL if there is none. In a check that
	/// failed or warned, the candidate's report lacks recommendations that hold for the baseline
	/// too.
	struct run_report *run, *baseline_run;
	struct flame flame; ///< GPU time by the place in the code that launched the work
	VEC(struct scaling_row) scaling; ///< largest tensors, sorted by memory, size; only in a diff
};

/// The finding that explains check number `i`, or NULL.
const struct finding *report_finding(const struct report *r, size_t i);

/// The row of a diff for a figure of the metric `id` that both runs have; NULL if there is none. If
/// there are several, as for figures of result files: the first in the order of those with a known
/// better direction, then changes from 0, then the largest changes in percent.
const struct figure_row *report_figure(const struct report *r, enum metric_id id);

/// True if an insight names the rank of the candidate or of the baseline.
bool report_names_rank(const struct report *r, bool candidate, int64_t rank);

/// True if reports leave out a check: it needs recordings, and both runs have only result files.
bool report_leaves_out(const struct report *r, const struct check *check);

/// Size of a relative change, in 0.1 %. A factor and its inverse have the same size: halving a rate
/// counts as much as doubling a time.
int64_t check_size(const struct check *c);

/// Initializes `r` as an empty report.
void report_init(struct report *r);

/// Removes all checks and findings: if one check cannot be made, no other counts.
void report_drop_checks(struct report *r);

/// Releases all memory of the report.
void report_release(struct report *r);

#endif
