/// JSON text, walked as a tree of values.
#ifndef GG_READ_JSON_TREE_H
#define GG_READ_JSON_TREE_H

#include "base/diag.h"
#include "io/source.h"
#include "read/tree.h"

struct json_tree_options {
	size_t window; ///< size of the scanner's window in bytes, for tests; 0: the default
	const char *cut; ///< message for an input that is cut short
	uint64_t *faults, *fault_byte; ///< set to the number of tolerated faults of JSON, and to the
	                               ///< offset of the first
};

/// Walks the one value of `src` by `form`, which is called with `ctx`. ST_INPUT with one line in
/// `log` if the value is malformed, or if `form` refuses it.
GG_MUST_CHECK enum status json_read_tree(struct source *src,
                                         const struct json_tree_options *options, tree_form *form,
                                         void *ctx, struct diag_log *log);

#endif
