/// Statistics over the samples of a figure, and reductions of the values of several devices or
/// ranks to one.
#ifndef GG_METRIC_STATISTIC_H
#define GG_METRIC_STATISTIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/// How the values of several devices or ranks become one; REDUCE_EACH: each rank keeps its own.
#define REDUCES(X)             \
	X(REDUCE_MAX, "max")       \
	X(REDUCE_MIN, "min")       \
	X(REDUCE_MEDIAN, "median") \
	X(REDUCE_MEAN, "mean")     \
	X(REDUCE_EACH, "each")
enum reduce { REDUCES(ENUM_VALUE) };
extern const char *const reduce_names[]; ///< names of enum reduce, ended by NULL

/// A statistic over the samples of a figure. P90 to P99 are percentiles, STAT_TOTAL is the sum.
#define STATISTICS(X)        \
	X(STAT_MEDIAN, "median") \
	X(STAT_MEAN, "mean")     \
	X(STAT_MIN, "min")       \
	X(STAT_MAX, "max")       \
	X(STAT_P90, "p90")       \
	X(STAT_P95, "p95")       \
	X(STAT_P99, "p99")       \
	X(STAT_TOTAL, "total")
enum statistic { STATISTICS(ENUM_VALUE) };
enum { NR_STATISTICS = STAT_TOTAL + 1 };
extern const char *const stat_names[]; ///< names of enum statistic, ended by NULL

/// A statistic of `nr` > 0 samples; `samples` is not changed.
int64_t stat_of(enum statistic stat, const int64_t *samples, size_t nr);

/// Reduces `nr` > 0 values to one; not for REDUCE_EACH. `values` may be reordered.
int64_t reduce_of(enum reduce reduce, int64_t *values, size_t nr);

#endif
