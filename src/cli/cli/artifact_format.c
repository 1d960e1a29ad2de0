/* To add a format, add a reader in read/, a loader (here or in a file load_*.c), a row in
   artifact_formats, and a fuzz target. */
#include "cli/artifact_format.h"

#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "nsys/nsys.h"
#include "read/pickle.h"
#include "read/timeline.h"
#include "read/xprof.h"
#include "replay/records.h"
#include "replay/replay.h"
#include "results/result_file.h"
#include "results/value.h"
#include "rules/formats_file.h"
#include "store/digest_json.h"
#include "store/run_json.h"
#include "xspace/xspace.h"

/* Store the settings by which traces are read in a digest that was made without a trace, since all
 * digests of a run must have the same settings. */
static void set_settings(const struct loader *l, struct digest *d)
{
	d->marker = arena_dup(&d->arena, span_of(l->setup->reduce.marker));
	d->communication = arena_dup(&d->arena, span_of(l->setup->reduce.communication));
	d->warmup = l->setup->reduce.warmup;
}

/* ---- loaders for memory ---- */

/* Add the digest `d` of a memory recording, and take it over. `st` and `own` are the status and the
 * messages of the function that made `d`. */
static enum status add_memory(const struct loader *l, struct source *src,
                              struct artifact_file *file, enum status st, struct digest *d,
                              struct diag_log *own)
{
	const char *name = artifact_file_name(file);
	enum rank_known known;
	artifact_name_errors(file->log, st, source_name(src), own);
	d->snapshot = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, -1, name, &known);
	set_settings(l, d);
	return artifact_add(l, file, st, d, known);
}

static enum status add_snapshot(const struct loader *l, struct source *src,
                                struct artifact_file *file, struct snapshot *s)
{
	struct replay_options replay = { .sites = &l->setup->sites, .capacity = -1 };
	struct diag_log own;
	diag_init(&own);
	struct digest *d = digest_new();
	enum status st = snapshot_reduce(s, &replay, d, &own);
	snapshot_release(s);
	return add_memory(l, src, file, st, d, &own);
}

static enum status load_snapshot(const struct loader *l, struct source *src,
                                 struct artifact_file *file)
{
	struct snapshot s;
	TRY(snapshot_read(src, NULL, &s, file->log));
	return add_snapshot(l, src, file, &s);
}

static enum status load_pickle(const struct loader *l, struct source *src,
                               struct artifact_file *file)
{
	struct snapshot s;
	struct span first;
	TRY(source_peek(src, &first, file->log));
	bool foreign = !memmem(first.p, first.n, "segments", strlen("segments"));
	enum status st = snapshot_read_pickle(src, NULL, &s, file->log);
	if (st == ST_OK)
		return add_snapshot(l, src, file, &s);
	file->outcome = foreign ? OUTCOME_NO_ARTIFACT : file->outcome;
	return st;
}

static enum status load_xprof(const struct loader *l, struct source *src,
                              struct artifact_file *file)
{
	struct xprof_profile p;
	struct diag_log own;
	TRY(xprof_read(src, NULL, &p, file->log));
	diag_init(&own);
	struct digest *d = digest_new();
	enum status st = xprof_reduce(&p, d, &own);
	xprof_profile_release(&p);
	return add_memory(l, src, file, st, d, &own);
}

static enum status load_timeline(const struct loader *l, struct source *src,
                                 struct artifact_file *file)
{
	struct memory_timeline t;
	struct diag_log own;
	TRY(timeline_read(src, 0, &t, file->log));
	diag_init(&own);
	struct digest *d = digest_new();
	timeline_reduce(&t, d);
	memory_timeline_release(&t);
	return add_memory(l, src, file, ST_OK, d, &own);
}

/* ---- loaders for figures and digests ---- */

/* Add the digest `d` of a file with figures, and take it over. `st`: result of reading the file. */
static enum status add_figures(const struct loader *l, struct artifact_file *file, enum status st,
                               struct digest *d)
{
	const char *name = artifact_file_name(file);
	enum rank_known known;
	d->metrics_file = arena_dup(&d->arena, span_of(name));
	d->rank = rank_of(l, -1, name, &known);
	if (known == RANK_ASSUMED)
		d->rank = -1;
	set_settings(l, d);
	return artifact_add(l, file, st, d, known);
}

static enum status load_metrics(const struct loader *l, struct source *src,
                                struct artifact_file *file)
{
	bool other;
	if (strcmp(artifact_file_name(file), CONTEXT_JSON) == 0)
		return diag_fail(file->log, ST_INPUT,
		                 "%s: what is known of a run, which is read with the artifacts beside it; "
		                 "a metrics file needs another name",
		                 source_name(src));
	struct digest *d = digest_new();
	enum status st = inputs_read(src, d, &other, file->log);
	file->outcome = other ? OUTCOME_NO_ARTIFACT : OUTCOME_DIGEST;
	return add_figures(l, file, st, d);
}

