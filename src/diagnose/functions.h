/// Internal to diagnose/: functions of a rank that are unlike those of its peers.
#ifndef GG_DIAGNOSE_FUNCTIONS_H
#define GG_DIAGNOSE_FUNCTIONS_H

#include "model/report.h"
#include "model/view.h"

/// For each rank of the run the most[rank] functions that are most unlike its peers', NULL where
/// none is; owned by `a`. Functions of 1 % of the window or more on it or on its peers: the
/// share of the window (of calls and frames a larger one: who is awaited waits less), for
/// compute and memory the cost of an execution and the rate; not communication. Nothing
/// below four ranks; ranks that lack steps or end within one are left out.
void functions_unlike(const struct run_view *v, const size_t *most, struct arena *a,
                      const char **text);

#endif
