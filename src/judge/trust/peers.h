/// Internal to ranks.c and last_step.c: the ranks of one run, compared with each other.
#ifndef GG_TRUST_PEERS_H
#define GG_TRUST_PEERS_H

#include "trust/finding.h"

struct peers {
	const struct run *run;
	const struct trust_scope *scope;
	VEC(int64_t) steps; ///< numbers of the steps that at least half of the ranks have, sorted
	int64_t last; ///< number of the last step in `steps`; -1 if there are no steps
	bool *named; ///< indexed by rank: true if a finding names the rank already
	int64_t *values; ///< scratch memory, one value per rank
};

/// Append a finding on rank `r` and mark the rank as named.
void peers_name(struct peers *p, size_t r, const char *id, unsigned spoils, const char *message);

/// Append a finding that rank `r` ends too soon. The message also names the rank's last activity.
/// All metrics of the trace become unreliable, except the number of missing steps.
void peers_name_end(struct peers *p, size_t r, const char *id, const char *message);

/// Append findings on ranks that are stuck or cut off in the last step.
void peers_find_ends(struct peers *p);

#endif