static enum status add_result(const struct loader *l, struct artifact_file *file, enum status st,
                              struct digest *d, bool found)
{
	if (found) {
		file->outcome = OUTCOME_RESULT;
		return add_figures(l, file, st, d);
	}
	digest_free(d);
	return st;
}

enum status artifact_load_machine(const struct loader *l, struct source *src,
                                  struct artifact_file *file, bool *found)
{
	struct digest *d = digest_new();
	enum status st = machine_read(src, d, found, file->log);
	return add_result(l, file, st, d, *found);
}

/* Load a file whose key "schema" says that it is a record of the state of GPUs. */
static enum status load_machine(const struct loader *l, struct source *src,
                                struct artifact_file *file)
{
	bool found;
	enum status st = artifact_load_machine(l, src, file, &found);
	if (st == ST_OK && !found)
		st = diag_fail(file->log, ST_INPUT, "%s: the state of no GPU is in it", source_name(src));
	return st;
}

enum status artifact_load_result(const struct loader *l, struct source *src,
                                 struct artifact_file *file, bool *found)
{
	const struct result_formats *tables[] = { &l->setup->rules.results,
		                                      l->setup->own_formats ? &l->setup->formats : NULL,
		                                      NULL };
	struct result_reader reader = { tables, file->path, artifact_file_name(file) };
	if (!tables[1])
		TRY(formats_built_in(&tables[1], file->log));
	struct digest *d = digest_new();
	enum status st = result_read(src, &reader, d, found, file->log);
	return add_result(l, file, st, d, *found);
}

/* Read the lines of a proposal as a table of formats. */
static enum status read_proposed(const struct result_proposal *own, const char *file,
                                 struct result_formats *out, struct diag_log *log)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "    - name: plain\n      %s", strbuf_str(&own->lines) + strlen("    - "));
	enum status st = formats_read(file, (struct span[]){ strbuf_span(&text) }, out, log);
	strbuf_release(&text);
	return st;
}

const char *artifact_propose(const char *path, struct result_formats *out, struct arena *a)
{
	struct result_proposal own = { .lines = STRBUF_INIT };
	const char *lines = NULL;
	struct source *src;
	struct diag_log unsaid;
	diag_init(&unsaid);
	if (source_open(path, NULL, &src, &unsaid) == ST_OK) {
		if (result_propose(src, path_last(path), &own, &unsaid) == ST_OK && own.lines.n &&
		    read_proposed(&own, path, out, &unsaid) == ST_OK)
			lines = arena_dup(a, strbuf_span(&own.lines));
		source_close(src);
	}
	strbuf_release(&own.lines);
	diag_release(&unsaid);
	return lines;
}

enum status artifact_load_plain(const struct loader *l, struct source *src, struct source *again,
                                struct artifact_file *file, bool *found)
{
	struct result_proposal own;
	struct result_formats formats = { 0 };
	const struct result_formats *const tables[] = { &formats, NULL };
	struct result_reader reader = { tables, file->path, artifact_file_name(file) };
	enum status st = result_propose(src, reader.file, &own, file->log);
	*found = st == ST_OK && own.is_plain;
	if (*found) {
		struct digest *d = digest_new();
		st = read_proposed(&own, reader.file, &formats, file->log);
		NEXT(st, result_read(again, &reader, d, found, file->log));
		file->outcome = OUTCOME_RESULT;
		st = add_figures(l, file, st, d);
	}
	result_formats_release(&formats);
	strbuf_release(&own.lines);
	return st;
}

static enum status load_digest(const struct loader *l, struct source *src,
                               struct artifact_file *file)
{
	struct digest *d;
	TRY(digest_read(src, load_keeps_text(l, file), &d, file->log));
	return artifact_add_stored(l, file, d);
}

static enum status load_run(const struct loader *l, struct source *src, struct artifact_file *file)
{
	struct run stored = { 0 };
	enum status st = run_read(src, load_keeps_text(l, file), &stored, file->log);
	int64_t before = -1; /* rank of the previous digest */
	for (size_t i = 0; i < stored.ranks.nr && st == ST_OK; i++) {
		struct digest *d = stored.ranks.v[i];
		file->cycles = file->cycles || (before == d->rank && digest_has_trace(d));
		before = d->rank;
		stored.ranks.v[i] = NULL;
		st = artifact_add_stored(l, file, d);
	}
	run_release(&stored);
	return st;
}

/* ---- formats that are refused ---- */

static bool begin_has(struct span first, size_t within, const char *what)
{
	return memmem(first.p, first.n < within ? first.n : within, what, strlen(what)) != NULL;
}

