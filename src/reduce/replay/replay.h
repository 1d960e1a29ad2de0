/// Replays a memory snapshot: goes backwards through the history from the final state, and computes
/// figures and breakdowns for each device.
#ifndef GG_REPLAY_REPLAY_H
#define GG_REPLAY_REPLAY_H

#include "base/diag.h"
#include "events/snapshot.h"
#include "model/digest.h"

/// Options of the replay, and its limits.
struct replay_options {
	/// rules that map stacks to sites; if NULL, no frame is skipped and no site has a category
	const struct site_rules *sites;
	int64_t capacity; ///< size of a device's memory in bytes; -1 if unknown
	uint32_t max_devices; ///< largest number of devices, beyond which ST_INPUT is returned; 0 means
	                      ///< 4096
	uint32_t max_entries; ///< largest sum of the numbers of blocks and of history entries of one
	                      ///< device; 0 means 2^32 - 3
};

/// Fills `out` (from digest_new()) with the memories of all devices that have a segment or a
/// history, and their hash; steps and environment stay empty. The caller then sets snapshot, rank,
/// marker, communication and warmup. ST_INPUT beyond a limit, and if the sizes in the snapshot add
/// up to 2^63 bytes or more, so that no sum can overflow; `out` may then only be passed to
/// digest_free().
GG_MUST_CHECK enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                                          struct digest *out, struct diag_log *log);

#endif
