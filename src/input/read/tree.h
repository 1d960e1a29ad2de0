/// One interface to walk a tree of values, either JSON text or the nodes of a pickle, so that one
/// reader reads both.
///
/// The rules are those of jscan. After every key or element the reader calls exactly one of
/// tree_object(), tree_array(), tree_scalar() and tree_skip(); it reads an object or array to its
/// end. After an error there are no more keys and elements.
#ifndef GG_READ_TREE_H
#define GG_READ_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "base/status.h"
#include "io/source.h"

enum scalar_type {
	SCALAR_NULL, ///< null; also the type of a zeroed scalar, which means that no value was given
	SCALAR_INTEGER, ///< integer between -(2^64 - 1) and 2^64 - 1
	SCALAR_BOOL,
	SCALAR_TEXT,
	SCALAR_OTHER, ///< fraction, NaN, integer beyond ±(2^64 - 1), bytes or a container
};

/// A value without further values in it.
struct scalar {
	enum scalar_type type;
	bool negative; ///< true for a number with a minus sign, also for -0
	uint64_t magnitude; ///< absolute value of an integer; for a bool 0 or 1
	struct span text; ///< text, borrowed until the next call
	uint64_t byte; ///< offset of the value in the input
};

/// Functions that do what tree_object(), tree_key(), … below say; each gets the `ctx` of the tree.
/// `again` and `learn` may be NULL.
struct tree_ops {
	bool (*object)(void *ctx);
	bool (*key)(void *ctx, struct span *key);
	bool (*array)(void *ctx);
	bool (*element)(void *ctx);
	void (*scalar)(void *ctx, struct scalar *out);
	void (*skip)(void *ctx);
	uint64_t (*byte)(void *ctx);
	void (*fail)(void *ctx, uint64_t byte, const char *what);
	enum status (*status)(void *ctx);
	bool (*again)(void *ctx, uint32_t *tag);
	void (*learn)(void *ctx, uint32_t tag);
};

/// A position in a tree of values; both members are borrowed.
struct tree {
	const struct tree_ops *ops;
	void *ctx;
};

/// A function that reads a whole tree; it must consume the outermost value.
typedef void tree_form(void *ctx, const struct tree *t);

/// Enters the next value if it is an object; else false, and nothing is consumed.
static inline bool tree_object(const struct tree *t)
{
	return t->ops->object(t->ctx);
}

/// Reads the next key of the innermost object, borrowed until the next call; false at the end of
/// the object.
static inline bool tree_key(const struct tree *t, struct span *key)
{
	return t->ops->key(t->ctx, key);
}

/// Enters the next value if it is an array; else false, and nothing is consumed.
static inline bool tree_array(const struct tree *t)
{
	return t->ops->array(t->ctx);
}

/// True while the innermost array has another element; false at its end.
static inline bool tree_element(const struct tree *t)
{
	return t->ops->element(t->ctx);
}

/// Consumes the next value; a container is skipped and becomes SCALAR_OTHER.
static inline struct scalar tree_scalar(const struct tree *t)
{
	struct scalar s = { 0 };
	t->ops->scalar(t->ctx, &s);
	return s;
}

/// Skips the next value, whatever its type.
static inline void tree_skip(const struct tree *t)
{
	t->ops->skip(t->ctx);
}

/// Like tree_object(), but any other value is skipped.
static inline bool tree_enter_object(const struct tree *t)
{
	return tree_object(t) || (tree_skip(t), false);
}

/// Like tree_array(), but any other value is skipped.
static inline bool tree_enter_array(const struct tree *t)
{
	return tree_array(t) || (tree_skip(t), false);
}

/// Skips the next value if it equals, byte for byte, an object that tree_learn() has remembered,
/// and sets `*tag` to the tag of that object; else returns false.
static inline bool tree_again(const struct tree *t, uint32_t *tag)
{
	return t->ops->again && t->ops->again(t->ctx, tag);
}

/// To be called after tree_again() was false and the value has been read: remembers the value, with
/// `tag`, so that tree_again() may recognize it from now on. Only small objects of JSON without
/// further objects or lists in them are remembered, up to a limit.
static inline void tree_learn(const struct tree *t, uint32_t tag)
{
	if (t->ops->learn)
		t->ops->learn(t->ctx, tag);
}

/// Offset of the next value in the input.
static inline uint64_t tree_byte(const struct tree *t)
{
	return t->ops->byte(t->ctx);
}

/// Records the error `FILE: byte N: what` and stops; an earlier error is kept.
static inline void tree_fail(const struct tree *t, uint64_t byte, const char *what)
{
	t->ops->fail(t->ctx, byte, what);
}

/// ST_OK, or the status of the first error, which is in the log.
static inline enum status tree_status(const struct tree *t)
{
	return t->ops->status(t->ctx);
}

/// How JSON is walked, and where its faults are counted. All pointers are borrowed.
struct json_tree_options {
	const char *cut; ///< error message for an input that is cut short
	uint64_t *faults, *fault_byte; ///< results: number of tolerated faults of JSON, and offset of
	                               ///< the first one
};

/// Walks the one value of `src` by calling `form` with `ctx`. ST_INPUT with one line in `log` if
/// the value is malformed, or if `form` refuses it.
GG_MUST_CHECK enum status json_read_tree(struct source *src,
                                         const struct json_tree_options *options, tree_form *form,
                                         void *ctx, struct diag_log *log);

#endif
