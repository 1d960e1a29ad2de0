/// A CUDA memory snapshot, compact: what torch.cuda.memory._snapshot() holds.
#ifndef GG_EVENTS_SNAPSHOT_H
#define GG_EVENTS_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

#define SNAPSHOT_NO_STACK UINT32_MAX
#define SNAPSHOT_NO_ADDRESS UINT64_MAX

/// One frame of a stack; equal frames are one.
struct snapshot_frame {
	const struct name *function, *file; ///< raw bytes, "" where not given
	int64_t line; ///< 0 where not given
};

/// A stack, innermost frame first: frame_ids[first .. first + nr).
struct snapshot_stack {
	uint32_t first, nr;
};

enum block_state { BLOCK_ACTIVE, BLOCK_PENDING_FREE, BLOCK_INACTIVE };

struct snapshot_block {
	uint64_t address; ///< where not given (torch 2.0): behind the block before it
	uint64_t size;
	uint64_t requested; ///< size where not given, and of inactive blocks, where it means nothing
	enum block_state state;
	uint32_t stack;
};

struct snapshot_segment {
	int64_t device; ///< ≥ 0
	uint64_t address; ///< SNAPSHOT_NO_ADDRESS where not given
	uint64_t total;
	int64_t stream; ///< id of the input, only compared
	bool large, expandable;
	uint32_t first_block, nr_blocks;
	uint32_t stack;
};

enum snapshot_action {
	ACTION_ALLOC,
	ACTION_FREE_REQUESTED,
	ACTION_FREE_COMPLETED,
	ACTION_SEGMENT_ALLOC,
	ACTION_SEGMENT_FREE,
	ACTION_SEGMENT_MAP,
	ACTION_SEGMENT_UNMAP,
	ACTION_SNAPSHOT,
	ACTION_OOM,
	ACTION_OTHER, ///< unknown to this program: counted, without effect
};

struct snapshot_entry {
	enum snapshot_action action;
	uint64_t address; ///< SNAPSHOT_NO_ADDRESS where not given (oom)
	uint64_t size; ///< as requested, not rounded
	uint64_t device_free; ///< oom; 0 elsewhere
	int64_t time_us; ///< INT64_MIN where not given
	uint32_t stack;
};

/// The history of one device, oldest entry first.
struct snapshot_trace {
	VEC(struct snapshot_entry) entries;
};

/// A START or END of a profiler annotation (external_annotations).
struct snapshot_annotation {
	const struct name *name;
	int64_t device, time_us;
	bool end;
};

/// Sizes are small enough to be added up: those of all segments, blocks (also
/// requested) and trace entries (oom aside) each come to less than 2^62 bytes,
/// and no range reaches beyond 2^64 - 1.
struct snapshot {
	struct name_table names;
	VEC(struct snapshot_frame) frames;
	VEC(uint32_t) frame_ids;
	VEC(struct snapshot_stack) stacks;
	VEC(struct snapshot_segment) segments;
	VEC(struct snapshot_block) blocks; ///< those of a segment side by side, by address
	VEC(struct snapshot_trace) traces; ///< by device number
	VEC(struct snapshot_annotation) annotations;
	bool has_history; ///< device_traces were there
	uint64_t other_actions; ///< entries of unknown action
	uint64_t json_faults, fault_byte; ///< tolerated faults of the JSON text, and the first
};

/// An empty snapshot.
void snapshot_init(struct snapshot *s);

/// Give the memory back.
void snapshot_release(struct snapshot *s);

#endif
