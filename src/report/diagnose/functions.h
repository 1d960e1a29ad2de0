/// Internal to diagnose/: functions of a rank that behave unlike those of its peers.
#ifndef GG_DIAGNOSE_FUNCTIONS_H
#define GG_DIAGNOSE_FUNCTIONS_H

#include "model/report.h"
#include "model/view.h"

/// For each rank of the run, text on the most[rank] functions that differ most from the same
/// functions of its peers, or NULL; owned by `a`. Considers functions with 1 % of the window (the
/// recorded time) or more on the rank or on its peers, by their share of the window and, for
/// kernels and memory operations, by the time of one execution and the bytes per second. For host
/// calls and Python functions only a larger share counts, since a rank that others wait for waits
/// less itself. Communication does not count. Needs four ranks; ranks that lack steps, or whose
/// recording ends within a step, are left out.
void functions_unlike(const struct run_view *v, const size_t *most, struct arena *a,
                      const char **text);

#endif
