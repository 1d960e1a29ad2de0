#include "cli/setup.h"

#include <errno.h>
#include <sys/stat.h>

bool is_absent(const char *path)
{
	struct stat sb;
	return lstat(path, &sb) < 0 && (errno == ENOENT || errno == ENOTDIR);
}
