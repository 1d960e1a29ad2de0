/// Turns the entries of a suite file into cases, with paths that exist.
#ifndef GG_SUITE_EXPAND_H
#define GG_SUITE_EXPAND_H

#include "cli/options.h"
#include "rules/suite_file.h"
#include "suite/suite.h"

/// A case of the suite, to be judged.
struct suite_job {
	/// name of the workload, unique in the suite; may contain {gpu} and {world_size}
	const char *workload;
	const char *rules, *baseline; ///< paths of rules and baseline for this case; NULL: `check`
	                              ///< looks in its default places
	const char *missing; ///< reason why the case has no results; NULL if it has results
	bool repeats; ///< true: each path is a run of its own; false: all paths are one run
	VEC(const char *) runs; ///< paths of the case's results

	/// paths of runs of the base code (control runs), recorded in turn with `runs`
	VEC(const char *) controls;
};

/// All cases of a suite; the arena owns their texts.
struct suite_jobs {
	struct arena arena;
	VEC(struct suite_job)
	list; ///< cases in the order of the file's entries; the cases of one entry are sorted by name
};

/// Largest number of cases of a suite.
enum { SUITE_CASES = 10000 };

/// Names of files in the folder of a case: its first run, its further runs, and its control runs.
#define SUITE_RUN "run.json.gz"
#define SUITE_REPEAT "repeat-%zu.json.gz"
#define SUITE_CONTROL "control-%zu.json.gz"

/// Find the cases of `f`. `kept` is a folder in which an earlier job stored runs, or NULL; a case
/// that has a folder there gets its runs from it. Fails with ST_USAGE if there is no folder `kept`,
/// if two cases have the same name, if the name of a folder cannot be part of a workload's name, or
/// if there are more than SUITE_CASES. The caller ends with suite_jobs_release() in any case.
GG_MUST_CHECK enum status suite_expand(const struct suite_file *f, const char *kept,
                                       struct suite_jobs *out, struct diag_log *log);

/// Release the memory of the cases.
void suite_jobs_release(struct suite_jobs *jobs);

/// Set up the options with which the command `cmd` runs for `job`: those of the suite that the
/// command takes, too, except the reports that the suite writes, and those of the job. The texts
/// are borrowed from both. The caller ends with options_release().
void case_options(const struct suite_job *job, const struct options *suite, enum command cmd,
                  struct options *out);

/// Judge the case with index `place`, and add its result to `out`. `gates` cases share the budget
/// of false alarms.
void case_judge(const struct suite_job *job, const struct options *suite, size_t place,
                size_t gates, struct suite *out);

/// Add the result of a case that could not be judged, with its `verdict`, the status `st` that
/// decides its exit code, and the reason in `text`.
void case_add_open(struct suite *out, size_t place, const char *name, unsigned verdict,
                   enum status st, const char *text);

#endif