/* True if the file begins with '{' and, like JSON files of gpugate, has the key "schema" and the
   text `schema` within its first 48 bytes. */
static bool schema_recognize(struct span first, const char *schema)
{
	enum { WITHIN = 48 };
	return span_starts(first, SPAN("{")) && begin_has(first, WITHIN, "\"schema\"") &&
	       begin_has(first, WITHIN, schema);
}

/* True for a page with the memory timeline of PyTorch. Source: export_memory_timeline_html() of
   torch/profiler/_memory_profiler.py. */
static bool timeline_page_recognize(struct span first)
{
	return span_starts(first, SPAN("<")) &&
	       begin_has(first, first.n, "<title>GPU Memory Timeline HTML</title>");
}

/* True for an event file of TensorBoard. Its first record has the version of the format. Source:
   core/util/events_writer.h of TensorFlow. */
static bool tensorboard_recognize(struct span first)
{
	enum { WITHIN = 64 };
	return begin_has(first, WITHIN, "brain.Event:");
}

/* True for the magic bytes of an Apache Parquet or Arrow file. */
static bool columns_recognize(struct span first)
{
	return span_starts(first, SPAN("PAR1")) || span_starts(first, SPAN("ARROW1"));
}

/* True for a byte order mark of UTF-16. In PowerShell, '>' writes UTF-16 files. */
static bool utf16_recognize(struct span first)
{
	return span_starts(first, SPAN("\xff\xfe")) || span_starts(first, SPAN("\xfe\xff"));
}

/* True for a pickle that has a key of dumps of the Flight Recorder. Source: FlightRecorder.hpp of
   PyTorch 2.8 (dump). */
static bool flight_recognize(struct span first)
{
	return pickle_recognize(first) && (begin_has(first, first.n, "pg_config") ||
	                                   begin_has(first, first.n, "collective_seq_id"));
}

/* True for JSON. Also true for an empty file: the reader of traces reports that it is empty. */
static bool trace_recognize(struct span first)
{
	return first.n == 0 || value_is_json(first);
}

/* ---- table of the formats ---- */

const struct artifact_format artifact_formats[] = {
	{ .name = "flight_pickle",
	  .recognize = flight_recognize,
	  .endings = { "nccl_trace_rank_" },
	  .load = load_flight_pickle,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "flight",
	  .form = JSON_FLIGHT,
	  .load = load_flight,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "pickle",
	  .recognize = pickle_recognize,
	  .endings = { ".pickle", ".pkl" },
	  .load = load_pickle,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "xspace",
	  .recognize_blanks = xspace_recognize,
	  .endings = { ".xplane.pb" },
	  .load = load_xspace,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "nsys",
	  .recognize = nsys_recognize,
	  .endings = { ".sqlite" },
	  .load = load_nsys,
	  .is_recording = true },
	{ .name = "digest", .schema = "\"gpugate-digest-", .load = load_digest, .is_recording = true },
	{ .name = "run", .schema = "\"gpugate-run-", .load = load_run, .is_recording = true },
	{ .name = "baseline",
	  .schema = "\"gpugate-baseline-",
	  .refusal = "a baseline where a run was expected; 'gpugate check RUN --baseline FILE' "
	             "compares with it" },
	{ .name = "machine", .schema = "\"gpugate-machine-", .load = load_machine },
	{ .name = "report",
	  .schema = "\"gpugate-",
	  .refusal = "a report of gpugate where a run was expected; give the trace, the snapshot or "
	             "the digest" },
	{ .name = "snapshot",
	  .form = JSON_SNAPSHOT,
	  .load = load_snapshot,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "xprof",
	  .form = JSON_XPROF,
	  .load = load_xprof,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "timeline",
	  .form = JSON_TIMELINE,
	  .load = load_timeline,
	  .ahead = true,
	  .is_recording = true },
	{ .name = "metrics", .recognize = metrics_recognize, .load = load_metrics, .or_result = true },
	{ .name = "timeline page",
	  .recognize = timeline_page_recognize,
	  .refusal = "the picture of a memory timeline; export the timeline as FILE.raw.json.gz with "
	             "the same export_memory_timeline()" },
	{ .name = "tensorboard",
	  .recognize = tensorboard_recognize,
	  .refusal = "an event file of TensorBoard: give the profile that lies beside it, "
	             "plugins/profile/*/HOST.xplane.pb, or its scalars as a metrics file "
	             "({\"tokens_per_s\": 123.4})" },
	{ .name = "utf16",
	  .recognize = utf16_recognize,
	  .refusal = "a text in UTF-16: write it in UTF-8, as iconv -f UTF-16 -t UTF-8 does" },
	{ .name = "columns",
	  .recognize = columns_recognize,
	  .refusal = "a Parquet or Arrow file, as nsys-jax and nsys export write them: export the "
	             "report with nsys export --type sqlite" },
	{ .name = "trace",
	  .recognize = trace_recognize,
	  .endings = { ".json", ".trace", ".gz" },
	  .load = load_trace,
	  .ahead = true,
	  .or_result = true,
	  .is_guess = true },
	{ .name = "ncu report",
	  .endings = { ".ncu-rep" },
	  .refusal = "a report of Nsight Compute, which times single kernels under replay and is not a "
	             "recording of a run: record with nsys profile or torch.profiler" },
	{ .name = "nsys report",
	  .endings = { ".nsys-rep", ".qdrep", ".qdstrm" },
	  .refusal = "a report of Nsight Systems, whose form is not public: export it with nsys export "
	             "--type sqlite" },
	{ .name = "perfetto",
	  .endings = { ".pftrace", ".perfetto-trace" },
	  .refusal = "a trace of Perfetto in its binary form: give the JSON that torch.profiler or JAX "
	             "wrote, or their .xplane.pb" },
	{ .name = "hatchet",
	  .endings = { ".hatchet" },
	  .refusal = "a profile of Triton's Proton, which has no times of single kernels: record with "
	             "torch.profiler" },
	{ .name = "yaml",
	  .endings = { ".yaml", ".yml" },
	  .or_result = true,
	  .refusal = "YAML where a run was expected: 'gpugate suite FILE' judges the runs of a suite "
	             "file, 'gpugate lint FILE' reads rules" },
	{ .name = "other",
	  .or_result = true,
	  .refusal = "byte 0: neither JSON nor gzip; give the trace that torch.profiler wrote or a "
	             "memory snapshot; " TEXT_NO_FORMAT },
	{ 0 },
};

