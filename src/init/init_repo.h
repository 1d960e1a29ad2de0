/// What `gpugate init` finds out about the current directory. Files are only read; nothing is run.
#ifndef GG_INIT_INIT_REPO_H
#define GG_INIT_INIT_REPO_H

#include <stdbool.h>

#include "base/diag.h"

enum forge { FORGE_NONE, FORGE_GITHUB, FORGE_GITLAB };

/// File that `init` writes for GitLab besides the pipeline.
#define GITLAB_FILE ".gitlab/gpugate.yml"

struct repository {
	struct arena arena; ///< owner of all strings
	const char *above; ///< parent directory that is the repository of this one; or NULL
	bool github, gitlab; ///< true if workflows of GitHub exist; true if a GitLab pipeline exists
	bool included; ///< true if the pipeline includes GITLAB_FILE
	enum forge remote; ///< forge according to the address of the remote
	const char *branch; ///< main branch of the remote; NULL if unknown
	const char *workload; ///< name that needs no quotes in file names and in YAML
	const char *run; ///< a profile with one of the usual names; NULL if there is none
};

/// Examine the current directory. What cannot be read counts as unknown.
void repository_look(struct repository *r);

/// Release the strings of the repository.
void repository_release(struct repository *r);

/// True if `name` is a valid workload that consists of letters, digits, '.', '_' and '-', and
/// begins with a letter or digit.
bool is_plain_name(const char *name);

#endif
