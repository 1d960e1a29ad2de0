/// Reads snapshots from any tree of values (tree.h), JSON or pickle; also declares what the files
/// that read its parts share: position, values, errors.
#ifndef GG_READ_SNAPSHOT_FORM_H
#define GG_READ_SNAPSHOT_FORM_H

#include "read/snapshot_build.h"
#include "read/tree.h"

/// Reads the outermost value of the tree `t` into the builder `b`; tree_status() tells the outcome.
void snapshot_form_read(const struct tree *t, struct snapshot_builder *b);

struct form {
	const struct tree *t;
	struct snapshot_builder *b;
	/// name of the list that is being read: "segments", …; "" if the snapshot is a bare list
	const char *list;
	const char *part; ///< name of the inner list that is being read: ".blocks", "" for the entries
	                  ///< of a device; NULL outside of inner lists
	uint64_t index, part_index;
	bool seen[3]; ///< for each key of the outermost object, true if it has been seen
};

/// True if there has been no error so far.
bool form_ok(const struct form *f);

/// Records the error `segments[3].blocks[2].size: what`; `key` is NULL if the error is about the
/// element itself.
void form_fail(struct form *f, uint64_t byte, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Records the builder's reason to refuse the element that begins at `byte` as an error.
void form_fail_built(struct form *f, uint64_t byte);

/// Returns `given`; if it is false, records the error that the element that begins at `byte` lacks
/// `key`.
bool form_need(struct form *f, bool given, uint64_t byte, const char *key);

/// The unsigned value of `key`, or `absent` if it is not given. After an error the result is
/// arbitrary; this also holds for the three functions below.
uint64_t form_u64(struct form *f, const struct scalar *s, const char *key, uint64_t absent);

/// Like form_u64(), for an address, which may be written as a signed number; SNAPSHOT_NO_ADDRESS if
/// it is not given.
uint64_t form_address(struct form *f, const struct scalar *s, const char *key);

/// Like form_u64(), for a signed value.
int64_t form_i64(struct form *f, const struct scalar *s, const char *key, int64_t absent);

/// Like form_u64(), for the number of a device; 0 if it is not given.
int64_t form_device(struct form *f, const struct scalar *s);

/// Reads a text and returns its index in `words`, or `nr` if it is not in `words`; `text` then
/// holds it until the next call. Returns -1 with an error if the value is null or not a text.
int form_word(struct form *f, const char *key, const char *const *words, int nr, struct span *text);

/// Reads the list of frames of a stack and returns the stack's id.
uint32_t form_stack(struct form *f);

/// Reads the elements of the array `segments`, whose opening bracket the caller has read.
void form_segments(struct form *f);

/// Like form_segments(), for `device_traces`.
void form_traces(struct form *f);

/// Like form_segments(), for `external_annotations`.
void form_annotations(struct form *f);

#endif
