/// The result of a suite: its cases (workloads), each with the findings of its own gate.
#ifndef GG_SUITE_SUITE_H
#define GG_SUITE_SUITE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cli/options.h"
#include "io/sink.h"
#include "model/report.h"
#include "report/writer.h"

#define SUITE_SCHEMA "gpugate-suite-1"

/// One line about a case: a finding, a warning, a fact of the machine that changed, or a check that
/// failed, warned or could not be decided. All texts are valid UTF-8 without escapes.
struct suite_item {
	int64_t of; ///< index of the case that the line belongs to
	int64_t place; ///< position among the lines of the case in the same list
	unsigned verdict; ///< enum verdict of a check or finding; else VERDICT_WARN

	/// id of a check, such as "step_time"; cause of a finding, such as "slower-kernel"; name of a
	/// fact; "warning" for a warning
	const char *id;
	const char *rule; ///< rule of an open check (check_is_open()), as --accept takes it; NULL
	                  ///< otherwise
	const char *text; ///< message of a check, title of a finding, values of a fact, or a warning

	/// cost of a finding, such as "+2.10 ms per step, 16.4 % of the step"; NULL if unknown
	const char *cost;
	const char *action; ///< action that a finding advises; NULL if there is none

	/// places of a finding as text, such as "Block › model.py:12 › aten::mul"; NULL if unknown
	const char *where;
	bool told; ///< true for a finding that reports show only as part of a cause that several cases
	           ///< share
};

/// A growable list of lines.
struct suite_items {
	struct suite_item *v;
	size_t nr, cap;
};

/// A name in a finding. Findings of several cases with one name are recognized as one cause.
struct suite_subject {
	int64_t of; ///< index of the case that the finding belongs to
	int64_t place; ///< position of the name among those of the case
	int64_t finding; ///< position of the finding among those of the case
	const char
	    *kind; ///< kind of the name, from place_kind_names; NULL: the whole run, or one figure
	const char
	    *name; ///< the name, as recorded: "aten::layer_norm"; for a rank, that of its machine
	int64_t change_pct; ///< change of what has the name, in 1e-6 percent; INT64_MIN if unknown
};

/// A cause that several cases share.
struct suite_shared {
	int64_t place; ///< position among the shared causes
	unsigned verdict; ///< the worst verdict of its findings
	const char *id; ///< cause of its findings, such as "slower-kernel"; "machine" if facts of the
	                ///< machine changed
	const char *kind, *name; ///< kind and text of the name that its findings share; or NULL
	const char *title; ///< title, such as "aten::layer_norm is slower"
	const char *text; ///< title with numbers: "aten::layer_norm is slower in 6 of 9 cases: …"
	const char *action; ///< action that its findings advise; NULL if they advise none
};

/// A case that has a shared cause.
struct suite_sharing {
	int64_t shared, of; ///< position of the cause; index of the case
};

/// The result of one case.
struct suite_case {
	int64_t place; ///< index of the case in the suite, from 0
	const char *name; ///< unique name: the workload as written in the suite file
	const char *workload; ///< name of the workload that was judged; NULL if the case was not judged
	unsigned verdict; ///< verdict of the case: a value of enum verdict, or VERDICT_ERROR
	int64_t exit_code; ///< exit code that `check` would have
	const char *text; ///< summary of the case's report (report.summary), with the key figures of
	                  ///< the run if there is no baseline; or the error message

	/// metric of the figure that says most about the case; NULL if there is none
	const char *metric;
	const char *label; ///< label of this figure in the case's report; NULL if it is the usual label
	                   ///< of the metric

	/// values and change of the figure of `metric` as text; NULL if unknown
	const char *baseline, *candidate, *change;
	const char *limit; ///< limit of this figure: "limit 3 %" or "warns beyond 10 %"; or NULL
	int64_t change_pct; ///< change of the figure of `metric` in 1e-6 percent; INT64_MIN if unknown
	bool is_worse, is_better;
	int64_t slower; ///< number of checks of times and rates that failed, warned or are undecided
	                ///< because something became slower
	int64_t false_alarms; ///< expected false alarms per unchanged run, in millionths; -1 if unknown
	int64_t plan_runs, plan_pairs; ///< number of runs, or of pairs with control runs, that would
	                               ///< decide the case; 0 if none are needed
	int64_t unconfirmed; ///< number of checks whose failure the `plan_pairs` would confirm
	const char *accept; ///< command that accepts the run; NULL if there is none
	const char *rules_file, *baseline_file; ///< paths as given; NULL if the case was not judged
};

/// The result of a suite, or of one shard of it; suite_release() releases it.
struct suite {
	struct arena arena; ///< arena that owns all strings
	const char *name; ///< name of the suite in its file
	const char *file; ///< path of the suite file; NULL if unknown
	uint64_t hash; ///< hash of the names of all cases; shards of one suite have equal hashes
	int64_t total; ///< number of cases in all shards

