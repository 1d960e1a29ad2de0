/// A script for `git bisect run`.
#ifndef GG_HISTORY_BISECT_H
#define GG_HISTORY_BISECT_H

#include "base/diag.h"
#include "history/course.h"

/// Write the script that finds the commit of the newest change for the worse. The script calls a
/// run bad if its figure is beyond the middle between the levels before and after the change.
/// Fails with ST_INPUT if there is no such change, or the runs next to it have no commits.
GG_MUST_CHECK enum status bisect_write(struct course *t, struct sink *out, struct diag_log *log);

/// The commit of a run, cut to 40 digits, as git takes it; NULL if the run does not say it.
const char *bisect_commit(struct arena *a, const struct course_run *r);

#endif
