/// Whether an optional file is absent.
#ifndef GG_CLI_ABSENT_H
#define GG_CLI_ABSENT_H

#include <stdbool.h>

/// True if there is no file of this name. A broken link, or a path that cannot be examined, does
/// not count as absent: reading it is then an error, rather than something else being used instead.
bool is_absent(const char *path);

#endif
