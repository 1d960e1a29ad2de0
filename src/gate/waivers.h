/// Failures that are known and accepted until a day.
#ifndef GG_GATE_WAIVERS_H
#define GG_GATE_WAIVERS_H

#include "base/diag.h"
#include "model/report.h"
#include "model/rule.h"

/// What a check is about, for globs.
struct select_item {
	const struct rule *rule;
	struct span label; ///< as in struct answer
	int64_t rank;
	const struct category_table *categories;
};

/// True where all globs fit the item. Of what it leaves open (a figure of all ranks), the
/// rule's own globs speak: `rank: 3` covers a rule with `select: {rank: 3}`.
bool select_covers(const struct query *globs, const struct select_item *item);

/// Number of the first waiver that covers the item, or -1.
int64_t waivers_find(const struct rules *rules, const struct select_item *item);

/// "until 2027-01-31: cuBLAS regression, issue 1234", owned by `a`.
const char *waiver_text(const struct waiver *w, struct arena *a);

/// ST_USAGE with the first waiver whose day is over.
GG_MUST_CHECK enum status waivers_check(const struct rules *rules, int64_t today,
                                        struct diag_log *log);

/// Append warnings: those that end within two weeks, and those that `used` (one flag
/// each) says excused nothing.
void waivers_warn(const struct rules *rules, int64_t today, const bool *used, struct report *out);

#endif
