/// What other profilers recorded of memory → the digest of its rank. Neither knows what an
/// allocator reserves: such figures are left unknown.
#ifndef GG_REPLAY_RECORDS_H
#define GG_REPLAY_RECORDS_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/memory_record.h"

/// Fill `out` (from digest_new()) with one memory, "timeline", of source "timeline". Snapshot,
/// rank, marker, communication and warmup are the caller's to set, as for snapshot_reduce().
void timeline_reduce(const struct memory_timeline *t, struct digest *out);

/// The same with the memories of a profile, of source "xprof"; its lists over time are put in
/// order. ST_INPUT where it contradicts itself or has nothing: `out` is then good for
/// digest_free() only.
GG_MUST_CHECK enum status xprof_reduce(struct xprof_profile *p, struct digest *out,
                                       struct diag_log *log);

/// A profile of which nothing is known but a history that begins midway; `peak_allocated` is the
/// caller's to set.
struct memory_profile record_profile(void);

#endif
