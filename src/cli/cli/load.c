#include "cli/artifact_format.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "fold/fold_run.h"
#include "io/cores.h"
#include "merge/cycles.h"
#include "store/digest_json.h"

#define JOBS_MAX 1024

static enum status list_files(const char *const *paths, size_t nr, struct artifact_files *out,
                              struct arena *a, struct diag_log *log)
{
	bool standard_input = false;
	for (size_t i = 0; i < nr; i++) {
		struct stat sb;
		bool is_stdin = strcmp(paths[i], "-") == 0;
		if (is_stdin && standard_input)
			return diag_fail(log, ST_USAGE, "standard input (-) is named twice");
		standard_input = standard_input || is_stdin;
		if (!is_stdin && stat(paths[i], &sb) == 0 && S_ISDIR(sb.st_mode))
			TRY(folder_add(out, paths[i], a, log));
		else
			vec_push(out, (struct artifact_file){ .path = paths[i] });
	}
	return ST_OK;
}

/* ---- results, in the order of the arguments ---- */

/* True if the file is named like an artifact. Such a file of a directory must be readable. Other
   files, such as logs, are ignored if they cannot be read. */
static bool is_named_like_artifact(const char *path)
{
	const char *name = path_last(path);
	for (const struct artifact_format *f = artifact_formats; f->name; f++)
		for (size_t i = 0; f->load && i < ENDINGS_MAX && f->endings[i]; i++)
			if (strstr(name, f->endings[i]))
				return true;
	return false;
}

/* Take the artifacts of a file. Files of a directory that are not artifacts are named in a note and
   ignored, but a damaged artifact is an error. */
static enum status take_file(struct artifact_file *file, bool listed, struct artifacts *artifacts,
                             struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < file->artifacts.nr; i++) {
		file->artifacts.v[i].order = artifacts->nr;
		vec_push(artifacts, file->artifacts.v[i]);
	}
	file->artifacts.nr = 0;
	if (listed && file->status == ST_INPUT && file->outcome != OUTCOME_RESULT &&
	    (file->outcome == OUTCOME_NO_ARTIFACT || !is_named_like_artifact(file->path))) {
		vec_push(&run->ignored, file->path);
		diag_note(log, "ignored: %s", diag_first_error(file->log));
		return ST_OK;
	}
	diag_move(log, file->log);
	return file->status;
}

static enum status load_list(struct loader *l, struct artifact_files *files,
                             struct artifacts *artifacts, struct run *run, struct diag_log *log);

/* Read what is below a directory that has no recordings itself. These are all directories of a
   sweep (such as concurrency_16/) or of Criterion's benchmarks; otherwise it is the only directory
   with recordings. If several have recordings, such as iteration_10/, the user must choose one. */
