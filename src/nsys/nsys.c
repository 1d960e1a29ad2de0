/* Source of tables and columns: Nsight Systems User Guide, "SQLite Schema Reference" (2024 and
   2025; schema 3.x); of what relates them: the reports and recipes that come with nsys. */
#include "nsys/nsys.h"

#include <string.h>

#include "base/number.h"
#include "nsys/nsys_internal.h"

/* Names are far shorter; what a process printed is held as a string, too. */
enum { STRING_BYTES = 1 << 16, SCHEMA_MAJOR = 3 };

enum status nsys_fail(struct nsys *n, const char *table, const char *what)
{
	return diag_fail(n->log, ST_INPUT, "%s: %s: %s", database_name(n->db), table, what);
}

/* ---- strings ---- */

static const struct database_column string_columns[] = { { .name = "id" },
	                                                     { .name = "value", .text = true } };

static enum status take_string(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct span text = v[1].text;
	if (text.n > STRING_BYTES)
		return ST_OK;
	if (idmap_add(&n->string_ids, v[0].integer) != n->strings.nr)
		return nsys_fail(n, "StringIds", "an id a second time; export it anew");
	vec_push(&n->strings, (struct span){ arena_dup(&n->arena, text), text.n });
	return ST_OK;
}

bool nsys_string(const struct nsys *n, const struct database_value *id, struct span *out)
{
	uint32_t at = id->null ? IDMAP_NONE : idmap_find(&n->string_ids, id->integer);
	if (at == IDMAP_NONE)
		return false;
	*out = n->strings.v[at];
	return true;
}

/* ---- what made it ---- */

struct schema_version {
	bool found, known;
};

static const struct database_column export_columns[] = {
	{ .name = "name", .text = true }, { .name = "value", .text = true, .optional = true }
};

static enum status take_version(void *ctx, const struct database_value *v)
{
	struct schema_version *s = ctx;
	if (!span_eq(v[0].text, SPAN("EXPORT_SCHEMA_VERSION")) || v[1].null)
		return ST_OK;
	uint64_t major;
	const char *dot = memchr(v[1].text.p, '.', v[1].text.n);
	size_t n = dot ? (size_t)(dot - v[1].text.p) : v[1].text.n;
	s->found = true;
	s->known = number_parse_u64((struct span){ v[1].text.p, n }, &major) && major == SCHEMA_MAJOR;
	return ST_OK;
}

static enum status check_version(struct nsys *n)
{
	struct schema_version s = { 0 };
	TRY(database_scan(n->db, "META_DATA_EXPORT", export_columns, 2, take_version, &s, n->log));
	n->meta->not_a_trace = !s.found;
	if (!s.found)
		return diag_fail(n->log, ST_INPUT,
		                 "%s: a database of SQLite, but no export of Nsight Systems that says its "
		                 "schema: make it with nsys export --type sqlite of a current release",
		                 database_name(n->db));
	return s.known ? ST_OK
	               : nsys_fail(n, "META_DATA_EXPORT",
	                           "EXPORT_SCHEMA_VERSION is not 3.x, the one that is read; export it "
	                           "with another version of nsys");
}

/* A graph as a whole hides its kernels. */
static enum status refuse_graph(void *ctx, const struct database_value *v)
{
	(void)v;
	return nsys_fail(ctx, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	                 "CUDA graphs were recorded as a whole, without their kernels: record with "
	                 "nsys profile --cuda-graph-trace=node");
}

static const struct database_column graph_columns[] = { { .name = "start" } };

/* ---- GPUs ---- */

static const struct database_column mapping_columns[] = { { .name = "gpuId" },
	                                                      { .name = "cudaId" },
	                                                      { .name = "pid" } };

static void map_gpu(struct nsys *n, int64_t device, int64_t gpu)
{
	uint32_t id = idmap_find(&n->devices, device);
	if (id != IDMAP_NONE && n->gpus.v[id].gpu < 0)
		n->gpus.v[id].gpu = gpu;
}

static enum status take_mapping(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	if (v[2].integer == nsys_pid(n->process))
		map_gpu(n, v[1].integer, v[0].integer);
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

static enum status take_gpu(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	for (size_t i = 0; i < n->gpus.nr; i++)
		if (n->gpus.v[i].gpu == v[0].integer)
			vec_push(&n->meta->devices,
			         (struct trace_device){
			             .id = n->gpus.v[i].device,
			             .name = arena_dup(&n->meta->arena, v[2].null ? SPAN("") : v[2].text),
			             .memory_bytes = v[3].null || v[3].integer <= 0 ? -1 : v[3].integer });
	return ST_OK;
}

/* A process may number its GPUs anew (CUDA_VISIBLE_DEVICES): where the report says how, that
   counts. */
static enum status find_gpus(struct nsys *n)
{
	TRY(NSYS_SCAN(n, "TARGET_INFO_CUDA_DEVICE", mapping_columns, take_mapping));
	TRY(NSYS_SCAN(n, "TARGET_INFO_GPU", gpu_columns, take_cuda_number));
	return NSYS_SCAN(n, "TARGET_INFO_GPU", gpu_columns, take_gpu);
}

/* ---- the whole ---- */

static enum status read_export(struct nsys *n)
{
	TRY(check_version(n));
	TRY(NSYS_SCAN(n, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_columns, refuse_graph));
	TRY(NSYS_SCAN(n, "StringIds", string_columns, take_string));
	TRY(nsys_gpu_work(n));
	TRY(find_gpus(n));
	TRY(nsys_host_work(n));
	return nsys_metrics(n);
}

bool nsys_recognise(struct span first)
{
	return span_starts(first, DATABASE_MAGIC);
}

enum status nsys_read(const char *path, struct source_progress *progress, struct name_table *names,
                      struct event_sink sink, struct trace_meta *meta, struct diag_log *log)
{
	struct nsys n = { .names = names, .sink = sink, .meta = meta, .log = log };
	*meta = (struct trace_meta){ .rank = -1, .world_size = -1 };
	TRY(database_open(path, progress, &n.db, log));
	idmap_init(&n.string_ids);
	idmap_init(&n.domain_ids);
	idmap_init(&n.devices);
	enum status st = read_export(&n);
	idmap_release(&n.string_ids);
	idmap_release(&n.domain_ids);
	idmap_release(&n.devices);
	vec_release(&n.strings);
	vec_release(&n.domains);
	vec_release(&n.gpus);
	strbuf_release(&n.text);
	arena_release(&n.arena);
	database_close(n.db);
	return st;
}
