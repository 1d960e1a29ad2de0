/// Reads CUDA memory snapshots: torch.cuda.memory._snapshot() as JSON.
#ifndef GG_READ_SNAPSHOT_H
#define GG_READ_SNAPSHOT_H

#include "base/diag.h"
#include "events/snapshot.h"
#include "io/source.h"

/// Limits of an input; an input that exceeds one is refused with ST_INPUT.
struct snapshot_limits {
	size_t segments, blocks, entries, devices, annotations;
	size_t frames; ///< largest number of frames in all different stacks together
	uint64_t bytes; ///< limit in bytes of each of these sums: sizes of segments, sizes of blocks,
	                ///< requested sizes, sizes in history entries; also of the size of each failed
	                ///< allocation, which is not in the sum
	size_t pickle_bytes; ///< largest size in bytes of a decompressed pickle; below 2^32
	size_t pickle_nodes; ///< largest number of values that are built from a pickle
	size_t pickle_refs; ///< largest number of references to values of a pickle: in containers, on
	                    ///< the stack, in the memo
	uint64_t pickle_visits; ///< largest number of visits to values of a pickle, in addition to 64
	                        ///< visits for each of its bytes; shared values are visited repeatedly
};

/// Limits that apply unless others are given; static.
extern const struct snapshot_limits snapshot_limits_default;

/// Reads one JSON snapshot, in any form that torch has written: an object with `segments` and
/// optional members, or only the list of segments. `limits` NULL: the default. ST_INPUT leaves
/// `out` unchanged; it is also returned for an input that is cut short, since half of a final state
/// means nothing. Caller releases `out` with snapshot_release().
GG_MUST_CHECK enum status snapshot_read(struct source *src, const struct snapshot_limits *limits,
                                        struct snapshot *out, struct diag_log *log);

#endif
