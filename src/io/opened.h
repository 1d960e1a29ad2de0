/// The files that this process has read, whatever name each was opened by.
#ifndef GG_IO_OPENED_H
#define GG_IO_OPENED_H

#include <stdbool.h>
#include <sys/stat.h>

/// Remember a regular file that was opened for reading. From any thread.
void opened_note(const struct stat *file);

/// True if that very file was read.
bool opened_has(const struct stat *file);

#endif
