/// Checking a stored baseline, and a rules file against the noise in its runs.
#ifndef GG_CLI_LINT_NOISE_H
#define GG_CLI_LINT_NOISE_H

#include "cli/options.h"

/// Append to `out` how noisy the checks of the rules file `rules` are in the baseline that the
/// options name: spread, noise and false alarms of each check, and the rules that can judge nothing
/// of it. Warns of limits below the noise.
/// ST_BASELINE if the baseline cannot be used with these rules.
GG_MUST_CHECK enum status lint_noise(const struct options *o, const char *rules, struct sink *out,
                                     struct diag_log *log);

/// Append to `out` that the baseline at `path` (NULL: that of the rules) is sound, and warn of what
/// is missing in it. ST_BASELINE if it cannot be used with the rules.
GG_MUST_CHECK enum status lint_baseline(const struct options *o, const char *path, struct sink *out,
                                        struct diag_log *log);

#endif
