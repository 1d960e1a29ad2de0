#include "suite/expand.h"

#include <glob.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "rules/rules_file.h"

/* Replace each {name} in `text` by `name`. If `text` is a pattern, special characters in the name
   are escaped. NULL stays NULL. */
static const char *filled(struct arena *a, const char *text, const char *name, bool pattern)
{
	static const char place[] = "{name}";
	struct strbuf b = STRBUF_INIT;
	const char *at;
	if (!text || !name)
		return text;
	for (; (at = strstr(text, place)); text = at + sizeof place - 1) {
		strbuf_add(&b, (struct span){ text, (size_t)(at - text) });
		for (const char *p = name; *p; p++) {
			if (pattern && strchr("*?[\\", *p))
				strbuf_addch(&b, '\\');
			strbuf_addch(&b, *p);
		}
	}
	strbuf_adds(&b, text);
	return arena_take(a, &b);
}

/* Path of the file `file` in the folder of a case, or NULL if there is no such file. */
static const char *kept_run(struct suite_jobs *jobs, const char *kept, const char *workload,
                            const char *file)
{
	const char *path = arena_printf(&jobs->arena, "%s/%s/%s", kept, workload, file);
	return access(path, F_OK) == 0 ? path : NULL;
}

/* Add the runs of a case that an earlier command stored in the folder `kept`. Returns false if
   there are none. */
static bool find_kept(struct suite_jobs *jobs, const char *kept, struct suite_job *job)
{
	struct arena *a = &jobs->arena;
	const char *path = kept ? kept_run(jobs, kept, job->workload, SUITE_RUN) : NULL;
	if (!path)
		return false;
	job->repeats = true;
	vec_push(&job->runs, path);
	for (size_t i = 1;
	     (path = kept_run(jobs, kept, job->workload, arena_printf(a, SUITE_REPEAT, i))); i++)
		vec_push(&job->runs, path);
	for (size_t i = 1;
	     (path = kept_run(jobs, kept, job->workload, arena_printf(a, SUITE_CONTROL, i))); i++)
		vec_push(&job->controls, path);
	return true;
}

static void find_runs(struct suite_jobs *jobs, const struct suite_entry *e, const char *name,
                      const char *folder, struct suite_job *job)
{
	struct arena *a = &jobs->arena;
	for (size_t i = 0; i < e->runs.nr; i++) {
		size_t before = job->runs.nr;
		glob_t g;
		if (glob(filled(a, e->runs.v[i].p, name, true), 0, NULL, &g) == 0) {
			for (size_t k = 0; k < g.gl_pathc; k++)
				vec_push(&job->runs, arena_dup(a, span_of(g.gl_pathv[k])));
			globfree(&g);
		}
		if (job->runs.nr == before && !job->missing)
			job->missing =
			    arena_printf(a, "no results: nothing matches %s",
			                 text_quote(a, span_of(filled(a, e->runs.v[i].p, name, false))));
	}
	if (!e->runs.nr)
		vec_push(&job->runs, folder);
	if (!job->missing && e->repeat > 1 && job->runs.nr != (size_t)e->repeat)
		job->missing = arena_printf(a, "%zu run%s there, and the suite asks for %" PRId64,
		                            job->runs.nr, job->runs.nr == 1 ? " is" : "s are", e->repeat);
}

static enum status add_job(struct suite_jobs *jobs, const struct suite_file *f,
                           const struct suite_entry *e, const char *name, const char *folder,
                           const char *kept, struct diag_log *log)
{
	struct arena *a = &jobs->arena;
	const char *workload = filled(a, e->workload, name, false);
	const char *fault = workload_fault(span_of(workload));
	if (fault)
		return diag_fail(log, ST_USAGE, "%s: a case of %s would be called %s, which %s", f->shown,
		                 diag_quote(log, e->each ? e->each : "the suite"),
		                 diag_quote(log, workload), fault);
	if (jobs->list.nr == SUITE_CASES)
		return diag_fail(log, ST_USAGE, "%s: the suite has more than %d cases", f->shown,
		                 SUITE_CASES);
	struct suite_job *job = vec_push_zero(&jobs->list);
	*job = (struct suite_job){ .workload = workload,
		                       .rules = filled(a, e->rules, name, false),
		                       .baseline = filled(a, e->baseline, name, false),
		                       .repeats = e->repeat > 1 };
	if (!find_kept(jobs, kept, job))
		find_runs(jobs, e, name, folder, job);
	return ST_OK;
}

/* The text with which {name} must be replaced in the suite's entry `e` to give the case the name
 * `workload`; NULL if there is no such text. */
static const char *name_in(struct arena *a, const struct suite_entry *e, const char *workload)
{
	static const char place[] = "{name}";
	const char *at = strstr(e->workload, place);
	size_t all = strlen(workload), before = at ? (size_t)(at - e->workload) : all;
	for (size_t n = 1; before + n <= all; n++) {
		const char *name = arena_dup(a, (struct span){ workload + before, n });
		if (strcmp(filled(a, e->workload, name, false), workload) == 0)
			return name;
	}
	return NULL;
}

/* How exactly an entry of the suite determines the names of its cases. If several entries fit a
   name, the most exact one makes the case. An entry for a single case is the most exact; of two
   others, the one with the longer name is. */
