/// From the entries of a suite file to its cases, with the paths that exist.
#ifndef GG_SUITE_EXPAND_H
#define GG_SUITE_EXPAND_H

#include "rules/suite_file.h"

/// A case to judge.
struct suite_job {
	const char *workload; ///< name, unique in the suite; may contain {gpu} and {world_size}
	const char *rules, *baseline; ///< paths for this case; NULL: as `check` finds them
	const char *missing; ///< why there are no results; NULL if there are results
	bool repeats; ///< true: each path is a separate run
	VEC(const char *) runs; ///< paths of the results
	VEC(const char *) controls; ///< paths of runs of the base, each in turn with one of `runs`
};

struct suite_jobs {
	struct arena arena;
	VEC(struct suite_job) list; ///< in the order of the file; cases of one entry are sorted by name
};

enum { SUITE_CASES = 10000 };

/// File of a run in the folder of a case: its first, one more, one of the base.
#define SUITE_RUN "run.json.gz"
#define SUITE_REPEAT "repeat-%zu.json.gz"
#define SUITE_CONTROL "control-%zu.json.gz"

/// Find the cases of `f`. A case that has a folder in `kept` (NULL: there are none) has the runs
/// that are there. Fails with ST_USAGE if two have the same name, a folder's name cannot be part of
/// a workload, or there are more than SUITE_CASES. The caller releases with suite_jobs_release() in
/// any case.
GG_MUST_CHECK enum status suite_expand(const struct suite_file *f, const char *kept,
                                       struct suite_jobs *out, struct diag_log *log);

/// Release the memory of the cases.
void suite_jobs_release(struct suite_jobs *jobs);

#endif
