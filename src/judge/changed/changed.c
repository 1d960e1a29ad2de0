#include "changed/changed.h"

#include <string.h>

#include "base/text.h"

/* Folders of installed packages. Files in them do not belong to the repository. */
static const char *const installed[] = { "/site-packages/", "/dist-packages/" };

/* The path with '/' as separator and without a leading "./". */
static struct span plain_path(struct arena *a, struct span path)
{
	char *text = arena_alloc(a, path.n + 1, 1);
	while (path.n > 2 && path.p[0] == '.' && (path.p[1] == '/' || path.p[1] == '\\'))
		path = (struct span){ path.p + 2, path.n - 2 };
	for (size_t i = 0; i < path.n; i++)
		text[i] = path.p[i] == '\\' ? '/' : path.p[i];
	return (struct span){ text, path.n };
}

void changed_files_add(struct changed_files *c, struct span path)
{
	struct span plain = plain_path(&c->arena, path);
	if (plain.n && plain.p[plain.n - 1] != '/')
		vec_push(&c->list, (struct changed_file){ .path = plain });
}

/* ---- file names in recordings ---- */

/* True if `path` equals `end`, or ends with '/' and `end`. */
static bool path_ends(struct span path, struct span end)
{
	return path.n >= end.n && memcmp(path.p + path.n - end.n, end.p, end.n) == 0 &&
	       (path.n == end.n || path.p[path.n - end.n - 1] == '/');
}

/* The changed file that the name `recorded` may mean; if it may mean several, the one with the
   longest path. NULL if there is none. */
static struct changed_file *file_of(struct changed_files *c, struct span recorded)
{
	struct changed_file *best = NULL;
	for (size_t i = 0; i < NR_OF(installed); i++)
		if (span_contains_nocase(recorded, span_of(installed[i])))
			return NULL;
	for (size_t i = 0; i < c->list.nr; i++) {
		struct changed_file *f = &c->list.v[i];
		if ((path_ends(recorded, f->path) || path_ends(f->path, recorded)) &&
		    (!best || f->path.n > best->path.n))
			best = f;
	}
	return best;
}

/* ---- code locations in a report ---- */

struct line_visit {
	struct changed_files *files;
	struct arena *arena; /* arena of the report */
	bool marks; /* true: mark the lines of code in the report; false: only find each file's
	               shortest recorded name */
};

static void visit_line(const struct line_visit *v, struct source_line *at)
{
	if (!at->file || at->changed)
		return;
	struct span recorded = plain_path(&v->files->arena, span_of(at->file));
	struct changed_file *f = file_of(v->files, recorded);
	if (!f)
		return;
	if (!v->marks) {
		f->shortest = f->shortest && f->shortest < recorded.n ? f->shortest : recorded.n;
	} else if (recorded.n == f->shortest) {
		at->changed = true;
		at->file = arena_dup(v->arena, f->path);
	}
}

static void visit_parts(const struct line_visit *v, struct breakdown *b)
{
	for (size_t i = 0; b && i < b->parts.nr; i++)
		visit_line(v, &b->parts.v[i].at);
}

static void visit_report(const struct line_visit *v, struct report *r)
{
	for (size_t i = 0; i < r->findings.nr; i++)
		for (size_t k = 0; k < r->findings.v[i].where.nr; k++)
			visit_line(v, &r->findings.v[i].where.v[k].at);
	for (size_t i = 0; i < r->checks.nr; i++)
		visit_parts(v, r->checks.v[i].breakdown);
	for (size_t i = 0; i < r->code.nr; i++)
		visit_line(v, &r->code.v[i].at);
	for (size_t i = 0; i < r->breakdowns.nr; i++)
		visit_parts(v, r->breakdowns.v[i]);
}

static void visit_run(const struct line_visit *v, const struct run *run)
{
	for (size_t i = 0; run && i < run->ranks.nr; i++)
		for (size_t k = 0; k < run->ranks.v[i]->code.nr; k++) {
			const struct code_stat *c = &run->ranks.v[i]->code.v[k];
			struct source_line at = source_line_of(&v->files->arena, c->place, c->line);
			visit_line(v, &at);
		}
}

enum status changed_mark(const char *const *names, size_t nr, const char *from, const char *commit,
                         const struct run *run, struct report *r, struct diag_log *log)
{
	struct changed_files files = { 0 };
	bool has_commit = from && strncmp(from, "git:", 4) == 0 && from[4];
	if (from && !has_commit && strcmp(from, "git") != 0)
		return diag_fail(log, ST_USAGE, "--changed-from takes git or git:COMMIT, not %s",
		                 text_quote(&log->arena, span_of(from)));
	for (size_t i = 0; i < nr; i++)
		changed_files_add(&files, span_of(names[i]));
	if (from)
		changed_files_from_git(&files, has_commit ? from + 4 : NULL, commit, log);
	if (files.list.nr)
		visit_run(&(struct line_visit){ &files, &r->arena, false }, run);
	for (int marks = 0; files.list.nr && marks < 2; marks++)
		visit_report(&(struct line_visit){ &files, &r->arena, marks }, r);
	vec_release(&files.list);
	arena_release(&files.arena);
	return ST_OK;
}
