/* Converts rows of an export to events. Times are in ns, as the recording session counts them. */
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "nsys/nsys_internal.h"

/* Reads an amount or an id; NULL or an integer below 0 gives `absent`. */
static int64_t natural_or(const struct database_value *v, int64_t absent)
{
	return v->null || v->integer < 0 ? absent : v->integer;
}

static int64_t ident_of(const struct database_value *v)
{
	return natural_or(v, IDENT_NONE);
}

static enum status set_name(struct nsys *n, const char *table, struct span text, struct event *e)
{
	e->name = name_intern(n->names, text);
	return e->name ? ST_OK : nsys_fail(n, table, "too many different names");
}

static enum status set_times(struct nsys *n, const char *table, const struct database_value *start,
                             const struct database_value *end, struct event *e)
{
	e->start_ns = start->integer;
	if (__builtin_sub_overflow(end->integer, start->integer, &e->dur_ns))
		return nsys_fail(n, table, "an event lasts for more than 292 years; export it anew");
	e->negative = e->dur_ns < 0;
	e->dur_ns = e->negative ? 0 : e->dur_ns;
	return ST_OK;
}

static enum status hand_on_event(struct nsys *n, const struct event *e)
{
	n->meta->events++;
	return n->sink.event(n->sink.ctx, e);
}

/* ---- GPU work ---- */

/* Columns that come first in all tables of GPU work. */
enum { GPU_START, GPU_END, GPU_DEVICE, GPU_STREAM, GPU_CORRELATION, GPU_PROCESS, GPU_REST };
#define GPU_COLUMNS                                                                         \
	{ .name = "start" }, { .name = "end" }, { .name = "deviceId" }, { .name = "streamId" }, \
	    { .name = "correlationId", .optional = true },                                      \
	{                                                                                       \
		.name = "globalPid", .optional = true                                               \
	}

static const char *const kernel_table = "CUPTI_ACTIVITY_KIND_KERNEL";
static const struct database_column kernel_columns[] = {
	GPU_COLUMNS,
	{ .name = "demangledName" },
	{ .name = "gridX" },
	{ .name = "gridY" },
	{ .name = "gridZ" },
	{ .name = "blockX" },
	{ .name = "blockY" },
	{ .name = "blockZ" },
	{ .name = "registersPerThread", .optional = true },
	{ .name = "staticSharedMemory", .optional = true },
	{ .name = "dynamicSharedMemory", .optional = true },
	{ .name = "localMemoryPerThread", .optional = true },
	{ .name = "graphNodeId", .optional = true },
};

static const char *const memcpy_table = "CUPTI_ACTIVITY_KIND_MEMCPY";
static const struct database_column memcpy_columns[] = {
	GPU_COLUMNS,
	{ .name = "bytes", .optional = true },
	{ .name = "copyKind" },
	{ .name = "srcKind", .optional = true },
	{ .name = "dstKind", .optional = true },
};

static const char *const memset_table = "CUPTI_ACTIVITY_KIND_MEMSET";
static const struct database_column memset_columns[] = {
	GPU_COLUMNS,
	{ .name = "bytes", .optional = true },
	{ .name = "memKind", .optional = true },
};

/* Sets the members that all events of GPU work have, and adds the device to n->gpus. Correlation
   ids and numbers of devices are valid within one process. */
static enum status set_gpu(struct nsys *n, const char *table, const struct database_value *v,
                           struct event *e)
{
	e->pid = n->process->pid;
	e->tid = IDENT_NONE;
	e->device = ident_of(&v[GPU_DEVICE]);
	e->stream = ident_of(&v[GPU_STREAM]);
	e->correlation = ident_of(&v[GPU_CORRELATION]);
	uint32_t id = idmap_add(&n->devices, e->device);
	if (id == n->gpus.nr)
		vec_push(&n->gpus, (struct nsys_gpu){
		                       .device = e->device, .gpu = GPU_UNKNOWN, .first_ns = INT64_MAX });
	number_lower(&n->gpus.v[id].first_ns, v[GPU_START].integer);
	return set_times(n, table, &v[GPU_START], &v[GPU_END], e);
}

