/// One line on a terminal that says how far the reading of long inputs has come.
#ifndef GG_CLI_PROGRESS_H
#define GG_CLI_PROGRESS_H

#include "cli/load_internal.h"

struct progress_line;

/// Watch `files` (borrowed until the end) while they are read, by a thread of its
/// own. NULL where standard error is not a terminal: nothing is ever written there.
struct progress_line *progress_begin(const struct artifact_file *files, size_t nr);

/// Clear the line and stop; NULL is fine.
void progress_end(struct progress_line *p);

#endif
