/// What `gpugate init` finds out about the current directory, and what it writes there. It only
/// reads and writes files, and starts no programs.
#ifndef GG_INIT_INIT_REPO_H
#define GG_INIT_INIT_REPO_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/vec.h"
#include "model/history.h"
#include "model/rule.h"
#include "model/view.h"

/// A code hosting service for which init can write CI workflows.
enum forge { FORGE_NONE, FORGE_GITHUB, FORGE_GITLAB };

/// File with the gate's jobs that `init` writes for GitLab; .gitlab-ci.yml includes it.
#define GITLAB_FILE ".gitlab/gpugate.yml"

/// What the current directory and its repository tell about the project.
struct repository {
	struct arena arena; ///< arena that owns all strings
	const char *above; ///< path of the parent directory that is the top of the repository; NULL if
	                   ///< it is the current directory, or if there is no repository
	bool github, gitlab; ///< `github`: true if there is a folder .github; `gitlab`: true if there
	                     ///< is a GitLab pipeline, .gitlab-ci.yml
	bool included; ///< true if the GitLab pipeline includes GITLAB_FILE
	const char *stage; ///< last stage of a GitLab pipeline with stages of its own, without "test";
	                   ///< NULL for other pipelines
	enum forge remote; ///< code hosting service at the address of the git remote
	const char *branch; ///< main branch of the git remote; NULL if unknown

	/// name of the workload; it needs no quotes in file names and in YAML
	const char *workload;
	const char *ignored; ///< content of .gitignore; NULL if there is none
	const char *run; ///< path of a recording, or of a folder with one, that has one of the usual
	                 ///< names; NULL if there is none
};

/// Find out about the current directory. What is in a file that cannot be read remains unknown. The
/// caller releases the arena.
void repository_look(struct repository *r);

/// Content of a small regular file, owned by `a`; NULL if the path is not such a file.
const char *repository_file(struct arena *a, const char *path);

/// True if `name` is a valid workload that consists of letters, digits, '.', '_' and '-', and
/// begins with a letter or digit.
bool is_plain_name(const char *name);

/// Input of init_rules_text(), all of it borrowed, and two numbers that it returns.
struct init_rules {
	const char *workload; ///< name of the workload, for which is_plain_name() is true
	const char *marker; ///< step marker to write in the rules; NULL: the default marker
	const char *formats; ///< lines to write that read a result file; NULL: a known format reads it
	const struct run_view *view; ///< run that the rules are for; NULL if there is none

	/// history whose noise allows narrower limits; NULL: the limits of the built-in rules stay
	const struct history *history;
	const struct rules *builtin; ///< the built-in rules, parsed

	size_t judging; ///< result: number of built-in rules that judge a figure of the run
	size_t closer; ///< result: number of rules with narrower limits
};

/// The text of a rules file that has the workload, the number of ranks or the format of a result
/// file, the marker and narrower limits. Owned by `a`.
const char *init_rules_text(struct init_rules *in, struct arena *a);

/// A file to be written; both texts are borrowed.
struct new_file {
	const char *path; ///< path of the file, relative to the current directory
	const char *text;
};

/// The files to write, which are written together, and existing files that are kept.
struct new_files {
	VEC(struct new_file) list;
	VEC(const char *) kept; ///< paths of the files that are there already
};

/// Add a file to write. If it exists already, and `replace` is false, it is kept instead.
void new_files_add(struct new_files *f, const char *path, const char *text, bool replace);

/// Add a file with git attributes for stored baselines, unless there is one. With these attributes,
/// reviews collapse baselines, and histories of two branches are merged line by line.
void new_files_add_attributes(struct new_files *f);

/// Write all files, and create missing directories. Fails with ST_OUTPUT if a file cannot be
/// written. New files are then removed, but files that were already replaced stay replaced.
GG_MUST_CHECK enum status new_files_write(const struct new_files *f, struct diag_log *log);

#endif
