/// The report model: final order, formatted text beside raw numbers; writers decide nothing.
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

/// In the order of rules.md, "Verdicts".
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

/// "fail", "warn", …; static.
const char *verdict_name(enum verdict v);

/// One row of "where the change went"; the level-0 rows add up to the change
/// of their table, and the rows of level n + 1 that follow a row to that row.
struct part {
	int level; ///< 0 class, 1 category, 2 kernel, 3 count/mean; of memory: category, site, line
	const char *label; ///< untrusted text is valid UTF-8, not escaped
	int64_t change; ///< in the unit of the table
	const char *text; ///< "+9.00 ms"
	const char *detail; ///< "renamed", "launches 12 → 14", … or ""
	struct source_line at; ///< of a place in the code; else without a file
};

/// Where the change of a check (or of a diff) went, in parts that add up.
struct breakdown {
	const char *title; ///< "step.cuda_time by class, category and kernel"
	enum unit unit;
	int64_t change; ///< what the level-0 parts add up to
	const struct metric *metric; ///< of memory breakdowns; else NULL
	const char *memory; ///< the same: "memory 0 of rank 3"
	VEC(struct part) parts;
};

/// Whose value a point of a trend is.
enum trend_source {
	TREND_APPROVED, ///< of the pin, or of one that was the pin once
	TREND_PAST, ///< of another run of the main branch
	TREND_CANDIDATE,
};

struct trend_point {
	enum trend_source source;
	int64_t value; ///< in the metric's unit
	const char *commit, *time; ///< "" unknown
};

/// One figure of a run in all runs that the gate knows, oldest first, the candidate's last.
struct trend {
	VEC(struct trend_point) points;
};

/// What stands behind the two values of a check (judgement.md, "Noise").
struct evidence {
	int64_t baseline_runs; ///< that the baseline's value is the median of
	int64_t candidate_runs;
	int64_t past_runs; ///< that the noise is known from
	VEC(int64_t) runs; ///< the candidate's value in each of its runs, where several
	bool has_noise, has_detectable, has_false_alarms, has_steps;
	int64_t noise, detectable; ///< in the metric's unit: not sure within; smallest that fails
	bool has_limit[2]; ///< a value below limit[0] or above limit[1] is beyond the rule
	int64_t limit[2]; ///< in the metric's unit
	int64_t false_alarms; ///< expected failures of this check in unchanged runs, 1e-6 per run
	int64_t more_runs, more_pairs; ///< of the candidate, with controls: would decide; 0: neither
	int64_t steps[2], median[2], spread[2]; ///< of both sides over steps; spread: scaled MAD
	int64_t p; ///< two-sided Mann-Whitney, 1e-6
	const char *noise_text, *detectable_text; ///< "±1.20 ms", "3.1 ms (+2.1 %)"; "" none
	const char *plan_text; ///< "2 more runs of the candidate would decide"; "" none
	const char *text; ///< one sentence or more on all of it; "" none
};

/// A key of `select` and its glob, fit for one line.
struct select_pair {
	const char *key, *value;
};

struct check {
	const char *id; ///< rule id, or rule id[item]
	const char *rule; ///< rule id
	enum check_group group;
	const struct metric *metric;
	const char *item; ///< kernel, category, rank, … that this check is about; "" none. Valid UTF-8
	const struct select_pair *select; ///< of the rule; ended by a pair without a key
	enum statistic stat; ///< over steps: of the rule
	enum verdict verdict;
	enum worse worse; ///< the metric's, or what the rule says
	bool has_baseline, has_candidate, has_change, has_pct;
	int64_t baseline, candidate, change; ///< in the metric's unit
	int64_t change_pct; ///< 1e-6 percent of the baseline
	const char *baseline_text, *candidate_text, *change_text; ///< "–" where absent
	const char *pct_text; ///< "+12.3 %" or ""
	const char *limit; ///< "increase 5% and 2ms"; "" none
	const char *message; ///< one sentence: what, from, to, limit
	struct breakdown *breakdown; ///< NULL none
	const struct trust_finding *spoiler; ///< why it could not be decided; NULL none
	struct evidence evidence;
	struct trend *trend; ///< of a figure of the whole run; NULL none
	const char *waiver; ///< "until 2027-01-31: issue 1234", also in the message; NULL none
};

/// What the evidence says against itself: what it spoils cannot be judged.
struct trust_finding {
	const char *id; ///< "dropped-kernels", …
	int64_t rank; ///< -1: the run
	bool candidate; ///< side: candidate or baseline
	bool warning_only; ///< spoils nothing
	VEC(const char *) spoils; ///< metric names
	const char *message;
};

struct env_row {
	const char *key, *baseline, *candidate; ///< NULL: not known on that side
	bool match;
	bool must; ///< of must_match
};

/// What became of a kernel.
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

/// "slower", "more launches", …; static.
extern const char *const drift_names[NR_DRIFTS];

/// One kernel of both sides.
struct drift_row {
	const char *kernel; ///< match name, valid UTF-8
	const char *category;
	enum drift drift;
	const char *renamed_to; ///< NULL unless renamed
	bool has_baseline, has_candidate;
	int64_t baseline_ns, candidate_ns, change_ns; ///< per step
	int64_t baseline_count, candidate_count; ///< 1e-6 per step
	const char *baseline_text, *candidate_text, *change_text, *count_text;
	const char *shape_text; ///< "grid 4×106×1, block 128×1×1" or "other shape: …"; "" unknown
};

