/// Samples of the steps of two sides, held against each other: evidence, which decides nothing.
#ifndef GG_GATE_RANK_TEST_H
#define GG_GATE_RANK_TEST_H

#include <stddef.h>
#include <stdint.h>

/// Scaled MAD: 1.4826 times the median distance from the median of `nr` > 0 values.
int64_t scaled_mad(const int64_t *v, size_t nr);

/// Two-sided p of the Mann-Whitney test: exact for up to 20 and 20 values without ties,
/// else the normal approximation with ties and continuity. Both sides have values.
double mann_whitney(const int64_t *x, size_t nr_x, const int64_t *y, size_t nr_y);

#endif
