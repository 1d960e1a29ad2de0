#include "init/init_repo.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "cli/artifact_format.h"
#include "io/source.h"
#include "model/rule.h"
#include "rules/rules_file.h"

enum { SMALL_BYTES = 1 << 20, NAME_CHARS = 60, FILES_LOOKED_AT = 20 };

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* ---- names for workloads ---- */

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._-", c));
}

bool is_plain_name(const char *name)
{
	bool plain = is_plain(*name) && !strchr("._-", *name);
	for (const char *p = name; *p; p++)
		plain = plain && is_plain(*p);
	return plain && !workload_fault(span_of(name));
}

/* Make a valid workload name from the name of a directory. */
static const char *plain_name(struct arena *a, const char *raw)
{
	struct strbuf b = STRBUF_INIT;
	for (const char *p = raw; *p && b.n < NAME_CHARS; p++) {
		bool joins = strchr("._-", *p) || !is_plain(*p);
		if (!joins)
			strbuf_addch(&b, *p);
		else if (b.n && !strchr("._-", b.p[b.n - 1]))
			strbuf_addch(&b, is_plain(*p) ? *p : '-');
	}
	while (b.n && strchr("._-", b.p[b.n - 1]))
		strbuf_setlen(&b, b.n - 1);
	const char *name = b.n ? arena_dup(a, strbuf_span(&b)) : DEFAULT_WORKLOAD;
	strbuf_release(&b);
	return name;
}

/* The workload of the only existing baseline. If there are several baselines or none, a name made
   from that of the current directory. */
static const char *workload_of(struct arena *a)
{
	const char *only = NULL;
	size_t nr = 0;
	DIR *dir = opendir("baselines");
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		size_t n = strlen(e->d_name);
		if (n <= 5 || strcmp(e->d_name + n - 5, ".json") != 0)
			continue;
		const char *name = arena_dup(a, (struct span){ e->d_name, n - 5 });
		nr++;
		only = is_plain_name(name) ? name : NULL;
	}
	if (dir)
		closedir(dir);
	if (nr == 1 && only)
		return only;
	char *here = realpath(".", NULL);
	const char *name = plain_name(a, here ? path_last(here) : "");
	free(here);
	return name;
}

/* ---- git and CI systems ---- */

const char *repository_file(struct arena *a, const char *path)
{
	struct stat sb;
	struct source *src;
	struct diag_log log;
	struct strbuf b = STRBUF_INIT;
	const char *text = NULL;
	if (stat(path, &sb) < 0 || !S_ISREG(sb.st_mode))
		return NULL;
	diag_init(&log);
	if (source_open(path, &(struct source_options){ .max_bytes = SMALL_BYTES }, &src, &log) ==
	    ST_OK) {
		if (source_read_all(src, SMALL_BYTES, &b, &log) == ST_OK)
			text = arena_dup(a, strbuf_span(&b));
		source_close(src);
	}
	strbuf_release(&b);
	diag_release(&log);
	return text;
}

/* The host in "https://user:secret@host:1/path", "ssh://git@host/path" or "git@host:path". */
static struct span host_of(struct span url)
{
	const char *end = url.p + url.n, *p = url.p, *at;
	const char *scheme = memmem(url.p, url.n, "://", 3);
	if (scheme)
		p = scheme + 3;
	struct span host = { p, 0 };
	while (p + host.n < end && p[host.n] != '/' && (scheme || p[host.n] != ':'))
		host.n++;
	while ((at = memchr(host.p, '@', host.n))) {
		host.n -= (size_t)(at + 1 - host.p);
		host.p = at + 1;
	}
	return host;
}

/* The code hosting service of the git remote "origin", by the host in its address. A user or token
   in the address does not count. */
static enum forge remote_of(const char *config)
{
	bool origin = false;
	for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		line += strspn(line, " \t");
		if (*line == '[')
			origin = strncmp(line, "[remote \"origin\"]", 17) == 0;
		if (!origin || strncmp(line, "url", 3) != 0)
			continue;
		const char *value = line + 3 + strspn(line + 3, " \t=");
		struct span host = host_of((struct span){ value, strcspn(value, "\n") });
		if (memmem(host.p, host.n, "github", 6))
			return FORGE_GITHUB;
		return memmem(host.p, host.n, "gitlab", 6) ? FORGE_GITLAB : FORGE_NONE;
	}
	return FORGE_NONE;
}

