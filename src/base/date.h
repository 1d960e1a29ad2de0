/// Dates of the calendar, as numbers of days.
#ifndef GG_BASE_DATE_H
#define GG_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/// Parses "2027-01-31" to days since 1970-01-01 (Gregorian); a time may follow after 'T' (RFC 3339)
/// and is ignored. False unless the text is a day from 1970 on.
bool date_parse(struct span text, int64_t *days);

#endif
