#include "cli/load_internal.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/context.h"
#include "merge/digest_fold.h"
#include "model/memory_view.h"
#include "read/metrics_file.h"
#include "read/nsys.h"
#include "read/pickle.h"
#include "read/recognise.h"
#include "read/timeline.h"
#include "read/xprof.h"
#include "replay/records.h"
#include "replay/snapshot_digest.h"
#include "store/digest_json.h"
#include "store/run_json.h"

/* The name that a digest keeps of the file it was made from. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (strcmp(path, "-") == 0)
		return "standard input";
	return slash ? slash + 1 : path;
}

/* Takes `d` over as a part of the run; `st` is that of making it. */
static enum status keep(const struct loader *l, struct input *in, enum status st, struct digest *d,
                        bool rank_said, bool stored)
{
	if (st == ST_OK && d->rank > RANK_MAX)
		st = diag_fail(in->log, ST_INPUT, "%s: its rank is beyond %d",
		               text_quote(&in->log->arena, span_of(in->path)), RANK_MAX);
	if (st == ST_OK)
		st = context_apply(l->options->cli, in->path, d, in->log);
	if (st != ST_OK) {
		digest_free(d);
		return st;
	}
	digest_fold(d, l->options->categories); /* whatever it was read from: one figure, one value */
	if (l->capacity != MEMORY_UNKNOWN) {
		d->device_memory = l->capacity;
		for (size_t i = 0; i < d->memories.nr; i++)
			if (!memory_is_host(span_of(d->memories.v[i].id)))
				d->memories.v[i].capacity = l->capacity;
	}
	vec_push(
	    &in->parts,
	    (struct part){ .digest = d, .path = in->path, .rank_said = rank_said, .stored = stored });
	return ST_OK;
}

/* Reducers know no file: their errors get the name of it. */
static void name_errors(struct diag_log *log, enum status st, const char *name,
                        struct diag_log *own)
{
	if (st != ST_OK)
		diag_error(log, "%s: %s", name, diag_first_error(own));
	diag_release(own);
}

static enum status load_trace(const struct loader *l, struct source *src, struct input *in,
                              bool nsys)
{
	struct name_table names;
	struct trace_meta meta;
	struct diag_log own;
	const char *name = name_of(in->path);
	bool rank_said;
	name_table_init(&names);
	diag_init(&own);
	struct reduce_options options = l->options->reduce;
	options.threads = l->trace.threads;
	struct reducer *reducer = reducer_new(&options, &names);
	struct digest *d = digest_new();
	enum status st =
	    nsys ? nsys_read(in->path, &in->progress, &names, reducer_sink(reducer), &meta, in->log)
	         : trace_read(src, &l->trace, &names, reducer_sink(reducer), &meta, in->log);
	if (st == ST_OK) {
		st = reducer_finish(reducer, &meta, d, &own);
		name_errors(in->log, st, source_name(src), &own);
	}
	in->outcome = meta.not_a_trace ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	d->trace = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, meta.rank, name, &rank_said);
	reducer_free(reducer);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	vec_release(&meta.counters);
	vec_release(&meta.samples);
	name_table_release(&names);
	return keep(l, in, st, d, rank_said, false);
}

/* Nothing was made with these; a run is of one setting all the same. */
static void set_settings(const struct loader *l, struct digest *d)
{
	d->marker = arena_dup(&d->arena, span_of(l->options->reduce.marker));
	d->communication = arena_dup(&d->arena, span_of(l->options->reduce.communication));
	d->warmup = l->options->reduce.warmup;
}

/* Takes over `d`, which came of memory alone; `st` and `own` are those of reducing it. */
static enum status keep_memory(const struct loader *l, struct source *src, struct input *in,
                               enum status st, struct digest *d, struct diag_log *own)
{
	const char *name = name_of(in->path);
	bool rank_said;
	name_errors(in->log, st, source_name(src), own);
	d->snapshot = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, -1, name, &rank_said);
	set_settings(l, d);
	return keep(l, in, st, d, rank_said, false);
}

