/// Several new files at once.
#ifndef GG_INIT_INIT_FILES_H
#define GG_INIT_INIT_FILES_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/vec.h"

struct new_file {
	const char *path; ///< below the current directory
	const char *text;
};
struct new_files {
	VEC(struct new_file) list;
};

/// Add the attributes of stored baselines for git, unless there are some: reviews fold them, and
/// the histories of two branches are joined by lines.
void new_files_add_attributes(struct new_files *f);

/// Write all of them, with the directories above them, or none. ST_OUTPUT where one is there
/// already unless `replace`, and where one cannot be written; what came into being is gone then.
GG_MUST_CHECK enum status new_files_write(const struct new_files *f, bool replace,
                                          struct diag_log *log);

#endif
