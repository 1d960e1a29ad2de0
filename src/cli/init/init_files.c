#include "init/init_repo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/sink.h"

struct file_batch {
	const struct new_files *files;
	struct sink **sinks; ///< sinks of the files that are being written; NULL once a file is
	                     ///< complete
	bool *was_there;
	VEC(char *) directories; ///< directories that were created, outermost first
};

void new_files_add(struct new_files *f, const char *path, const char *text, bool replace)
{
	struct stat sb;
	if (replace || lstat(path, &sb) < 0)
		vec_push(&f->list, (struct new_file){ path, text });
	else
		vec_push(&f->kept, path);
}

void new_files_add_attributes(struct new_files *f)
{
	new_files_add(
	    f, "baselines/.gitattributes",
	    "# Written by machines: folded in reviews of GitHub and GitLab, and never merged as text.\n"
	    "*.json linguist-generated gitlab-generated -merge\n"
	    "*.reference linguist-generated gitlab-generated -merge\n"
	    "# One run a line, in any order of branches.\n"
	    "*.history.jsonl linguist-generated gitlab-generated merge=union\n",
	    false);
}

/* Check that no folder in a path is a symbolic link, which could lead to a file outside the
   repository. Also notes which files exist. */
static enum status check_files(struct file_batch *w, struct diag_log *log)
{
	for (size_t i = 0; i < w->files->list.nr; i++) {
		const char *path = w->files->list.v[i].path;
		struct stat sb;
		char *copy = arena_dup(&log->arena, span_of(path));
		for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			if (lstat(copy, &sb) == 0 && !S_ISDIR(sb.st_mode))
				return diag_fail(log, ST_OUTPUT, "%s: is not a directory; nothing was written",
				                 diag_quote(log, copy));
			*slash = '/';
		}
		w->was_there[i] = lstat(path, &sb) == 0;
	}
	return ST_OK;
}

static enum status make_directories(struct file_batch *w, const char *path, struct diag_log *log)
{
	char *copy = arena_dup(&log->arena, span_of(path));
	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) == 0)
			vec_push(&w->directories, arena_dup(&log->arena, span_of(copy)));
		else if (errno != EEXIST)
			return diag_fail(log, ST_OUTPUT, "%s: cannot be made: %s", diag_quote(log, copy),
			                 strerror(errno));
		*slash = '/';
	}
	return ST_OK;
}

static enum status write_all_files(struct file_batch *w, struct diag_log *log)
{
	for (size_t i = 0; i < w->files->list.nr; i++) {
		const struct new_file *f = &w->files->list.v[i];
		TRY(make_directories(w, f->path, log));
		TRY(sink_open_again(f->path, &w->sinks[i], log));
		sink_puts(w->sinks[i], f->text);
	}
	for (size_t i = 0; i < w->files->list.nr; i++) {
		struct sink *s = w->sinks[i];
		w->sinks[i] = NULL;
		TRY(sink_commit(s, log));
	}
	return ST_OK;
}

/* After an error, remove the new files and directories. Replaced files stay as they are: each of
   them is complete. */
static void undo_files(struct file_batch *w)
{
	for (size_t i = 0; i < w->files->list.nr; i++) {
		sink_abort(w->sinks[i]);
		if (!w->was_there[i])
			unlink(w->files->list.v[i].path);
	}
	for (size_t i = w->directories.nr; i-- > 0;)
		rmdir(w->directories.v[i]);
}

enum status new_files_write(const struct new_files *f, struct diag_log *log)
{
	struct file_batch w = { .files = f,
		                    .sinks = mem_calloc(f->list.nr, sizeof *w.sinks),
		                    .was_there = mem_calloc(f->list.nr, sizeof *w.was_there) };
	enum status st = check_files(&w, log);
	if (st == ST_OK) {
		st = write_all_files(&w, log);
		if (st != ST_OK)
			undo_files(&w);
	}
	free(w.sinks);
	free(w.was_there);
	vec_release(&w.directories);
	return st;
}
