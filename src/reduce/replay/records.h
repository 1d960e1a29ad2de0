/// Reduces memory records of other profilers to the digest of their rank. These records do not say
/// how much an allocator reserves, so figures of reserved memory stay unknown.
#ifndef GG_REPLAY_RECORDS_H
#define GG_REPLAY_RECORDS_H

#include "base/diag.h"
#include "events/memory_record.h"
#include "model/digest.h"

/// Fills `out` (from digest_new()) with one memory, named "timeline", of source MEMORY_OF_TIMELINE.
/// The caller then sets the digest's snapshot, rank, marker, communication and warmup.
void timeline_reduce(const struct memory_timeline *t, struct digest *out);

/// Like timeline_reduce(), for the memories of an XProf profile, of source MEMORY_OF_XPROF. Sorts
/// the states in `p` by time. ST_INPUT if the profile contradicts itself or is empty; `out` may
/// then only be passed to digest_free().
GG_MUST_CHECK enum status xprof_reduce(struct xprof_profile *p, struct digest *out,
                                       struct diag_log *log);

#endif
