/// JSON as a tree of values.
#ifndef GG_READ_JSON_TREE_H
#define GG_READ_JSON_TREE_H

#include "base/diag.h"
#include "io/source.h"
#include "read/tree.h"

struct json_tree_options {
	size_t window; ///< bytes of the scanner's window, for tests; 0: its default
	const char *cut; ///< what is said of an input that is cut short
	uint64_t *faults, *fault_byte; ///< set: tolerated faults of JSON, the place of the first
};

/// Walk the one value of `src` by `form`, which is called with `ctx`. ST_INPUT with one line in
/// `log` where it is malformed, or `form` refuses it.
GG_MUST_CHECK enum status json_read_tree(struct source *src,
                                         const struct json_tree_options *options, tree_form *form,
                                         void *ctx, struct diag_log *log);

#endif
