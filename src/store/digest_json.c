#include "store/digest_json.h"

#include <inttypes.h>
#include <string.h>

#include "model/memory_view.h"
#include "store/digest_schema.h"

#define COUNT(type_, member)                                                          \
	{                                                                                 \
		.key = #member, .type = FIELD_COUNT, .offset = offsetof(struct type_, member) \
	}
#define FIELD(type_, member, kind, ...)                                                 \
	{                                                                                   \
		.key = #member, .type = FIELD_##kind, .offset = offsetof(struct type_, member), \
		__VA_ARGS__                                                                     \
	}
#define SCHEMA(fields_, type_, cmp_)                                    \
	{                                                                   \
		.fields = (fields_), .nr = sizeof(fields_) / sizeof *(fields_), \
		.size = sizeof(struct type_), .cmp = (cmp_)                     \
	}

/* ---- rows ---- */

/* Devices, threads, memories, their evidence and the environment begin with
   their id or key. */
static int id_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int op_cmp(const void *a, const void *b)
{
	return span_cmp(((const struct op_stat *)a)->name, ((const struct op_stat *)b)->name);
}

static const char *const kinds[] = { "kernel", "memcpy", "memset", NULL };
static const char *const attributions[] = { "none", "launch", "timestamp", NULL };

static const struct field env_fields[] = {
	FIELD(env_entry, key, TEXT),
	FIELD(env_entry, value, TEXT),
};
static const struct schema env_schema = SCHEMA(env_fields, env_entry, id_cmp);

static const struct field trust_fields[] = {
	COUNT(trust_counts, gpu_events),    COUNT(trust_counts, with_launch),
	COUNT(trust_counts, carried_over),  COUNT(trust_counts, dropped),
	COUNT(trust_counts, unattributed),  COUNT(trust_counts, gpu_ns),
	COUNT(trust_counts, dropped_ns),    COUNT(trust_counts, unattributed_ns),
	COUNT(trust_counts, launches),      COUNT(trust_counts, launches_without_kernel),
	COUNT(trust_counts, overlap_ns),    COUNT(trust_counts, negative_durations),
	COUNT(trust_counts, malformed),     COUNT(trust_counts, json_faults),
	COUNT(trust_counts, fault_byte),    FIELD(trust_counts, truncated, BOOL),
	FIELD(trust_counts, partial, BOOL),
};
static const struct schema trust_schema = SCHEMA(trust_fields, trust_counts, NULL);

static const struct field kernel_fields[] = {
	FIELD(kernel_stat, kind, ENUM, .names = kinds),
	FIELD(kernel_stat, name, NAME),
	COUNT(kernel_stat, count),
	COUNT(kernel_stat, total_ns),
	COUNT(kernel_stat, max_ns),
	COUNT(kernel_stat, bytes),
	COUNT(kernel_stat, step_count),
	COUNT(kernel_stat, step_total_ns),
	COUNT(kernel_stat, step_max_ns),
	COUNT(kernel_stat, step_bytes),
	FIELD(kernel_stat, grid, SHAPE),
	FIELD(kernel_stat, block, SHAPE),
	COUNT(kernel_stat, shapes),
	FIELD(kernel_stat, occupancy, OPTIONAL_COUNT, .absent = -1),
};
static const struct schema kernel_schema = SCHEMA(kernel_fields, kernel_stat, kernel_stat_cmp);

static const struct field device_fields[] = {
	FIELD(device_stat, id, TEXT),    COUNT(device_stat, streams),
	COUNT(device_stat, activities),  COUNT(device_stat, span_ns),
	COUNT(device_stat, busy_ns),     COUNT(device_stat, compute_ns),
	COUNT(device_stat, comm_ns),     COUNT(device_stat, overlap_ns),
	COUNT(device_stat, measured_ns), COUNT(device_stat, measured_busy_ns),
};
static const struct schema device_schema = SCHEMA(device_fields, device_stat, id_cmp);

