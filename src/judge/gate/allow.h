/// Kernels, operators and modules that may take longer (`allow` of the rules), in figures that
/// contain them.
#ifndef GG_GATE_ALLOW_H
#define GG_GATE_ALLOW_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// True if `allow` applies to figures of this metric: times.
bool allow_is_for(const struct metric *m);

/// How much of the change of a figure that went up, with the given breakdown, `w` allows: what its
/// items grew by, as the breakdown says it, up to the share of their time in the baseline that
/// `w` names, and at most the change.
int64_t allow_part(struct bench *b, const struct waiver *w, const struct breakdown *of);

#endif
