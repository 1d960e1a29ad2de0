/// The suite file (gpugate-suite.yaml): the cases that one gate judges.
#ifndef GG_RULES_SUITE_FILE_H
#define GG_RULES_SUITE_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/vec.h"

/// An entry of the file: one case, or one case for each matching folder.
struct suite_entry {
	const char *workload; ///< name in which {name}, {gpu} and {world_size} are replaced
	const char *each; ///< pattern of folders; NULL: a single case
	const char *rules, *baseline; ///< paths with {name} replaced; NULL: as `check` finds them
	int64_t repeat; ///< above 1: number of paths, each with one run of the same code
	VEC(struct span) runs; ///< patterns of paths, in which {name} is replaced
};

struct suite_file {
	struct arena arena;
	const char *shown; ///< the file, as messages name it
	const char *name; ///< name of the suite, which identifies its comment on a pull request
	VEC(struct suite_entry) entries;
};

struct key_map;

/// The keys of a suite file.
extern const struct key_map suite_keys;

/// Read the file at `path`. Any error is ST_USAGE with place and reason. The caller releases with
/// suite_file_release() in any case.
GG_MUST_CHECK enum status suite_file_read(const char *path, struct suite_file *out,
                                          struct diag_log *log);

/// Like suite_file_read(), but reads `text`, which is borrowed during the call; messages begin with
/// `name`.
GG_MUST_CHECK enum status suite_file_parse(const char *name, struct span text,
                                           struct suite_file *out, struct diag_log *log);

/// Release the memory of the suite file.
void suite_file_release(struct suite_file *f);

#endif
