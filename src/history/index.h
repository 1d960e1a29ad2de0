/// The histories of a suite on one page: a row for each case, and where they changed.
#ifndef GG_HISTORY_INDEX_H
#define GG_HISTORY_INDEX_H

#include "cli/options.h"
#include "history/course.h"
#include "store/digest_json.h"

/// What the options of `history` ask for. ST_USAGE with what is wrong.
GG_MUST_CHECK enum status course_options_read(const struct options *o, struct course_options *out,
                                              struct diag_log *log);

/// The runs of a baseline: those of its history; files of earlier versions hold them themselves.
const struct history *course_history(const struct baseline *b);

/// `history --suite`: the stored baselines that the lines of the suite file may have made. The
/// results of its cases need not be there.
GG_MUST_CHECK enum status index_courses(const struct options *o, struct diag_log *log);

#endif
