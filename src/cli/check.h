/// A gate: what is judged, up to its report.
#ifndef GG_CLI_CHECK_H
#define GG_CLI_CHECK_H

#include "cli/candidates.h"

struct check_job {
	struct setup setup;
	struct candidates candidates;
	struct baseline b; ///< without ranks where there is none, and none is needed
	const char *path; ///< of the baseline; "" not known
	struct report report; ///< borrows from the rest
};

/// Read and judge what the options of `check` name, as one of `gates` that share a budget of false
/// alarms. ST_OK: the report holds the verdict; else the first error of the log says why nothing
/// was judged. Caller ends with check_end() whatever the outcome.
GG_MUST_CHECK enum status check_begin(struct check_job *j, const struct options *o, size_t gates,
                                      struct diag_log *log);

/// Give the memory back.
void check_end(struct check_job *j);

/// The one that decides the exit code where both apply: usage, output, baseline, unusable input,
/// a failed check.
enum status worse_status(enum status a, enum status b);

#endif
