#include "cli/load_parts.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/context.h"
#include "read/foreign.h"
#include "read/pickle.h"
#include "reduce/snapshot_digest.h"
#include "store/digest_json.h"

/* The name that a digest keeps of the file it was made from. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (strcmp(path, "-") == 0)
		return "standard input";
	return slash ? slash + 1 : path;
}

/* Takes `d` over as a part of the run; `st` is that of making it. */
static enum status keep(struct loader *l, enum status st, struct digest *d, const char *path,
                        bool rank_said)
{
	if (st == ST_OK)
		st = context_apply(l->options->cli, path, d, l->log);
	if (st != ST_OK) {
		digest_free(d);
		return st;
	}
	if (l->capacity != MEMORY_UNKNOWN) {
		d->device_memory = l->capacity;
		for (size_t i = 0; i < d->memories.nr; i++)
			d->memories.v[i].capacity = l->capacity;
	}
	vec_push(&l->parts, (struct part){ d, path, rank_said, l->parts.nr });
	return ST_OK;
}

/* Reducers know no file: their errors get the name of it. */
static void name_errors(struct diag_log *log, enum status st, const char *name,
                        struct diag_log *own)
{
	if (st != ST_OK)
		diag_fail(log, st, "%s: %s", name, diag_first_error(own));
	diag_release(own);
}

static enum status load_trace(struct loader *l, struct source *src, const char *path,
                              enum outcome *outcome)
{
	struct name_table names;
	struct trace_meta meta;
	struct diag_log own;
	const char *name = name_of(path);
	bool rank_said;
	name_table_init(&names);
	diag_init(&own);
	struct reducer *reducer = reducer_new(&l->options->reduce, &names);
	struct digest *d = digest_new();
	enum status st = trace_read(src, &l->trace, &names, reducer_sink(reducer), &meta, l->log);
	if (st == ST_OK) {
		st = reducer_finish(reducer, &meta, d, &own);
		name_errors(l->log, st, source_name(src), &own);
	}
	*outcome = meta.not_a_trace ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	d->trace = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, meta.rank, name, &rank_said);
	reducer_free(reducer);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	name_table_release(&names);
	return keep(l, st, d, path, rank_said);
}

static enum status load_snapshot(struct loader *l, struct source *src, const char *path,
                                 bool pickled)
{
	const struct reduce_options *reduce = &l->options->reduce;
	struct replay_options replay = { .sites = l->options->sites, .capacity = -1 };
	struct snapshot s;
	struct diag_log own;
	const char *name = name_of(path);
	bool rank_said;
	TRY(pickled ? snapshot_read_pickle(src, NULL, &s, l->log)
	            : snapshot_read(src, NULL, &s, l->log));
	diag_init(&own);
	struct digest *d = digest_new();
	enum status st = snapshot_reduce(&s, &replay, d, &own);
	name_errors(l->log, st, source_name(src), &own);
	snapshot_release(&s);
	d->snapshot = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, -1, name, &rank_said);
	/* nothing was made with these; a run is of one setting all the same */
	d->marker = arena_dup(&d->arena, span_of(reduce->marker));
	d->communication = arena_dup(&d->arena, span_of(reduce->communication));
	d->warmup = reduce->warmup;
	return keep(l, st, d, path, rank_said);
}

static enum status load_digest(struct loader *l, struct source *src, const char *path)
{
	struct digest *d;
	TRY(digest_read(src, ST_INPUT, &d, l->log));
	return keep(l, ST_OK, d, path, true);
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
		    "FILE.pickle FILE.json; or have it read as data only, with --allow-pickle",
		    name);
	case ARTIFACT_BASELINE:
		return diag_fail(l->log, ST_INPUT,
		                 "%s: a baseline where a run was expected; give it with --baseline", name);
	case ARTIFACT_RESULT:
		return diag_fail(l->log, ST_INPUT,
		                 "%s: a report of gpugate where a run was expected; give the trace, the "
		                 "snapshot or the digest",
		                 name);
	default:
		return diag_fail(l->log, ST_INPUT,
		                 "%s: byte 0: neither JSON nor gzip; give the trace that torch.profiler "
		                 "wrote or a memory snapshot",
		                 name);
	}
}

/* A snapshot whose keys stand in another order than torch writes them looks
   like a trace until the whole of it has been read. */
static enum status load_late_snapshot(struct loader *l, const char *path, bool *found)
{
	struct source *src;
	*found = false;
	TRY(source_open(path, &l->source, &src, l->log));
	*found = snapshot_recognise(src);
	source_close(src);
	if (!*found)
		return ST_OK;
	TRY(source_open(path, &l->source, &src, l->log));
	enum status st = load_snapshot(l, src, path, false);
	source_close(src);
	return st;
}

static bool is_regular(const char *path)
{
	struct stat sb;
	return strcmp(path, "-") != 0 && stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

static enum status load_json(struct loader *l, struct source *src, const char *path,
                             enum outcome *outcome)
{
	struct diag_log own, *log = l->log;
	bool found = false;
	diag_init(&own);
	l->log = &own;
	enum status st = load_trace(l, src, path, outcome);
	l->log = log;
	if (*outcome == OUTCOME_NO_ARTIFACT && is_regular(path)) {
		enum status late = load_late_snapshot(l, path, &found);
		if (found || late != ST_OK) {
			diag_release(&own);
			*outcome = OUTCOME_DIGEST;
			return late;
		}
	} else if (*outcome == OUTCOME_NO_ARTIFACT) {
		diag_note(&own, "a memory snapshot is recognised here by its first 4 KiB alone; if it is "
		                "one, give it as a file");
	}
	diag_move(log, &own);
	return st;
}

enum status load_file(struct loader *l, const char *path, enum outcome *outcome)
{
	struct source *src;
	struct span first;
	*outcome = OUTCOME_DIGEST;
	TRY(source_open(path, &l->source, &src, l->log));
	enum status st = source_peek(src, &first, l->log);
	enum artifact kind = st == ST_OK ? artifact_recognise(first) : ARTIFACT_UNKNOWN;
	if (st != ST_OK) {
		/* said already */
	} else if (kind == ARTIFACT_TRACE) {
		st = load_json(l, src, path, outcome);
	} else if (kind == ARTIFACT_SNAPSHOT) {
		st = load_snapshot(l, src, path, false);
	} else if (kind == ARTIFACT_PICKLE && l->options->cli->value[OPT_ALLOW_PICKLE]) {
		st = load_snapshot(l, src, path, true);
	} else if (kind == ARTIFACT_DIGEST) {
		st = load_digest(l, src, path);
	} else {
		*outcome = OUTCOME_NO_ARTIFACT;
		st = refuse(l, src, kind);
	}
	source_close(src);
	return st;
}
