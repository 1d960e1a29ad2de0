/// Reduces a memory snapshot to the digest of its rank.
#ifndef GG_REPLAY_SNAPSHOT_DIGEST_H
#define GG_REPLAY_SNAPSHOT_DIGEST_H

#include "model/digest.h"
#include "replay/replay.h"

/// Replays `s` and fills `out` (from digest_new()) with its memories and the hash of these; steps
/// and environment stay empty. Caller sets snapshot, rank, marker, communication and warmup.
/// ST_INPUT as in replay_snapshot(); `out` then only allows digest_free().
GG_MUST_CHECK enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                                          struct digest *out, struct diag_log *log);

/// Appends a memory named `id` to a digest. Memories are sorted by name, so the caller must add
/// them in this order; the name is not copied and must live as long as the digest. Figures that `p`
/// lacks become MEMORY_UNKNOWN.
void profile_add(struct digest *d, const char *id, enum memory_source source,
                 const struct memory_profile *p);

/// Completes a digest to which only memories were appended: sets every other member, also the hash.
void profiles_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte);

#endif
