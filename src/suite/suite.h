/// The result of a suite: its cases, each with the findings of its gate.
#ifndef GG_SUITE_SUITE_H
#define GG_SUITE_SUITE_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/report.h"

#define SUITE_SCHEMA "gpugate-suite-1"

/// Verdict of a case that could not be judged; it follows the verdicts of checks.
enum { SUITE_ERROR = NR_VERDICTS, NR_SUITE_VERDICTS };

/// The words "fail", …, "error", with a NULL at the end; static.
extern const char *const suite_verdict_names[];

/// A finding of a case, or a check that failed, warned or is otherwise open. All texts are valid
/// UTF-8, not escaped.
struct suite_item {
	int64_t of; ///< index of the case that the item belongs to
	int64_t place; ///< index among the items of the case
	unsigned verdict; ///< verdict of the check, as enum verdict
	const char *id; ///< id of the check ("step_time"), or cause of the finding ("slow-rank")
	const char *rule; ///< rule of a check that is not passed, as --accept takes it; else NULL
	const char *text; ///< message of the check, or title of the finding
	const char *cost; ///< cost of a finding: "+2.10 ms per step (16.4 % of it)"; NULL if unknown
	const char *action; ///< action that a finding advises; NULL if there is none
	const char *where; ///< "Block › model.py:12 › aten::mul" of a finding; NULL if unknown
};

struct suite_case {
	int64_t place; ///< index of the case in the suite, from 0
	const char *name; ///< unique name: the workload as written in the suite file
	const char *workload; ///< the workload as it was judged; NULL if it was not judged
	unsigned verdict; ///< verdict of the case: enum verdict, or SUITE_ERROR
	int64_t exit_code; ///< exit code that `check` would have
	const char *text; ///< headline of the report, or error message
	const char *metric; ///< metric of the most telling figure; NULL if there is none
	const char *baseline, *candidate, *change; ///< values of that figure as text, or NULL
	int64_t change_pct; ///< change of that figure in 1e-6 percent; INT64_MIN if unknown
	bool is_worse, is_better;
	int64_t false_alarms; ///< expected false alarms per unchanged run, in 1e-6; -1 if unknown
	int64_t plan_runs, plan_pairs; ///< number of further runs or pairs that would decide; or 0
	const char *accept; ///< command that accepts the run; NULL if there is none
};

struct suite {
	struct arena arena; ///< owner of all strings
	const char *name; ///< name of the suite in its file
	uint64_t hash; ///< hash of the names of all cases
	int64_t total; ///< number of cases in all shards
	int64_t shard, shards; ///< number of this shard, and of all; 1 and 1: no shards
	VEC(struct suite_case) cases; ///< cases in the order of the suite
	VEC(struct suite_item) findings, checks; ///< items sorted by case, then place
	VEC(struct suite_item) warnings; ///< warnings of reading and judging, sorted like `findings`
	/* The following members are derived from the cases. */
	enum status status;
	int64_t exit_code;
	unsigned verdict;
	int64_t counts[NR_SUITE_VERDICTS];
	int64_t plan_runs, plan_pairs; ///< runs or pairs that would decide all undecided cases
	const char *headline; ///< headline such as "2 of 12 cases failed, 1 undecided"
	const char *error; ///< why nothing is known about the suite; NULL without such an error
};

/// Initialize an empty suite with one shard.
void suite_init(struct suite *s);

/// Release the memory of the suite.
void suite_release(struct suite *s);

/// Move the cases and items of `from` to `s`; `from` is empty afterwards.
void suite_take(struct suite *s, struct suite *from);

/// Sort the cases, and derive verdict, status, counts and headline from them.
void suite_conclude(struct suite *s);

/// First item that belongs to case `place`; `*nr` is the number of its items.
const struct suite_item *suite_items(const struct suite_item *v, size_t all, int64_t place,
                                     size_t *nr);

#endif
