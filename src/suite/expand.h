/// Lines of a suite file → its cases, with the paths that are there.
#ifndef GG_SUITE_EXPAND_H
#define GG_SUITE_EXPAND_H

#include "rules/suite_file.h"

/// A case to be judged.
struct suite_job {
	const char *workload; ///< unique in the suite; may hold {gpu} and {world_size}
	const char *rules, *baseline; ///< NULL: as `check` takes them
	const char *missing; ///< why there are no results; NULL: there are
	bool repeats; ///< each path is a run of its own
	VEC(const char *) runs; ///< paths
	VEC(const char *) controls; ///< paths of runs of the base, each in turn with one of `runs`
};

struct suite_jobs {
	struct arena arena;
	VEC(struct suite_job) list; ///< in the order of the file, those of a line by name
};

enum { SUITE_CASES = 10000 };

/// File of a run in the folder of a case: its first, one more, one of the base.
#define SUITE_RUN "run.json.gz"
#define SUITE_REPEAT "repeat-%zu.json.gz"
#define SUITE_CONTROL "control-%zu.json.gz"

/// The cases of `f`. A case that has a folder in `kept` has the runs that are there; NULL: none
/// has. ST_USAGE where two have the same name, a folder's name cannot be part of one, or there are
/// more than SUITE_CASES. Caller releases with suite_jobs_release() whatever the outcome.
GG_MUST_CHECK enum status suite_expand(const struct suite_file *f, const char *kept,
                                       struct suite_jobs *out, struct diag_log *log);

/// Give the memory back.
void suite_jobs_release(struct suite_jobs *jobs);

#endif
