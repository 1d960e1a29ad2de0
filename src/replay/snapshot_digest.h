/// A memory snapshot → the digest of its rank.
#ifndef GG_REPLAY_SNAPSHOT_DIGEST_H
#define GG_REPLAY_SNAPSHOT_DIGEST_H

#include "model/digest.h"
#include "replay/replay.h"

/// Replay `s` and fill `out` (from digest_new()) with its memories and their hash, without steps
/// and environment. Caller sets snapshot, rank, marker, communication and warmup. ST_INPUT as
/// replay_snapshot(); `out` then only allows digest_free().
GG_MUST_CHECK enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                                          struct digest *out, struct diag_log *log);

/// Append the memory `id`, which comes last in order, to a digest; `id` is kept as
/// it is. What `p` does not know is MEMORY_UNKNOWN.
void profile_add(struct digest *d, const char *id, enum memory_source source,
                 const struct memory_profile *p);

/// Set all else that a digest of memories has, and its hash.
void profiles_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte);

#endif
