/// A gate of a suite: judged as `check` does it, and what it comes to.
#ifndef GG_SUITE_CASE_H
#define GG_SUITE_CASE_H

#include "cli/options.h"
#include "suite/expand.h"
#include "suite/suite.h"

/// The options with which `cmd` runs for `job`: those of the suite that it has too, and the job's
/// own. Borrowed from both; caller ends with options_release().
void case_options(const struct suite_job *job, const struct options *suite, enum command cmd,
                  struct options *out);

/// Judge case number `place` of `gates`, and add it to `out`.
void case_judge(const struct suite_job *job, const struct options *suite, size_t place,
                size_t gates, struct suite *out);

/// Add a case that nothing was judged of.
void case_add_open(struct suite *out, size_t place, const char *name, unsigned verdict,
                   enum status st, const char *text);

#endif
