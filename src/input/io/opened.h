/// Remembers which files this process has read, independent of their names.
#ifndef GG_IO_OPENED_H
#define GG_IO_OPENED_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/span.h"

/// Remembers a regular file that was opened for reading. May be called from any thread.
void opened_note(const struct stat *file);

/// Forgets the file if it was the last that was remembered. To be called for a file that was only
/// looked at, and that this process may therefore overwrite.
void opened_forget(const struct stat *file);

/// True if this file was read, maybe under another name.
bool opened_has(const struct stat *file);

/// The list of files that were read, as bytes for another process of this program. Files that are
/// read later are appended to the list. The bytes are borrowed until the next file is read; no
/// other thread may read files meanwhile.
struct span opened_list(void);

/// Remembers the files of a list that another process has made with opened_list(), or of the last
/// part of such a list.
void opened_add(struct span list);

#endif