static size_t plain_length(const struct suite_entry *e)
{
	return strlen(e->workload) + (e->each ? 0 : 1000);
}

static const struct suite_entry *line_of(struct arena *a, const struct suite_file *f,
                                         const char *workload)
{
	const struct suite_entry *best = NULL;
	for (size_t i = 0; i < f->entries.nr; i++) {
		const struct suite_entry *e = &f->entries.v[i];
		bool its = e->each ? name_in(a, e, workload) != NULL : strcmp(e->workload, workload) == 0;
		if (its && (!best || plain_length(e) > plain_length(best)))
			best = e;
	}
	return best;
}

/* Add the cases of the entry `e` whose folders are gone, but whose runs an earlier command has
   stored in the folder `kept`. */
static enum status add_kept(struct suite_jobs *jobs, const struct suite_file *f,
                            const struct suite_entry *e, size_t from, const char *kept,
                            struct diag_log *log)
{
	struct arena *a = &jobs->arena;
	enum status st = ST_OK;
	glob_t g;
	if (glob(arena_printf(a, "%s/*/" SUITE_RUN, filled(a, "{name}", kept, true)), 0, NULL, &g) != 0)
		return ST_OK;
	for (size_t i = 0; i < g.gl_pathc && st == ST_OK; i++) {
		const char *path = g.gl_pathv[i] + strlen(kept) + 1;
		const char *workload = arena_dup(a, (struct span){ path, strcspn(path, "/") });
		bool there =
		    ANY(k, jobs->list.nr, k >= from && strcmp(jobs->list.v[k].workload, workload) == 0);
		if (!there && line_of(a, f, workload) == e)
			st = add_job(jobs, f, e, name_in(a, e, workload), NULL, kept, log);
	}
	globfree(&g);
	return st;
}

/* Add a case for each folder that matches the pattern of the entry. If no folder matches, add one
   case without results: the suite then cannot pass. */
static enum status add_each(struct suite_jobs *jobs, const struct suite_file *f,
                            const struct suite_entry *e, const char *kept, struct diag_log *log)
{
	struct arena *a = &jobs->arena;
	enum status st = ST_OK;
	size_t from = jobs->list.nr;
	glob_t g;
	bool slash = e->each[0] && e->each[strlen(e->each) - 1] == '/';
	int found = glob(arena_printf(a, "%s%s", e->each, slash ? "" : "/"), 0, NULL, &g);
	for (size_t i = 0; found == 0 && i < g.gl_pathc && st == ST_OK; i++) {
		struct span path = span_of(g.gl_pathv[i]);
		while (path.n > 1 && path.p[path.n - 1] == '/')
			path.n--;
		const char *folder = arena_dup(a, path);
		st = add_job(jobs, f, e, path_last(folder), folder, kept, log);
	}
	if (found == 0)
		globfree(&g);
	if (st == ST_OK && kept)
		st = add_kept(jobs, f, e, from, kept, log);
	if (st != ST_OK || jobs->list.nr > from)
		return st;
	struct suite_job *job = vec_push_zero(&jobs->list);
	*job = (struct suite_job){ .workload = e->workload,
		                       .missing = arena_printf(a, "no results: no folder matches %s",
		                                               text_quote(a, span_of(e->each))) };
	return ST_OK;
}

/* Check that the names of cases are unique, since cases with equal names would have one
   baseline. */
static enum status check_names(const struct suite_jobs *jobs, const struct suite_file *f,
                               struct diag_log *log)
{
	VEC(const char *) names = VEC_INIT;
	enum status st = ST_OK;
	for (size_t i = 0; i < jobs->list.nr; i++)
		vec_push(&names, jobs->list.v[i].workload);
	vec_sort(&names, text_cmp);
	for (size_t i = 1; i < names.nr && st == ST_OK; i++)
		if (strcmp(names.v[i - 1], names.v[i]) == 0)
			st = diag_fail(log, ST_USAGE, "%s: two cases of the suite are called %s: rename one",
			               f->shown, diag_quote(log, names.v[i]));
	vec_release(&names);
	return st;
}

enum status suite_expand(const struct suite_file *f, const char *kept, struct suite_jobs *out,
                         struct diag_log *log)
{
	*out = (struct suite_jobs){ .arena = ARENA_INIT };
	if (kept && access(kept, F_OK) < 0)
		return diag_fail(
		    log, ST_USAGE,
		    "--runs %s: there is no such folder; 'gpugate digest SUITE -o DIR' writes it",
		    diag_quote(log, kept));
	for (size_t i = 0; i < f->entries.nr; i++) {
		const struct suite_entry *e = &f->entries.v[i];
		TRY(e->each ? add_each(out, f, e, kept, log) : add_job(out, f, e, NULL, NULL, kept, log));
	}
	return check_names(out, f, log);
}

void suite_jobs_release(struct suite_jobs *jobs)
{
	for (size_t i = 0; i < jobs->list.nr; i++) {
		vec_release(&jobs->list.v[i].runs);
		vec_release(&jobs->list.v[i].controls);
	}
	vec_release(&jobs->list);
	arena_release(&jobs->arena);
}
