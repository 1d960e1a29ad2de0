/// A rule on figures of files, in the unit of one of them.
#ifndef GG_GATE_FIGURE_RULE_H
#define GG_GATE_FIGURE_RULE_H

#include "base/diag.h"
#include "model/rule.h"

/// `rule`, or where it is on figures of files a copy of it with name, unit and direction of `own`
/// (view_metric()), which is owned by `a`: 'worse' is an increase, a decrease or left out. ST_USAGE
/// where a limit has another unit than the figure.
GG_MUST_CHECK enum status figure_rule(const struct rule *rule, const struct metric *own,
                                      const char *source, struct arena *a, const struct rule **out,
                                      struct diag_log *log);

#endif
