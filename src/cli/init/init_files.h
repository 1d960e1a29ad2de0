/// Writing several files, either all or none of them.
#ifndef GG_INIT_INIT_FILES_H
#define GG_INIT_INIT_FILES_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/vec.h"

struct new_file {
	const char *path; ///< path of the file, relative to the current directory
	const char *text;
};
struct new_files {
	VEC(struct new_file) list;
	VEC(const char *) kept; ///< paths of the files that are there already
};

/// Add a file, unless there is one and `replace` is false: that one is kept.
void new_files_add(struct new_files *f, const char *path, const char *text, bool replace);

/// Add a file with git attributes for stored baselines, unless there is one: with them, reviews
/// collapse baselines, and histories of two branches are merged line by line.
void new_files_add_attributes(struct new_files *f);

/// Write all files, including missing directories, or none of them. Fails with ST_OUTPUT if a file
/// cannot be written; files that are new are removed then.
GG_MUST_CHECK enum status new_files_write(const struct new_files *f, struct diag_log *log);

#endif
