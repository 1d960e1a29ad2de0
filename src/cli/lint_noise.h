/// What the runs of a baseline say of a rules file.
#ifndef GG_CLI_LINT_NOISE_H
#define GG_CLI_LINT_NOISE_H

#include "cli/options.h"

/// Append to `out` what the baseline of the options makes of the rules file `rules`:
/// spread, noise and false alarms of each check; warn of limits below the noise.
/// ST_BASELINE where it cannot be used with them.
GG_MUST_CHECK enum status lint_noise(const struct options *o, const char *rules, struct sink *out,
                                     struct diag_log *log);

#endif
