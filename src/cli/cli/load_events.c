/* Makes digests of recordings of events: traces, XSpace files, exports of Nsight Systems. */
#include "cli/load_internal.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "nsys/nsys.h"
#include "read/recognize.h"
#include "xspace/xspace.h"

/* Type of functions that read one recording from `ctx`, like trace_read(). */
typedef enum status read_fn(void *ctx, struct name_table *names, struct event_sink sink,
                            struct trace_meta *meta, struct diag_log *log);

/* Refuse a trace from which only zeros would follow, and one with runtime calls of another device:
   its kernels could be read, but not what launched them. A trace with work of the CPU only is
   accepted. */
static enum status check_understood(struct source *src, struct artifact_file *file,
                                    const struct trace_meta *meta, const struct digest *d)
{
	bool read = d->trust.gpu_events || d->memories.nr || d->trust.partial || d->trust.truncated;
	if (read && !meta->other_device)
		return ST_OK;
	const char *device = other_device(file->path);
	device = device || !meta->other_device ? device : "another device";
	if (device)
		return diag_fail(file->log, ST_INPUT,
		                 "%s: a trace of %s, whose activities are not understood: only those of "
		                 "CUDA and HIP are (categories kernel, gpu_memcpy, gpu_memset)",
		                 source_name(src), device);
	if (read || d->window || d->nr_steps || d->total_steps)
		return ST_OK;
	file->outcome = OUTCOME_NO_ARTIFACT;
	return diag_fail(file->log, ST_INPUT,
	                 "%s: nothing in it is understood: of its %" PRId64 " events none is an "
	                 "activity of a GPU, an operator, a runtime call or an annotation of "
	                 "torch.profiler or JAX",
	                 source_name(src), d->events);
}

/* Refuse a trace that holds several ranks, as SGLang makes them by merging traces: the steps and
   kernels would be taken for those of one rank. */
static enum status check_one_rank(struct source *src, struct artifact_file *file,
                                  const struct reducer *reducer)
{
	const char *text;
	size_t nr = reducer_processes(reducer, &file->log->arena, &text);
	if (nr < 2)
		return ST_OK;
	file->outcome = OUTCOME_NO_ARTIFACT;
	return diag_fail(
	    file->log, ST_INPUT,
	    "%s: holds %zu ranks, merged into one file: the work of the processes %s; give "
	    "the trace of each rank",
	    source_name(src), nr, text);
}

/* Launches run before they are captured, to warm up. At most this many GPU activities count as such
   warm-ups: FEW per captured launch in a trace without marked steps, and one per FEW captured
   launches in a trace with marked steps. */
enum { FEW = 4 };

/* Refuse a trace that captures CUDA graphs and launches none of them. Its GPU activities, if it has
   any, are warm-ups (vLLM: capture_torch_profiler, SGLang: --enable-profile-cuda-graph). */
static enum status check_ran(struct source *src, struct artifact_file *file,
                             const struct reducer *reducer, const struct digest *d)
{
	const struct trust_counts *t = &d->trust;
	int64_t most = d->window ? FEW * t->captured : t->captured / FEW;
	if (!t->captured || reducer_replays(reducer) || t->gpu_events > most)
		return ST_OK;
	file->outcome = OUTCOME_NO_ARTIFACT;
	file->captured = reducer_captured(reducer);
	file->rank = d->rank;
	return diag_fail(file->log, ST_INPUT,
	                 "%s: a capture: %" PRId64 " launches were recorded into graphs, and no graph "
	                 "ran; give the trace of the replays",
	                 source_name(src), t->captured);
}

static enum status load_events(const struct loader *l, struct source *src,
                               struct artifact_file *file, read_fn *read, void *ctx)
{
	struct name_table names;
	struct trace_meta meta;
	struct diag_log own;
	const char *name = artifact_file_name(file);
	enum rank_known known;
	name_table_init(&names);
	diag_init(&own);
	struct reducer *reducer = reducer_new(&l->setup->reduce, &names);
	struct digest *d = digest_new();
	enum status st = read(ctx, &names, reducer_sink(reducer), &meta, file->log);
	file->outcome = meta.not_a_trace ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	NEXT(st, check_one_rank(src, file, reducer));
	d->rank = rank_of(l, meta.rank, name, &known);
	for (size_t i = 0; l->beside && i < l->beside->nr; i++)
		if (l->beside->v[i].rank == d->rank)
			reducer_join(reducer, l->beside->v[i].captured);
	if (st == ST_OK) {
		st = reducer_finish(reducer, &meta, d, &own);
		artifact_name_errors(file->log, st, source_name(src), &own);
	}
	NEXT(st, check_understood(src, file, &meta, d));
	NEXT(st, check_ran(src, file, reducer, d));
	d->trace = arena_dup(&d->arena, span_of(name));
	file->replays = reducer_replays(reducer);
	reducer_free(reducer);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	vec_release(&meta.counters);
	vec_release(&meta.samples);
	name_table_release(&names);
	return artifact_add(l, file, st, d, known);
}

