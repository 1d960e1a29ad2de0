/// What breakdowns are built from: parts by size, the small ones folded.
#ifndef GG_DIFF_BREAKDOWN_H
#define GG_DIFF_BREAKDOWN_H

#include <stddef.h>

#include "model/report.h"

/// Parts shown below one part; the rest is one row.
enum { PARTS_SHOWN = 5 };

/// The part that the baseline's later runs had moved already.
#define PART_LATER "later runs of the baseline"
#define PART_LATER_DETAIL "against the approved one"

struct parts {
	struct arena *arena;
	struct breakdown *out; ///< owned by `arena`, its parts by whom it is given to
};

/// An empty breakdown of `change`.
struct parts parts_new(struct arena *a, const char *title, enum unit unit, int64_t change);

/// Append a part.
void parts_add(const struct parts *p, int level, const char *label, int64_t change,
               const char *detail);

/// Append the row "3 other kernels" where `nr` parts were folded and do not cancel out.
void parts_add_rest(const struct parts *p, int level, const char *what, const char *plural,
                    size_t nr, int64_t change);

/// Below 1 % of the whole change.
bool parts_is_small(const struct parts *p, int64_t change);

/// Order of changes: the larger first, whatever the sign.
int parts_order(int64_t a, int64_t b);

#endif