	/// number of this shard, from 1, and number of shards; both are 1 without shards
	int64_t shard, shards;
	VEC(struct suite_case) cases; ///< cases in the order of the suite

	/// findings and checks of all cases, warnings of reading and judging, and facts of the machine
	/// that changed, each sorted by case, then position
	struct suite_items findings, checks, warnings, machine;
	VEC(struct suite_subject) subjects; ///< names in findings, sorted by case, then position
	/* The following members are derived from the cases by suite_conclude(). */
	enum status status;
	int64_t exit_code;
	unsigned verdict;
	int64_t counts[NR_VERDICTS];
	int64_t plan_runs, plan_pairs; ///< how many runs or pairs would decide all undecided cases
	VEC(struct suite_shared) shared; ///< causes that cases share, the machine first
	VEC(struct suite_sharing) sharing; ///< the cases of each cause, sorted by cause, then case
	const char *headline; ///< headline, such as "1 of 12 cases failed (NAME), 1 undecided"
	const char *error; ///< error because of which no case was judged or a report could not be
	                   ///< written, set by suite_output(); NULL if there is none
};

/// Initialize an empty suite with one shard.
void suite_init(struct suite *s);

/// Release the memory of the suite.
void suite_release(struct suite *s);

/// Move the cases of `from`, with all that belongs to them, to `s`; `from` is empty afterwards.
void suite_take(struct suite *s, struct suite *from);

/// Sort the cases, and derive verdict, status, counts and headline from them.
void suite_conclude(struct suite *s);

/// Order of cases by their place in the suite; for vec_sort().
int suite_case_cmp(const void *a, const void *b);

/// Order of items (findings, checks, warnings, facts) by case, then by place; for vec_sort().
int suite_item_cmp(const void *a, const void *b);

/// Order of subjects by case, then by place; for vec_sort().
int suite_subject_cmp(const void *a, const void *b);

/// The elements of the sorted list that belong to the case with index `place`; borrowed.
struct suite_items suite_items_of(const struct suite_items *all, int64_t place);

/// Build the document of a suite, which borrows from `s`. The caller releases the document.
void suite_document(const struct suite *s, struct document *d);

/// Write JUnit XML with one test case for each case of the suite.
void suite_junit(const struct suite *s, struct sink *out);

/// Fill `shared` and `sharing` of a suite whose other lists are sorted, and mark the findings that
/// belong to a shared cause. Shared causes do not change verdicts.
void suite_share(struct suite *s);

/// If several cases have this verdict: the first cause that all of them share. NULL if there is
/// none.
const struct suite_shared *suite_shared_by(const struct suite *s, unsigned verdict);

/// Index in `s->cases` of the case whose `place` (index in the whole suite) is `place`; the two
/// indexes differ in a shard. If there is no such case, the index of the next one.
size_t suite_case_at(const struct suite *s, int64_t place);

/// Write the suite. The verdict and the other derived members mean something only if
/// suite_conclude() was called. A newline ends the text.
void suite_write(const struct suite *s, struct sink *out);

/// Read a file that suite_write() has written. ST_INPUT, with position and reason, if it cannot be
/// read, has the member `error`, or contradicts itself. `status` and `counts` are not in the file.
/// `out` is always initialized; the caller ends with suite_release() in any case.
GG_MUST_CHECK enum status suite_read(const char *path, struct suite *out, struct diag_log *log);

/// Like suite_read(), but reads a text in memory, which messages call `name`.
GG_MUST_CHECK enum status suite_parse(const char *name, struct span text, struct suite *out,
                                      struct diag_log *log);

/// The members of a suite in JSON (schemas/gpugate-suite-1.json).
extern const struct schema suite_schema;

/// Write every report that the options name. Also write the text to standard output, unless a
/// report goes there or `st` is an error. If it is, the reports contain the first error of the log.
/// Returns the status of the command.
GG_MUST_CHECK enum status suite_output(struct suite *s, const struct options *o, enum status st,
                                       struct diag_log *log);

/// Work that child processes do, in numbered pieces. `ctx` is passed to both functions.
struct child_work {
	void *ctx;
	/// Does piece `i` and writes its result. Runs in the child process.
	void (*work)(size_t i, void *ctx, struct sink *out);
	/// Takes the output of piece `i`. Called in any order of pieces. `died` says why the output is
	/// incomplete; NULL if it is complete.
	void (*take)(size_t i, struct span text, const char *died, void *ctx);
};

/// Do `nr` pieces of work, each in a child process, at most `at_once` (at least 1) at the same
/// time. ST_OUTPUT if a process or its pipe cannot be created: no further piece is then begun.
GG_MUST_CHECK enum status children_run(const struct child_work *c, size_t nr, size_t at_once,
                                       struct diag_log *log);

#endif
