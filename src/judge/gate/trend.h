/// The figure of a check in all past runs.
#ifndef GG_GATE_TREND_H
#define GG_GATE_TREND_H

#include "diff/bench.h"
#include "model/report.h"

/// Values of `e` in all runs that `b` knows, sorted by time; runs of earlier baselines come first.
/// `a` owns the trend; the caller releases its list. NULL if the figure belongs to a part of a
/// run, such as a kernel or a rank, or if no run has it.
struct trend *trend_of(const struct bench *b, const struct entry *e, struct arena *a);

#endif
