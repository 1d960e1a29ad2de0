/// Parts of `lint`: how a rules file fits a stored baseline (limits below the noise of its runs),
/// and what a baseline lacks. Parts of `explain`: rules that judge a metric, and items of the
/// baseline.
#ifndef GG_CLI_LINT_NOISE_H
#define GG_CLI_LINT_NOISE_H

#include "cli/options.h"
#include "model/rule.h"

/// Append to `out` how noisy the checks of the rules file `rules` are for the baseline that the
/// options name: spread, noise and false alarms of each check, and the rules that can judge no
/// figure of the baseline. Warns of limits below the noise. ST_BASELINE if the baseline cannot be
/// used with these rules.
GG_MUST_CHECK enum status lint_noise(const struct options *o, const char *rules, struct sink *out,
                                     struct diag_log *log);

/// Append to `out` that the baseline at `path` (NULL: the path from --baseline, else from the
/// rules) is sound, and warn of what it lacks. ST_BASELINE if it cannot be read or used with the
/// rules, or if its figures contradict each other.
GG_MUST_CHECK enum status lint_baseline(const struct options *o, const char *path, struct sink *out,
                                        struct diag_log *log);

/// The ids of the rules that check the metric, as a text, or "no rule". Owned by the rules.
const char *explain_judges(const struct metric *m, struct rules *rules);

/// Text on the items of the baseline that are called `name`: for each its whole name, its figure,
/// and the keys by which a rule can select it. NULL if there is no baseline or no such item. If the
/// baseline has a figure of a result file with this name, `*figure` becomes its metric instead.
/// Owned by the rules.
const char *explain_items(const struct options *o, const char *name, struct rules *rules,
                          const struct metric **figure);

#endif