static const char *branch_of(struct arena *a, const char *head)
{
	struct span name = span_of(text_or_empty(head));
	if (!span_skip(&name, SPAN("ref: refs/remotes/origin/")))
		return NULL;
	const char *branch = arena_dup(a, (struct span){ name.p, strcspn(name.p, "\n") });
	return is_plain_name(branch) ? branch : NULL;
}

/* The nearest parent directory that is a git repository. NULL if there is none, or if the current
 * directory is a git repository itself. */
static const char *above_of(struct arena *a)
{
	struct strbuf up = STRBUF_INIT, git = STRBUF_INIT;
	const char *found = NULL;
	for (int i = 0; i < 100 && !found && !is_there(".git"); i++) {
		struct stat here, there;
		strbuf_adds(&up, i ? "/.." : "..");
		strbuf_setlen(&git, 0);
		strbuf_addf(&git, "%s/.git", strbuf_str(&up));
		if (is_there(strbuf_str(&git)))
			found = arena_dup(a, strbuf_span(&up));
		strbuf_setlen(&git, up.n);
		if (stat("/", &here) == 0 && stat(strbuf_str(&up), &there) == 0 &&
		    here.st_ino == there.st_ino && here.st_dev == there.st_dev)
			break;
	}
	strbuf_release(&up);
	strbuf_release(&git);
	return found;
}

/* The last of the stages that a pipeline names; NULL if it names none, or if "test" is one. */
static const char *stage_of(struct arena *a, const char *pipeline)
{
	const char *at =
	    strncmp(pipeline, "stages:", 7) == 0 ? pipeline : strstr(pipeline, "\nstages:");
	struct span last = SPAN("");
	at = at ? strchr(at, ':') + 1 : "";
	if (strchr("!*&", at[strspn(at, " ")])) /* they are defined elsewhere, or there are none */
		return NULL;
	for (size_t n; *at && *at != ']'; at += n) {
		n = strcspn(at, " \t\r\n,[]'\"");
		if (*at == '#')
			n = strcspn(at, "\n");
		else if (n && at[-1] == '\n' && *at != '-')
			break; /* the next key of the file */
		else if (n && strncmp(at, "- ", 2) != 0)
			last = (struct span){ at, n };
		if (span_eq(last, SPAN("test")))
			return NULL;
		n += !n;
	}
	const char *name = arena_dup(a, last);
	return is_plain_name(name) ? name : NULL;
}

/* ---- profiles in the repository ---- */

/* True if one of the first FILES_LOOKED_AT files in the directory is a profile. */
static bool holds_profiles(struct arena *a, const char *path)
{
	bool found = false;
	DIR *dir = opendir(path);
	const struct dirent *e;
	for (int i = 0; dir && !found && i < FILES_LOOKED_AT && (e = readdir(dir)); i++)
		found =
		    e->d_name[0] != '.' && artifact_recording(arena_printf(a, "%s/%s", path, e->d_name));
	if (dir)
		closedir(dir);
	return found;
}

static const char *run_of(struct arena *a)
{
	static const char *const usual[] = { "trace.json.gz", "trace.json", "traces",  "trace",
		                                 "profiles",      "profile",    "digests", "run.json.gz" };
	for (size_t i = 0; i < NR_OF(usual); i++)
		if (artifact_recording(usual[i]) || holds_profiles(a, usual[i]))
			return usual[i];
	return NULL;
}

void repository_look(struct repository *r)
{
	*r = (struct repository){ .arena = ARENA_INIT };
	const char *config = repository_file(&r->arena, ".git/config");
	r->above = above_of(&r->arena);
	r->github = is_there(".github");
	r->gitlab = is_there(".gitlab-ci.yml");
	const char *pipeline = repository_file(&r->arena, ".gitlab-ci.yml");
	r->ignored = repository_file(&r->arena, ".gitignore");
	r->included = pipeline && strstr(pipeline, GITLAB_FILE);
	r->stage = pipeline ? stage_of(&r->arena, pipeline) : NULL;
	r->remote = config ? remote_of(config) : FORGE_NONE;
	r->branch = branch_of(&r->arena, repository_file(&r->arena, ".git/refs/remotes/origin/HEAD"));
	r->workload = workload_of(&r->arena);
	r->run = run_of(&r->arena);
}
