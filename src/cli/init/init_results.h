/// Rules for the figures of result files, which `gpugate init` writes.
#ifndef GG_INIT_INIT_RESULTS_H
#define GG_INIT_INIT_RESULTS_H

#include "base/strbuf.h"
#include "model/view.h"

/// Append a rule for each figure name whose better direction is known; the rule covers all cases
/// with the figure. Returns the number of rules. If there are more names than a person would read,
/// adds no rule: a single rule on all figures is better then.
size_t init_results_add(const struct run_view *v, struct strbuf *out);

#endif
