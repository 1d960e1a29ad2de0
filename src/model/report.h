/// The report model: final order, formatted strings beside raw numbers. Writers
/// arrange and escape; they decide nothing.
#ifndef GG_MODEL_REPORT_H
#define GG_MODEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/status.h"
#include "base/vec.h"
#include "model/metric.h"

/// In the order of rules.md, "Verdicts".
enum verdict {
	VERDICT_INCONCLUSIVE,
	VERDICT_MISSING,
	VERDICT_FAIL,
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
};

/// Attribution of one check (or of a diff), in parts that add up.
struct breakdown {
	const char *title; ///< "step.cuda_time by class, category and kernel"
	enum unit unit;
	int64_t change; ///< what the level-0 parts add up to
	const struct metric *metric; ///< of memory breakdowns; else NULL
	const char *memory; ///< the same: "memory 0 of rank 3"
	VEC(struct part) parts;
};

struct check {
	const char *id; ///< rule id, or rule id[item]
	const char *rule; ///< rule id
	const char *group; ///< "step", "kernels", "memory", "ranks", "inputs"
	const struct metric *metric;
	const char *item; ///< kernel, category, rank, … that this check is about; "" none. Valid UTF-8
	const char *select; ///< "kernel=ampere_*"; "" none
	enum verdict verdict;
	enum worse worse; ///< the metric's, or what the rule says
	bool has_baseline, has_candidate, has_change, has_pct;
	int64_t baseline, candidate, change; ///< in the metric's unit
	int64_t change_pct; ///< 1e-6 percent of the baseline
	const char *baseline_text, *candidate_text, *change_text; ///< "–" where absent
	const char *pct_text; ///< "+12.3 %" or ""
	const char *limit; ///< "increase 5% and 2ms"; "" none
	const char *message; ///< one sentence: what, from, to, limit
	const struct breakdown *breakdown; ///< NULL none
};

struct finding {
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

/// One kernel of both sides.
struct drift_row {
	const char *kernel; ///< match name, valid UTF-8
	const char *category;
	const char *drift; ///< "slower", "faster", "more launches", "fewer launches", "new", "gone",
	                   ///< "renamed", "same"
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
};

/// The largest tensor of one category of memory on both sides of a diff, as requested.
struct scaling_row {
	const char *memory, *category;
	int64_t baseline, candidate; ///< bytes
	const char *baseline_text, *candidate_text;
	const char *ratio_text; ///< "× 1.50"
};

/// One side of the comparison, for the context line.
struct side {
	const char *label; ///< path as named by the user
	const char *gpu, *commit; ///< "" unknown
	int64_t ranks, steps;
	bool window; ///< figures per step are per window
	bool snapshot_only; ///< no rank has a trace
	VEC(struct span) notes; ///< "attribution: launch; 614 activities carried over"
};

struct report {
	struct arena arena; ///< owns every string
	bool is_diff; ///< diff: no rules, no verdict
	const char *workload, *rules, *baseline_path;
	enum verdict verdict; ///< PASS, WARN, FAIL, MISSING or INCONCLUSIVE for the whole
	enum status status; ///< what the exit code comes from
	const char *headline; ///< "fail: 2 of 14 checks beyond their limits"
	const char *error; ///< exit 2–5 without checks: the first error; NULL none
	const char *accept; ///< the command that makes the candidate the baseline; "" none
	bool same_artifact; ///< candidate is the baseline's own artifact
	bool partial; ///< --quick
	int64_t counts[NR_VERDICTS];
	struct side baseline, candidate;
	VEC(struct env_row) environment;
	VEC(struct finding) trust;
	VEC(const char *) warnings; ///< one line each, loudest first
	VEC(struct check) checks; ///< failures first, then the order of the rules
	VEC(struct drift_row) drift; ///< by absolute change
	VEC(struct figure_row) figures; ///< diff: every run-level figure of both sides
	VEC(struct breakdown *) breakdowns; ///< diff: of step.cuda_time, then those of memory
	VEC(struct scaling_row) scaling; ///< diff: by memory, then by bytes at the baseline's peak
};

/// An empty report.
void report_init(struct report *r);

/// Give the memory back.
void report_release(struct report *r);

#endif
