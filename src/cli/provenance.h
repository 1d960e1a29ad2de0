/// Where a run that a baseline stores came from.
#ifndef GG_CLI_PROVENANCE_H
#define GG_CLI_PROVENANCE_H

#include "cli/options.h"
#include "model/history.h"
#include "model/report.h"

/// What the options say; of what they do not, what the run's context says (commit), then
/// the environment variables of GitHub Actions, GitLab CI or Jenkins. Texts are one line
/// of limited length, owned by `a`. ST_USAGE where the clock is set wrongly.
GG_MUST_CHECK enum status provenance_of(const struct options *o, const struct run *run,
                                        struct arena *a, struct provenance *out,
                                        struct diag_log *log);

/// What the CI system around this process says of itself. Texts are owned by `a` or by the
/// environment; addresses hold nothing that has to be escaped.
void provenance_links(struct arena *a, struct ci_links *out);

#endif