static enum status take_kernel(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_KERNEL);
	struct span name;
	if (!nsys_ours(n, &v[GPU_PROCESS]))
		return ST_OK;
	TRY(set_gpu(n, kernel_table, v, &e));
	if (!nsys_string(n, &v[GPU_REST], &name))
		return nsys_fail(n, kernel_table, "a kernel without a name in StringIds; export it anew");
	for (int i = 0; i < 3; i++) {
		e.grid[i] = v[GPU_REST + 1 + i].integer;
		e.block[i] = v[GPU_REST + 4 + i].integer;
	}
	int64_t fixed = natural_or(&v[GPU_REST + 8], -1), dynamic = natural_or(&v[GPU_REST + 9], -1);
	e.resources[RESOURCE_REGISTERS] = natural_or(&v[GPU_REST + 7], -1);
	if (fixed >= 0 && dynamic >= 0)
		e.resources[RESOURCE_SHARED] = number_add(fixed, dynamic);
	e.resources[RESOURCE_LOCAL] = natural_or(&v[GPU_REST + 10], -1);
	e.node = natural_or(&v[GPU_REST + 11], -1);
	TRY(set_name(n, kernel_table, name, &e));
	return hand_on_event(n, &e);
}

/* Kind of a copy, named as in Kineto, so that runs recorded by either tool can be compared. Source:
   ids of ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND (nsys 2024.6, schema 3.16.1); names of
   memcpyKindString() and memoryKindString(), libkineto/src/cupti_strings.cpp. */
static const char *copy_kind(const struct database_value *v)
{
	static const char *const names[] = { "<unknown>", "HtoD", "DtoH", "HtoA", "AtoH",
		                                 "AtoA",      "AtoD", "DtoA", "DtoD", "HtoH",
		                                 "PtoP",      "HtoD", "DtoH", "DtoD" };
	return v->integer >= 0 && v->integer < (int64_t)(NR_OF(names)) ? names[v->integer] : names[0];
}

static const char *memory_kind(const struct database_value *v)
{
	static const char *const names[] = { "Pageable", "Pinned",        "Device",         "Array",
		                                 "Managed",  "Device Static", "Managed Static", "Unknown" };
	return !v->null && v->integer >= 0 && v->integer < 7 ? names[v->integer] : names[7];
}

static enum status take_sized(struct nsys *n, const char *table, const struct database_value *v,
                              struct event *e)
{
	TRY(set_gpu(n, table, v, e));
	e->bytes = natural_or(&v[GPU_REST], 0);
	TRY(set_name(n, table, strbuf_span(&n->text), e));
	return hand_on_event(n, e);
}

static enum status take_memcpy(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_MEMCPY);
	if (!nsys_ours(n, &v[GPU_PROCESS]))
		return ST_OK;
	strbuf_setlen(&n->text, 0);
	strbuf_addf(&n->text, "Memcpy %s (%s -> %s)", copy_kind(&v[GPU_REST + 1]),
	            memory_kind(&v[GPU_REST + 2]), memory_kind(&v[GPU_REST + 3]));
	return take_sized(n, memcpy_table, v, &e);
}

static enum status take_memset(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_MEMSET);
	if (!nsys_ours(n, &v[GPU_PROCESS]))
		return ST_OK;
	strbuf_setlen(&n->text, 0);
	strbuf_addf(&n->text, "Memset (%s)", memory_kind(&v[GPU_REST + 1]));
	return take_sized(n, memset_table, v, &e);
}

/* Table of graph launches. Without --cuda-graph-trace=node a graph is recorded as a single
   activity, without its kernels. The id of a graph is the number that CUDA gives it by counting
   graphs; it is the same in each run of a program. */
static const char *const graph_table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
static const struct database_column graph_columns[] = {
	GPU_COLUMNS,
	{ .name = "graphId", .optional = true },
};

static enum status take_graph(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_KERNEL);
	if (!nsys_ours(n, &v[GPU_PROCESS]))
		return ST_OK;
	TRY(set_gpu(n, graph_table, v, &e));
	strbuf_setlen(&n->text, 0);
	strbuf_addf(&n->text, "CUDA graph");
	if (!v[GPU_REST].null)
		strbuf_addf(&n->text, " %" PRId64, v[GPU_REST].integer);
	TRY(set_name(n, graph_table, strbuf_span(&n->text), &e));
	return hand_on_event(n, &e);
}

