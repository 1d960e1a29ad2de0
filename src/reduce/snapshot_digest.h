/// A memory snapshot → the digest of its rank.
#ifndef GG_REDUCE_SNAPSHOT_DIGEST_H
#define GG_REDUCE_SNAPSHOT_DIGEST_H

#include "model/digest.h"
#include "reduce/replay.h"

/// Replay `s` and fill `out` (from digest_new()) with what it says of memory,
/// and the hash of that. There are no steps and no environment; snapshot, rank,
/// marker, communication and warmup are the caller's to set. ST_INPUT as
/// replay_snapshot(); `out` is then good for digest_free() only.
GG_MUST_CHECK enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                                          struct digest *out, struct diag_log *log);

#endif
