/// The account of a run in one line, and sums of a rank's account.
#ifndef GG_MODEL_ACCOUNT_H
#define GG_MODEL_ACCOUNT_H

#include "model/digest.h"

/// Text such as "judged: 5 of 6 steps, 98.70 % of the GPU time, 4 of 4 ranks", of a run with
/// `nr_ranks` ranks; owned by `a`. NULL if no rank has GPU activities.
const char *account_text(const struct run *run, int64_t nr_ranks, struct arena *a);

/// Number of judged steps of a rank without any GPU activity; 0 if samples of steps are not kept.
int64_t account_empty_steps(const struct digest *d);

/// What is known of the work of a rank.
enum account_part { KNOWN_OPERATOR, KNOWN_MODULE, KNOWN_PLACE, NR_ACCOUNT_PARTS };

/// GPU time in ns: of the activities of which the part is known, and of all; and the number of
/// activities of which it is not known.
struct account_known {
	int64_t ns, of_ns, others;
};

/// Sums over the code of the rank's activities.
struct account_known account_known(const struct digest *d, enum account_part part);

#endif
