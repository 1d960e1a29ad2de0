/// A CUDA memory snapshot in compact form: the contents of torch.cuda.memory._snapshot().
#ifndef GG_EVENTS_SNAPSHOT_H
#define GG_EVENTS_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

#define SNAPSHOT_NO_STACK UINT32_MAX
#define SNAPSHOT_NO_ADDRESS UINT64_MAX

/// One frame of a stack; equal frames are stored once.
struct snapshot_frame {
	const struct name *function, *file; ///< names as raw bytes, "" if not given
	int64_t line; ///< number of the source line; 0 if not given
};

/// A stack of frames, innermost first: frame_ids[first .. first + nr).
struct snapshot_stack {
	uint32_t first, nr;
};

/// State of a block when the snapshot was taken. A block that is pending free waits for streams
/// that still use it.
enum block_state { BLOCK_ACTIVE, BLOCK_PENDING_FREE, BLOCK_INACTIVE };

/// A block of a segment. Sizes are in bytes; `stack` is the index of the stack that allocated the
/// block, or SNAPSHOT_NO_STACK.
struct snapshot_block {
	uint64_t address; ///< address of the block; if not given (torch 2.0), the address after the
	                  ///< previous block
	uint64_t size;
	uint64_t requested; ///< requested bytes; equal to `size` if not given, and for inactive blocks
	enum block_state state;
	uint32_t stack;
};

/// A segment, which the allocator got from the driver: `total` bytes, divided into the blocks
/// [first_block, first_block + nr_blocks).
struct snapshot_segment {
	int64_t device; ///< number of the device, ≥ 0
	uint64_t address; ///< address of the segment; SNAPSHOT_NO_ADDRESS if not given
	uint64_t total;
	bool large, expandable;
	uint32_t first_block, nr_blocks;
	uint32_t stack;
};

/// Actions of the allocator in the history, as torch names them.
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
	ACTION_USER_DEFINED, ///< a mark that the program made
	ACTION_OTHER, ///< action that this program does not know: its entries are counted, but have no
	              ///< effect
};

/// An entry of the history of a device. `stack` is the index of the stack that called the
/// allocator, or SNAPSHOT_NO_STACK.
struct snapshot_entry {
	enum snapshot_action action;
	uint64_t address; ///< address of the block or segment; SNAPSHOT_NO_ADDRESS if not given (out of
	                  ///< memory), or if the action is user-defined or unknown
	uint64_t size; ///< requested size in bytes, not rounded; 0 if not given, or if the action is
	               ///< user-defined or unknown
	uint64_t device_free; ///< free bytes on the device at an out-of-memory error; else 0
	int64_t time_us; ///< time of the entry in µs; INT64_MIN if not given
	uint32_t stack;
};

/// The history of one device, oldest entry first.
struct snapshot_trace {
	VEC(struct snapshot_entry) entries;
};

/// The start or end of a profiler annotation (external_annotations).
struct snapshot_annotation {
	const struct name *name;
	int64_t device, time_us;
	bool end;
};

/// A whole snapshot. Sizes are small enough to be added up: the sizes of all segments, of all
/// blocks (also as requested) and of all trace entries (without out-of-memory errors) each sum up
/// to less than 2^62 bytes, and no address range reaches beyond 2^64 - 1.
struct snapshot {
	struct name_table names;
	VEC(struct snapshot_frame) frames;
	VEC(uint32_t) frame_ids;
	VEC(struct snapshot_stack) stacks;
	VEC(struct snapshot_segment) segments;
	/// blocks, grouped by segment, and sorted by address within each segment
	VEC(struct snapshot_block) blocks;
	VEC(struct snapshot_trace) traces; ///< histories of allocations, indexed by device number
	VEC(struct snapshot_annotation) annotations;
	bool has_history; ///< true if the file has device_traces
	bool overflowed; ///< true if the recorder overwrote its oldest entries (torch 2.12)
	uint64_t other_actions; ///< number of entries with unknown action

	/// Number of tolerated faults in the JSON text, and offset of the first one.
	uint64_t json_faults, fault_byte;
};

/// Makes an empty snapshot, whose lists and texts snapshot_release() releases.
void snapshot_init(struct snapshot *s);

/// Releases all memory of the snapshot.
void snapshot_release(struct snapshot *s);

#endif
