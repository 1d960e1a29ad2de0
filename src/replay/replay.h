/// A memory snapshot → figures and breakdowns by device, by replaying the
/// history backwards from the final state.
#ifndef GG_REPLAY_REPLAY_H
#define GG_REPLAY_REPLAY_H

#include "base/arena.h"
#include "base/diag.h"
#include "events/snapshot.h"
#include "model/memory.h"

struct replay_options {
	const struct site_rules *sites; ///< NULL: nothing is skipped or categorized
	int64_t capacity; ///< bytes of a device, -1 unknown
	uint32_t max_devices; ///< more are ST_INPUT; 0: 4096
	uint32_t max_entries; ///< of blocks and entries of one device; 0: 2^32 - 3
};

/// Profiles of all devices that have a segment or a history, in order; texts are owned by `a`.
/// ST_INPUT beyond a limit, and if the sizes in the snapshot add up to 2^63 bytes or more: so no
/// sum can overflow.
GG_MUST_CHECK enum status replay_snapshot(const struct snapshot *s, const struct replay_options *o,
                                          struct arena *a, struct memory_profiles *out,
                                          struct diag_log *log);

#endif