static bool ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);
	return n >= k && strcmp(name + n - k, ending) == 0;
}

/* True if the file `name` has the format `f`. `whole` is the beginning of the file, `first` is the
   same without leading blanks. */
static bool format_fits(const struct artifact_format *f, struct span whole, struct span first,
                        enum json_form form, const char *name)
{
	if (f->recognize_blanks)
		return f->recognize_blanks(whole);
	if (f->schema || f->form || f->recognize)
		return (f->schema && schema_recognize(first, f->schema)) || (f->form && f->form == form) ||
		       (f->recognize && f->recognize(first));
	bool fits = !f->endings[0];
	for (size_t i = 0; !fits && i < ENDINGS_MAX && f->endings[i]; i++)
		fits = ends_with(name, f->endings[i]);
	return fits;
}

const struct artifact_format *artifact_format_find(struct span first, const char *name)
{
	const struct artifact_format *f = artifact_formats;
	struct span whole = first;
	size_t blanks = 0;
	while (blanks < first.n && first.p[blanks] && strchr(" \t\r\n", first.p[blanks]))
		blanks++;
	first.p += blanks;
	first.n -= blanks;
	struct source *src = source_memory("", first.p, first.n, NULL);
	enum json_form form = json_form_of(src);
	source_close(src);
	while (!format_fits(f, whole, first, form, name))
		f++;
	return f;
}

const struct artifact_format *artifact_format_of(enum json_form form)
{
	const struct artifact_format *f = artifact_formats;
	while (f->form != form)
		f++;
	return f;
}

/* The format of the regular file `path`; NULL if it cannot be read. `*sure` becomes true if the
   content, not only the ending, shows that the file is a recording or a digest. */
static const struct artifact_format *format_of_file(const char *path, bool *sure)
{
	static const char *const signs[] = { "\"traceEvents\"", "\"deviceProperties\"" };
	const struct artifact_format *format = NULL;
	struct stat sb;
	struct source *src;
	struct diag_log log;
	struct span first;
	if (stat(path, &sb) < 0 || !S_ISREG(sb.st_mode))
		return NULL;
	diag_init(&log);
	if (source_open(path, NULL, &src, &log) == ST_OK) {
		if (source_peek(src, &first, &log) == ST_OK) {
			format = artifact_format_find(first, path);
			*sure = format->is_recording;
			for (size_t i = 0; format->is_guess && i < NR_OF(signs); i++)
				*sure = *sure || memmem(first.p, first.n, signs[i], strlen(signs[i]));
		}
		source_close(src);
	}
	diag_release(&log);
	return format;
}

const struct artifact_format *artifact_recording(const char *path)
{
	bool sure = false;
	const struct artifact_format *format = format_of_file(path, &sure);
	return sure ? format : NULL;
}

bool artifact_is_baseline(const char *path)
{
	bool sure;
	const struct artifact_format *format = format_of_file(path, &sure);
	return format && strcmp(format->name, "baseline") == 0;
}
