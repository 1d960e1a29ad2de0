/// The histories of a suite on one page: a row for each case, and where they changed.
#ifndef GG_HISTORY_INDEX_H
#define GG_HISTORY_INDEX_H

#include "cli/options.h"
#include "history/course.h"
#include "store/digest_json.h"

/// Read what the options of `history` ask for. Returns ST_USAGE, with an error, if an option is
/// wrong.
GG_MUST_CHECK enum status course_options_read(const struct options *o, struct course_options *out,
                                              struct diag_log *log);

/// The history of a baseline. Baselines stored by earlier versions contain their runs themselves.
const struct history *course_history(const struct baseline *b);

/// Run `history --suite`: show all stored baselines whose paths the lines of the suite file can
/// produce. The results of the cases need not exist.
GG_MUST_CHECK enum status index_courses(const struct options *o, struct diag_log *log);

#endif