static enum status load_metrics(const struct loader *l, struct source *src, struct input *in)
{
	const char *name = name_of(in->path);
	bool rank_said, other;
	if (strcmp(name, CONTEXT_JSON) == 0)
		return diag_fail(in->log, ST_INPUT,
		                 "%s: what is known of a run, which is read with the artifacts beside it; "
		                 "a metrics file needs another name",
		                 source_name(src));
	struct digest *d = digest_new();
	enum status st = inputs_read(src, d, &other, in->log);
	in->outcome = other ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	d->metrics_file = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, -1, name, &rank_said);
	if (!rank_said)
		d->rank = -1;
	set_settings(l, d);
	return keep(l, in, st, d, rank_said, false);
}

static enum status load_snapshot(const struct loader *l, struct source *src, struct input *in,
                                 bool pickled)
{
	struct replay_options replay = { .sites = l->options->sites, .capacity = -1 };
	struct snapshot s;
	struct diag_log own;
	TRY(pickled ? snapshot_read_pickle(src, NULL, &s, in->log)
	            : snapshot_read(src, NULL, &s, in->log));
	diag_init(&own);
	struct digest *d = digest_new();
	enum status st = snapshot_reduce(&s, &replay, d, &own);
	snapshot_release(&s);
	return keep_memory(l, src, in, st, d, &own);
}

static enum status load_xprof(const struct loader *l, struct source *src, struct input *in)
{
	struct xprof_profile p;
	struct diag_log own;
	TRY(xprof_read(src, NULL, &p, in->log));
	diag_init(&own);
	struct digest *d = digest_new();
	enum status st = xprof_reduce(&p, d, &own);
	xprof_profile_release(&p);
	return keep_memory(l, src, in, st, d, &own);
}

static enum status load_timeline(const struct loader *l, struct source *src, struct input *in)
{
	struct memory_timeline t;
	struct diag_log own;
	TRY(timeline_read(src, NULL, &t, in->log));
	diag_init(&own);
	struct digest *d = digest_new();
	timeline_reduce(&t, d);
	memory_timeline_release(&t);
	return keep_memory(l, src, in, ST_OK, d, &own);
}

static enum status load_memory(const struct loader *l, struct source *src, struct input *in,
                               enum artifact kind)
{
	if (l->trace.threads > 1)
		source_ahead(src);
	return kind == ARTIFACT_XPROF      ? load_xprof(l, src, in)
	       : kind == ARTIFACT_TIMELINE ? load_timeline(l, src, in)
	                                   : load_snapshot(l, src, in, kind == ARTIFACT_PICKLE);
}

static enum status load_digest(const struct loader *l, struct source *src, struct input *in)
{
	struct digest *d;
	TRY(digest_read(src, ST_INPUT, &d, in->log));
	return keep(l, in, ST_OK, d, true, true);
}

static enum status load_run(const struct loader *l, struct source *src, struct input *in)
{
	struct run stored = { 0 };
	enum status st = run_read(src, &stored, in->log);
	int64_t before = -1; /* whose digest it is that was last */
	for (size_t i = 0; i < stored.ranks.nr && st == ST_OK; i++) {
		struct digest *d = stored.ranks.v[i];
		in->cycles = in->cycles || (before == d->rank && digest_has_trace(d));
		before = d->rank;
		stored.ranks.v[i] = NULL;
		st = keep(l, in, ST_OK, d, true, true);
	}
	run_release(&stored);
	return st;
}

static enum status refuse(struct diag_log *log, struct source *src, enum artifact kind)
{
	const char *name = source_name(src);
	switch (kind) {
	case ARTIFACT_PICKLE:
		return diag_fail(
		    log, ST_INPUT,
		    "%s: a pickle, which can run code when it is read; export it as JSON where you trust "
		    "it: python3 -c "
		    "'import pickle,json,sys; "
		    "json.dump(pickle.load(open(sys.argv[1],\"rb\")),open(sys.argv[2],\"w\"))' "
		    "FILE.pickle FILE.json; or have it read as data only, with --allow-pickle",
		    name);
	case ARTIFACT_TIMELINE_PAGE:
		return diag_fail(log, ST_INPUT,
		                 "%s: the picture of a memory timeline; export the timeline as "
		                 "FILE.raw.json.gz with the same export_memory_timeline()",
		                 name);
	case ARTIFACT_BASELINE:
		return diag_fail(log, ST_INPUT,
		                 "%s: a baseline where a run was expected; give it with --baseline", name);
	case ARTIFACT_RESULT:
		return diag_fail(log, ST_INPUT,
		                 "%s: a report of gpugate where a run was expected; give the trace, the "
		                 "snapshot or the digest",
		                 name);
	default:
		if (fnmatch("*.nsys-rep", name, 0) == 0 || fnmatch("*.qdrep", name, 0) == 0)
			return diag_fail(log, ST_INPUT,
			                 "%s: a report of Nsight Systems, whose form is not public: export it "
			                 "with nsys export --type sqlite",
			                 name);
		return diag_fail(log, ST_INPUT,
		                 "%s: byte 0: neither JSON nor gzip; give the trace that torch.profiler "
		                 "wrote or a memory snapshot",
		                 name);
	}
}