static const struct field op_fields[] = {
	FIELD(op_stat, name, NAME),
	COUNT(op_stat, count),
	COUNT(op_stat, total_ns),
	COUNT(op_stat, self_ns),
};
static const struct schema op_schema = SCHEMA(op_fields, op_stat, op_cmp);

static const struct field thread_fields[] = {
	FIELD(thread_stat, id, TEXT),
	COUNT(thread_stat, busy_ns),
};
static const struct schema thread_schema = SCHEMA(thread_fields, thread_stat, id_cmp);

/* ---- memory ---- */

#define KNOWN(type_, member, kind) FIELD(type_, member, OPTIONAL_##kind, .absent = MEMORY_UNKNOWN)

static const struct field memory_fields[] = {
	FIELD(memory_stat, id, TEXT),
	FIELD(memory_stat, source, TEXT),
	COUNT(memory_stat, events),
	COUNT(memory_stat, peak_allocated),
	COUNT(memory_stat, peak_reserved),
	COUNT(memory_stat, end_allocated),
	COUNT(memory_stat, end_reserved),
	FIELD(memory_stat, reserved_at_peak, NUMBER),
	KNOWN(memory_stat, alloc_count, COUNT),
	KNOWN(memory_stat, free_count, COUNT),
	KNOWN(memory_stat, churn_bytes, COUNT),
	KNOWN(memory_stat, growth_per_step, NUMBER),
	KNOWN(memory_stat, capacity, COUNT),
	FIELD(memory_stat, peak_op, OPTIONAL_TEXT),
	FIELD(memory_stat, peak_dims, OPTIONAL_TEXT),
	FIELD(memory_stat, peak_types, OPTIONAL_TEXT),
	KNOWN(memory_stat, end_requested, COUNT),
	KNOWN(memory_stat, inactive, COUNT),
	KNOWN(memory_stat, largest_inactive, COUNT),
	KNOWN(memory_stat, segment_count, COUNT),
	KNOWN(memory_stat, segment_churn, COUNT),
	KNOWN(memory_stat, oom_count, COUNT),
	KNOWN(memory_stat, peak_persistent, NUMBER),
	KNOWN(memory_stat, peak_carried, NUMBER),
	KNOWN(memory_stat, peak_transient, NUMBER),
};
static const struct schema memory_schema = SCHEMA(memory_fields, memory_stat, id_cmp);

static const struct field item_fields[] = {
	FIELD(memory_item, memory, TEXT),   FIELD(memory_item, list, ENUM, .names = memory_list_names),
	FIELD(memory_item, category, NAME), FIELD(memory_item, kind, ENUM, .names = site_kind_names),
	FIELD(memory_item, file, NAME),     FIELD(memory_item, function, NAME),
	FIELD(memory_item, line, NUMBER),   FIELD(memory_item, bytes, NUMBER),
	FIELD(memory_item, blocks, NUMBER), FIELD(memory_item, largest, NUMBER),
	FIELD(memory_item, other, NUMBER),
};

/* Each list has an order of its own, in which rows may be equal: any will do. */
static int item_cmp(const void *a, const void *b)
{
	const struct memory_item *x = a, *y = b;
	int c = strcmp(x->memory, y->memory);
	return c ? c : x->list <= y->list ? -1 : 1;
}
static const struct schema item_schema = SCHEMA(item_fields, memory_item, item_cmp);

static const struct field level_fields[] = {
	FIELD(memory_level, memory, TEXT),
	COUNT(memory_level, entries),
	FIELD(memory_level, time_us, OPTIONAL_COUNT, .absent = -1),
	FIELD(memory_level, allocated, NUMBER),
	FIELD(memory_level, reserved, NUMBER),
};

static int level_cmp(const void *a, const void *b)
{
	const struct memory_level *x = a, *y = b;
	int c = strcmp(x->memory, y->memory);
	return c ? c : (x->entries > y->entries) - (x->entries < y->entries);
}
static const struct schema level_schema = SCHEMA(level_fields, memory_level, level_cmp);

