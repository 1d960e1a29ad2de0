/// Facts about the current directory that `gpugate init` needs. Files are only read; nothing is
/// run.
#ifndef GG_INIT_INIT_REPO_H
#define GG_INIT_INIT_REPO_H

#include <stdbool.h>

#include "base/diag.h"

enum forge { FORGE_NONE, FORGE_GITHUB, FORGE_GITLAB };

/// File with the gate's jobs that `init` writes for GitLab; .gitlab-ci.yml includes it.
#define GITLAB_FILE ".gitlab/gpugate.yml"

struct repository {
	struct arena arena; ///< arena that owns all strings
	const char *above; ///< path to the parent directory that is the top of the repository; NULL if
	                   ///< it is this directory
	bool github, gitlab; ///< true if GitHub workflows exist; true if a GitLab pipeline exists
	bool included; ///< true if the GitLab pipeline includes GITLAB_FILE; false if not
	enum forge remote; ///< code hosting service that the address of the git remote belongs to
	const char *branch; ///< main branch of the git remote; NULL if unknown

	/// name for the workload, which needs no quotes in file names and in YAML
	const char *workload;
	const char *ignored; ///< content of .gitignore; NULL if there is none
	const char *run; ///< path of a profile with one of the usual names; NULL if there is none
};

/// Find the facts about the current directory. A file that cannot be read makes them unknown.
void repository_look(struct repository *r);

/// Release the strings of the repository.
void repository_release(struct repository *r);

/// True if `name` is a valid workload that consists of letters, digits, '.', '_' and '-', and
/// begins with a letter or digit.
bool is_plain_name(const char *name);

#endif
