#include "cli/load.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text.h"
#include "cli/context.h"
#include "io/source.h"
#include "read/foreign.h"
#include "read/trace.h"
#include "store/digest_json.h"

struct loader {
	const struct load_options *options;
	struct source_options source;
	struct trace_options trace;
	uint64_t rank; ///< --rank, UINT64_MAX not given
	struct run *run;
	struct diag_log *log;
};

/* What a file turned out to be, beside a status. */
enum outcome { OUTCOME_DIGEST, OUTCOME_NO_ARTIFACT };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The number behind `word` in a file name, `rank-3` and `rank_3` included;
   false where there is none. */
static bool number_behind(const char *name, const char *word, bool separator, int64_t *out)
{
	for (const char *p = strstr(name, word); p; p = strstr(p + 1, word)) {
		const char *d = p + strlen(word);
		if (separator && (*d == '-' || *d == '_'))
			d++;
		size_t n = strspn(d, "0123456789");
		uint64_t v;
		if (n && number_parse_u64((struct span){ d, n }, &v) && v <= INT32_MAX) {
			*out = (int64_t)v;
			return true;
		}
	}
	return false;
}

static int64_t rank_of(const struct loader *l, const struct trace_meta *meta, const char *name)
{
	int64_t rank;
	if (meta->rank >= 0)
		return meta->rank;
	if (number_behind(name, "rank", true, &rank) || number_behind(name, "worker", false, &rank))
		return rank;
	return l->rank != UINT64_MAX ? (int64_t)l->rank : 0;
}

static enum status add_digest(struct loader *l, struct digest *d, const char *path)
{
	for (size_t i = 0; i < l->run->ranks.nr; i++) {
		const struct digest *other = l->run->ranks.v[i];
		if (other->rank != d->rank)
			continue;
		diag_fail(l->log, ST_INPUT,
		          "%s: rank %" PRId64
		          " is there twice, also from %s; give one artifact per rank, or say "
		          "which rank it is in the file's name (rank3.json)",
		          text_quote(&l->log->arena, span_of(path)), d->rank,
		          text_quote(&l->log->arena, span_of(other->trace ? other->trace : "a digest")));
		digest_free(d);
		return ST_INPUT;
	}
	vec_push(&l->run->ranks, d);
	return ST_OK;
}

/* The reducer knows no file: its errors get the name of it. */
static enum status finish(struct reducer *r, const struct trace_meta *meta, struct digest *d,
                          const char *name, struct diag_log *log)
{
	struct diag_log own;
	diag_init(&own);
	enum status st = reducer_finish(r, meta, d, &own);
	if (st != ST_OK)
		diag_fail(log, st, "%s: %s", name, diag_first_error(&own));
	diag_release(&own);
	return st;
}

static enum status load_trace(struct loader *l, struct source *src, const char *path,
                              enum outcome *outcome)
{
	struct name_table names;
	struct trace_meta meta;
	name_table_init(&names);
	struct reducer *reducer = reducer_new(&l->options->reduce, &names);
	struct digest *d = digest_new();
	enum status st = trace_read(src, &l->trace, &names, reducer_sink(reducer), &meta, l->log);
	if (st == ST_OK)
		st = finish(reducer, &meta, d, source_name(src), l->log);
	*outcome = meta.not_a_trace ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	if (st == ST_OK) {
		const char *name = strcmp(path, "-") ? base_name(path) : "standard input";
		d->trace = arena_dup(&d->arena, span_of(name));
		d->rank = rank_of(l, &meta, name);
		st = context_apply(l->options->cli, path, d, l->log);
	}
	reducer_free(reducer);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	name_table_release(&names);
	if (st == ST_OK)
		return add_digest(l, d, path);
	digest_free(d);
	return st;
}

static enum status load_digest(struct loader *l, struct source *src, const char *path)
{
	struct digest *d;
	TRY(digest_read(src, ST_INPUT, &d, l->log));
	enum status st = context_apply(l->options->cli, path, d, l->log);
	if (st == ST_OK)
		return add_digest(l, d, path);
	digest_free(d);
	return st;
}