static const struct field evidence_fields[] = {
	FIELD(memory_evidence, memory, TEXT), FIELD(memory_evidence, history, BOOL),
	FIELD(memory_evidence, midway, BOOL), FIELD(memory_evidence, truncated, BOOL),
	COUNT(memory_evidence, unseen_frees), COUNT(memory_evidence, contradicted_frees),
	COUNT(memory_evidence, lost_allocs),  FIELD(memory_evidence, lowest_allocated, NUMBER),
	COUNT(memory_evidence, allocs),
};
static const struct schema evidence_schema = SCHEMA(evidence_fields, memory_evidence, id_cmp);

/* What is said of a memory begins with its id, in the same order. */
static bool memories_known(const struct digest *d, const void *rows, size_t nr, size_t size)
{
	size_t m = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *const *id = (const void *)((const char *)rows + i * size);
		while (m < d->memories.nr && strcmp(d->memories.v[m].id, *id) < 0)
			m++;
		if (m == d->memories.nr || strcmp(d->memories.v[m].id, *id) != 0)
			return false;
	}
	return true;
}

static void check_memories(struct row_reader *r, const struct digest *d)
{
	if (jscan_status(r->js) != ST_OK)
		return;
	if (!memories_known(d, d->memory_items.v, d->memory_items.nr, sizeof *d->memory_items.v) ||
	    !memories_known(d, d->memory_levels.v, d->memory_levels.nr, sizeof *d->memory_levels.v) ||
	    !memories_known(d, d->memory_evidence.v, d->memory_evidence.nr,
	                    sizeof *d->memory_evidence.v))
		row_fail(r, jscan_byte(r->js), "memories", "do not have one that is spoken of");
}

/* ---- steps: a column per metric, so that a metric is one line ---- */

enum { NR_COLUMNS = 2 + NR_STEP_METRICS };

static const char *column_key(size_t i)
{
	return i == 0 ? "number" : i == 1 ? "activities" : metric_table[i - 2].name;
}

static int64_t *column(const struct digest *d, size_t i)
{
	return i == 0 ? d->step_numbers : i == 1 ? d->step_activities : d->samples[i - 2];
}

static void write_steps(const void *digest, struct sink *out)
{
	const struct digest *d = digest;
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		sink_printf(out, "%s\n\"%s\": [", i ? "," : "{", column_key(i));
		for (size_t k = 0; k < d->nr_steps; k++)
			sink_printf(out, "%s%" PRId64, k ? "," : "", column(d, i)[k]);
		sink_puts(out, "]");
	}
	sink_puts(out, "\n}");
}

/* The first column decides how many steps there are. */
static void read_column(struct row_reader *r, struct digest *d, size_t i, bool first)
{
	const char *key = column_key(i);
	VEC(int64_t) v = VEC_INIT;
	if (!jscan_array(r->js))
		row_fail(r, row_byte(r), key, "is not an array");
	while (jscan_status(r->js) == ST_OK && jscan_element(r->js)) {
		if (v.nr == store_limits.steps)
			row_fail(r, row_byte(r), key, "has too many steps");
		vec_push(&v, row_read_count(r, key));
	}
	if (jscan_status(r->js) == ST_OK && first)
		digest_set_steps(d, v.nr);
	if (v.nr != d->nr_steps)
		row_fail(r, jscan_byte(r->js), key, "does not have one value for each step");
	else if (v.nr)
		memcpy(column(d, i), v.v, v.nr * sizeof *v.v);
	vec_release(&v);
}

static void read_columns(struct row_reader *r, struct digest *d)
{
	uint64_t seen = 0;
	struct span key;
	if (!jscan_object(r->js))
		row_fail(r, row_byte(r), NULL, "is not an object");
	while (jscan_status(r->js) == ST_OK && jscan_key(r->js, &key)) {
		size_t i = 0;
		while (i < NR_COLUMNS && !span_eq(key, span_of(column_key(i))))
			i++;
		if (i == NR_COLUMNS) {
			row_fail(r, jscan_byte(r->js), arena_dup(r->arena, key), "is not known");
		} else if (seen >> i & 1) {
			row_fail(r, jscan_byte(r->js), column_key(i), "is there twice");
		} else {
			read_column(r, d, i, seen == 0);
			seen |= (uint64_t)1 << i;
		}
	}
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (!(seen >> i & 1))
			row_fail(r, jscan_byte(r->js), column_key(i), "is missing");
}

