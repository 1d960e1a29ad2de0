#include "cli/load_internal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/context.h"
#include "merge/cycles.h"

#define JOBS_MAX 1024

struct inputs {
	struct input *v;
	size_t nr, cap;
};

/* ---- what there is to read ---- */

static void add_input(struct inputs *inputs, const char *path)
{
	vec_push(inputs, (struct input){ .path = path });
}

/* What a killed gpugate was about to write (io/sink.c): maybe whole, maybe not. */
static bool is_temporary(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && strcmp(path + n - 4, ".tmp") == 0;
}

/* A directory: itself, then its regular files by name; hidden ones and run context left out. */
static enum status add_directory(struct inputs *inputs, const char *path, struct arena *a,
                                 struct diag_log *log)
{
	VEC(const char *) files = VEC_INIT;
	DIR *dir = opendir(path);
	if (!dir)
		return diag_fail(log, ST_INPUT, "%s: cannot be opened: %s",
		                 text_quote(&log->arena, span_of(path)), strerror(errno));
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
	vec_sort(&files, text_cmp);
	size_t nr = 0;
	for (size_t i = 0; i < files.nr; i++)
		if (is_temporary(files.v[i]))
			diag_warn(log, "ignored: %s: left behind by a gpugate that was killed",
			          text_quote(&log->arena, span_of(files.v[i])));
		else
			files.v[nr++] = files.v[i];
	files.nr = nr;
	vec_push(inputs, (struct input){ .path = path, .is_directory = true, .listed = files.nr });
	for (size_t i = 0; i < files.nr; i++)
		add_input(inputs, files.v[i]);
	vec_release(&files);
	return ST_OK;
}

static enum status list(const char *const *paths, size_t nr, struct inputs *out, struct arena *a,
                        struct diag_log *log)
{
	bool standard_input = false;
	for (size_t i = 0; i < nr; i++) {
		struct stat sb;
		bool is_stdin = strcmp(paths[i], "-") == 0;
		if (is_stdin && standard_input)
			return diag_fail(log, ST_USAGE, "standard input (-) is named twice");
		standard_input = standard_input || is_stdin;
		if (!is_stdin && stat(paths[i], &sb) == 0 && S_ISDIR(sb.st_mode))
			TRY(add_directory(out, paths[i], a, log));
		else
			add_input(out, paths[i]);
	}
	return ST_OK;
}

/* ---- what came of it, in the order of the arguments ---- */

/* Logs and markers of a job lie beside its artifacts; what is named like an
   artifact and cannot be read is a loss. */
