#include "cli/load_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/context.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Regular files of a directory by name; hidden ones and run context left out. */
static enum status list_directory(struct loader *l, const char *path, struct arena *a,
                                  const char ***out, size_t *nr)
{
	VEC(const char *) files = VEC_INIT;
	DIR *dir = opendir(path);
	if (!dir)
		return diag_fail(l->log, ST_INPUT, "%s: cannot be opened: %s",
		                 text_quote(&l->log->arena, span_of(path)), strerror(errno));
	for (const struct dirent *e; (e = readdir(dir));) {
		struct stat sb;
		if (e->d_name[0] == '.' || strcmp(e->d_name, CONTEXT_YAML) == 0 ||
		    strcmp(e->d_name, CONTEXT_JSON) == 0)
			continue;
		const char *file = arena_printf(a, "%s/%s", path, e->d_name);
		if (stat(file, &sb) == 0 && S_ISREG(sb.st_mode))
			vec_push(&files, file);
	}
	closedir(dir);
	vec_sort(&files, by_name);
	*out = files.v;
	*nr = files.nr;
	return ST_OK;
}

/* Logs and markers of a job lie beside its artifacts; what is named like an
   artifact and cannot be read is a loss. */
static bool is_named_like_artifact(const char *path)
{
	static const char *const words[] = { ".json", ".gz", ".pickle", ".pkl", ".trace" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* In a directory, what is no artifact is listed and left alone; a damaged
   artifact is an error all the same. */
static enum status load_directory(struct loader *l, const char *path)
{
	const char **files = NULL;
	size_t nr = 0, before = l->parts.nr;
	TRY(list_directory(l, path, &l->run->arena, &files, &nr));
	enum status st = ST_OK;
	struct diag_log *log = l->log;
	for (size_t i = 0; i < nr && st == ST_OK; i++) {
		struct diag_log own;
		enum outcome outcome;
		diag_init(&own);
		l->log = &own;
		st = load_file(l, files[i], &outcome);
		l->log = log;
		if (st == ST_INPUT &&
		    (outcome == OUTCOME_NO_ARTIFACT || !is_named_like_artifact(files[i]))) {
			vec_push(&l->run->ignored, files[i]);
			diag_warn(log, "ignored: %s", diag_first_error(&own));
			diag_release(&own);
			st = ST_OK;
		}
		diag_move(log, &own);
	}
	free(files);
	TRY(st);
	if (l->parts.nr == before)
		return diag_fail(log, ST_INPUT, "%s: no trace, snapshot or digest in this directory",
		                 text_quote(&log->arena, span_of(path)));
	return ST_OK;
}

static enum status load_all(struct loader *l, const char *const *paths, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct stat sb;
		enum outcome outcome;
		if (strcmp(paths[i], "-") != 0 && stat(paths[i], &sb) == 0 && S_ISDIR(sb.st_mode))
			TRY(load_directory(l, paths[i]));
		else
			TRY(load_file(l, paths[i], &outcome));
	}
	return ranks_assemble(l);
}

enum status run_load(const char *const *paths, size_t nr, const struct load_options *options,
                     struct run *out, struct diag_log *log)
{
	const struct options *cli = options->cli;
	struct loader l = { .options = options, .run = out, .log = log };
	*out = (struct run){ .label = nr ? paths[0] : "" };
	l.rank = options_u64(cli, OPT_RANK, UINT64_MAX);
	l.capacity = options_size(cli, OPT_DEVICE_MEMORY, MEMORY_UNKNOWN);
	l.source.max_bytes = options_u64(cli, OPT_MAX_INPUT, 0);
	l.trace.quick = options_u64(cli, OPT_QUICK, 0);
	if (cli->value[OPT_RANK] && l.rank > INT32_MAX)
		return diag_fail(log, ST_USAGE, "option '--rank' is beyond 2147483647");
	l.trace.allow_truncated = l.source.allow_truncated = cli->value[OPT_ALLOW_TRUNCATED] != NULL;
	enum status st = load_all(&l, paths, nr);
	for (size_t i = 0; i < l.parts.nr; i++)
		digest_free(l.parts.v[i].digest);
	vec_release(&l.parts);
	return st;
}
