#include "io/place.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

#define MAX_LINKS 40 /* largest number of links that are followed, which is also Linux's limit */

static char *joined(const char *folder, const char *name)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
	return b.p;
}

char *place_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 1;
	return mem_strndup(slash ? path : ".", n ? n : 1);
}

/* The path to which the link at `path` leads; NULL if `path` is not a link. */
static char *next_of_link(const char *path)
{
	char target[PATH_MAX], *folder, *next;
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (*target == '/')
		return mem_strndup(target, (size_t)n);
	folder = place_folder(path);
	next = joined(folder, target);
	free(folder);
	return next;
}

static char *resolve(const char *path, int links)
{
	char *whole = realpath(path, NULL), *folder, *next;
	const char *name = path_last(path);
	if (whole || errno != ENOENT)
		return whole;
	next = next_of_link(path);
	if (!next && (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)) {
		errno = ENOENT; /* the path names a folder, which does not exist */
		return NULL;
	}
	if (next && links == MAX_LINKS) {
		free(next);
		errno = ELOOP;
		return NULL;
	}
	if (next) {
		whole = resolve(next, links + 1);
		free(next);
		return whole;
	}
	next = place_folder(path);
	folder = resolve(next, links);
	free(next);
	whole = folder ? joined(folder, name) : NULL;
	free(folder);
	return whole;
}

char *place_of(const char *path)
{
	return resolve(path, 0);
}

/* The folder of the repository: the first folder with a '.git' from the current one upwards; the
   current folder if there is none. */
static char *repository(void)
{
	char *here = realpath(".", NULL), *top = here ? mem_strndup(here, strlen(here)) : NULL;
	while (top) {
		char *git = joined(top, ".git");
		bool found = access(git, F_OK) == 0;
		free(git);
		if (found || !top[1])
			break;
		git = place_folder(top);
		free(top);
		top = git;
	}
	if (top && top[1]) {
		free(here);
		return top;
	}
	free(top);
	return here;
}

/* True if a folder of the path is called '.git', in upper or lower case, since some file systems
   ignore the case of names. */
static bool in_git(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		if (n == 4 && strncasecmp(path, ".git", 4) == 0)
			return true;
		path += n + (path[n] == '/');
	}
	return false;
}

enum status place_check(const char *path, const char *root, struct diag_log *log)
{
	char *top = root ? place_of(root) : repository(), *at = place_of(path);
	size_t n = top && top[1] ? strlen(top) : 0;
	bool inside = top && at && strncmp(at, top, n) == 0 && at[n] == '/' && !in_git(at + n);
	enum status st = ST_OK;
	if (!inside)
		st = diag_fail(log, ST_USAGE,
		               "%s: is not written, since a file names it and it leads out of %s or into "
		               "'.git'; only a path that you type may: use --baseline",
		               text_quote(&log->arena, span_of(path)),
		               text_quote(&log->arena, span_of(top ? top : "the repository")));
	free(top);
	free(at);
	return st;
}
