/// From rules to checks: which items a rule is about, and the verdict on each of them.
#ifndef GG_GATE_CHECKS_H
#define GG_GATE_CHECKS_H

#include "base/diag.h"
#include "gate/noise_model.h"
#include "model/report.h"
#include "model/rule.h"

/// Append the checks of `rule` to `out->checks`, with verdicts and messages. The trust findings
/// must be in `out` already. `waived` has a flag for each waiver of `rules`, which is set if the
/// waiver excuses a check. Fails with ST_USAGE if `select` matches nothing that either side
/// recorded.
GG_MUST_CHECK enum status checks_add(const struct noise_model *noise, const struct rules *rules,
                                     const struct rule *rule, bool *waived, struct report *out,
                                     struct diag_log *log);

/// Sort the checks: failures first, then in the order of the rules. Ids that several checks share
/// get a number, so that every id is unique.
void checks_arrange(struct report *out);

#endif
