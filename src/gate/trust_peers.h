/// Internal to trust_ranks.c: the ranks of one run as peers.
#ifndef GG_GATE_TRUST_PEERS_H
#define GG_GATE_TRUST_PEERS_H

#include "gate/trust_finding.h"

struct peers {
	const struct run *run;
	const struct trust_scope *scope;
	VEC(int64_t) steps; ///< that half of the ranks have or more, sorted
	int64_t last; ///< the last of them, else -1
	bool *named; ///< by rank: something of it is named already
	int64_t *values; ///< scratch, one per rank
};

/// A finding on rank `r` of the run, which is named from then on.
void peers_name(struct peers *p, size_t r, const char *id, unsigned spoils, const char *message);

/// A finding that rank `r` ends too soon; the message is completed by the last thing it
/// did. Spoils all that is of the trace but the number of missing steps.
void peers_name_end(struct peers *p, size_t r, const char *id, const char *message);

/// Name ranks that are stuck, or else cut, in the last step.
void peers_find_ends(struct peers *p);

#endif
