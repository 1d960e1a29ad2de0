/// The suite file (gpugate-suite.yaml): a list of the cases (workloads) that one command judges.
#ifndef GG_RULES_SUITE_FILE_H
#define GG_RULES_SUITE_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/vec.h"

/// An entry of the file, which makes one case, or one case for each folder that matches `each`.
struct suite_entry {
	/// name of the workload, in which {name}, {gpu} and {world_size} are replaced
	const char *workload;
	const char *each; ///< pattern of folders, one for each case; NULL: the entry is a single case

	/// paths in which {name} is replaced; NULL: `check` looks in the usual places
	const char *rules, *baseline;
	int64_t repeat; ///< if above 1: the number of paths, each of which has one run of the same code
	VEC(struct span) runs; ///< patterns of the paths of results, in which {name} is replaced
};

/// A suite file as read; the arena owns its texts.
struct suite_file {
	struct arena arena;
	const char *shown; ///< name of the file in messages
	const char *name; ///< name of the suite, which identifies its comment on a pull request
	VEC(struct suite_entry) entries;
};

struct key_map;

/// The keys of a suite file.
extern const struct key_map suite_keys;

/// Read the file at `path` (`text`: as rules_read() does). Any error is ST_USAGE with its position
/// and reason. The caller ends with suite_file_release() in any case.
GG_MUST_CHECK enum status suite_file_read(const char *path, const struct span *text,
                                          struct suite_file *out, struct diag_log *log);

/// Release the memory of the suite file.
void suite_file_release(struct suite_file *f);

#endif