static enum status refuse(struct loader *l, struct source *src, enum artifact kind)
{
	const char *name = source_name(src);
	switch (kind) {
	case ARTIFACT_PICKLE:
		return diag_fail(
		    l->log, ST_INPUT,
		    "%s: a pickle, which can run code when it is read; export it as JSON where you trust "
		    "it: python3 -c "
		    "'import pickle,json,sys; "
		    "json.dump(pickle.load(open(sys.argv[1],\"rb\")),open(sys.argv[2],\"w\"))' "
		    "FILE.pickle FILE.json",
		    name);
	case ARTIFACT_BASELINE:
		return diag_fail(l->log, ST_INPUT,
		                 "%s: a baseline where a run was expected; give it with --baseline", name);
	case ARTIFACT_RESULT:
		return diag_fail(
		    l->log, ST_INPUT,
		    "%s: a report of gpugate where a run was expected; give the trace or the digest", name);
	default:
		return diag_fail(
		    l->log, ST_INPUT,
		    "%s: byte 0: neither JSON nor gzip; give the trace that torch.profiler wrote", name);
	}
}

static enum status load_file(struct loader *l, const char *path, enum outcome *outcome)
{
	struct source *src;
	struct span first;
	*outcome = OUTCOME_DIGEST;
	TRY(source_open(path, &l->source, &src, l->log));
	enum status st = source_peek(src, &first, l->log);
	if (st == ST_OK) {
		enum artifact kind = artifact_recognise(first);
		if (kind == ARTIFACT_TRACE) {
			st = load_trace(l, src, path, outcome);
		} else if (kind == ARTIFACT_DIGEST) {
			st = load_digest(l, src, path);
		} else {
			*outcome = OUTCOME_NO_ARTIFACT;
			st = refuse(l, src, kind);
		}
	}
	source_close(src);
	return st;
}

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

/* In a directory, what is no artifact is listed and left alone; a damaged
   artifact is an error all the same. */
static enum status load_directory(struct loader *l, const char *path)
{
	const char **files = NULL;
	size_t nr = 0, before = l->run->ranks.nr;
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
		if (st == ST_INPUT && outcome == OUTCOME_NO_ARTIFACT) {
			vec_push(&l->run->ignored, files[i]);
			diag_warn(log, "ignored: %s", diag_first_error(&own));
			diag_release(&own);
			st = ST_OK;
		}
		diag_move(log, &own);
	}
	free(files);
	TRY(st);
	if (l->run->ranks.nr == before)
		return diag_fail(log, ST_INPUT, "%s: no trace and no digest in this directory",
		                 text_quote(&log->arena, span_of(path)));
	return ST_OK;
}

static int by_rank(const void *a, const void *b)
{
	int64_t x = (*(struct digest *const *)a)->rank, y = (*(struct digest *const *)b)->rank;
	return (x > y) - (x < y);
}

enum status run_load(const char *const *paths, size_t nr, const struct load_options *options,
                     struct run *out, struct diag_log *log)
{
	const struct options *cli = options->cli;
	struct loader l = { .options = options, .run = out, .log = log };
	*out = (struct run){ .label = nr ? paths[0] : "" };
	l.rank = options_u64(cli, OPT_RANK, UINT64_MAX);
	l.source.max_bytes = options_u64(cli, OPT_MAX_INPUT, 0);
	l.trace.quick = options_u64(cli, OPT_QUICK, 0);
	if (cli->value[OPT_RANK] && l.rank > INT32_MAX)
		return diag_fail(log, ST_USAGE, "option '--rank' is beyond 2147483647");
	l.trace.allow_truncated = l.source.allow_truncated = cli->value[OPT_ALLOW_TRUNCATED] != NULL;
	for (size_t i = 0; i < nr; i++) {
		struct stat sb;
		enum outcome outcome;
		if (strcmp(paths[i], "-") != 0 && stat(paths[i], &sb) == 0 && S_ISDIR(sb.st_mode))
			TRY(load_directory(&l, paths[i]));
		else
			TRY(load_file(&l, paths[i], &outcome));
	}
	vec_sort(&out->ranks, by_rank);
	return ST_OK;
}
