/// Filling in the parts of a report that `check` and `diff` have in common.
#ifndef GG_GATE_SIDES_H
#define GG_GATE_SIDES_H

#include "diff/bench.h"
#include "model/report.h"
#include "model/rule.h"

/// Fill the context of both sides in `out` from the baseline (NULL if there is none yet) and the
/// first of the candidate's `nr` runs. Set `partial` if a run was read only in part (--quick), and
/// `same_artifact` with its warning if any of the candidate's runs is the baseline itself.
void sides_fill(const struct run *baseline, const struct run *candidates, size_t nr,
                struct report *out);

/// Warn of rules with `ranks: each` that compare only the worst rank of each side, since a side is
/// folded, and cannot say of the others whether they changed.
void sides_warn_of_each(const struct bench *b, const struct rules *rules, struct report *out);

/// True if all ranks of both runs come from identical artifacts.
bool sides_same_artifact(const struct run *x, const struct run *y);

/// Say which figures of files a rule selects but no check is about: in a warning those that may
/// have a better direction, with the rule that would say it; in a note of the candidate all of
/// them, also spreads and numbers of samples. All checks must be in `out`.
void unjudged_say(struct bench *b, const struct rules *rules, struct report *out);

#endif
