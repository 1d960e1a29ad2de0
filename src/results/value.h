/// JSON, or what is read as if it were, as a tree under limits.
#ifndef GG_RESULTS_VALUE_H
#define GG_RESULTS_VALUE_H

#include "base/arena.h"
#include "base/diag.h"
#include "io/jscan.h"

/// Limits of a file that is read as a whole.
struct value_limits {
	size_t bytes; ///< expanded
	size_t values;
};
extern const struct value_limits value_limits;

/// A value: of an object or array the members are listed in order.
struct value {
	enum jscan_type type;
	bool steps; ///< an array of records that are one: a path goes on in each of them
	bool taken; ///< by a row of a format: later ones pass over it
	struct span key; ///< of a member
	struct span text; ///< of a string decoded; of a number or literal as written
	struct value *parent, *first, *last, *next;
};

/// A file in memory.
struct value_tree {
	struct arena arena;
	struct span bytes;
	struct value root; ///< a JSCAN_ARRAY of the values behind one another
	size_t nr_values;
	uint64_t nr_faults, fault_byte; ///< tolerated faults of JSON, and the first, from the beginning
	bool is_too_large; ///< beyond the limit of bytes, and nothing is kept: no such file
};

/// Read all of `src` into `out->bytes`. Caller releases with
/// value_tree_release() whatever the outcome.
GG_MUST_CHECK enum status value_bytes_read(struct source *src, struct value_tree *out,
                                           struct diag_log *log);

/// The JSON values of `text`, a part of out->bytes, behind those of the root. ST_INPUT with file
/// (`name`), record and byte if it is not one or beyond the limit.
GG_MUST_CHECK enum status value_json_add(struct value_tree *out, const char *name, struct span text,
                                         struct diag_log *log);

/// The same of each line that holds `prefix`, from behind it.
GG_MUST_CHECK enum status value_lines_add(struct value_tree *out, const char *name,
                                          const char *prefix, struct diag_log *log);

/// A new member of `parent`, or NULL beyond the limit.
struct value *value_add(struct value_tree *t, struct value *parent, enum jscan_type type,
                        struct span key, struct span text);

/// The member `key` of an object, or NULL.
const struct value *value_get(const struct value *of, struct span key);

/// Give the memory back.
void value_tree_release(struct value_tree *t);

#endif
