/// The suite file (gpugate-suite.yaml): a list of the cases (workloads) that one command judges.
#ifndef GG_RULES_SUITE_FILE_H
#define GG_RULES_SUITE_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/vec.h"

/// An entry of the file, which makes one case, or one case for each folder that matches `each`.
struct suite_entry {
	/// name of the workload; {name} is replaced by the name of the folder that matches `each`,
	/// {gpu} and {world_size} by what the run says
	const char *workload;
	const char *each; ///< pattern of folders, one for each case; NULL: the entry is a single case

	/// paths, in which {name} is replaced; NULL: those that `gpugate check` uses by default
	const char *rules, *baseline;
	int64_t repeat; ///< number of runs of the same code, each in a path of its own; 1: all paths
	                ///< are of one run
	VEC(struct span)
	runs; ///< patterns of the paths of results, in which {name} is replaced; empty: the folder that
	      ///< matches `each`
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

/// Read `text` or, if it is NULL, the file `path`; messages name `path` in both cases. An error is
/// ST_USAGE, or ST_OUTPUT if memory runs out. The caller ends with suite_file_release() in any
/// case.
GG_MUST_CHECK enum status suite_file_read(const char *path, const struct span *text,
                                          struct suite_file *out, struct diag_log *log);

/// Release the memory of the suite file.
void suite_file_release(struct suite_file *f);

#endif
