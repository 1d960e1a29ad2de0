/// Remembers which files this process has read, independent of their names.
#ifndef GG_IO_OPENED_H
#define GG_IO_OPENED_H

#include <stdbool.h>
#include <sys/stat.h>

/// Remembers a regular file that was opened for reading. May be called from any thread.
void opened_note(const struct stat *file);

/// True if this file was read, maybe under another name.
bool opened_has(const struct stat *file);

#endif