static bool is_named_like_artifact(const char *path)
{
	static const char *const words[] = { ".json", ".gz", ".pickle", ".pkl", ".trace", ".sqlite" };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* In a directory, what is no artifact is listed and left alone; a damaged
   artifact is an error all the same. */
static enum status take(struct input *in, bool listed, struct parts *parts, struct run *run,
                        struct diag_log *log)
{
	for (size_t i = 0; i < in->parts.nr; i++) {
		in->parts.v[i].order = parts->nr;
		vec_push(parts, in->parts.v[i]);
	}
	in->parts.nr = 0;
	if (listed && in->status == ST_INPUT &&
	    (in->outcome == OUTCOME_NO_ARTIFACT || !is_named_like_artifact(in->path))) {
		vec_push(&run->ignored, in->path);
		diag_warn(log, "ignored: %s", diag_first_error(in->log));
		return ST_OK;
	}
	diag_move(log, in->log);
	return in->status;
}

/* Everything that is wrong is said; the first decides. */
static enum status take_all(struct inputs *inputs, struct parts *parts, struct run *run,
                            struct diag_log *log)
{
	enum status st = ST_OK;
	for (size_t i = 0; i < inputs->nr;) {
		const struct input *in = &inputs->v[i];
		size_t end = i + 1 + in->listed, before = parts->nr;
		enum status first = ST_OK;
		for (i += in->is_directory; i < end; i++) {
			enum status one = take(&inputs->v[i], in->is_directory, parts, run, log);
			first = first == ST_OK ? one : first;
		}
		if (first == ST_OK && parts->nr == before)
			first = diag_fail(log, ST_INPUT, "%s: no trace, snapshot or digest in this directory",
			                  text_quote(&log->arena, span_of(in->path)));
		st = st == ST_OK ? first : st;
	}
	return st;
}

/* A rank that is given and does not fit is a mistake that would go unseen. */
static enum status check_rank(const struct loader *l, const struct parts *parts,
                              struct diag_log *log)
{
	for (size_t i = 0; i < parts->nr && l->rank != UINT64_MAX; i++)
		if ((uint64_t)parts->v[i].digest->rank != l->rank)
			return diag_fail(log, ST_USAGE,
			                 "option '--rank %" PRIu64
			                 "' does not fit %s, which is of rank %" PRId64
			                 "; leave it out where artifacts or their names say the rank",
			                 l->rank, text_quote(&log->arena, span_of(parts->v[i].path)),
			                 parts->v[i].digest->rank);
	return ST_OK;
}

static enum status loader_init(struct loader *l, const struct load_options *options,
                               struct diag_log *log)
{
	const struct options *cli = options->cli;
	uint64_t jobs = options_u64(cli, OPT_JOBS, load_cores());
	*l = (struct loader){ .options = options };
	if (cli->value[OPT_JOBS] && jobs > JOBS_MAX)
		return diag_fail(log, ST_USAGE, "option '--jobs' takes 1 to %d", JOBS_MAX);
	l->jobs = jobs < JOBS_MAX ? (size_t)jobs : JOBS_MAX;
	l->rank = options_u64(cli, OPT_RANK, UINT64_MAX);
	if (cli->value[OPT_RANK] && l->rank > RANK_MAX)
		return diag_fail(log, ST_USAGE, "option '--rank' is beyond 2147483647");
	l->capacity = options_size(cli, OPT_DEVICE_MEMORY, MEMORY_UNKNOWN);
	l->source.max_bytes = options_u64(cli, OPT_MAX_INPUT, 0);
	l->trace.quick = options_u64(cli, OPT_QUICK, 0);
	l->trace.allow_truncated = l->source.allow_truncated = cli->value[OPT_ALLOW_TRUNCATED] != NULL;
	l->join_cycles = cli->value[OPT_JOIN_CYCLES] != NULL;
	return ST_OK;
}

static enum status load_all(struct loader *l, struct inputs *inputs, struct parts *parts,
                            struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < inputs->nr; i++) {
		inputs->v[i].log = &inputs->v[i].own_log;
		diag_init(inputs->v[i].log);
	}
	load_files(l, inputs->v, inputs->nr);
	for (size_t i = 0; i < inputs->nr; i++)
		l->join_cycles = l->join_cycles || inputs->v[i].cycles;
	enum status st = take_all(inputs, parts, run, log);
	for (size_t i = 0; i < inputs->nr; i++) {
		diag_release(inputs->v[i].log);
		vec_release(&inputs->v[i].parts);
	}
	TRY(st);
	TRY(check_rank(l, parts, log));
	return ranks_assemble(l, parts, run, log);
}

enum status run_load_parts(const char *const *paths, size_t nr, const struct load_options *options,
                           struct run *out, struct diag_log *log)
{
	struct loader l;
	struct inputs inputs = { 0 };
	struct parts parts = { 0 };
	*out = (struct run){ .label = nr ? paths[0] : "" };
	TRY(loader_init(&l, options, log));
	enum status st = list(paths, nr, &inputs, &out->arena, log);
	if (st == ST_OK)
		st = load_all(&l, &inputs, &parts, out, log);
	for (size_t i = 0; i < parts.nr; i++)
		digest_free(parts.v[i].digest);
	vec_release(&parts);
	vec_release(&inputs);
	return st;
}

enum status run_load(const char *const *paths, size_t nr, const struct load_options *options,
                     struct run *out, struct diag_log *log)
{
	TRY(run_load_parts(paths, nr, options, out, log));
	run_join(out);
	return ST_OK;
}
