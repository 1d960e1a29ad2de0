/// Whether a run may become the pin of a baseline.
#ifndef GG_CLI_ACCEPTANCE_H
#define GG_CLI_ACCEPTANCE_H

#include "cli/options.h"
#include "model/report.h"
#include "model/rule.h"

/// ST_USAGE where --accept names a rule that there is not.
GG_MUST_CHECK enum status acceptance_check(const struct options *o, const struct rules *rules,
                                           struct diag_log *log);

/// ST_INPUT where the run's own evidence does not hold, and the status of the report
/// where a check that is not passed is of no rule that --accept names (`all`: of none
/// at all is fine).
GG_MUST_CHECK enum status acceptance_judge(const struct report *r, const struct options *o,
                                           bool all, struct diag_log *log);

#endif