/* ---- traces ---- */

struct trace_input_of {
	const struct loader *l;
	struct source *src;
};

static enum status read_trace(void *ctx, struct name_table *names, struct event_sink sink,
                              struct trace_meta *meta, struct diag_log *log)
{
	struct trace_input_of *t = ctx;
	return trace_read(t->src, &t->l->trace, names, sink, meta, log);
}

enum status load_trace(const struct loader *l, struct source *src, struct artifact_file *file)
{
	return load_events(l, src, file, read_trace, &(struct trace_input_of){ l, src });
}

/* ---- XSpace files ---- */

static enum status read_xspace(void *ctx, struct name_table *names, struct event_sink sink,
                               struct trace_meta *meta, struct diag_log *log)
{
	return xspace_read(ctx, NULL, names, sink, meta, log);
}

enum status load_xspace(const struct loader *l, struct source *src, struct artifact_file *file)
{
	if (l->trace.quick)
		return diag_fail(file->log, ST_INPUT,
		                 "%s: --quick does not apply to an XSpace file: leave it out",
		                 source_name(src));
	TRY(load_events(l, src, file, read_xspace, src));
	file->artifacts.v[file->artifacts.nr - 1].of_host = true;
	return ST_OK;
}

/* ---- exports of Nsight Systems ---- */

struct nsys_input {
	struct nsys *export;
	const struct nsys_process *process;
};

static enum status read_nsys(void *ctx, struct name_table *names, struct event_sink sink,
                             struct trace_meta *meta, struct diag_log *log)
{
	struct nsys_input *n = ctx;
	(void)log; /* nsys_open() has logged the error already */
	return nsys_read(n->export, n->process, names, sink, meta);
}

static const char *list_processes(struct arena *a, const struct nsys_process *v, size_t nr)
{
	enum { MOST = 16 };
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < nr && i < MOST; i++)
		strbuf_addf(&b, "%s%" PRId64, i ? ", " : "", v[i].pid);
	if (nr > MOST)
		strbuf_addf(&b, " and %zu more", nr - MOST);
	return arena_take(a, &b);
}

/* Select the processes of the export to read: all, or the one that --process names. ST_INPUT if
   --process is needed, because several processes share a GPU and their ranks are not known. */
static enum status choose_processes(const struct loader *l, const char *name,
                                    const struct nsys_process **v, size_t *nr, struct diag_log *log)
{
	uint64_t pid = options_u64(l->setup->options, OPT_PROCESS, UINT64_MAX);
	if (pid == UINT64_MAX && *nr > 1 && (*v)[0].rank < 0)
		return diag_fail(
		    log, ST_INPUT,
		    "%s: the GPU work of several processes (%s) on the same GPU, whose ranks "
		    "cannot be told: say which one is meant with --process, or record each of "
		    "them into a report of its own, such as nsys profile -o report_rank%%q{RANK}",
		    name, list_processes(&log->arena, *v, *nr));
	for (size_t i = 0; i < *nr && pid != UINT64_MAX; i++)
		if ((uint64_t)(*v)[i].pid == pid) {
			*v += i;
			*nr = 1;
			return ST_OK;
		}
	return pid == UINT64_MAX
	           ? ST_OK
	           : diag_fail(log, ST_USAGE, "%s: no process %" PRIu64 " used a GPU, but %s did", name,
	                       pid, list_processes(&log->arena, *v, *nr));
}

enum status load_nsys(const struct loader *l, struct source *src, struct artifact_file *file)
{
	struct nsys *n;
	bool other;
	size_t nr;
	if (l->trace.quick)
		return diag_fail(file->log, ST_INPUT,
		                 "%s: --quick does not apply to a database: leave it out",
		                 source_name(src));
	enum status st = nsys_open(file->path, &file->progress, &n, &other, file->log);
	if (other)
		file->outcome = OUTCOME_NO_ARTIFACT;
	TRY(st);
	const struct nsys_process *v = nsys_processes(n, &nr);
	st = choose_processes(l, source_name(src), &v, &nr, file->log);
	for (size_t i = 0; i < nr && st == ST_OK; i++) {
		st = load_events(l, src, file, read_nsys, &(struct nsys_input){ n, &v[i] });
		if (st == ST_OK)
			file->artifacts.v[file->artifacts.nr - 1].of_process = true;
	}
	nsys_close(n);
	return st;
}
