/// Breakdown of a change of memory by category, site and line, in parts that add up.
#ifndef GG_DIFF_BREAKDOWN_MEMORY_H
#define GG_DIFF_BREAKDOWN_MEMORY_H

#include "diff/bench.h"
#include "model/report.h"

/// Breakdown of the change of `e`, an entry for the query `q` on a memory metric, from `baseline`.
/// It compares the two memories of memory_pair_find(); a last row has the part of the change that
/// these two do not show, because other runs are part of the sides' values. `a` owns the breakdown,
/// the caller its list of parts. NULL if there are no such memories or no data. `*where` becomes a
/// text such as "most of it at train.py:forward", or NULL.
struct breakdown *breakdown_of_memory(const struct bench *b, const struct query *q,
                                      const struct entry *e, int64_t baseline, struct arena *a,
                                      const char **where);

/// Append a row for each category in the two memories of memory_pair_find(), with the category's
/// largest tensor on both sides.
void memory_scaling(const struct bench *b, const struct query *q, const struct entry *e,
                    struct report *out);

#endif
