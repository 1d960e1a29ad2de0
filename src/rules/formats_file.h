/// Formats of result files: the compiled-in table, one of the user's, and those in rules.
#ifndef GG_RULES_FORMATS_FILE_H
#define GG_RULES_FORMATS_FILE_H

#include "metric/result_format.h"
#include "rules/keys.h"

/// The keys of one format.
extern const struct key_map result_map;

/// Append the formats of a checked list (NULL: none) to `out`. `own`: in rules, where a format
/// needs no name.
GG_MUST_CHECK enum status result_rows_read(struct document *d, const struct node *list, bool own,
                                           struct result_formats *out);

/// Read a formats file, or the compiled-in table where `path` is NULL. ST_USAGE on any error;
/// caller releases with result_formats_release() whatever the outcome.
GG_MUST_CHECK enum status formats_read(const char *path, struct result_formats *out,
                                       struct diag_log *log);

/// Read formats from `text`, borrowed during the call; messages begin with `name`. As
/// formats_read() in all else.
GG_MUST_CHECK enum status formats_parse(const char *name, struct span text,
                                        struct result_formats *out, struct diag_log *log);

#endif
