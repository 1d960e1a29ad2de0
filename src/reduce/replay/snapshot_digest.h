/// Reduces a memory snapshot to the digest of its rank.
#ifndef GG_REPLAY_SNAPSHOT_DIGEST_H
#define GG_REPLAY_SNAPSHOT_DIGEST_H

#include "model/digest.h"
#include "replay/replay.h"

/// Replays `s`, and fills `out` (from digest_new()) with its memories and their hash; steps and
/// environment stay empty. Caller sets the digest's snapshot, rank, marker, communication and
/// warmup. ST_INPUT as in replay_snapshot(); `out` may then only be passed to digest_free().
GG_MUST_CHECK enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                                          struct digest *out, struct diag_log *log);

/// Appends a memory named `id` to a digest; the name is borrowed. The caller must append memories
/// in order of their names. Figures that `p` lacks become MEMORY_UNKNOWN.
void profile_add(struct digest *d, const char *id, enum memory_source source,
                 const struct memory_profile *p);

/// Completes a digest that has only memories: sets the JSON faults of its file, the number of steps
/// (0) and the hash.
void profiles_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte);

#endif