const char *const nsys_gpu_tables[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
	                                    "CUPTI_ACTIVITY_KIND_MEMSET",
	                                    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NULL };

enum status nsys_gpu_work(struct nsys *n)
{
	TRY(NSYS_SCAN(n, kernel_table, kernel_columns, take_kernel));
	TRY(NSYS_SCAN(n, memcpy_table, memcpy_columns, take_memcpy));
	TRY(NSYS_SCAN(n, memset_table, memset_columns, take_memset));
	return NSYS_SCAN(n, graph_table, graph_columns, take_graph);
}

/* ---- memory of the devices ---- */

/* Source of the columns, and of the numbers of kinds and operations: comments of the schema that
   nsys 2.9 exports, and ENUM_CUDA_DEV_MEM_EVENT_OPER of 3.x. */
static const char *const usage_table = "CUDA_GPU_MEMORY_USAGE_EVENTS";
enum { USAGE_START, USAGE_DEVICE, USAGE_PROCESS, USAGE_BYTES, USAGE_KIND, USAGE_OPERATION };
static const struct database_column usage_columns[] = {
	{ .name = "start" }, { .name = "deviceId" }, { .name = "globalPid", .optional = true },
	{ .name = "bytes" }, { .name = "memKind" },  { .name = "memoryOperationType" },
};

/* A change of the memory of one device, in bytes. */
struct usage {
	int64_t device, start_ns, bytes;
	size_t row; ///< position in the list: changes at the same time stay in the order of the table
};

struct usages {
	struct nsys *n;
	VEC(struct usage) list;
};

ORDERING(usage_cmp, struct usage, RISING(device) RISING(start_ns) RISING(row))

/* True for memory that lies on one device, unlike host memory and managed memory. */
static bool is_of_device(const struct database_value *kind)
{
	enum { DEVICE = 2, ARRAY = 3, DEVICE_STATIC = 5 };
	return kind->integer == DEVICE || kind->integer == ARRAY || kind->integer == DEVICE_STATIC;
}

static enum status take_usage(void *ctx, const struct database_value *v)
{
	struct usages *u = ctx;
	int64_t bytes = v[USAGE_BYTES].integer, operation = v[USAGE_OPERATION].integer;
	if (!nsys_ours(u->n, &v[USAGE_PROCESS]) || !is_of_device(&v[USAGE_KIND]))
		return ST_OK;
	if (bytes < 0 || (operation != 0 && operation != 1)) {
		u->n->meta->malformed++;
		return ST_OK;
	}
	size_t row = u->list.nr;
	vec_push(&u->list, (struct usage){ ident_of(&v[USAGE_DEVICE]), v[USAGE_START].integer,
	                                   operation ? -bytes : bytes, row });
	return ST_OK;
}

/* True if memory of the device was allocated before the recording began: more is freed than was
   allocated, or the device works before its first allocation. */
static bool was_used_before(const struct nsys *n, const struct usage *v, size_t nr)
{
	uint32_t id = idmap_find(&n->devices, v->device);
	int64_t level = 0, least = 0;
	for (size_t i = 0; i < nr; i++) {
		level = number_add(level, v[i].bytes);
		number_lower(&least, level);
	}
	return least < 0 || (id != NO_ID && n->gpus.v[id].first_ns < v->start_ns);
}

/* Passes the changes of one device's memory to the sink, each with the number of bytes allocated
   after it. If memory was allocated before the recording began, only warns. */
static enum status hand_on_usage(struct nsys *n, const struct usage *v, size_t nr)
{
	int64_t level = 0;
	if (was_used_before(n, v, nr)) {
		diag_warn(n->log,
		          "%s: %s: the memory of device %" PRId64 " is not known, as some was taken before "
		          "the recording began: record from the start of the process",
		          database_name(n->db), usage_table, v->device);
		return ST_OK;
	}
	for (size_t i = 0; i < nr; i++) {
		struct event e = event_blank(EVENT_MEMORY);
		level = number_add(level, v[i].bytes);
		e.start_ns = v[i].start_ns;
		e.device_type = 1;
		e.memory_id = v[i].device;
		e.bytes = v[i].bytes;
		e.total_allocated = level;
		e.total_reserved = -1;
		TRY(hand_on_event(n, &e));
	}
	return ST_OK;
}

