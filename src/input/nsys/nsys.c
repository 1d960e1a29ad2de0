/* Opens exports of Nsight Systems. Source of tables and columns: Nsight Systems User Guide, "SQLite
 * Schema Reference" (2024 and 2025; schema 3.x). Source of the relations between the tables: the
 * reports and recipes that come with nsys. */
#include "nsys/nsys.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "nsys/nsys_internal.h"

/* Largest string that is kept: names are far shorter, but the table of strings also holds the
 * output of processes. */
enum { STRING_BYTES = 1 << 16 };

/* Supported versions of the schema. In version 2 (nsys 2020 to 2022) the tables that are read have
 * the same columns. */
enum { SCHEMA_OLDEST = 2, SCHEMA_NEWEST = 3 };

enum status nsys_fail(struct nsys *n, const char *table, const char *what)
{
	return diag_fail(n->log, ST_INPUT, "%s: %s: %s", database_name(n->db), table, what);
}

/* ---- table of strings ---- */

static const struct database_column string_columns[] = { { .name = "id" },
	                                                     { .name = "value", .text = true } };

static enum status take_string(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct span text = v[1].text;
	if (text.n > STRING_BYTES)
		return ST_OK;
	if (idmap_add(&n->string_ids, v[0].integer) != n->strings.nr)
		return nsys_fail(n, "StringIds", "an id is there twice; export it anew");
	vec_push(&n->strings, (struct span){ arena_dup(&n->arena, text), text.n });
	return ST_OK;
}

bool nsys_string(const struct nsys *n, const struct database_value *id, struct span *out)
{
	uint32_t at = id->null ? NO_ID : idmap_find(&n->string_ids, id->integer);
	if (at == NO_ID)
		return false;
	*out = n->strings.v[at];
	return true;
}

bool nsys_text(const struct nsys *n, const struct database_value *text,
               const struct database_value *id, struct span *out)
{
	if (text->null)
		return nsys_string(n, id, out);
	*out = text->text;
	return true;
}

/* ---- schema version of the export ---- */

struct schema_version {
	bool found, known;
};

/* Names of the table that holds the schema version; the second is its name in exports of nsys
   2022 and before. */
static const char *const version_tables[] = { "META_DATA_EXPORT", "EXPORT_META_DATA" };

static const struct database_column export_columns[] = {
	{ .name = "name", .text = true }, { .name = "value", .text = true, .optional = true }
};

static enum status take_version(void *ctx, const struct database_value *v)
{
	struct schema_version *s = ctx;
	if (!span_eq(v[0].text, SPAN("EXPORT_SCHEMA_VERSION")) || v[1].null)
		return ST_OK;
	uint64_t major;
	struct span version = v[1].text;
	s->found = true;
	s->known = number_parse_u64(span_cut(&version, '.'), &major) && major >= SCHEMA_OLDEST &&
	           major <= SCHEMA_NEWEST;
	return ST_OK;
}

/* A message about a database that nsys did not write, with the tool that wrote it, which is
   recognized by one of its tables. Sources: rocpd_python of ROCm/rocmProfileData and rocprofv3
   (ROCm 7); nvprof's cupti_activity tables; msprof of CANN 8. */
static const char *foreign_database(const struct database *db)
{
	static const struct {
		struct span table;
		const char *what;
	} tools[] = {
		{ { "rocpd_", 6 },
		  "a database of rocprof (rocpd), which is not read: record with torch.profiler or "
		  "jax.profiler, which know ROCm's kernels too" },
		{ { "CANN_API", 8 },
		  "a database of Ascend's profiler, whose devices are not read: give a recording of GPUs" },
		{ { "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", 37 },
		  "a database of nvprof, which Nsight Systems replaced: record with nsys profile" },
	};
	for (size_t i = 0; i < NR_OF(tools); i++)
		if (database_has(db, tools[i].table))
			return tools[i].what;
	return "a database of SQLite, but not an export of Nsight Systems that says its schema: make "
	       "it "
	       "with nsys export --type sqlite of a current release";
}

static enum status check_version(struct nsys *n, bool *other)
{
	struct schema_version s = { 0 };
	for (size_t i = 0; i < NR_OF(version_tables); i++)
		TRY(database_scan(n->db, version_tables[i], export_columns, 2, take_version, &s, n->log));
	*other = !s.found;
	if (!s.found)
		return diag_fail(n->log, ST_INPUT, "%s: %s", database_name(n->db), foreign_database(n->db));
	return s.known ? ST_OK
	               : nsys_fail(n, version_tables[0],
	                           "EXPORT_SCHEMA_VERSION is neither 2.x nor 3.x, which are read; "
	                           "export it with another version of nsys");
}

/* ---- GPUs of the export ---- */

const struct database_column nsys_map_columns[NR_MAP_COLUMNS] = { { .name = "gpuId" },
	                                                              { .name = "cudaId" },
	                                                              { .name = "pid" } };

static void map_gpu(struct nsys *n, int64_t device, int64_t gpu)
{
	uint32_t id = idmap_find(&n->devices, device);
	if (id != NO_ID && n->gpus.v[id].gpu == GPU_UNKNOWN)
		n->gpus.v[id].gpu = gpu;
}

static enum status take_mapping(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	if (n->process->id < 0 || v[MAP_PID].integer == n->process->pid)
		map_gpu(n, v[MAP_DEVICE].integer, v[MAP_GPU].integer);
	return ST_OK;
}

static const struct database_column gpu_columns[] = {
	{ .name = "id" },
	{ .name = "cuDevice", .optional = true },
	{ .name = "name", .text = true, .optional = true },
	{ .name = "totalMemory", .optional = true }
};

