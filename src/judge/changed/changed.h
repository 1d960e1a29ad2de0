/// Files that the change under review touches, and the places in a report that name lines of these
/// files.
#ifndef GG_CHANGED_CHANGED_H
#define GG_CHANGED_CHANGED_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"

/// A changed file with its path in the repository.
struct changed_file {
	struct span path; ///< path with '/' between its components, without a leading "./"
	size_t shortest; ///< length of the shortest path by which the recordings or the report name
	                 ///< this file; 0 if they do not name it
};

/// All files that the change touches.
struct changed_files {
	struct arena arena; ///< arena that holds the path strings
	VEC(struct changed_file) list;
};

/// Add a file with the path `path`, unless the path is empty or ends with a slash.
void changed_files_add(struct changed_files *c, struct span path);

/// Add the files that git reports as changed since the current branch left the branch of `commit`.
/// If `commit` is NULL, the target branch of the pull or merge request is used or, if the CI system
/// names no target branch that git knows, the commit `otherwise` (NULL: unknown). Logs a warning if
/// git knows no such commit, or cannot be asked.
void changed_files_from_git(struct changed_files *c, const char *commit, const char *otherwise,
                            struct diag_log *log);

/// Run git with the NULL-terminated arguments `argv` and append its output to `out`. False if git
/// failed or is not installed, or if the output exceeds 16 MiB.
bool changed_ask_git(const char *const *argv, struct strbuf *out);

/// Apply the options --changed (`nr` names) and --changed-from (`from`; NULL if not given) to a
/// report on `run` (NULL if there is none): mark the lines of code that are in a changed file. A
/// recorded name means a changed file if it ends with the file's path. It also means the file if
/// the path ends with the name, since memory recordings keep only the last two components of a
/// path. If several names in `run` or the report could mean one file, only the shortest name
/// counts. Names in folders of installed packages do not count. `commit` is the baseline's; NULL if
/// unknown. Returns ST_USAGE if `from` is given, but is neither "git" nor "git:COMMIT".
GG_MUST_CHECK enum status changed_mark(const char *const *names, size_t nr, const char *from,
                                       const char *commit, const struct run *run, struct report *r,
                                       struct diag_log *log);

#endif
