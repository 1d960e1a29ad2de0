/// Launches whose kernel is not in the trace: those that run nothing, and what the others took.
#ifndef GG_REDUCE_LOST_H
#define GG_REDUCE_LOST_H

#include "model/digest.h"

struct reducer;

/// Settle the launches of kernels between "…StreamBeginCapture" and "…StreamEndCapture" of their
/// thread: they are recorded into a graph and run nothing. Launches are in order of correlation.
void captures_settle(struct reducer *r);

/// Estimate `t->lost_ns` once the steps are known: for each launch of a kernel that is not settled,
/// the mean of the kernels of the same operator, else of the same call, else of all. A last step
/// that was cut short is left out.
void lost_figures(struct reducer *r, struct trust_counts *t);

#endif
