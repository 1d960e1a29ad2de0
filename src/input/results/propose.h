/// Proposes a format for a result file of which none is known.
#ifndef GG_RESULTS_PROPOSE_H
#define GG_RESULTS_PROPOSE_H

#include "base/strbuf.h"
#include "io/source.h"

/// Appends the lines of a rules file that would read `src`, whose name without directories is
/// `file`: JSON, a table, or lines of a log. Nothing is appended if there is no figure in it.
GG_MUST_CHECK enum status result_propose(struct source *src, const char *file, struct strbuf *out,
                                         struct diag_log *log);

#endif
