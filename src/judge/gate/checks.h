/// From rules to checks: which items each rule is about, and the verdict on each item.
#ifndef GG_GATE_CHECKS_H
#define GG_GATE_CHECKS_H

#include "base/diag.h"
#include "diff/bench.h"
#include "gate/compare.h"
#include "gate/noise_model.h"
#include "model/report.h"
#include "model/rule.h"

/// Append the checks of `rule` to `out->checks`, with verdicts and messages. The trust findings
/// must be in `out` already. `waived` has a flag for each waiver of `rules`; checks_add() sets
/// those of the waivers that cover a failure, or a part of it. Returns ST_USAGE if the rule's
/// `select` matches nothing that either side recorded, or if the unit of a limit does not fit the
/// figure.
GG_MUST_CHECK enum status checks_add(const struct noise_model *noise, const struct rules *rules,
                                     const struct rule *rule, bool *waived, struct report *out,
                                     struct diag_log *log);

/// Sort the checks by verdict, the worst first. Checks with the same verdict stay in the order of
/// the rules; for this purpose, improved, passed and skipped checks count as having the same
/// verdict. A check whose id an earlier check has, too, gets a number at the end of its id.
void checks_arrange(struct report *out);

/// Keep only entries of items that are among the rule's `top` on at least one side (kernels and
/// collectives by time, other items by the figure of the rule), and that have at least the share
/// `min_share` of the total time on at least one side. The total is the time of all kernels for
/// figures by operator, module, annotation or place, and the time of all items for others. Sort the
/// entries by the larger of their two values, largest first. A renamed kernel is one entry.
void checks_keep_items(struct bench *b, const struct rule *rule, struct entries *entries);

/// If `rule` is a built-in rule on many items, or the user's on a pattern of figures of result
/// files, remove the entries of items that a rule of the user names and compares with the baseline:
/// the narrower rule replaces the other one. An entry that rose from 0 is also removed if a rule of
/// the user limits the item by a `max` only. Returns true if any were removed.
bool checks_drop_own(struct bench *b, const struct rules *rules, const struct rule *rule,
                     struct entries *entries);

/// Returns a sentence, owned by `a`, if the level of main's runs since the approval has changed,
/// and main's present level is worse than the baseline's value in `c`; else NULL. `e` is the entry
/// of the figure. Unless the result is NULL, `*up_to` becomes the largest change that main
/// explains, in 1e-6 percent of the baseline's value: the change from this value to main's present
/// level, plus what the broken limit of the decision `d` allows if it is in percent.
const char *main_slow_since(const struct bench *b, const struct entry *e,
                            const struct comparison *c, const struct decision *d, struct arena *a,
                            int64_t *up_to);

/// The values of `e` in all runs that `b` knows, except control runs. Runs of main under earlier
/// baselines come first, then the approved run, later runs of main, and the candidate. The trend
/// lives in `a`; the caller must release its list of points. NULL if the figure belongs to a part
/// of a run, such as a kernel or a rank, or if no run has the figure.
struct trend *trend_of(const struct bench *b, const struct entry *e, struct arena *a);

/// Set `*out` to `rule` or, for a rule on figures of result files, to a copy in arena `a` with the
/// name, unit and direction of the figure's own metric `own` (from view_metric()). In the copy, the
/// condition 'worse' has become an increase or a decrease, or is left out if neither direction is
/// better. `source` is the name of the rules file in messages. Returns ST_USAGE if the unit of a
/// limit does not fit the figure.
GG_MUST_CHECK enum status figure_rule(const struct rule *rule, const struct metric *own,
                                      const char *source, struct arena *a, const struct rule **out,
                                      struct diag_log *log);

#endif
