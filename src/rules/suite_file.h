/// The suite file (gpugate-suite.yaml): what one gate judges.
#ifndef GG_RULES_SUITE_FILE_H
#define GG_RULES_SUITE_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/vec.h"

/// A line of the file: a case, or one for each folder.
struct suite_entry {
	const char *workload; ///< {name}, {gpu} and {world_size} are filled in
	const char *each; ///< pattern of folders; NULL: a single case
	const char *rules, *baseline; ///< {name} is filled in; NULL: as `check` takes them
	int64_t repeat; ///< above 1: each path is a run of the same code, and there are so many
	VEC(struct span) runs; ///< patterns of paths, in which {name} is filled in
};

struct suite_file {
	struct arena arena;
	const char *shown; ///< the file, as messages name it
	const char *name; ///< of the suite, by which its comment is found again
	VEC(struct suite_entry) entries;
};

struct key_map;

/// The keys of it.
extern const struct key_map suite_keys;

/// Read the file at `path`. ST_USAGE with the place of what is wrong; caller releases with
/// suite_file_release() whatever the outcome.
GG_MUST_CHECK enum status suite_file_read(const char *path, struct suite_file *out,
                                          struct diag_log *log);

/// Read `text`, borrowed during the call; messages begin with `name`.
GG_MUST_CHECK enum status suite_file_parse(const char *name, struct span text,
                                           struct suite_file *out, struct diag_log *log);

/// Give the memory back.
void suite_file_release(struct suite_file *f);

#endif
