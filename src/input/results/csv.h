/// Reads lines of values between commas, semicolons or tabs, or below columns that a line of dashes
/// marks, as records of text.
#ifndef GG_RESULTS_CSV_H
#define GG_RESULTS_CSV_H

#include "results/value.h"

/// Largest number of columns of a line.
enum { CSV_COLUMNS = 1024 };

/// Appends the lines of out->bytes to the root as objects, whose members are named by the header.
/// The header is the first line in which each of the `nr` globs `has` matches a column; without
/// globs, it is the first line with two columns; unless `loose`, no other table may stand before
/// it. `*found` is set if there is a header; one that only patterns tell needs a row of figures,
/// too. Lines without a separator before the header, blank lines and repeated headers are skipped.
/// A line with another number of columns than the header is ST_INPUT; if `loose` is set, the line
/// is skipped unless it has an open quote. Behind a blank line such a line begins another table,
/// which is read if there are globs and its first column is called as that of the header. Empty
/// cells are null.
GG_MUST_CHECK enum status csv_add(struct value_tree *out, const char *name, const struct span *has,
                                  size_t nr, bool loose, bool *found, struct diag_log *log);

#endif
