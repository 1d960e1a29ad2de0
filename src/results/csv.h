/// Lines of values between commas, as records of text.
#ifndef GG_RESULTS_CSV_H
#define GG_RESULTS_CSV_H

#include "results/value.h"

/// Columns at most.
enum { CSV_COLUMNS = 1024 };

/// The lines of out->bytes behind those of the root: objects whose members are named by the header,
/// the first line that has a column which fits each of the `nr` globs `has` (none: the first line
/// with two columns). What stands before it, blank lines and repeated headers are passed over, and
/// so are lines with another number of columns if `loose`; else these are ST_INPUT with the line.
/// Empty cells are null. `*found` if there is a header.
GG_MUST_CHECK enum status csv_add(struct value_tree *out, const char *name, const struct span *has,
                                  size_t nr, bool loose, bool *found, struct diag_log *log);

#endif
