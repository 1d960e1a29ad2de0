/// One gate: it reads and judges a run, and makes the report.
#ifndef GG_CLI_CHECK_H
#define GG_CLI_CHECK_H

#include "cli/candidates.h"
#include "model/diagnosis.h"
#include "model/report.h"
#include "model/view.h"

/// All that a gate reads and makes; check_end() releases it.
struct check_job {
	struct setup setup;
	struct candidates candidates;
	struct baseline b; ///< the baseline; it has no ranks if no baseline exists
	const char *path; ///< path of the baseline; "" if unknown
	struct report report; ///< the report, which borrows from the other members
};

/// Read and judge what the options of `check` name. The gate is one of `gates` gates that share a
/// budget of false alarms. ST_OK: the report has the verdict; else the first error in the log says
/// why nothing was judged. The caller ends with check_end() in any case.
GG_MUST_CHECK enum status check_begin(struct check_job *j, const struct options *o, size_t gates,
                                      struct diag_log *log);

/// Complete the report `out` of candidates_judge(): add the findings and, for candidate and
/// baseline, the table of ranks and an analysis. The analysis is complete only if the report is
/// also written as an HTML `page`. If a check failed or warned, also add those recommendations for
/// the candidate that do not hold for the baseline, too.
void check_explain(const struct candidates *c, const struct setup *s, const struct baseline *b,
                   bool page, struct report *out);

/// Release everything that the job owns.
void check_end(struct check_job *j);

/// The one of two statuses that decides the exit code: the one that comes first in the order usage
/// error, output error, baseline, unusable input, failed check.
enum status worse_status(enum status a, enum status b);

#endif
