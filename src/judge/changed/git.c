/* Asks git for changed files. Git is started without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "changed/changed.h"

extern char **environ;

enum { OUTPUT_BYTES = 16 << 20 };

/* Start git with `output` as standard output; standard error is dropped. False if it cannot
   start. */
static bool start_git(const char *const *argv, int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	if (posix_spawn_file_actions_init(&actions))
		return false;
	bool ready =
	    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
	    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
	    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0;
	ready = ready && posix_spawnp(pid, "git", &actions, NULL, (char *const *)argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return ready;
}

bool changed_ask_git(const char *const *argv, struct strbuf *out)
{
	int ends[2], code = -1;
	pid_t pid;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	bool started = start_git(argv, ends[1], &pid);
	close(ends[1]);
	bool whole = started && strbuf_read(out, ends[0], OUTPUT_BYTES) && out->n <= OUTPUT_BYTES;
	close(ends[0]);
	while (started && waitpid(pid, &code, 0) < 0 && errno == EINTR)
		;
	return whole && code == 0;
}

/* Find the commit at which this branch left the branch of `commit`. False if there is none. */
static bool find_base(const char *commit, struct strbuf *out)
{
	const char *const verify[] = { "git",  "rev-parse", "--verify", "--quiet", "--end-of-options",
		                           commit, NULL };
	struct strbuf id = STRBUF_INIT;
	bool found = changed_ask_git(verify, &id) && id.n;
	if (found) {
		strbuf_setlen(&id, id.n - 1);
		const char *const base[] = { "git", "merge-base", strbuf_str(&id), "HEAD", NULL };
		found = changed_ask_git(base, out) && out->n;
		strbuf_setlen(out, found ? out->n - 1 : 0);
	}
	strbuf_release(&id);
	return found;
}

/* Variables in which CI systems store the target branch of a pull or merge request, and the prefix
   (`before`) with which git finds the commit or branch that a variable names. Source:
   docs.gitlab.com "Predefined CI/CD variables reference", docs.github.com "Variables reference",
   Jenkins Branch API plugin. */
static const struct {
	const char *variable, *before;
} targets[] = {
	{ "CI_MERGE_REQUEST_DIFF_BASE_SHA", "" },
	{ "GITHUB_BASE_REF", "refs/remotes/origin/" },
	{ "CHANGE_TARGET", "refs/remotes/origin/" },
};

/* Find the target of a pull request if GitHub has checked out the merge of the request into its
   target branch: the target is then the first parent of the merge. */
static bool find_merge(struct strbuf *out)
{
	const char *target = getenv("GITHUB_BASE_REF");
	struct strbuf second = STRBUF_INIT;
	bool found = target && *target && find_base("HEAD^2", &second);
	strbuf_setlen(out, 0);
	strbuf_release(&second);
	return found && find_base("HEAD^1", out);
}

static bool find_target(const char *otherwise, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	bool found = false;
	for (size_t i = 0; i < NR_OF(targets) && !found; i++) {
		const char *value = getenv(targets[i].variable);
		strbuf_setlen(&name, 0);
		strbuf_setlen(out, 0);
		strbuf_addf(&name, "%s%s", targets[i].before, value ? value : "");
		found = value && *value && find_base(strbuf_str(&name), out);
	}
	strbuf_release(&name);
	if (!found)
		found = find_merge(out);
	strbuf_setlen(out, found ? out->n : 0);
	return found || (otherwise && *otherwise && find_base(otherwise, out));
}

void changed_files_from_git(struct changed_files *c, const char *commit, const char *otherwise,
                            struct diag_log *log)
{
	struct strbuf base = STRBUF_INIT, names = STRBUF_INIT;
	bool known = commit ? find_base(commit, &base) : find_target(otherwise, &base);
	const char *const diff[] = {
		"git",           "diff",          "--name-only",     "-z", "--no-renames",
		"--no-ext-diff", "--no-textconv", strbuf_str(&base), "--", NULL
	};
	if (!known || !changed_ask_git(diff, &names)) {
		diag_warn(log, "--changed git: git does not know since which commit files have "
		               "changed; no place is marked. In CI fetch more than one commit, or give "
		               "--changed git:COMMIT");
	} else {
		for (struct span rest = strbuf_span(&names); rest.n;) {
			const char *end = memchr(rest.p, '\0', rest.n);
			size_t n = end ? (size_t)(end - rest.p) : rest.n;
			changed_files_add(c, (struct span){ rest.p, n });
			n += end != NULL;
			rest = (struct span){ rest.p + n, rest.n - n };
		}
	}
	strbuf_release(&base);
	strbuf_release(&names);
}
