/// How much of a run is judged (work in complete measured steps), and how much of its GPU work has
/// a known origin in the code.
#ifndef GG_MODEL_ACCOUNT_H
#define GG_MODEL_ACCOUNT_H

#include "model/digest.h"

/// Text such as "judged: 5 of 6 steps, 98.70 % of the GPU time, 4 of 4 ranks", owned by `a`.
/// The first 4 is `nr_ranks`, the number of ranks of the run. It is a parameter, since a folded run
/// has one digest for all ranks. The second 4 is the world size. NULL if no rank has GPU
/// activities.
const char *account_text(const struct run *run, int64_t nr_ranks, struct arena *a);

/// Number of judged steps in which a rank has no GPU activity; 0 if the trace has no steps, or if
/// samples of steps are not kept.
int64_t account_empty_steps(const struct digest *d);

/// The kinds of origins in the code that GPU work may have.
enum account_origin { KNOWN_OPERATOR, KNOWN_MODULE, KNOWN_PLACE, NR_ACCOUNT_ORIGINS };

/// How much GPU work of a rank has a known operator (or module, or place). `ns`: GPU time of this
/// work; `of_ns`: GPU time of all activities; `others`: number of activities whose operator (or
/// module, or place) is unknown.
struct account_known {
	int64_t ns, of_ns, others;
};

/// How much GPU work of a rank has a known operator, module or place, as `origin` says.
struct account_known account_known(const struct digest *d, enum account_origin origin);

#endif