/// A two-sided figure of a diff, or one row of the table of all figures.
struct figure_row {
	const struct metric *metric;
	const char *item;
	const char *baseline_text, *candidate_text, *change_text, *pct_text;
	bool has_baseline, has_candidate, has_pct;
	int64_t baseline, candidate, change, change_pct;
	struct source_line at; ///< of a place in the code
};

/// The largest tensor of one category of memory on both sides of a diff, as requested.
struct scaling_row {
	const char *memory, *category;
	int64_t baseline, candidate; ///< bytes
	const char *baseline_text, *candidate_text;
	const char *ratio_text; ///< "× 1.50"
};

/// A column of the table of ranks.
struct rank_column {
	const char *title;
	const char *head; ///< short, for text of 100 columns; NULL: not there
	bool plain; ///< says nothing where it is the same of all ranks
};

/// A rank of a run side by side with its peers; figures as people read them, "–" absent.
struct rank_row {
	int64_t rank;
	bool candidate;
	VEC(const char *) cells; ///< as report.rank_columns
	VEC(int64_t) values; ///< the same to sort by; INT64_MIN absent
};

/// Something about a run that is worth naming: a straggler, a slow link, an outlier.
struct insight {
	const char *id; ///< "straggler", "slow-link", "slow-rank", …
	bool candidate;
	int64_t rank; ///< -1: the run
	const char *message; ///< one sentence
};

/// One side of the comparison, for the context line.
struct side {
	const char *label; ///< path as named by the user
	const char *gpu, *commit; ///< "" unknown
	int64_t ranks, steps;
	int64_t runs; ///< candidate: of the same code; baseline: pin and recent; 0 is taken for 1
	bool has_pin_age; ///< baseline
	int64_t pin_age_days; ///< since the pin was approved
	bool window; ///< figures per step are per window
	int64_t period; ///< repetitions of the launches of a trace without step markers; 0 none
	const char *marker; ///< of a trace without steps: one that would make `marker_steps`; NULL none
	int64_t marker_steps;
	bool snapshot_only; ///< no rank has a trace
	bool metrics_only; ///< nor a snapshot: metrics files
	VEC(struct span) notes; ///< "GPU work belongs to the step that launched it"
};

/// What the CI system around the run knows, for links; NULL unknown.
struct ci_links {
	const char *commits, *job; ///< addresses: of commits, before their id; of the job
	const char *commit; ///< of the job
};

/// Number of runs of a side.
static inline int64_t side_runs(const struct side *s)
{
	return s->runs > 1 ? s->runs : 1;
}

/// The result of `check`; of `diff`: no rules, no verdict; of `report`: only the candidate, no
/// verdict.
enum report_kind { REPORT_CHECK, REPORT_DIFF, REPORT_RUN };

struct report {
	struct arena arena; ///< owns every string
	enum report_kind kind;
	const char *workload, *rules, *baseline_path;
	const char *profile; ///< of the rules, in use; NULL none
	enum verdict verdict; ///< PASS, WARN, FAIL, MISSING or INCONCLUSIVE for the whole
	enum status status; ///< what the exit code comes from
	const char *headline; ///< "fail: 2 of 14 checks beyond their limits"
	const char *error; ///< exit 2–5 without checks: the first error; NULL none
	const char *accept; ///< the command that makes the candidate the baseline; "" none
	bool same_artifact; ///< candidate is the baseline's own artifact
	bool partial; ///< --quick
	int64_t counts[NR_VERDICTS];
	bool has_false_alarms;
	int64_t false_alarms; ///< failing checks expected of a gate run in which nothing changed, 1e-6
	const char *false_alarms_text; ///< a sentence on it; NULL none
	struct {
		bool judged; ///< there are operators (or categories) enough to tell
		bool found; ///< all of them are slower alike, and a check of the machine fails for it
		int64_t pct; ///< by so much, 1e-6 %
	} uniform;
	int64_t plan_runs, plan_pairs; ///< what would decide all that is undecided; 0 and 0: nothing
	struct side baseline, candidate;
	struct ci_links links;
	VEC(struct env_row) environment;
	VEC(struct finding) findings; ///< of a check, by cost; each open check belongs to one
	VEC(struct trust_finding) trust;
	VEC(struct rank_column) rank_columns; ///< beside "rank"
	VEC(struct rank_row) ranks; ///< candidate's first; none where a run has one rank
	VEC(struct insight) insights; ///< candidate's first
	VEC(const char *) warnings; ///< one line each, loudest first
	VEC(struct check) checks; ///< failures first, then the order of the rules
	VEC(struct drift_row) drift; ///< by absolute change
	VEC(struct figure_row) code; ///< diff: GPU time by operator, module and place
	VEC(struct figure_row) figures; ///< diff: every run-level figure of both sides
	VEC(struct breakdown *) breakdowns; ///< diff: of step.cuda_time, then those of memory
	/// What is said of each run by itself, owned by the arena; NULL: nothing. In a check that
	/// failed or warned, recommendations are those that the baseline does not have as well.
	struct run_report *run, *baseline_run;
	struct flame flame; ///< GPU time by where in the code it comes from
	VEC(struct scaling_row) scaling; ///< diff: by memory, then by bytes at the baseline's peak
};

/// The finding that check number `i` hangs below, or NULL.
const struct finding *report_finding(const struct report *r, size_t i);

/// An empty report.
void report_init(struct report *r);

/// Take all checks out again, as none counts where one cannot be made.
void report_drop_checks(struct report *r);

/// Give the memory back.
void report_release(struct report *r);

#endif
