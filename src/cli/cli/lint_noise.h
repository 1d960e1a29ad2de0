/// Checking a rules file against the noise in a baseline's runs.
#ifndef GG_CLI_LINT_NOISE_H
#define GG_CLI_LINT_NOISE_H

#include "cli/options.h"

/// Append to `out` how noisy the checks of the rules file `rules` are in the baseline that the
/// options name: spread, noise and false alarms of each check, and the rules that can judge nothing
/// of it. Warns of limits below the noise.
/// ST_BASELINE if the baseline cannot be used with these rules.
GG_MUST_CHECK enum status lint_noise(const struct options *o, const char *rules, struct sink *out,
                                     struct diag_log *log);

#endif
