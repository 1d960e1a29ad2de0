/// JSON text, walked as a tree of values.
#ifndef GG_READ_JSON_TREE_H
#define GG_READ_JSON_TREE_H

#include "base/diag.h"
#include "io/source.h"
#include "read/tree.h"

struct json_tree_options {
	size_t window; ///< size of the scanner's window in bytes, set by tests; 0 means the default
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
