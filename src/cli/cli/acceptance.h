/// Approval of a run: whether it may become the pin (the approved run) of a baseline, the
/// provenance that is stored with it, and links to the job in the CI system.
#ifndef GG_CLI_ACCEPTANCE_H
#define GG_CLI_ACCEPTANCE_H

#include "cli/options.h"
#include "model/digest.h"
#include "model/history.h"
#include "model/report.h"
#include "model/rule.h"

/// The options that are still needed to make the `nr` runs a baseline, such as " --accept
/// lost-kernels": one for each trust finding that makes a judged figure unreliable and that `o`
/// does not accept. "" if none is needed. `*why` becomes the message of the first such finding.
/// `first`: true if there is no baseline yet; a rank of the job that the run lacks is then a
/// finding, too. Owned by `a`.
const char *acceptance_needed(const struct run *runs, size_t nr, bool first,
                              const struct rules *rules, const struct options *o, const char **why,
                              struct arena *a);

/// Fails with ST_INPUT if acceptance_needed() returns any option.
GG_MUST_CHECK enum status acceptance_books(const struct run *runs, size_t nr, bool first,
                                           const struct rules *rules, const struct options *o,
                                           struct diag_log *log);

/// True if a figure of the run could not be judged for another reason than the trust findings that
/// --accept names.
bool acceptance_is_unsure(const struct report *r, const struct options *o);

/// Decide whether the judged run may be approved. ST_INPUT if no check judged anything, or if a
/// trust finding that --accept does not name makes a judged figure unreliable. ST_FAILED or
/// ST_INPUT if a check is open (check_is_open()), and --accept names neither its rule nor its item
/// nor the finding that it belongs to. ST_USAGE if --accept has an unknown name. `all`: as if
/// --accept named all rules.
GG_MUST_CHECK enum status acceptance_judge(const struct report *r, const struct options *o,
                                           bool all, struct diag_log *log);

/// The provenance that the options give. What they do not give comes from the run's context (only
/// the commit), else from the environment variables of GitHub Actions, GitLab CI or Jenkins or,
/// outside of these, from git (but not the reason). Texts are one line of limited length, owned by
/// `a`. ST_USAGE if SOURCE_DATE_EPOCH is not a time (clock_seconds()).
GG_MUST_CHECK enum status provenance_of(const struct options *o, const struct run *run,
                                        struct arena *a, struct provenance *out,
                                        struct diag_log *log);

/// Links to the job of the CI system in which this process runs. Texts are owned by `a` or by the
/// environment; addresses contain no characters that must be escaped.
void provenance_links(struct arena *a, struct ci_links *out);

#endif
