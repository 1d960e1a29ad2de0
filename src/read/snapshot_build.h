/// Puts a snapshot together: equal frames and equal stacks are kept once, and
/// nothing outgrows its limit. Both readers fill it through snapshot_form.h.
///
/// What returns false has said why in `problem`.
#ifndef GG_READ_SNAPSHOT_BUILD_H
#define GG_READ_SNAPSHOT_BUILD_H

#include "base/idmap.h"
#include "base/span.h"
#include "events/snapshot.h"
#include "read/snapshot.h"

struct snapshot_builder {
	const struct snapshot_limits *limits;
	struct snapshot snapshot; ///< owned by the caller in the end
	struct idmap sites; ///< (function, file)
	struct idmap frames; ///< (site, line); the id is that of the frame
	struct idmap paths; ///< (path up to here, frame): the prefixes of all stacks
	VEC(uint32_t) stack_of; ///< by path; SNAPSHOT_NO_STACK where none ends there
	VEC(uint32_t) open; ///< frame ids of the stack being read
	uint32_t path; ///< of the stack being read
	uint64_t segment_bytes, block_bytes, requested_bytes, entry_bytes;
	size_t nr_entries; ///< of all devices
	uint32_t first_block; ///< of the segment being read
	char problem[96];
};

/// Ready for the first part; `limits` is borrowed.
void snapshot_builder_init(struct snapshot_builder *b, const struct snapshot_limits *limits);

/// Give the memory back, except that of `snapshot`.
void snapshot_builder_release(struct snapshot_builder *b);

/// The name of `text`, owned by the snapshot; NULL where there are too many.
const struct name *snapshot_add_name(struct snapshot_builder *b, struct span text);

/// The id of a frame. `line` as given; what is not between 0 and 2^32 - 1 counts as 0.
uint32_t snapshot_frame_id(struct snapshot_builder *b, const struct name *function,
                           const struct name *file, int64_t line);

/// Append a frame to the open stack, innermost first.
bool snapshot_add_frame(struct snapshot_builder *b, uint32_t frame);

/// Close the open stack; `*out` is SNAPSHOT_NO_STACK where it has no frames.
bool snapshot_end_stack(struct snapshot_builder *b, uint32_t *out);

/// Append a block to the open segment.
bool snapshot_add_block(struct snapshot_builder *b, const struct snapshot_block *block);

/// Close the open segment: the blocks since the last one are its own. They get
/// their addresses where none has one, and their order.
bool snapshot_end_segment(struct snapshot_builder *b, const struct snapshot_segment *segment);

/// Begin the trace of the next device.
bool snapshot_add_device(struct snapshot_builder *b);

/// Append an entry to the trace of the last device.
bool snapshot_add_entry(struct snapshot_builder *b, const struct snapshot_entry *entry);

/// Append an annotation.
bool snapshot_add_annotation(struct snapshot_builder *b,
                             const struct snapshot_annotation *annotation);

#endif
