/// Whether a run may become the pin (the approved run) of a baseline.
#ifndef GG_CLI_ACCEPTANCE_H
#define GG_CLI_ACCEPTANCE_H

#include "cli/options.h"
#include "model/report.h"
#include "model/rule.h"

/// Returns ST_INPUT if trust findings on the run make its figures unreliable, and the report's
/// status if a check did not pass and --accept names neither its rule nor its item. ST_USAGE if
/// --accept names nothing. `all`: as if --accept named all rules.
GG_MUST_CHECK enum status acceptance_judge(const struct report *r, const struct options *o,
                                           bool all, struct diag_log *log);

#endif
