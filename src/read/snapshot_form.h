/// The forms of a snapshot, from any tree of values; for the readers of its parts also where
/// reading is, values, errors.
#ifndef GG_READ_SNAPSHOT_FORM_H
#define GG_READ_SNAPSHOT_FORM_H

#include "read/snapshot_build.h"
#include "read/tree.h"

/// Read the outermost value of `t` into `b`; tree_status() tells how it went.
void snapshot_form_read(const struct tree *t, struct snapshot_builder *b);

struct form {
	const struct tree *t;
	struct snapshot_builder *b;
	const char *list; ///< "segments", "" where they are a bare list, …
	const char *part; ///< ".blocks", "" for the entries of a device, NULL outside
	uint64_t index, part_index;
	bool seen[3]; ///< keys of the outermost object
};

/// No error so far.
bool form_ok(const struct form *f);

/// Record `segments[3].blocks[2].size: what`; `key` NULL for the thing itself.
void form_fail(struct form *f, uint64_t byte, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/// Record why the builder refused the thing that begins at `byte`.
void form_fail_built(struct form *f, uint64_t byte);

/// False with an error where `given` is not: the thing that begins at `byte` lacks `key`.
bool form_need(struct form *f, bool given, uint64_t byte, const char *key);

/// A value of `key` that must fit its kind; `absent` where it is not given.
/// After an error, anything; so with the three that follow.
uint64_t form_u64(struct form *f, const struct scalar *s, const char *key, uint64_t absent);

/// The same for an address; SNAPSHOT_NO_ADDRESS where it is not given.
uint64_t form_address(struct form *f, const struct scalar *s, const char *key);

/// The same for a signed value.
int64_t form_i64(struct form *f, const struct scalar *s, const char *key, int64_t absent);

/// The same for the number of a device; 0 where it is not given.
int64_t form_device(struct form *f, const struct scalar *s);

/// Consume a text and give its place among `nr` words: `nr` for any other, which
/// is in `text` until the next call; -1 where it is null or no text, which is an error.
int form_word(struct form *f, const char *key, const char *const *words, int nr, struct span *text);

/// Consume the list of frames of a stack.
uint32_t form_stack(struct form *f);

/// Read the elements of `segments`, whose array has been entered.
void form_segments(struct form *f);

/// The same for `device_traces`.
void form_traces(struct form *f);

/// The same for `external_annotations`.
void form_annotations(struct form *f);

#endif
