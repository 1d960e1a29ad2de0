/// Reads lines of comma-separated values as records of text.
#ifndef GG_RESULTS_CSV_H
#define GG_RESULTS_CSV_H

#include "results/value.h"

/// Largest number of columns of a line.
enum { CSV_COLUMNS = 1024 };

/// Appends the lines of out->bytes to the root as objects, whose members are named by the header.
/// The header is the first line in which each of the `nr` globs `has` matches a column (if there
/// are no globs: the first line with two columns). Text before it, blank lines and repeated headers
/// are skipped, and if `loose` also lines with another number of columns, except those with an open
/// quote; otherwise such lines are ST_INPUT. Empty cells are null. `*found` is set if there is a
/// header.
GG_MUST_CHECK enum status csv_add(struct value_tree *out, const char *name, const struct span *has,
                                  size_t nr, bool loose, bool *found, struct diag_log *log);

#endif
