/// What a change of GPU time is judged by: kernels that one operator launches take each other's
/// place, their sum does not change unless the program does.
#ifndef GG_DIFF_UNITS_H
#define GG_DIFF_UNITS_H

#include "model/view.h"

/// Units of a run that are looked at, the largest first.
enum { UNITS_MOST = 40 };

/// The query whose answers are the units of a run.
struct query unit_query(void);

/// True for the units that no rank waits in for others.
bool unit_is_compute(const struct naming *naming, struct span label);

#endif
