/// Rules to checks: which items a rule is about, and the verdict on each.
#ifndef GG_GATE_CHECKS_H
#define GG_GATE_CHECKS_H

#include "base/diag.h"
#include "gate/noise_model.h"
#include "model/report.h"
#include "model/rule.h"

/// Append the checks of `rule` to `out->checks`, judged and worded. The trust
/// findings must be in `out` already. ST_USAGE where `select` fits nothing on
/// either side of what was recorded. `waived`, a flag for each waiver of `rules`, is set
/// for those that excuse a check.
GG_MUST_CHECK enum status checks_add(const struct noise_model *noise, const struct rules *rules,
                                     const struct rule *rule, bool *waived, struct report *out,
                                     struct diag_log *log);

/// Failures first, then the order of the rules; ids become unique.
void checks_arrange(struct report *out);

#endif
