/// A figure of a check in all runs of the past.
#ifndef GG_GATE_TREND_H
#define GG_GATE_TREND_H

#include "diff/bench.h"
#include "model/report.h"

/// The values of `e` in all runs that `b` knows, those of earlier baselines first; owned by `a`,
/// the list by the caller. NULL where it is of a part of a run, as of a kernel or a rank, and where
/// no run has it.
struct trend *trend_of(const struct bench *b, const struct entry *e, struct arena *a);

#endif
