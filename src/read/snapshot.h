/// Reads CUDA memory snapshots: torch.cuda.memory._snapshot() as JSON.
#ifndef GG_READ_SNAPSHOT_H
#define GG_READ_SNAPSHOT_H

#include "base/diag.h"
#include "events/snapshot.h"
#include "io/source.h"

/// Largest contents of an input; anything beyond is ST_INPUT.
struct snapshot_limits {
	size_t segments, blocks, entries, devices, annotations;
	size_t frames; ///< limit of frames, of all different stacks together
	uint64_t bytes; ///< limit of each sum of sizes (events/snapshot.h)
	size_t pickle_bytes; ///< limit of bytes after decompression; below 2^32
	size_t pickle_nodes; ///< limit of values that are built
	size_t pickle_refs; ///< limit of references to values: in containers, on the stack, in the memo
	uint64_t pickle_visits; ///< limit of visits to values, beyond 64 for each byte
};

/// Limits that apply unless others are given; static.
extern const struct snapshot_limits snapshot_limits_default;

struct snapshot_read_options {
	const struct snapshot_limits *limits; ///< limits of the input; NULL: the default
	size_t window; ///< size of the JSON scanner's window in bytes, for tests; 0: the default
};

/// Reads one JSON snapshot, in any form that torch has written: an object with `segments` and
/// optional members, or only the list of segments. `options` may be NULL. ST_INPUT leaves `out`
/// unchanged; it is also returned for a cut input, since half of a final state means nothing.
/// Caller: snapshot_release(out).
GG_MUST_CHECK enum status snapshot_read(struct source *src,
                                        const struct snapshot_read_options *options,
                                        struct snapshot *out, struct diag_log *log);

#endif
