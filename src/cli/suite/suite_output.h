/// Writing the reports of a suite to files and to standard output.
#ifndef GG_SUITE_SUITE_OUTPUT_H
#define GG_SUITE_SUITE_OUTPUT_H

#include "cli/options.h"
#include "suite/suite.h"

/// Write every report that the options name. Also writes the text to standard output, unless a
/// report goes there or `st` is an error. In case of an error, the reports contain the first error
/// of the log. Returns the status of the command.
GG_MUST_CHECK enum status suite_output(struct suite *s, const struct options *o, enum status st,
                                       struct diag_log *log);

#endif
