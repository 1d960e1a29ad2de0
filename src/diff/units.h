/// What a change of GPU time is judged by: kernels that one operator launches take each other's
/// place, their sum does not change unless the program does.
#ifndef GG_DIFF_UNITS_H
#define GG_DIFF_UNITS_H

#include "model/view.h"

/// Units of a run that are looked at, the largest first.
enum { UNITS_MOST = 20 };

/// What units are: the operators that launched, or categories of kernels where a trace does not
/// know them.
enum unit_kind { UNITS_OPERATORS, UNITS_CATEGORIES, NR_UNIT_KINDS };

/// The query whose answers are the units of a run: communication aside, which holds waiting.
struct query unit_query(enum unit_kind kind);

/// Name of the unit that kernel `name`, a match name, is of; empty where none is known. Borrowed
/// from `v`.
struct span unit_of_kernel(const struct run_view *v, enum unit_kind kind, struct span name);

/// Mean duration in ns of what the unit of that name launched; 0 unknown.
double unit_mean_launch(const struct run_view *v, enum unit_kind kind, struct span unit);

#endif
