/// Decides whether a failure is final. Unchanged code can also fail: a run may be slow by chance,
/// or a library may take more memory now and then. If a figure varies, its failure is therefore
/// confirmed by pairs: a run of the change and a run of its base.
#ifndef GG_GATE_CONFIRM_H
#define GG_GATE_CONFIRM_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// True if the failure `d` of the comparison `c` has to be confirmed by pairs, and there are too
/// few of them. `evidence` then gets the number of pairs that are missing.
bool confirm_is_open(const struct noise_model *m, const struct comparison *c,
                     const struct decision *d, struct evidence *evidence);

/// Raise the number of runs or pairs that `evidence` plans for an undecided check to the number
/// that makes a failure final. If these runs then show a failure, no more runs are needed.
void confirm_raise_plan(const struct noise_model *m, const struct comparison *c,
                        const struct decision *d, struct arena *a, struct evidence *evidence);

/// True if the failure `d` of `c`, a check of the entry `e`, may not come from the change: at least
/// two of the newest 20 runs of main have values as far off as the candidate's, and there are too
/// few pairs to decide. `evidence` then gets the number of pairs that are missing, and a text owned
/// by `a`. `is_main`: the candidate is a run of main itself, and the newest runs do not count if
/// they failed.
bool confirm_is_shown(const struct noise_model *m, const struct entry *e, bool is_main,
                      const struct comparison *c, const struct decision *d, struct arena *a,
                      struct evidence *evidence);

/// True if there are enough runs, and they show that the change did not cause the failure of `c`, a
/// check of the entry `e` on memory: a run of the change is within the limits, or a control run is
/// beyond them.
bool confirm_is_refuted(const struct noise_model *m, const struct entry *e,
                        const struct comparison *c);

#endif
