/// One finding: who says it, what it spoils.
#ifndef GG_GATE_TRUST_FINDING_H
#define GG_GATE_TRUST_FINDING_H

#include "model/digest.h"
#include "model/report.h"

struct trust_scope {
	struct report *out;
	bool candidate;
	int64_t rank;
	const char *who; ///< "run 2 of the candidate"; NULL: the side
};

/// Append a finding; its message begins with the side. `spoils`: bits of enum
/// spoiled_by; 0: a warning only.
void trust_add(const struct trust_scope *s, const char *id, unsigned spoils, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Above 1 %.
static inline bool trust_is_notable(int64_t part, int64_t whole)
{
	return (__int128)part * 100 > whole;
}

/// Append whether the candidate ran with another batch than the baseline: most kernels launch as
/// many times more or fewer threads, or all copies move as many times more or fewer bytes.
void trust_find_context(const struct run *baseline, const struct run *candidate,
                        const struct trust_scope *s);

/// The digest of this rank, or NULL.
const struct digest *trust_rank(const struct run *run, int64_t rank);

/// Append what the memories of a rank say against themselves, and of a candidate
/// the risk to run out of memory.
void trust_find_memory(const struct trust_scope *s, const struct digest *d);

/// Append what the ranks of a run say against each other: one that lacks steps, ends early,
/// is stuck, has fewer collectives or figures of another kind. Each is named with the
/// last thing it did.
void trust_find_ranks(const struct run *run, const struct trust_scope *s);

/// Append the ranks that one side has and the other lacks; `s` is of the candidate.
void trust_find_absent(const struct run *baseline, const struct run *candidate,
                       const struct trust_scope *s);

#endif
