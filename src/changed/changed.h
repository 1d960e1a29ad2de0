/// Files that the change under review touches, and the places of a report in them.
#ifndef GG_CHANGED_CHANGED_H
#define GG_CHANGED_CHANGED_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"

/// One file, by its path in the repository.
struct changed_file {
	struct span path; ///< parts between '/'
	size_t shortest; ///< length of the shortest recorded name that ends with it; 0: none does
};

struct changed_files {
	struct arena arena; ///< owns the paths
	VEC(struct changed_file) list;
};

/// Add a file. Caller releases with changed_files_release().
void changed_files_add(struct changed_files *c, struct span path);

/// Give the memory back.
void changed_files_release(struct changed_files *c);

/// Add what git says has changed since the branch at hand left that of `commit`; where that is
/// NULL, the target of the pull or merge request that a CI system names, else `otherwise`. A
/// warning in `log` where git does not know it.
void changed_files_from_git(struct changed_files *c, const char *commit, const char *otherwise,
                            struct diag_log *log);

/// Append what git prints, of the NULL-terminated `argv`; false where it failed or is not
/// installed.
bool changed_ask_git(const char *const *argv, struct strbuf *out);

/// Mark the places of a report that are in such a file. A recorded name is in a file if it ends
/// with the file's path (or the path with it, as recordings of memory keep two parts); of several
/// that `run` (NULL: none) or the report has, the shortest names are.
void changed_files_mark(struct changed_files *c, const struct run *run, struct report *r);

/// What --changed (`nr` names) and --changed-from (`from`, NULL: not given) say of a report on
/// `run`; `commit` is that of the baseline, NULL unknown. ST_USAGE for another source than git.
GG_MUST_CHECK enum status changed_mark(const char *const *names, size_t nr, const char *from,
                                       const char *commit, const struct run *run, struct report *r,
                                       struct diag_log *log);

#endif
