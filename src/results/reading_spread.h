/// What a file says of the values that a figure is a mean of.
#ifndef GG_RESULTS_READING_SPREAD_H
#define GG_RESULTS_READING_SPREAD_H

#include "results/reading_figures.h"

/// Fill `stdev` and `count` of `r`, that of the figure `v` of `record`, as its row says; `key` is
/// the member that the first '*' of the row's path fits. What is absent leaves them 0.
void reading_spread(struct reading *r, struct value *record, const struct value *v,
                    struct span key);

#endif
