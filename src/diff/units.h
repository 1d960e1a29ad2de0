/// What a change of GPU time is judged by: kernels that one operator launches take each other's
/// place, their sum does not change unless the program does.
#ifndef GG_DIFF_UNITS_H
#define GG_DIFF_UNITS_H

#include "model/view.h"

/// Units of a run that are looked at, the largest first.
enum { UNITS_MOST = 40 };

/// The query whose answers are the units of a run: communication aside, which holds waiting.
struct query unit_query(void);

#endif
