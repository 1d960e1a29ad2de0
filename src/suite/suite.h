/// What is said of a suite: its cases, each with what a gate found, as one gate.
#ifndef GG_SUITE_SUITE_H
#define GG_SUITE_SUITE_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/report.h"

#define SUITE_SCHEMA "gpugate-suite-1"

/// Verdict of a case of which nothing could be judged; it follows those of a check.
enum { SUITE_ERROR = NR_VERDICTS, NR_SUITE_VERDICTS };

/// "fail", …, "error", ended by NULL; static.
extern const char *const suite_verdict_names[];

/// A failed, warned, undecided or otherwise open check of a case, or a cause of some of them. All
/// texts are valid UTF-8, not escaped.
struct suite_item {
	int64_t of; ///< case, by its place
	int64_t place; ///< among those of the case
	unsigned verdict; ///< enum verdict
	const char *id; ///< of a check "step_time", of a finding its cause, "slow-rank"
	const char *rule; ///< of a check that is not passed: what --accept takes; else NULL
	const char *text; ///< one sentence: message or title
	const char *cost; ///< of a finding: "+2.10 ms per step (16.4 % of it)"; NULL unknown
	const char *action; ///< of a finding: what to do; NULL none
};

struct suite_case {
	int64_t place; ///< in the suite, from 0
	const char *name; ///< unique: the workload as the suite names it
	const char *workload; ///< as it was judged; NULL where it was not
	unsigned verdict; ///< enum verdict or SUITE_ERROR
	int64_t exit_code; ///< what `check` would end with
	const char *text; ///< headline or error
	const char *metric; ///< of the figure that says most; NULL none
	const char *baseline, *candidate, *change; ///< the figure for people; NULL none
	int64_t change_pct; ///< 1e-6 percent; INT64_MIN unknown
	bool is_worse, is_better;
	int64_t false_alarms; ///< expected of an unchanged run, 1e-6; -1 unknown
	int64_t plan_runs, plan_pairs; ///< what would decide it; 0 and 0: nothing
	const char *accept; ///< the command that accepts the run; NULL none
};

struct suite {
	struct arena arena; ///< owns every string
	const char *name; ///< what the file calls the suite
	uint64_t hash; ///< of the names of all cases
	int64_t total; ///< cases of all shards
	int64_t shard, shards; ///< 1 and 1: the whole suite
	VEC(struct suite_case) cases; ///< by place
	VEC(struct suite_item) findings, checks; ///< by case, then place
	VEC(struct suite_item) warnings; ///< of reading and judging, the same
	/* formed from the cases */
	enum status status;
	int64_t exit_code;
	unsigned verdict;
	int64_t counts[NR_SUITE_VERDICTS];
	int64_t plan_runs, plan_pairs; ///< what would decide every case that is undecided
	const char *headline; ///< "2 of 12 cases failed, 1 undecided"
	const char *error; ///< nothing is known of the suite, and why; NULL none
};

/// An empty suite of one shard.
void suite_init(struct suite *s);

/// Give the memory back.
void suite_release(struct suite *s);

/// Append the cases of `from` and what hangs below them; `from` is left without.
void suite_take(struct suite *s, struct suite *from);

/// Bring the cases into order and form verdict, status, counts and headline of them.
void suite_conclude(struct suite *s);

/// First of the items that belong to case `place`; `*nr` of them.
const struct suite_item *suite_items(const struct suite_item *v, size_t all, int64_t place,
                                     size_t *nr);

#endif
