/// A rule on figures of metrics files, adapted to the unit of one figure.
#ifndef GG_GATE_FIGURE_RULE_H
#define GG_GATE_FIGURE_RULE_H

#include "base/diag.h"
#include "model/rule.h"

/// Set `*out` to `rule` or, for a rule on figures of metrics files, to a copy in arena `a` with
/// name, unit and direction of the figure's metric `own` (see view_metric()). The condition
/// 'worse' becomes an increase or a decrease, or is left out if the figure has no direction.
/// Returns ST_USAGE if a limit has a unit that does not fit the figure.
GG_MUST_CHECK enum status figure_rule(const struct rule *rule, const struct metric *own,
                                      const char *source, struct arena *a, const struct rule **out,
                                      struct diag_log *log);

#endif
