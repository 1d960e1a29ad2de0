/// Days of the calendar.
#ifndef GG_BASE_DATE_H
#define GG_BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/// "2027-01-31", as days since 1970-01-01 (Gregorian); a time may follow behind 'T' (RFC
/// 3339) and is not looked at. False where it is not a day from 1970 on.
bool date_parse(struct span text, int64_t *days);

#endif
