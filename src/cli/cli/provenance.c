#include "cli/acceptance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/date.h"
#include "base/text.h"
#include "changed/changed.h"
#include "model/digest.h"
#include "rules/rules_file.h"

/* A CI system is recognized by the environment variable `marker`. `commit` and `who` name
 * variables: the first of them that is set is used. Links are joined from their pieces. Source:
 * docs.github.com "Variables reference" (default environment variables), docs.gitlab.com
 * "Predefined CI/CD variables reference", Jenkins /env-vars.html with the plugins Git, Branch API
 * and Build User Vars. */
static const struct ci_system {
	const char *name, *marker;
	const char *commit[3], *who[4];
	const char *link[6]; ///< link to the job; '$' marks a variable
	const char *commits[5]; ///< link to a commit, without the commit's id at its end; '$' marks a
	                        ///< variable
} systems[] = {
	{ "GitHub Actions",
	  "GITHUB_ACTIONS",
	  { "GITHUB_SHA" },
	  { "GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR" },
	  { "$GITHUB_SERVER_URL", "/", "$GITHUB_REPOSITORY", "/actions/runs/", "$GITHUB_RUN_ID" },
	  { "$GITHUB_SERVER_URL", "/", "$GITHUB_REPOSITORY", "/commit/" } },
	{ "GitLab CI",
	  "GITLAB_CI",
	  { "CI_COMMIT_SHA" },
	  { "GITLAB_USER_LOGIN", "GITLAB_USER_NAME" },
	  { "$CI_JOB_URL" },
	  { "$CI_PROJECT_URL", "/-/commit/" } },
	{ "Jenkins",
	  "JENKINS_URL",
	  { "GIT_COMMIT" },
	  { "BUILD_USER_ID", "BUILD_USER", "CHANGE_AUTHOR" },
	  { "$BUILD_URL" },
	  { NULL } },
};

enum { TEXT_CHARS = 200, REASON_CHARS = 1000 };

static const char *ci_variable(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static const char *first_of(const char *const *names)
{
	const char *value = NULL;
	for (; *names && !value; names++)
		value = ci_variable(*names);
	return value;
}

static const struct ci_system *system_here(void)
{
	return FIND(i, systems, NR_OF(systems), ci_variable(systems[i].marker));
}

/* Join the pieces of a link; NULL if a variable of the link is not set. */
static const char *joined(const char *const *pieces, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	for (; *pieces; pieces++) {
		const char *value = **pieces == '$' ? ci_variable(*pieces + 1) : *pieces;
		if (!value) {
			strbuf_release(&b);
			return NULL;
		}
		strbuf_adds(&b, value);
	}
	return b.n ? arena_take(a, &b) : NULL;
}

/* The web address that the pieces make. NULL if they do not make one, or if it has characters that
   mean something in Markdown or HTML. */
static const char *address(const char *const *pieces, struct arena *a)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	                            ":/._~%-";
	const char *text = joined(pieces, a);
	bool web = text && (strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0);
	return web && !text[strspn(text, plain)] ? text : NULL;
}

void provenance_links(struct arena *a, struct ci_links *out)
{
	const struct ci_system *s = system_here();
	*out = (struct ci_links){ 0 };
	if (!s)
		return;
	out->job = address(s->link, a);
	out->commits = address(s->commits, a);
	out->commit = first_of(s->commit);
}

/* Output of a git command without its line break; NULL if it failed. */
static const char *git_says(const char *const *argv, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	bool known = changed_ask_git(argv, &b) && b.n > 1;
	const char *text = known ? arena_dup(a, (struct span){ strbuf_str(&b), b.n - 1 }) : NULL;
	strbuf_release(&b);
	return text;
}

static enum status time_text(struct arena *a, const char **out, struct diag_log *log)
{
	uint64_t seconds;
	struct tm tm;
	char buf[64];
	TRY(clock_seconds(&seconds, log));
	time_t t = (time_t)seconds;
	gmtime_r(&t, &tm);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &tm);
	*out = arena_dup(a, span_of(buf));
	return ST_OK;
}

enum status provenance_of(const struct options *o, const struct run *run, struct arena *a,
                          struct provenance *out, struct diag_log *log)
{
	const struct ci_system *s = system_here();
	const char *commit = o->value[OPT_COMMIT], *who = o->value[OPT_WHO],
	           *reason = o->value[OPT_REASON];
	for (size_t i = 0; i < run->ranks.nr && !commit; i++)
		commit = digest_env(run->ranks.v[i], "commit");
	if (s) {
		commit = commit ? commit : first_of(s->commit);
		who = who ? who : first_of(s->who);
		const char *link = joined(s->link, a);
		if (!reason)
			reason = link ? arena_printf(a, "%s: %s", s->name, link) : s->name;
	} else {
		static const char *const head[] = { "git",         "describe",    "--always", "--dirty",
			                                "--abbrev=40", "--exclude=*", NULL };
		static const char *const user[] = { "git", "config", "user.name", NULL };
		commit = commit ? commit : git_says(head, a);
		who = who ? who : git_says(user, a);
	}
	TRY(time_text(a, &out->time, log));
	out->commit = text_short(a, span_of(text_or_empty(commit)), TEXT_CHARS);
	out->who = text_short(a, span_of(text_or_empty(who)), TEXT_CHARS);
	out->reason = text_short(a, span_of(text_or_empty(reason)), REASON_CHARS);
	out->tool = "gpugate " GPUGATE_VERSION;
	out->built_in = rules_marks(a);
	return ST_OK;
}
