/// Fills in the parts of a report that `check` and `diff` have in common.
#ifndef GG_GATE_SIDES_H
#define GG_GATE_SIDES_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// Fill out->baseline from the baseline (NULL if there is none yet), out->candidate from the first
/// of the candidate's `nr` runs, and out->kernels from all of them. Set `partial` if a run was read
/// only in part (--quick). Set `same_artifact`, and add a warning, if any of the candidate's runs
/// is the baseline itself.
void sides_fill(const struct run *baseline, const struct run *candidates, size_t nr,
                struct report *out);

/// Warn of rules with `ranks: each` if a side is folded and its ranks differ: such rules then
/// compare only the worst rank of each side, and do not see changes of the others.
void sides_warn_of_each(const struct bench *b, const struct rules *rules, struct report *out);

/// True if all ranks of both runs come from identical artifacts.
bool sides_same_artifact(const struct run *x, const struct run *y);

/// Report the figures of result files that a rule selects, but that no check judges. If it is not
/// known whether higher or lower values of a figure are better, a warning names the figure, and
/// shows a rule that sets the direction. A note on the candidate names all figures that are not
/// judged, also those for which neither direction is better, such as spreads and numbers of
/// samples. All checks must be in `out`.
void unjudged_say(struct bench *b, const struct rules *rules, struct report *out);

#endif
