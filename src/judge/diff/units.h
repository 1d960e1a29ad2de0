/// Units by which a change of GPU time is judged: operators, or categories of kernels. The kernels
/// of one operator may replace each other by chance, but the sum of their times changes only if the
/// program changes.
#ifndef GG_DIFF_UNITS_H
#define GG_DIFF_UNITS_H

#include "model/view.h"

/// Largest number of operators, and of categories, whose GPU time a past run stores: those with the
/// most time.
enum { UNITS_MOST = 20 };

/// Kind of the units: operators that launched kernels, or categories of kernels, where too little
/// time has a known operator.
enum unit_kind { UNITS_OPERATORS, UNITS_CATEGORIES, NR_UNIT_KINDS };

/// The query for the GPU time of a run's operators or categories. It leaves communication out,
/// since its time includes waiting.
struct query unit_query(enum unit_kind kind);

/// Name of the operator that launches a kernel, or of the kernel's category, by `kind`; empty if
/// unknown. `name` is the name by which rules match the kernel. Borrowed from `v`.
struct span unit_of_kernel(const struct run_view *v, enum unit_kind kind, struct span name);

/// Mean duration in ns of the kernels that the operator launched, or that are in the category; 0 if
/// unknown.
double unit_mean_launch(const struct run_view *v, enum unit_kind kind, struct span unit);

#endif
