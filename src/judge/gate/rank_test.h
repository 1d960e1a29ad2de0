/// Statistical comparison of the steps of two sides: shown as evidence, without effect on
/// verdicts.
#ifndef GG_GATE_RANK_TEST_H
#define GG_GATE_RANK_TEST_H

#include <stddef.h>
#include <stdint.h>

/// Scaled MAD: 1.4826 times the median distance from the median of `nr` > 0 values.
int64_t scaled_mad(const int64_t *v, size_t nr);

/// Two-sided p value of the Mann-Whitney test. Exact for up to 20 values per side without ties,
/// else the normal approximation corrected for ties and continuity. Each side must have a value.
double mann_whitney(const int64_t *x, size_t nr_x, const int64_t *y, size_t nr_y);

#endif