static enum status take_cuda_number(void *ctx, const struct database_value *v)
{
	if (!v[1].null)
		map_gpu(ctx, v[1].integer, v[0].integer);
	return ST_OK;
}

/* Indexes the devices of the process by the number of their GPU, so that take_gpu() finds the
 * devices of a GPU without a search. */
static void list_gpus(struct nsys *n)
{
	for (size_t i = n->gpus.nr; i-- > 0;) {
		if (n->gpus.v[i].gpu == GPU_UNKNOWN)
			continue;
		uint32_t id = idmap_add(&n->gpu_ids, n->gpus.v[i].gpu);
		if (id == n->first_of_gpu.nr)
			vec_push(&n->first_of_gpu, NO_ID);
		n->gpus.v[i].next = n->first_of_gpu.v[id];
		n->first_of_gpu.v[id] = (uint32_t)i;
	}
}

/* Takes a row about a GPU; if several rows are about one GPU, the first is used. */
static enum status take_gpu(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	uint32_t id = idmap_find(&n->gpu_ids, v[0].integer);
	if (id == NO_ID || n->first_of_gpu.v[id] == NO_ID)
		return ST_OK;
	const char *name = arena_dup(&n->meta->arena, v[2].null ? SPAN("") : v[2].text);
	for (uint32_t i = n->first_of_gpu.v[id]; i != NO_ID; i = n->gpus.v[i].next)
		vec_push(&n->meta->devices,
		         (struct trace_device){ .id = n->gpus.v[i].device,
		                                .name = name,
		                                .memory_bytes =
		                                    v[3].null || v[3].integer <= 0 ? -1 : v[3].integer });
	n->first_of_gpu.v[id] = NO_ID;
	return ST_OK;
}

/* Finds which number each GPU of the process has in nsys's report. A process may number its GPUs
   in another way (CUDA_VISIBLE_DEVICES). TARGET_INFO_CUDA_DEVICE maps the process's numbers to the
   report's; for GPUs that it lacks, the column cuDevice of TARGET_INFO_GPU is used. */
static enum status find_gpus(struct nsys *n)
{
	TRY(NSYS_SCAN(n, "TARGET_INFO_CUDA_DEVICE", nsys_map_columns, take_mapping));
	TRY(NSYS_SCAN(n, "TARGET_INFO_GPU", gpu_columns, take_cuda_number));
	list_gpus(n);
	return NSYS_SCAN(n, "TARGET_INFO_GPU", gpu_columns, take_gpu);
}

/* ---- messages of nsys about its recording ---- */

static const struct database_column diagnostic_columns[] = {
	{ .name = "text", .text = true }, { .name = "globalPid", .optional = true }
};

/* Warns if nsys says that events may be missing. nsys does not know whether events were lost; if
   they were, there are launches without kernels. */
static enum status take_diagnostic(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	if ((v[1].null || nsys_ours(n, &v[1])) && span_starts(v[0].text, SPAN("Not all CUDA events")))
		diag_warn(
		    n->log,
		    "%s: DIAGNOSTIC_EVENT: nsys says of this process '%.*s': if kernels are lost, record "
		    "fewer steps at once",
		    database_name(n->db), (int)v[0].text.n, v[0].text.p);
	return ST_OK;
}

/* ---- opening and reading of an export ---- */

bool nsys_recognize(struct span first)
{
	return span_starts(first, DATABASE_MAGIC);
}

static enum status read_all(struct nsys *n)
{
	TRY(nsys_gpu_work(n));
	TRY(find_gpus(n));
	TRY(nsys_memory(n));
	TRY(nsys_host_work(n));
	TRY(NSYS_SCAN(n, "DIAGNOSTIC_EVENT", diagnostic_columns, take_diagnostic));
	return nsys_metrics(n);
}

enum status nsys_read(struct nsys *n, const struct nsys_process *process, struct name_table *names,
                      struct event_sink sink, struct trace_meta *meta)
{
	*meta = (struct trace_meta){ .rank = process->rank,
		                         .world_size = process->world_size,
		                         .open_end = true };
	n->process = process;
	n->names = names;
	n->sink = sink;
	n->meta = meta;
	idmap_init(&n->domain_ids);
	idmap_init(&n->devices);
	idmap_init(&n->gpu_ids);
	enum status st = read_all(n);
	idmap_release(&n->domain_ids);
	idmap_release(&n->devices);
	idmap_release(&n->gpu_ids);
	vec_release(&n->first_of_gpu);
	vec_release(&n->domains);
	vec_release(&n->gpus);
	return st;
}

static enum status read_head(struct nsys *n, bool *other)
{
	TRY(check_version(n, other));
	TRY(NSYS_SCAN(n, "StringIds", string_columns, take_string));
	return nsys_find_processes(n);
}

enum status nsys_open(const char *path, struct source_progress *progress, struct nsys **out,
                      bool *other, struct diag_log *log)
{
	struct database *db;
	*other = false;
	TRY(database_open(path, progress, &db, log));
	struct nsys *n = mem_calloc(1, sizeof *n);
	n->db = db;
	n->log = log;
	idmap_init(&n->string_ids);
	enum status st = read_head(n, other);
	if (st == ST_OK)
		*out = n;
	else
		nsys_close(n);
	return st;
}

void nsys_close(struct nsys *n)
{
	if (!n)
		return;
	idmap_release(&n->string_ids);
	vec_release(&n->strings);
	vec_release(&n->processes);
	strbuf_release(&n->text);
	arena_release(&n->arena);
	database_close(n->db);
	free(n);
}

const struct nsys_process *nsys_processes(const struct nsys *n, size_t *nr)
{
	*nr = n->processes.nr;
	return n->processes.v;
}
