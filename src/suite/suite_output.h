/// Where reports of a suite go.
#ifndef GG_SUITE_SUITE_OUTPUT_H
#define GG_SUITE_SUITE_OUTPUT_H

#include "cli/options.h"
#include "suite/suite.h"

/// Write every report that the options name, and the text to standard output unless a report went
/// there or `st` says that there is nothing to tell: the reports then hold the first error of the
/// log. The status of the command.
GG_MUST_CHECK enum status suite_output(struct suite *s, const struct options *o, enum status st,
                                       struct diag_log *log);

#endif
