/// What `gpugate init` finds in the current directory. Files are read as data; nothing is run.
#ifndef GG_INIT_INIT_REPO_H
#define GG_INIT_INIT_REPO_H

#include <stdbool.h>

#include "base/diag.h"

enum forge { FORGE_NONE, FORGE_GITHUB, FORGE_GITLAB };

/// What `init` writes for GitLab beside the pipeline.
#define GITLAB_FILE ".gitlab/gpugate.yml"

struct repository {
	struct arena arena; ///< owns every string
	const char *above; ///< the directory above of whose repository this is a part; NULL: of none
	bool github, gitlab; ///< there are workflows, a pipeline
	bool included; ///< the pipeline names GITLAB_FILE
	enum forge remote; ///< what the address of the remote says
	const char *branch; ///< the remote's main branch; NULL not known
	const char *workload; ///< fit for names of files and for YAML without quotes inside a word
	const char *run; ///< a profile under one of the usual names; NULL none
};

/// Look around. What cannot be read is not known.
void repository_look(struct repository *r);

/// Give the memory back.
void repository_release(struct repository *r);

/// True where `name` is made of letters, digits, '.', '_' and '-', begins with a letter or
/// digit, and can be a workload.
bool is_plain_name(const char *name);

#endif
