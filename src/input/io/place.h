/// Finds where a file is after symbolic links, and checks whether this is inside the repository.
#ifndef GG_IO_PLACE_H
#define GG_IO_PLACE_H

#include "base/diag.h"

/// Like realpath(), for a file that need not exist: the path at which it would be made. Links are
/// followed, dangling ones too. NULL with errno if there is no such place. The caller frees.
char *place_of(const char *path);

/// The folder of the file at `path`: "." if the path has none. The caller frees.
char *place_folder(const char *path);

/// ST_USAGE unless `path` lies below the folder `root` (NULL: the repository around the current
/// folder, or the current folder if there is none) and outside of any '.git'. To be called for a
/// path that comes from a file: a person who may change that file must not be able to make this
/// program overwrite other files.
GG_MUST_CHECK enum status place_check(const char *path, const char *root, struct diag_log *log);

#endif
