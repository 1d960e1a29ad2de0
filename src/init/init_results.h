/// Rules for the figures of result files, as `gpugate init` writes them.
#ifndef GG_INIT_INIT_RESULTS_H
#define GG_INIT_INIT_RESULTS_H

#include "base/strbuf.h"
#include "model/view.h"

/// Append a rule for each name of a figure of which the better direction is known, over all cases
/// that have it; returns how many. If there are more names than anyone would read it adds none:
/// one rule on all of them is better.
size_t init_results_add(const struct run_view *v, struct strbuf *out);

#endif
