/// Whether a failure is final. A run that is slow by chance, or that got the memory which a library
/// takes now and then, fails like one of slower code. So a failure by a figure that varies is
/// confirmed by pairs of a run of the change and one of its base.
#ifndef GG_GATE_CONFIRM_H
#define GG_GATE_CONFIRM_H

#include "gate/compare.h"
#include "gate/noise_model.h"

/// True if the failure `d` of the comparison `c` is one that pairs would confirm, and there are too
/// few of them. `evidence` then gets the number of pairs.
bool confirm_is_open(const struct noise_model *m, const struct comparison *c,
                     const struct decision *d, struct evidence *evidence);

/// Raises the runs or pairs that `evidence` plans for an undecided check to as many as make a
/// failure final: what they decide needs no further ones.
void confirm_raise_plan(const struct noise_model *m, const struct comparison *c,
                        const struct decision *d, struct arena *a, struct evidence *evidence);

/// True if the failure `d` of `c`, a check of the entry `e`, is a value that main has shown often
/// enough, and there are too few pairs: main's runs do not say that the change made it worse.
/// `evidence` then gets the number of pairs, and a text.
bool confirm_is_shown(const struct noise_model *m, const struct entry *e,
                      const struct comparison *c, const struct decision *d, struct arena *a,
                      struct evidence *evidence);

/// True if enough runs show that the failure of `c`, a check of the entry `e` on memory, is not of
/// the change: a run of the change is within the limits, or one of the base is beyond them.
bool confirm_is_refuted(const struct noise_model *m, const struct entry *e,
                        const struct comparison *c);

#endif