static enum status take_below(struct loader *l, const char *path, struct artifacts *artifacts,
                              struct run *run, struct diag_log *log)
{
	enum { NAMED = 8 };
	struct arena *a = &log->arena;
	struct texts below = { 0 };
	struct artifact_files files = { 0 };
	struct strbuf names = STRBUF_INIT;
	enum status st = ST_OK;
	folders_of_sweep(path, &run->arena, &below);
	bool sweep = below.nr > 0, whole = sweep || folders_below(path, &run->arena, &below);
	sweep = sweep || (whole && folders_are_of_criterion(&below, &run->arena));
	for (size_t i = 0; i < below.nr && sweep && st == ST_OK; i++)
		st = folder_add(&files, below.v[i], &run->arena, log);
	for (size_t i = 0; i < below.nr && i < NAMED; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", text_quote(a, span_of(below.v[i])));
	if (sweep) {
		NEXT(st, load_list(l, &files, artifacts, run, log));
	} else if (!whole) {
		st = diag_fail(
		    log, ST_INPUT,
		    "%s: no trace, snapshot, digest or result file in this directory, "
		    "and more than %d entries below it, not all of which were looked at; give the "
		    "directory of the run%s%s",
		    text_quote(a, span_of(path)), FOLDER_ENTRIES, below.nr ? ", such as " : "",
		    strbuf_str(&names));
	} else if (below.nr == 1) {
		diag_note(log, "read in place of %s, which holds no recording itself: %s",
		          text_quote(a, span_of(path)), strbuf_str(&names));
		st = folder_add(&files, below.v[0], &run->arena, log);
		NEXT(st, load_list(l, &files, artifacts, run, log));
	} else if (below.nr) {
		st = diag_fail(log, ST_INPUT,
		               "%s: no trace, snapshot, digest or result file in this directory; give one "
		               "of those below it: %s%s",
		               text_quote(a, span_of(path)), strbuf_str(&names),
		               below.nr > NAMED ? ", …" : "");
	} else {
		st = diag_fail(log, ST_INPUT,
		               "%s: no trace, snapshot, digest or result file in this directory",
		               text_quote(a, span_of(path)));
	}
	strbuf_release(&names);
	vec_release(&files);
	vec_release(&below);
	return st;
}

/* Take the artifacts of all files. All errors are reported; the first becomes the status. */
static enum status take_files(struct loader *l, struct artifact_files *files,
                              struct artifacts *artifacts, struct run *run, struct diag_log *log)
{
	enum status st = ST_OK;
	for (size_t i = 0; i < files->nr;) {
		const struct artifact_file *file = &files->v[i];
		size_t end = i + 1 + file->listed, before = artifacts->nr;
		enum status first = ST_OK;
		bool others = false; /* true if a file without an artifact is useful: a dump of the
		                        Flight Recorder, or captured graphs */
		for (i += file->is_directory; i < end; i++) {
			enum status one = take_file(&files->v[i], file->is_directory, artifacts, run, log);
			first = first == ST_OK ? one : first;
			others = others || files->v[i].flight || (files->v[i].captured && one == ST_OK);
		}
		if (first == ST_OK && artifacts->nr == before && !others)
			first = take_below(l, file->path, artifacts, run, log);
		st = st == ST_OK ? first : st;
	}
	return st == ST_OK ? flight_settle(files->v, files->nr, run, artifacts->nr > 0, log) : st;
}

/* Check that --rank fits all artifacts: nobody would notice a wrong rank otherwise. Check that
   --process is used only for exports of Nsight Systems. */
static enum status check_options(const struct loader *l, const struct artifacts *artifacts,
                                 struct diag_log *log)
{
	for (size_t i = 0; i < artifacts->nr && l->rank != UINT64_MAX; i++)
		if ((uint64_t)artifacts->v[i].digest->rank != l->rank)
			return diag_fail(
			    log, ST_USAGE,
			    "option '--rank %" PRIu64 "' does not fit %s, which is of rank %" PRId64
			    "; leave it out where artifacts or their names say the rank",
			    l->rank, diag_quote(log, artifacts->v[i].path), artifacts->v[i].digest->rank);
	for (size_t i = 0; i < artifacts->nr && l->setup->options->value[OPT_PROCESS]; i++)
		if (!artifacts->v[i].of_process)
			return diag_fail(log, ST_USAGE,
			                 "option '--process' chooses one of an export of Nsight Systems, which "
			                 "%s is not",
			                 diag_quote(log, artifacts->v[i].path));
	return ST_OK;
}

static enum status loader_init(struct loader *l, const struct setup *s, struct diag_log *log)
{
	const struct options *cli = s->options;
	uint64_t jobs = options_u64(cli, OPT_JOBS, cores_usable());
	*l = (struct loader){ .setup = s };
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
	l->join_cycles = s->join_cycles;
	l->keeps_text = cli->command == CMD_DIGEST && !cli->value[OPT_FOLD] &&
	                cli->all[OPT_CONTEXT].nr == 0 && l->capacity == MEMORY_UNKNOWN;
	return ST_OK;
}

static enum status load_list(struct loader *l, struct artifact_files *files,
                             struct artifacts *artifacts, struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < files->nr; i++) {
		files->v[i].log = &files->v[i].own_log;
		diag_init(files->v[i].log);
	}
	load_files(l, files->v, files->nr);
	load_captures(l, files);
	for (size_t i = 0; i < files->nr; i++)
		l->join_cycles = l->join_cycles || files->v[i].cycles;
	enum status st = take_files(l, files, artifacts, run, log);
	for (size_t i = 0; i < files->nr; i++) {
		diag_release(files->v[i].log);
		vec_release(&files->v[i].artifacts);
		flight_dump_free(files->v[i].flight);
		captured_free(files->v[i].captured);
	}
	return st;
}

enum status run_load_artifacts(const char *const *paths, size_t nr, const struct setup *s,
                               struct run *out, struct diag_log *log)
{
	struct loader l;
	struct artifact_files files = { 0 };
	struct artifacts artifacts = { 0 };
	*out = (struct run){ .label = nr ? paths[0] : "" };
	TRY(loader_init(&l, s, log));
	enum status st = list_files(paths, nr, &files, &out->arena, log);
	NEXT(st, load_list(&l, &files, &artifacts, out, log));
	NEXT(st, check_options(&l, &artifacts, log));
	NEXT(st, ranks_assemble(&l, &artifacts, out, log));
	for (size_t i = 0; i < artifacts.nr; i++)
		digest_free(artifacts.v[i].digest);
	vec_release(&artifacts);
	vec_release(&files);
	return st;
}

enum status run_load(const char *const *paths, size_t nr, const struct setup *s, struct run *out,
                     struct diag_log *log)
{
	TRY(run_load_artifacts(paths, nr, s, out, log));
	run_join(out);
	TRY(fold_whole(out, false, &(struct naming){ .categories = &s->categories }, log));
	return run_fold(out) ? fold_complete(out->ranks.v[0], out->label, log) : ST_OK;
}
