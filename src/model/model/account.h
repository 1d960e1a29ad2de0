/// The account of a run in one line.
#ifndef GG_MODEL_ACCOUNT_H
#define GG_MODEL_ACCOUNT_H

#include "model/digest.h"

/// Text such as "judged: 5 of 6 steps, 98.70 % of the GPU time, 4 of 4 ranks", of a run with
/// `nr_ranks` ranks; owned by `a`. NULL if no rank has GPU activities.
const char *account_text(const struct run *run, int64_t nr_ranks, struct arena *a);

#endif