enum status nsys_memory(struct nsys *n)
{
	struct usages u = { .n = n };
	enum status st = database_scan(n->db, usage_table, usage_columns, 6, take_usage, &u, n->log);
	vec_sort(&u.list, usage_cmp);
	for (size_t i = 0, end; st == ST_OK && i < u.list.nr; i = end) {
		for (end = i; end < u.list.nr && u.list.v[end].device == u.list.v[i].device;)
			end++;
		st = hand_on_usage(n, &u.list.v[i], end - i);
	}
	vec_release(&u.list);
	return st;
}

/* ---- host work: calls and ranges ---- */

static const char *const runtime_table = "CUPTI_ACTIVITY_KIND_RUNTIME";
static const struct database_column runtime_columns[] = {
	{ .name = "start" },
	{ .name = "end" },
	{ .name = "nameId" },
	{ .name = "globalTid", .optional = true },
	{ .name = "correlationId", .optional = true },
};

/* Drops the interface version from the name of a call: "_v7000" in "cudaLaunchKernel_v7000". */
static struct span without_version(struct span name)
{
	size_t n = name.n;
	while (n && is_digit(name.p[n - 1]))
		n--;
	if (n >= 3 && n < name.n && memcmp(name.p + n - 2, "_v", 2) == 0)
		name.n = n - 2;
	return name;
}

static enum status take_runtime(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_RUNTIME);
	struct span name;
	if (!nsys_ours(n, &v[3]))
		return ST_OK;
	if (!nsys_string(n, &v[2], &name))
		return nsys_fail(n, runtime_table, "a call without a name in StringIds; export it anew");
	e.pid = nsys_pid(&v[3]);
	e.tid = nsys_tid(&v[3]);
	e.correlation = ident_of(&v[4]);
	TRY(set_times(n, runtime_table, &v[0], &v[1], &e));
	TRY(set_name(n, runtime_table, without_version(name), &e));
	return hand_on_event(n, &e);
}

static const char *const nvtx_table = "NVTX_EVENTS";
enum { NVTX_START, NVTX_END, NVTX_TYPE, NVTX_TEXT, NVTX_TEXT_ID, NVTX_THREAD, NVTX_DOMAIN };
static const struct database_column nvtx_columns[] = {
	{ .name = "start" },
	{ .name = "end", .optional = true },
	{ .name = "eventType" },
	{ .name = "text", .text = true, .optional = true },
	{ .name = "textId", .optional = true },
	{ .name = "globalTid", .optional = true },
	{ .name = "domainId", .optional = true },
};

/* Types of NVTX events: ranges by push and pop, or by start and end, each from the NVTX library or
   imported as text (NVTXT); the creation of a domain. Source: ENUM_NSYS_EVENT_TYPE;
   EVENT_TYPE_NVTX_… in reports/nvtx_sum.py of nsys. */
enum {
	TYPE_PUSH_POP = 59,
	TYPE_START_END = 60,
	TYPE_TEXT_PUSH_POP = 70,
	TYPE_TEXT_START_END = 71,
	TYPE_DOMAIN = 75
};

/* Longest name of an NVTX domain in bytes: the name is repeated in each range of the domain. */
enum { DOMAIN_BYTES = 256 };

static enum status take_domain(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct span name;
	if (v[NVTX_TYPE].integer != TYPE_DOMAIN || v[NVTX_DOMAIN].null ||
	    !nsys_ours(n, &v[NVTX_THREAD]) || !nsys_text(n, &v[NVTX_TEXT], &v[NVTX_TEXT_ID], &name))
		return ST_OK;
	if (name.n > DOMAIN_BYTES)
		name.n = DOMAIN_BYTES;
	if (idmap_add(&n->domain_ids, v[NVTX_DOMAIN].integer) == n->domains.nr)
		vec_push(&n->domains, (struct span){ arena_dup(&n->arena, name), name.n });
	return ST_OK;
}

/* True for the range of an operator of PyTorch, "aten::mm, seq = 12, op_id = 5, sizes = [[8, 4],
 * [4, 2]]"; `*name` is then shortened to "aten::mm". Source: getNvtxStr(),
 * torch/csrc/profiler/util.cpp. */
