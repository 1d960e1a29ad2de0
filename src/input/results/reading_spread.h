/// For a figure that is the mean of several values: reads the spread and the number of these
/// values.
#ifndef GG_RESULTS_READING_SPREAD_H
#define GG_RESULTS_READING_SPREAD_H

#include "results/reading_figures.h"

/// The part of `key`, which the first '*' of the path `at` matched, from the first to the last
/// '*' of its step: "ttft" if `at` is "mean_*_ms" and `key` mean_ttft_ms.
struct span reading_key_part(const char *at, struct span key);

/// Fills `stdev` and `count` of `r`, which is the figure `v` of `record`, as the row of the format
/// says; `key` is the member that the first '*' of the row's path matched. Absent values leave them
/// 0.
void reading_spread(struct reading *r, struct value *record, struct value *v, struct span key);

#endif
