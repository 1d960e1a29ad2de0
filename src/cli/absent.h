/// Whether a file that need not be there is not there.
#ifndef GG_CLI_ABSENT_H
#define GG_CLI_ABSENT_H

#include <stdbool.h>

/// True where nothing has this name. A link that leads nowhere, or a place that cannot be
/// looked at, is not absent: what would be read is then an error, and nothing is used in its place.
bool is_absent(const char *path);

#endif
