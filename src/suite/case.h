/// One case of a suite, judged like `gpugate check`, and its result.
#ifndef GG_SUITE_CASE_H
#define GG_SUITE_CASE_H

#include "cli/options.h"
#include "suite/expand.h"
#include "suite/suite.h"

/// Set up the options with which `cmd` runs for `job`: those of the suite that the command has too,
/// and the job's own. Borrowed from both. The caller ends with options_release().
void case_options(const struct suite_job *job, const struct options *suite, enum command cmd,
                  struct options *out);

/// Judge case `place` of `gates` cases, and add the result to `out`.
void case_judge(const struct suite_job *job, const struct options *suite, size_t place,
                size_t gates, struct suite *out);

/// Add a case that could not be judged.
void case_add_open(struct suite *out, size_t place, const char *name, unsigned verdict,
                   enum status st, const char *text);

#endif
