/// Builds a snapshot: equal frames and equal stacks are kept once, and nothing exceeds its limit.
/// Both readers fill it through snapshot_form.h.
///
/// A function that returns false has set `problem` to the reason.
#ifndef GG_READ_SNAPSHOT_BUILD_H
#define GG_READ_SNAPSHOT_BUILD_H

#include "base/idmap.h"
#include "base/span.h"
#include "events/snapshot.h"
#include "read/snapshot.h"

struct snapshot_builder {
	const struct snapshot_limits *limits;
	struct snapshot snapshot; ///< snapshot that is built; at the end the caller becomes its owner
	struct idmap sites; ///< keys (function, file); the id of a key is used in `frames`
	struct idmap frames; ///< keys (id in `sites`, line); the id of a key is the id of a frame
	struct idmap paths; ///< a path is the beginning of a stack; its key has the id of the path
	                    ///< without the last frame, and the id of this last frame

	/// Indexed by id of a path: the stack that has exactly the frames of this path;
	/// SNAPSHOT_NO_STACK if there is no such stack.
	VEC(uint32_t) stack_of;
	VEC(uint32_t) open; ///< ids of the frames of the stack that is being read
	uint32_t path; ///< id of the path of the stack that is being read
	uint64_t segment_bytes, block_bytes, requested_bytes, entry_bytes;
	size_t nr_entries; ///< number of history entries over all devices
	uint32_t first_block; ///< first block of the segment that is being read
	char problem[96];
};

/// Prepares to build a snapshot; `limits` is borrowed.
void snapshot_builder_init(struct snapshot_builder *b, const struct snapshot_limits *limits);

/// Releases all memory except that of `snapshot`.
void snapshot_builder_release(struct snapshot_builder *b);

/// The name of `text`, owned by the snapshot; NULL if there are too many names.
const struct name *snapshot_add_name(struct snapshot_builder *b, struct span text);

/// The id of a frame. A `line` below 0 or above 2^32 - 1 counts as 0.
uint32_t snapshot_frame_id(struct snapshot_builder *b, const struct name *function,
                           const struct name *file, int64_t line);

/// Appends a frame to the open stack, innermost first.
bool snapshot_add_frame(struct snapshot_builder *b, uint32_t frame);

/// Ends the open stack; `*out` becomes its id, or SNAPSHOT_NO_STACK if it has no frames.
bool snapshot_end_stack(struct snapshot_builder *b, uint32_t *out);

/// Appends a block to the open segment.
bool snapshot_add_block(struct snapshot_builder *b, const struct snapshot_block *block);

/// Ends the open segment, which consists of the blocks since the end of the last segment. Sorts
/// these blocks, and computes their addresses if no block has one.
bool snapshot_end_segment(struct snapshot_builder *b, const struct snapshot_segment *segment);

/// Begins the history of the next device.
bool snapshot_add_device(struct snapshot_builder *b);

/// Appends an entry to the history of the last device.
bool snapshot_add_entry(struct snapshot_builder *b, const struct snapshot_entry *entry);

/// Appends an annotation to the snapshot.
bool snapshot_add_annotation(struct snapshot_builder *b,
                             const struct snapshot_annotation *annotation);

#endif
