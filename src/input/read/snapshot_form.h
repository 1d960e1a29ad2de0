/// Reads snapshots from any tree of values (tree.h), JSON or pickle, into a builder. Also declares
/// what the files that read the sections of a snapshot share: position, values, errors.
#ifndef GG_READ_SNAPSHOT_FORM_H
#define GG_READ_SNAPSHOT_FORM_H

#include "base/idmap.h"
#include "base/span.h"
#include "events/snapshot.h"
#include "read/snapshot.h"
#include "read/tree.h"

/// A snapshot that is being built: equal frames and equal stacks are kept once, and nothing exceeds
/// `limits`, which are borrowed. If a function that builds it returns false, it has set `problem`
/// to the reason. Sums of sizes are in bytes.
struct snapshot_builder {
	const struct snapshot_limits *limits;
	struct snapshot snapshot; ///< snapshot that is built; at the end the caller becomes its owner
	struct idmap sites; ///< ids for pairs of a function and a file, used in `frames`
	struct idmap frames; ///< ids of frames; a frame is a pair of an id in `sites` and a line
	struct idmap paths; ///< ids of paths; a path, which is the beginning of a stack, is a pair: the
	                    ///< id of the path without its last frame, and the id of that frame

	/// Indexed by id of a path: the stack that has exactly the frames of this path;
	/// SNAPSHOT_NO_STACK if there is no such stack.
	VEC(uint32_t) stack_of;
	VEC(uint32_t) open; ///< ids of the frames of the stack that is being read
	uint32_t path; ///< id of the path of the stack that is being read
	uint64_t segment_bytes, block_bytes, requested_bytes, entry_bytes;
	size_t nr_entries; ///< number of history entries over all devices
	uint32_t first_block; ///< index of the first block of the segment that is being read
	const struct name *other; ///< the last unknown action; NULL if there is none
	char problem[96];
};

/// Prepares to build a snapshot; `limits` is borrowed.
void snapshot_builder_init(struct snapshot_builder *b, const struct snapshot_limits *limits);

/// Ends a reading of `src` that had the status `st`, and returns `st`: gives the snapshot to `out`,
/// or releases it after an error. Warns of unknown actions, and releases all other memory.
enum status snapshot_builder_finish(struct snapshot_builder *b, const struct source *src,
                                    enum status st, struct snapshot *out, struct diag_log *log);

/// The name of `text`, owned by the snapshot; NULL if there are too many names.
const struct name *snapshot_add_name(struct snapshot_builder *b, struct span text);

/// The id of a frame. A `line` below 0 or above 2^32 - 1 counts as 0.
uint32_t snapshot_frame_id(struct snapshot_builder *b, const struct name *function,
                           const struct name *file, int64_t line);

/// Appends a frame to the stack that is being read, which begins with its innermost frame.
bool snapshot_add_frame(struct snapshot_builder *b, uint32_t frame);

/// Ends the stack that is being read; `*out` becomes the stack's id, or SNAPSHOT_NO_STACK if it has
/// no frames.
bool snapshot_end_stack(struct snapshot_builder *b, uint32_t *out);

/// Appends a block to the segment that is being read.
bool snapshot_add_block(struct snapshot_builder *b, const struct snapshot_block *block);

/// Ends the segment that is being read, which consists of the blocks since the end of the last
/// segment. Sorts these blocks; if no block has an address, but the segment has one, computes
/// theirs from it.
bool snapshot_end_segment(struct snapshot_builder *b, const struct snapshot_segment *segment);

/// Begins the history of the next device.
bool snapshot_add_device(struct snapshot_builder *b);

/// Appends an entry to the history of the last device.
bool snapshot_add_entry(struct snapshot_builder *b, const struct snapshot_entry *entry);

/// Appends an annotation to the snapshot.
bool snapshot_add_annotation(struct snapshot_builder *b,
                             const struct snapshot_annotation *annotation);

/// Reads the outermost value of a tree into the struct snapshot_builder `builder`; tree_status()
/// tells the outcome.
tree_form snapshot_form_read;

/// State of reading a snapshot: the tree, what is built from it, and the position for messages.
struct form {
	const struct tree *t;
	struct snapshot_builder *b;
	/// name of the list that is being read: "segments", …; "" if the snapshot is a bare list
	const char *list;
	const char *inner; ///< name of the inner list that is being read: ".blocks", "" for the entries
	                   ///< of a device; NULL outside of inner lists
	uint64_t index, inner_index; ///< indexes in `list` and in `inner` of what is being read
	bool seen[3]; ///< true once the list of this key has been read: segments, device_traces,
	              ///< external_annotations; null does not count
};

/// True if there has been no error so far.
bool form_ok(const struct form *f);

/// Records the error `segments[3].blocks[2].size: what`; `key` is NULL if the error is about the
/// element itself.
void form_fail(struct form *f, uint64_t byte, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Records an error about the element that begins at `byte`: the reason in the builder's `problem`.
void form_fail_built(struct form *f, uint64_t byte);

/// Returns `given`; if it is false, records the error that the element that begins at `byte` lacks
/// `key`.
bool form_need(struct form *f, bool given, uint64_t byte, const char *key);

/// The value `s` of `key` as an unsigned number; `absent` if `s` is null. After an error the result
/// is arbitrary; this also holds for the three functions below.
uint64_t form_u64(struct form *f, const struct scalar *s, const char *key, uint64_t absent);

/// Like form_u64(), for an address, which may be written as a signed number; SNAPSHOT_NO_ADDRESS if
/// it is not given.
uint64_t form_address(struct form *f, const struct scalar *s, const char *key);

/// Like form_u64(), for a signed value.
int64_t form_i64(struct form *f, const struct scalar *s, const char *key, int64_t absent);

/// Like form_u64(), for the number of a device; 0 if it is not given.
int64_t form_device(struct form *f, const struct scalar *s);

/// Reads the next value as a text and returns its index in the `nr` texts `words`, or `nr` if it is
/// not one of them. `*text` becomes the text, borrowed until the next call. -1 if the value is
/// null, and -1 with an error if it has another type.
int form_word(struct form *f, const char *key, const char *const *words, int nr, struct span *text);

/// Reads the list of frames of a stack and returns the stack's id; SNAPSHOT_NO_STACK if there are
/// no frames.
uint32_t form_stack(struct form *f);

/// Reads the elements of the array `segments`, whose opening bracket the caller has read.
void form_segments(struct form *f);

/// Like form_segments(), for `device_traces`.
void form_traces(struct form *f);

/// Like form_segments(), for `external_annotations`.
void form_annotations(struct form *f);

#endif
