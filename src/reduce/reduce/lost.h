/// Launches without an activity. There are four causes: the launch runs nothing, its work had not
/// ended when the recording did, its kernel was recorded with the id of another launch, or its work
/// is lost.
#ifndef GG_REDUCE_LOST_H
#define GG_REDUCE_LOST_H

#include "model/digest.h"

struct reducer;

/// Counts the launches, and sets `settled` for those in a stream capture, which run nothing. The
/// launches must be sorted by correlation id and start, with `settled` set for those that have an
/// activity. If the profiler did not wait for the GPU at its end (`open_end`), other launches whose
/// work may have ended after the recording are pending.
void launches_settle(struct reducer *r, bool open_end, struct trust_counts *t);

/// Counts launches without an activity as pending or lost, once the steps are known. Launches in
/// incomplete steps at the end are pending. The GPU time of a lost launch is estimated by the mean
/// of launches in the same operator (or by the same call, if the launch is in no operator), else of
/// all launches.
void lost_figures(struct reducer *r, struct trust_counts *t);

/// Counts the kernels that are missing in a launch of a graph, but present in another launch of the
/// same graph. Adds their estimated time to the lost time in `t`. Without ids of nodes it is not
/// known which launches are of the same graph: such launches only count in `graph_kinds`, which is
/// compared between runs. Launches from `until` on are left out, since their work may not have
/// ended.
void lost_nodes(const struct reducer *r, int64_t until, struct trust_counts *t);

#endif
