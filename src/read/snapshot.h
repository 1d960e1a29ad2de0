/// CUDA memory snapshots: torch.cuda.memory._snapshot() as JSON.
#ifndef GG_READ_SNAPSHOT_H
#define GG_READ_SNAPSHOT_H

#include "base/diag.h"
#include "events/snapshot.h"
#include "io/source.h"

/// What an input may hold at most; one more is ST_INPUT.
struct snapshot_limits {
	size_t segments, blocks, entries, devices, annotations;
	size_t frames; ///< of all different stacks together
	uint64_t bytes; ///< each sum of sizes (events/snapshot.h)
	size_t pickle_bytes; ///< expanded; below 2^32
	size_t pickle_nodes; ///< values that are built
	size_t pickle_refs; ///< places that hold a value: in containers, on the stack, in the memo
	uint64_t pickle_visits; ///< values walked over, beside 64 for each byte
};

/// The limits that apply where none are given; static.
extern const struct snapshot_limits snapshot_limits_default;

struct snapshot_read_options {
	const struct snapshot_limits *limits; ///< NULL: the default
	size_t window; ///< bytes of the JSON scanner's window, for tests; 0: its default
};

/// Read one JSON snapshot, in any form that torch has written: an object with
/// `segments` and optional rest, or the bare list of segments. `options` may be
/// NULL. ST_INPUT leaves `out` untouched; it is also what a cut input is, since
/// half of a final state means nothing. Caller: snapshot_release(out).
GG_MUST_CHECK enum status snapshot_read(struct source *src,
                                        const struct snapshot_read_options *options,
                                        struct snapshot *out, struct diag_log *log);

#endif
