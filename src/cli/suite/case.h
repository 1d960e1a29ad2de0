/// Judging one case of a suite (one of several workloads) like `gpugate check`, and the result.
#ifndef GG_SUITE_CASE_H
#define GG_SUITE_CASE_H

#include "cli/options.h"
#include "suite/expand.h"
#include "suite/suite.h"

/// Set up the options with which the command `cmd` runs for `job`: those of the suite that the
/// command has too, and those of the job. The texts are borrowed from both. The caller ends with
/// options_release().
void case_options(const struct suite_job *job, const struct options *suite, enum command cmd,
                  struct options *out);

/// Judge the case with index `place`, one of `gates` cases, and add its result to `out`.
void case_judge(const struct suite_job *job, const struct options *suite, size_t place,
                size_t gates, struct suite *out);

/// Add the result of a case that could not be judged, with its `verdict` and, in `text`, the
/// reason.
void case_add_open(struct suite *out, size_t place, const char *name, unsigned verdict,
                   enum status st, const char *text);

#endif
