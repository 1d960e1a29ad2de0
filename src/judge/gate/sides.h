/// Filling in the parts of a report that `check` and `diff` have in common.
#ifndef GG_GATE_SIDES_H
#define GG_GATE_SIDES_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// Fill out->baseline from the baseline (NULL if there is none yet), and out->candidate from the
/// first of the candidate's `nr` runs. Set `partial` if a run was read only in part (--quick). Set
/// `same_artifact`, and add a warning, if any of the candidate's runs is the baseline itself.
void sides_fill(const struct run *baseline, const struct run *candidates, size_t nr,
                struct report *out);

/// Warn of rules with `ranks: each` if a side is folded: they then compare only the worst rank of
/// each side, so that changes of the other ranks are not seen.
void sides_warn_of_each(const struct bench *b, const struct rules *rules, struct report *out);

/// True if all ranks of both runs come from identical artifacts.
bool sides_same_artifact(const struct run *x, const struct run *y);

/// Report the figures of result files that a rule selects but no check judges. A warning names the
/// figures for which nobody has said whether higher or lower is better, and shows a rule that would
/// say it. A note on the candidate names all figures, including those for which neither is better,
/// such as spreads and numbers of samples. All checks must be in `out`.
void unjudged_say(struct bench *b, const struct rules *rules, struct report *out);

#endif
