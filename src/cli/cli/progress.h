/// One line on the terminal with the progress of reading large inputs.
#ifndef GG_CLI_PROGRESS_H
#define GG_CLI_PROGRESS_H

#include "cli/load_internal.h"

struct progress_line;

/// Show the progress of `files` (borrowed until the end) in a thread of its own. Returns NULL if
/// standard error is not a terminal; nothing is written then.
struct progress_line *progress_begin(const struct artifact_file *files, size_t nr);

/// Clear the line and stop the thread; `p` may be NULL.
void progress_end(struct progress_line *p);

#endif
