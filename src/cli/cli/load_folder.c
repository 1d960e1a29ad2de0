/* Directories that the user gives as runs: the files in them, and the runs below them. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/artifact_format.h"
#include "cli/setup.h"
#include "results/readings.h"

/* True for a pickle that was exported to JSON: a JSON file with the same name is in its
   directory. */
static bool is_exported(const char *path, struct arena *a)
{
	const char *dot = strrchr(path, '.');
	if (!dot || !(strcmp(dot, ".pickle") == 0 || strcmp(dot, ".pkl") == 0))
		return false;
	const char *json = arena_printf(a, "%.*s.json", (int)(dot - path), path);
	return !is_absent(json) || !is_absent(arena_printf(a, "%s.gz", json));
}

/* Path of the file in which Criterion writes the results of a benchmark, if the directory is called
   "new" and has it; else NULL. The other files of such a directory are the raw data that the
   results come from. */
static const char *estimates_in(const char *path, struct arena *a)
{
	const char *file = arena_printf(a, "%s/estimates.json", path);
	return span_glob(SPAN("*/new"), span_of(path)) && !is_absent(file) ? file : NULL;
}

/* Append the regular files of a directory to `out`, without hidden files and the context of the
   run. If Criterion has written the files, only the results are appended. False if the directory
   cannot be opened. */
static bool list_folder(const char *path, struct arena *a, struct texts *out)
{
	DIR *dir = opendir(path);
	if (!dir)
		return false;
	const char *only = estimates_in(path, a);
	for (const struct dirent *e; (e = readdir(dir));) {
		struct stat sb;
		if (e->d_name[0] == '.' || strcmp(e->d_name, CONTEXT_YAML) == 0)
			continue;
		const char *file = arena_printf(a, "%s/%s", path, e->d_name);
		if (strcmp(e->d_name, CONTEXT_JSON) == 0 && !context_is_artifact(file))
			continue;
		if ((!only || strcmp(file, only) == 0) && stat(file, &sb) == 0 && S_ISREG(sb.st_mode))
			vec_push(out, file);
	}
	closedir(dir);
	return true;
}

enum status folder_add(struct artifact_files *out, const char *path, struct arena *a,
                       struct diag_log *log)
{
	struct texts names = { 0 };
	if (!list_folder(path, a, &names))
		return diag_fail(log, ST_INPUT, "%s: cannot be opened: %s", diag_quote(log, path),
		                 strerror(errno));
	/* vLLM and SGLang write captures of CUDA graphs to this subdirectory of `path`, and the traces
	   that launch the graphs to `path` itself */
	if (names.nr)
		list_folder(arena_printf(a, "%s/capture_traces", path), a, &names);
	vec_sort(&names, text_cmp);
	size_t nr = 0;
	for (size_t i = 0; i < names.nr; i++)
		if (span_glob(SPAN("?*.tmp"), span_of(names.v[i])))
			diag_note(log, "ignored: %s: left behind by a gpugate that was killed",
			          diag_quote(log, names.v[i]));
		else if (is_exported(names.v[i], a))
			diag_note(log, "ignored: %s: what it was exported to as JSON is beside it",
			          diag_quote(log, names.v[i]));
		else
			names.v[nr++] = names.v[i];
	names.nr = nr;
	vec_push(out, (struct artifact_file){ .path = path, .is_directory = true, .listed = names.nr });
	for (size_t i = 0; i < names.nr; i++)
		vec_push(out, (struct artifact_file){ .path = names.v[i], .of_folder = true });
	vec_release(&names);
	return ST_OK;
}

/* ---- directories below ---- */

enum { DEEPEST = 6 };

static void look(const char *path, int depth, size_t *left, struct arena *a, struct texts *out)
{
	VEC(const char *) inner = VEC_INIT;
	bool found = false;
	DIR *dir = opendir(path);
	for (const struct dirent *e; dir && !found && *left && (e = readdir(dir)); --*left) {
		struct stat sb;
		const char *name = arena_printf(a, "%s/%s", path, e->d_name);
		if (e->d_name[0] == '.' || lstat(name, &sb) < 0)
			continue;
		if (S_ISDIR(sb.st_mode))
			vec_push(&inner, name);
		else
			found = depth && (artifact_recording(name) || estimates_in(path, a));
	}
	if (dir)
		closedir(dir);
	if (found)
		vec_push(out, path);
	vec_sort(&inner, text_cmp);
	for (size_t i = 0; i < inner.nr && !found && depth < DEEPEST; i++)
		look(inner.v[i], depth + 1, left, a, out);
	vec_release(&inner);
}

bool folders_below(const char *path, struct arena *a, struct texts *out)
{
	size_t left = FOLDER_ENTRIES + 1;
	look(path, 0, &left, a, out);
	return left > 0;
}

bool folders_are_of_criterion(const struct texts *folders, struct arena *a)
{
	return folders->nr > 0 && ALL(i, folders->nr, estimates_in(folders->v[i], a));
}

void folders_of_sweep(const char *path, struct arena *a, struct texts *out)
{
	DIR *dir = opendir(path);
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		struct stat sb;
		const char *name = arena_printf(a, "%s/%s", path, e->d_name);
		if (reading_is_of_sweep(span_of(e->d_name)) && stat(name, &sb) == 0 && S_ISDIR(sb.st_mode))
			vec_push(out, name);
	}
	if (dir)
		closedir(dir);
	vec_sort(out, text_cmp);
}
