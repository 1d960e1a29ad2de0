/// Launches without a kernel: finds those that run nothing, and estimates the time of lost kernels.
#ifndef GG_REDUCE_LOST_H
#define GG_REDUCE_LOST_H

#include "model/digest.h"

struct reducer;

/// Sets `settled` (no kernel is expected) in launches between "…StreamBeginCapture" and
/// "…StreamEndCapture" of their thread: such a launch is only recorded into a graph. The launches
/// must be sorted by correlation id.
void captures_settle(struct reducer *r);

/// Estimates `t->lost_ns` once the steps are known: for each kernel launch whose kernel is missing
/// (not `settled`), the mean time of the kernels of its operator, else of its call, else of all
/// kernels. A last step that was cut short is left out.
void lost_figures(struct reducer *r, struct trust_counts *t);

#endif
