/// Failures that are known and accepted until a day.
#ifndef GG_GATE_WAIVERS_H
#define GG_GATE_WAIVERS_H

#include "base/diag.h"
#include "model/report.h"
#include "model/rule.h"
#include "model/select.h"

/// Number of the first waiver that covers the item, or -1.
int64_t waivers_find(const struct rules *rules, const struct select_item *item);

/// ST_USAGE with the first waiver whose day is over.
GG_MUST_CHECK enum status waivers_check(const struct rules *rules, int64_t today,
                                        struct diag_log *log);

/// Append warnings: those that end within two weeks, and those that `used` (one flag
/// each) says excused nothing.
void waivers_warn(const struct rules *rules, int64_t today, const bool *used, struct report *out);

#endif
