/// Memory records of other profilers → the digest of their rank. They do not know what an allocator
/// reserves: such figures stay unknown.
#ifndef GG_REPLAY_RECORDS_H
#define GG_REPLAY_RECORDS_H

#include "base/diag.h"
#include "events/memory_record.h"
#include "model/digest.h"

/// Fill `out` (from digest_new()) with one memory, "timeline", of source "timeline". Snapshot,
/// rank, marker, communication and warmup are the caller's to set, as for snapshot_reduce().
void timeline_reduce(const struct memory_timeline *t, struct digest *out);

/// The same with the memories of a profile, of source "xprof"; its lists over time are put in
/// order. ST_INPUT if it contradicts itself or is empty: `out` then only allows digest_free().
GG_MUST_CHECK enum status xprof_reduce(struct xprof_profile *p, struct digest *out,
                                       struct diag_log *log);

/// A profile whose history begins midway; all else is unknown. Caller sets `peak_allocated`.
struct memory_profile record_profile(void);

#endif
