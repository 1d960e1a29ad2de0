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
};

struct suite_jobs {
	struct arena arena;
	VEC(struct suite_job) list; ///< in the order of the file, those of a line by name
};

enum { SUITE_CASES = 10000 };

/// The cases of `f`. ST_USAGE where two have the same name, a folder's name cannot be part of
/// one, or there are more than SUITE_CASES. Caller releases with suite_jobs_release() whatever
/// the outcome.
GG_MUST_CHECK enum status suite_expand(const struct suite_file *f, struct suite_jobs *out,
                                       struct diag_log *log);

/// Give the memory back.
void suite_jobs_release(struct suite_jobs *jobs);

#endif
