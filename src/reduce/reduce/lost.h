/// Launches without an activity: those that run nothing, those whose work had not ended, those
/// whose kernel has another launch, and those whose work is lost.
#ifndef GG_REDUCE_LOST_H
#define GG_REDUCE_LOST_H

#include "model/digest.h"

struct reducer;

/// Counts the launches, which must be sorted by correlation id and start, with `settled` set where
/// an activity has the id. Finds the captures (graphs_find()). Where the first call with an id has
/// no activity and was made in a capture, it becomes `settled` (graphs_take()). With `open_end`,
/// launches that are not `settled` and whose work may have ended after the recording are pending.
void launches_settle(struct reducer *r, bool open_end, struct trust_counts *t);

/// Divides the launches without an activity once the steps are known, and estimates the time of the
/// lost ones: the mean time of the work of launches in the same operator, else by the same call,
/// else of all. Launches in a last step that was cut short are pending.
void lost_figures(struct reducer *r, struct trust_counts *t);

/// Counts the kernels that a graph launch lacks and another launch of the same graph has, and adds
/// their time to what is lost. Launches from `until` on may lack some.
void lost_nodes(const struct reducer *r, int64_t until, struct trust_counts *t);

#endif
