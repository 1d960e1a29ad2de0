/// Calendar dates, stored as numbers of days; and the current time, which SOURCE_DATE_EPOCH can
/// set.
#ifndef GG_BASE_DATE_H
#define GG_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"

/// Parses "2027-01-31" to days since 1970-01-01 (Gregorian); a time may follow after 'T' (RFC 3339)
/// and is ignored. False unless the text is a day from 1970 on.
bool date_parse(struct span text, int64_t *days);

/// Seconds since 1970-01-01 UTC, up to the year 9999: now, or the value of SOURCE_DATE_EPOCH
/// (reproducible-builds.org). ST_USAGE if SOURCE_DATE_EPOCH is not such a number.
GG_MUST_CHECK enum status clock_seconds(uint64_t *out, struct diag_log *log);

/// Days since 1970-01-01 UTC, by the same clock as clock_seconds().
GG_MUST_CHECK enum status clock_today(int64_t *out, struct diag_log *log);

#endif
