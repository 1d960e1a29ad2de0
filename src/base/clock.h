/// The time of day, which tests and reproducible builds can set by SOURCE_DATE_EPOCH.
#ifndef GG_BASE_CLOCK_H
#define GG_BASE_CLOCK_H

#include <stdint.h>

#include "base/diag.h"

/// Seconds since 1970-01-01 UTC, up to the year 9999: now, or the value of SOURCE_DATE_EPOCH
/// (reproducible-builds.org). ST_USAGE if SOURCE_DATE_EPOCH is not such a number.
GG_MUST_CHECK enum status clock_seconds(uint64_t *out, struct diag_log *log);

/// Days since 1970-01-01 UTC, by the same clock as clock_seconds().
GG_MUST_CHECK enum status clock_today(int64_t *out, struct diag_log *log);

#endif
