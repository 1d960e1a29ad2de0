/// Proposes a format for a result file of which none is known.
#ifndef GG_RESULTS_PROPOSE_H
#define GG_RESULTS_PROPOSE_H

#include "base/strbuf.h"
#include "io/source.h"

/// Lines of a rules file that would read a file.
struct result_proposal {
	struct strbuf lines; ///< an element of the list `results`; empty if there is no figure
	bool is_open; ///< true if the better direction of a figure is not known
	bool is_plain; ///< true for JSON or a table with a figure whose better direction is known: the
	               ///< file is read so without any rules
};

/// Proposes a format for `src`, whose name without directories is `file`: JSON, a table, or lines
/// of a log. The caller releases the lines in any case.
GG_MUST_CHECK enum status result_propose(struct source *src, const char *file,
                                         struct result_proposal *out, struct diag_log *log);

#endif