static bool is_operator(struct span *name)
{
	static const struct span ends[] = { { ", seq = ", 8 },
		                                { ", op_id = ", 10 },
		                                { ", sizes = [", 11 } };
	size_t n = name->n;
	for (size_t i = 0; i < NR_OF(ends); i++) {
		const char *end = name->n ? memmem(name->p, name->n, ends[i].p, ends[i].n) : NULL;
		if (end > name->p)
			name->n = (size_t)(end - name->p);
	}
	return name->n < n || span_starts(*name, SPAN("aten::"));
}

/* Name of a range: "name", or "name@domain" if the range is in a domain. The options
   --filter-nvtx and --nvtx-capture of nsys take names in the same form. */
static struct span range_name(struct nsys *n, const struct database_value *domain, struct span name)
{
	uint32_t id = domain->null ? NO_ID : idmap_find(&n->domain_ids, domain->integer);
	if (id == NO_ID)
		return name;
	strbuf_setlen(&n->text, 0);
	strbuf_add(&n->text, name);
	strbuf_addch(&n->text, '@');
	strbuf_add(&n->text, n->domains.v[id]);
	return strbuf_span(&n->text);
}

static bool is_range(int64_t type)
{
	return type == TYPE_PUSH_POP || type == TYPE_START_END || type == TYPE_TEXT_PUSH_POP ||
	       type == TYPE_TEXT_START_END;
}

/* ---- ranges that are steps ---- */

/* Writes the name of a range without its number to `out`, in lowercase: "Step: 12" → "step",
   "train_step_3" → "train step". `*number` becomes the number, or -1 if the name does not end in
   one. Returns the length; 0 if the name is longer than `room`. */
static size_t step_word(struct span name, char *out, size_t room, int64_t *number)
{
	size_t n = name.n, k = 0;
	uint64_t v;
	while (n && is_digit(name.p[n - 1]))
		n--;
	*number = number_parse_u64(span_from(name, n), &v) && v <= INT64_MAX ? (int64_t)v : -1;
	while (n && memchr(" _-:#=", name.p[n - 1], 6))
		n--;
	for (size_t i = 0; i < n && k < room; i++)
		out[k++] = memchr("_-", name.p[i], 2)             ? ' '
		           : name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 0x20)
		                                                  : name.p[i];
	return n <= room ? k : 0;
}

/* True for names by which programs mark the steps of a loop. False for other names with "step",
   such as "optimizer step": that range is only a part of a training step. */
static bool is_step(struct span name, int64_t *number)
{
	static const char *const loops[] = { "",           "train ",  "training ", "eval ",
		                                 "inference ", "decode ", "global " };
	char text[32];
	struct span whole = { text, step_word(name, text, sizeof text, number) };
	for (size_t i = 0; i < NR_OF(loops); i++) {
		struct span word = whole;
		if (span_skip(&word, span_of(loops[i])) && span_is_listed(word, "step iteration iter"))
			return true;
	}
	return false;
}

/* Takes an NVTX range; a range that was still open when the recording ended is left out. */
static enum status take_range(void *ctx, const struct database_value *v)
{
	struct nsys *n = ctx;
	struct event e = event_blank(EVENT_ANNOTATION);
	struct span name;
	if (!is_range(v[NVTX_TYPE].integer) || v[NVTX_END].null || !nsys_ours(n, &v[NVTX_THREAD]) ||
	    !nsys_text(n, &v[NVTX_TEXT], &v[NVTX_TEXT_ID], &name))
		return ST_OK;
	e.pid = nsys_pid(&v[NVTX_THREAD]);
	e.tid = nsys_tid(&v[NVTX_THREAD]);
	if (is_operator(&name)) {
		e.kind = EVENT_OP;
	} else {
		e.nvtx = true;
		e.numbered = is_step(name, &e.step);
	}
	TRY(set_times(n, nvtx_table, &v[NVTX_START], &v[NVTX_END], &e));
	TRY(set_name(n, nvtx_table, range_name(n, &v[NVTX_DOMAIN], name), &e));
	return hand_on_event(n, &e);
}

enum status nsys_host_work(struct nsys *n)
{
	TRY(NSYS_SCAN(n, runtime_table, runtime_columns, take_runtime));
	TRY(NSYS_SCAN(n, nvtx_table, nvtx_columns, take_domain));
	return NSYS_SCAN(n, nvtx_table, nvtx_columns, take_range);
}