static enum status open_input(const struct loader *l, struct input *in, struct source **out)
{
	struct source_options options = l->source;
	options.progress = &in->progress;
	return source_open(in->path, &options, out, in->log);
}

/* A snapshot or profile whose keys stand in another order than usual looks like a
   trace until the whole of it has been read. */
static enum status load_late_memory(const struct loader *l, struct input *in, bool *found)
{
	struct source *src;
	*found = false;
	TRY(open_input(l, in, &src));
	enum artifact kind = memory_recognise(src);
	source_close(src);
	*found = kind != ARTIFACT_TRACE;
	if (!*found)
		return ST_OK;
	TRY(open_input(l, in, &src));
	enum status st = load_memory(l, src, in, kind);
	source_close(src);
	return st;
}

static bool is_regular(const char *path)
{
	struct stat sb;
	return strcmp(path, "-") != 0 && stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

static enum status load_json(const struct loader *l, struct source *src, struct input *in)
{
	struct diag_log own, *log = in->log;
	bool found = false;
	diag_init(&own);
	in->log = &own;
	enum status st = load_trace(l, src, in, false);
	in->log = log;
	if (in->outcome == OUTCOME_NO_ARTIFACT && is_regular(in->path)) {
		enum status late = load_late_memory(l, in, &found);
		if (found || late != ST_OK) {
			diag_release(&own);
			in->outcome = OUTCOME_DIGEST;
			return late;
		}
	} else if (in->outcome == OUTCOME_NO_ARTIFACT) {
		diag_note(&own, "a memory snapshot or profile is recognised here by its first 4 KiB "
		                "alone; if it is one, give it as a file");
	}
	diag_move(log, &own);
	return st;
}

static enum status load_nsys(const struct loader *l, struct source *src, struct input *in)
{
	if (l->trace.quick)
		return diag_fail(in->log, ST_INPUT, "%s: a database has no first events: leave --quick out",
		                 source_name(src));
	return load_trace(l, src, in, true);
}

static enum status load_artifact(const struct loader *l, struct source *src, struct input *in)
{
	struct span first;
	TRY(source_peek(src, &first, in->log));
	enum artifact kind = artifact_recognise(first);
	switch (kind) {
	case ARTIFACT_TRACE:
		return load_json(l, src, in);
	case ARTIFACT_SNAPSHOT:
	case ARTIFACT_XPROF:
	case ARTIFACT_TIMELINE:
		return load_memory(l, src, in, kind);
	case ARTIFACT_METRICS:
		return load_metrics(l, src, in);
	case ARTIFACT_NSYS:
		return load_nsys(l, src, in);
	case ARTIFACT_DIGEST:
		return load_digest(l, src, in);
	case ARTIFACT_RUN:
		return load_run(l, src, in);
	case ARTIFACT_PICKLE:
		if (l->options->cli->value[OPT_ALLOW_PICKLE])
			return load_memory(l, src, in, kind);
		break;
	case ARTIFACT_BASELINE:
	case ARTIFACT_RESULT:
	case ARTIFACT_TIMELINE_PAGE:
	case ARTIFACT_UNKNOWN:
		break;
	}
	in->outcome = OUTCOME_NO_ARTIFACT;
	return refuse(in->log, src, kind);
}

void load_file(const struct loader *l, struct input *in)
{
	struct source *src;
	in->outcome = OUTCOME_DIGEST;
	in->status = open_input(l, in, &src);
	if (in->status != ST_OK)
		return;
	in->status = load_artifact(l, src, in);
	source_close(src);
	if (!in->log->first)
		diag_release(in->log); /* nothing was said: no scratch is kept for each of many files */
}
