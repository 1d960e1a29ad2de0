/// The provenance of a run that a baseline stores.
#ifndef GG_CLI_PROVENANCE_H
#define GG_CLI_PROVENANCE_H

#include "cli/options.h"
#include "model/history.h"
#include "model/report.h"

/// The provenance from the options; what they do not give comes from the run's context (only the
/// commit), else from the environment variables of GitHub Actions, GitLab CI or Jenkins. Texts are
/// one line of limited length, owned by `a`. ST_USAGE if the clock is wrong.
GG_MUST_CHECK enum status provenance_of(const struct options *o, const struct run *run,
                                        struct arena *a, struct provenance *out,
                                        struct diag_log *log);

/// Links to the job of the CI system in which this process runs. Texts are owned by `a` or by the
/// environment; addresses contain nothing that needs escapes.
void provenance_links(struct arena *a, struct ci_links *out);

#endif