static void read_steps(struct row_reader *r, void *digest)
{
	size_t before = row_enter(r, "steps", 0);
	read_columns(r, digest);
	strbuf_setlen(&r->path, before);
}

/* ---- the document ---- */

#define ROWS(key_, member, schema_)                                                   \
	{                                                                                 \
		.key = (key_), .type = FIELD_ROWS, .offset = offsetof(struct digest, member), \
		.sub = &(schema_)                                                             \
	}
#define SNAPSHOT_ROWS(member, schema_) FIELD(digest, member, OPTIONAL_ROWS, .sub = &(schema_))

static const struct field digest_fields[] = {
	COUNT(digest, rank),
	FIELD(digest, world_size, OPTIONAL_COUNT, .absent = -1),
	FIELD(digest, trace, OPTIONAL_TEXT),
	FIELD(digest, snapshot, OPTIONAL_TEXT),
	FIELD(digest, source_hash, HASH),
	FIELD(digest, marker, TEXT),
	FIELD(digest, communication, TEXT),
	COUNT(digest, warmup),
	FIELD(digest, attribution, ENUM, .names = attributions),
	FIELD(digest, window, BOOL),
	COUNT(digest, events),
	COUNT(digest, total_steps),
	KNOWN(digest, device_memory, COUNT),
	ROWS("environment", env, env_schema),
	FIELD(digest, trust, ROW, .sub = &trust_schema),
	{ .key = "steps", .type = FIELD_OWN, .read = read_steps, .write = write_steps },
	ROWS("kernels", kernels, kernel_schema),
	ROWS("devices", devices, device_schema),
	ROWS("ops", ops, op_schema),
	ROWS("threads", threads, thread_schema),
	ROWS("memories", memories, memory_schema),
	SNAPSHOT_ROWS(memory_items, item_schema),
	SNAPSHOT_ROWS(memory_levels, level_schema),
	SNAPSHOT_ROWS(memory_evidence, evidence_schema),
};

const struct schema digest_schema = {
	.id = DIGEST_SCHEMA,
	.fields = digest_fields,
	.nr = sizeof digest_fields / sizeof *digest_fields,
	.size = sizeof(struct digest),
};

void digest_read_into(struct row_reader *r, struct digest *d)
{
	struct arena *outer = r->arena;
	r->arena = &d->arena;
	row_read(r, &digest_schema, d);
	if (d->window && d->nr_steps > 1)
		row_fail(r, jscan_byte(r->js), "steps",
		         "is more than one sample, though the trace is one window");
	check_memories(r, d);
	r->arena = outer;
}

void digest_write(const struct digest *d, struct sink *out)
{
	row_write(&digest_schema, d, out);
	sink_puts(out, "\n");
}

enum status stored_document_read(struct source *src, enum status fail, struct diag_log *log,
                                 void (*read)(struct row_reader *r, void *ctx), void *ctx)
{
	struct arena scratch = ARENA_INIT;
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .max_depth = 32 }, log);
	struct row_reader r = { js, &scratch, STRBUF_INIT };
	read(&r, ctx);
	if (jscan_status(js) == ST_OK)
		jscan_end(js);
	enum status st = jscan_status(js);
	jscan_free(js);
	strbuf_release(&r.path);
	arena_release(&scratch);
	return st == ST_INPUT ? fail : st;
}

static void read_digest(struct row_reader *r, void *ctx)
{
	digest_read_into(r, ctx);
}

enum status digest_read(struct source *src, enum status fail, struct digest **out,
                        struct diag_log *log)
{
	struct digest *d = digest_new();
	enum status st = stored_document_read(src, fail, log, read_digest, d);
	if (st == ST_OK)
		*out = d;
	else
		digest_free(d);
	return st;
}
