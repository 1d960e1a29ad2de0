/// Waivers: failures that are known and accepted until a certain day.
#ifndef GG_GATE_WAIVERS_H
#define GG_GATE_WAIVERS_H

#include "base/diag.h"
#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"
#include "model/select.h"

/// Index of the first waiver that covers the item, or -1 if no waiver does. `best`: the result of
/// waivers_names() for the item's rule.
int64_t waivers_find(const struct rules *rules, const unsigned char *best, struct select_item item);

/// An array, owned by `a`, with an element for each waiver: the best fit (enum name_fit) of the
/// waiver's name to one of the rule's `items`. FIT_NONE for waivers that do not apply to the rule,
/// or name no item.
const unsigned char *waivers_names(const struct rules *rules, const struct rule *rule,
                                   const struct entries *items, struct arena *a);

/// Returns ST_USAGE, with an error that names the waiver, if the end date of a waiver has passed.
GG_MUST_CHECK enum status waivers_check(const struct rules *rules, int64_t today,
                                        struct diag_log *log);

/// Warn of waivers that cannot excuse anything: no rule judges what they name, or no item in the
/// runs of `b` has the name. `b` may be NULL: items are then not looked at.
void waivers_lint(const struct rules *rules, struct bench *b, struct diag_log *log);

/// Append warnings for waivers that end within two weeks, and for waivers that excused no check. An
/// entry of `allow` that only had nothing to excuse gets no warning. `used` has a flag for each
/// waiver: true if the waiver covered a failure. `only_own`: only the user's own limits were
/// judged, since there is no baseline.
void waivers_warn(const struct rules *rules, int64_t today, const bool *used, bool only_own,
                  struct bench *b, struct report *out);

/// The query for the items that `w` names. `w` must be an entry of `allow` that names a kernel, an
/// operator or a module.
struct query allow_query(const struct waiver *w);

/// True if entries of `allow` that name items, such as kernels, also apply to the metric. They
/// apply to all metrics that are times.
bool allow_is_for(const struct metric *m);

/// Change of the part "compute" of a breakdown of the wall time, in ns; 0 if there is no such part.
int64_t allow_compute(const struct breakdown *of);

/// How much of a rise the entry `w` of `allow` covers; `of` is the breakdown of the rise. Each item
/// that `w` names covers its own growth in the breakdown, up to the percentage of its time in the
/// baseline that `w` allows. The sum is at most the rise.
int64_t allow_part(struct bench *b, const struct waiver *w, const struct breakdown *of);

#endif
