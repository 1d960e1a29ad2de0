/// Formats of result files: the compiled-in table, a file of the user, and formats in a rules file.
#ifndef GG_RULES_FORMATS_FILE_H
#define GG_RULES_FORMATS_FILE_H

#include "metric/result_format.h"
#include "rules/keys.h"

/// The keys of one format of result files.
extern const struct key_map result_map;

/// Append the formats of a list that keys_check() has accepted to `out`; `list` NULL is an empty
/// list. `own` is true if the list is in a rules file, where a format needs no name.
GG_MUST_CHECK enum status result_rows_read(struct document *d, const struct node *list, bool own,
                                           struct result_formats *out);

/// Read formats from the compiled-in table if `path` is NULL, else from `text` or, if that is NULL,
/// from the file `path`. An error is ST_USAGE, or ST_OUTPUT if memory runs out. The caller ends
/// with result_formats_release() in any case.
GG_MUST_CHECK enum status formats_read(const char *path, const struct span *text,
                                       struct result_formats *out, struct diag_log *log);

/// The compiled-in table. It is read by the first call, and not when the program starts, since most
/// runs have no result file. Any thread may call it. The table is never released.
GG_MUST_CHECK enum status formats_built_in(const struct result_formats **out, struct diag_log *log);

#endif
