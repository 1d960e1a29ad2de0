#include "store/digest_json.h"

#include <string.h>

#include "base/text.h"
#include "model/flops.h"
#include "model/memory_view.h"
#include "model/phases.h"
#include "store/digest_schema.h"
#include "store/row_schema.h"

#define COUNT(type_, member)                                                          \
	{                                                                                 \
		.key = #member, .type = FIELD_COUNT, .offset = offsetof(struct type_, member) \
	}
#define FIELD(type_, member, kind, ...)                                                 \
	{                                                                                   \
		.key = #member, .type = FIELD_##kind, .offset = offsetof(struct type_, member), \
		__VA_ARGS__                                                                     \
	}
#define SCHEMA(fields_, type_, ...)                                    \
	{                                                                   \
		.fields = (fields_), .nr = sizeof(fields_) / sizeof *(fields_), \
		.size = sizeof(struct type_), .cmp = __VA_ARGS__                   \
	}

/* ---- rows ---- */

/* Rows whose order is the writer's: equal neighbours are allowed. */
static int any_cmp(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return -1;
}

static int function_cmp(const void *a, const void *b)
{
	const struct function_stat *x = a, *y = b;
	return x->cls <= y->cls ? -1 : 1;
}

static const char *const kinds[] = { "kernel", "memcpy", "memset", NULL };
static const char *const call_kinds[] = { "launch", "sync", "dataloader", NULL };
static const char *const attributions[] = { "none", "launch", "timestamp", NULL };

static const struct field env_fields[] = {
	FIELD(env_entry, key, TEXT),
	FIELD(env_entry, value, TEXT),
};
static const struct schema env_schema = SCHEMA(env_fields, env_entry, text_cmp);

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
	FIELD(kernel_stat, names, OPTIONAL_NUMBER, .absent = 0),
	FIELD(kernel_stat, largest_ns, OPTIONAL_NUMBER, .absent = 0),
};
static const struct schema kernel_schema = SCHEMA(kernel_fields, kernel_stat, kernel_stat_cmp);

static const struct field device_fields[] = {
	FIELD(device_stat, id, TEXT),    COUNT(device_stat, streams),
	COUNT(device_stat, activities),  COUNT(device_stat, span_ns),
	COUNT(device_stat, busy_ns),     COUNT(device_stat, compute_ns),
	COUNT(device_stat, comm_ns),     COUNT(device_stat, overlap_ns),
	FIELD(device_stat, measured_ns, OPTIONAL_COUNT, .absent = -1, .since = 1),
	FIELD(device_stat, measured_busy_ns, OPTIONAL_COUNT, .absent = -1, .since = 1),
};
static const struct schema device_schema = SCHEMA(device_fields, device_stat, text_cmp);

static const struct field op_fields[] = {
	FIELD(op_stat, name, NAME),
	COUNT(op_stat, count),
	COUNT(op_stat, total_ns),
	COUNT(op_stat, self_ns),
	FIELD(op_stat, names, OPTIONAL_NUMBER, .absent = 0),
};
static const struct schema op_schema = SCHEMA(op_fields, op_stat, op_stat_cmp);

static const struct field call_fields[] = {
	FIELD(call_stat, kind, ENUM, .names = call_kinds),
	FIELD(call_stat, name, NAME),
	COUNT(call_stat, count),
	COUNT(call_stat, total_ns),
	FIELD(call_stat, names, OPTIONAL_NUMBER, .absent = 0),
};
static const struct schema call_schema = SCHEMA(call_fields, call_stat, call_stat_cmp);

static const struct field flop_fields[] = {
	FIELD(flop_stat, op, NAME),  FIELD(flop_stat, type, ENUM, .names = flop_type_names),
	COUNT(flop_stat, count),     COUNT(flop_stat, flops),
	COUNT(flop_stat, uncounted), COUNT(flop_stat, gpu_ns),
};
static const struct schema flop_schema = SCHEMA(flop_fields, flop_stat, flop_stat_cmp);

static const struct field thread_fields[] = {
	FIELD(thread_stat, id, TEXT),
	COUNT(thread_stat, busy_ns),
	FIELD(thread_stat, names, OPTIONAL_NUMBER, .absent = 0),
	FIELD(thread_stat, op_ns, OPTIONAL_COUNT, .absent = -1),
};
static const struct schema thread_schema = SCHEMA(thread_fields, thread_stat, text_cmp);

static const struct field comm_fields[] = {
	FIELD(comm_stat, kind, ENUM, .names = collective_names),
	FIELD(comm_stat, group, NAME),
	FIELD(comm_stat, group_name, NAME),
	FIELD(comm_stat, dtype, NAME),
	FIELD(comm_stat, group_size, OPTIONAL_COUNT, .absent = -1),
	COUNT(comm_stat, count),
	COUNT(comm_stat, total_ns),
	COUNT(comm_stat, max_ns),
	COUNT(comm_stat, bytes),
	COUNT(comm_stat, sized_count),
	COUNT(comm_stat, sized_ns),
};
static const struct schema comm_schema = SCHEMA(comm_fields, comm_stat, comm_stat_cmp);

static const struct field collective_fields[] = {
	COUNT(collective, step),
	COUNT(collective, comm),
	FIELD(collective, bytes, OPTIONAL_COUNT, .absent = -1),
	COUNT(collective, start_ns),
	COUNT(collective, dur_ns),
};
static const struct schema collective_schema = SCHEMA(collective_fields, collective, any_cmp);

static const struct field function_fields[] = {
	FIELD(function_stat, cls, ENUM, .names = function_class_names),
	FIELD(function_stat, name, NAME),
	FIELD(function_stat, parent, OPTIONAL_COUNT, .absent = -1),
	COUNT(function_stat, count),
	COUNT(function_stat, total_ns),
	COUNT(function_stat, exclusive_ns),
	COUNT(function_stat, median_ns),
	FIELD(function_stat, rate, OPTIONAL_COUNT, .absent = -1),
	FIELD(function_stat, rate_mad, OPTIONAL_COUNT, .absent = -1),
	FIELD(function_stat, names, OPTIONAL_NUMBER, .absent = 0),
};

/* The same function of several ranks, whatever its place in their trees. */
static int function_same(const void *a, const void *b)
{
	const struct function_stat *x = a, *y = b;
	if (x->cls != y->cls)
		return x->cls < y->cls ? -1 : 1;
	if ((x->names > 0) != (y->names > 0))
		return x->names > 0 ? 1 : -1;
	return span_cmp(x->name, y->name);
}
static const struct schema function_schema = { .fields = function_fields,
	                                           .nr =
	                                               sizeof function_fields / sizeof *function_fields,
	                                           .size = sizeof(struct function_stat),
	                                           .cmp = function_cmp,
	                                           .same = function_same };

static const struct field counter_fields[] = {
	FIELD(counter_stat, name, NAME),
	COUNT(counter_stat, samples),
	COUNT(counter_stat, median),
	COUNT(counter_stat, mad),
};
static const struct schema counter_schema = SCHEMA(counter_fields, counter_stat, counter_stat_cmp);

static const struct field progress_fields[] = {
	FIELD(progress, step, OPTIONAL_NUMBER, .absent = -1),
	COUNT(progress, launches),
	COUNT(progress, collectives),
	COUNT(progress, pending),
	FIELD(progress, op, NAME),
	FIELD(progress, activity, NAME),
	FIELD(progress, waits_in, NAME),
};
static const struct schema progress_schema = SCHEMA(progress_fields, progress, NULL);

#define KNOWN(type_, member, kind) FIELD(type_, member, OPTIONAL_##kind, .absent = MEMORY_UNKNOWN)

static const struct field cross_fields[] = {
	FIELD(cross_rank, known, BOOL),     COUNT(cross_rank, matched),
	COUNT(cross_rank, wait_ns),         COUNT(cross_rank, transfer_ns),
	FIELD(cross_rank, late_ns, NUMBER), COUNT(cross_rank, last_count),
	COUNT(cross_rank, steps),           COUNT(cross_rank, step_ns),
	COUNT(cross_rank, missing_steps),   KNOWN(cross_rank, compute_skew, NUMBER),
};
static const struct schema cross_schema = SCHEMA(cross_fields, cross_rank, NULL);

/* ---- memory ---- */

static const struct field memory_fields[] = {
	FIELD(memory_stat, id, TEXT),
	FIELD(memory_stat, source, TEXT),
	COUNT(memory_stat, events),
	COUNT(memory_stat, peak_allocated),
	KNOWN(memory_stat, peak_reserved, COUNT),
	KNOWN(memory_stat, end_allocated, NUMBER),
	KNOWN(memory_stat, end_reserved, COUNT),
	KNOWN(memory_stat, start_allocated, NUMBER),
	KNOWN(memory_stat, reserved_at_peak, NUMBER),
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
	KNOWN(memory_stat, segment_allocs, COUNT),
	KNOWN(memory_stat, oom_count, COUNT),
	KNOWN(memory_stat, peak_persistent, NUMBER),
	KNOWN(memory_stat, peak_carried, NUMBER),
	KNOWN(memory_stat, peak_transient, NUMBER),
};
static const struct schema memory_schema = SCHEMA(memory_fields, memory_stat, text_cmp);

static const struct field item_fields[] = {
	FIELD(memory_item, memory, TEXT),
	FIELD(memory_item, list, ENUM, .names = memory_list_names, .names_row = true),
	FIELD(memory_item, category, NAME),
	FIELD(memory_item, kind, ENUM, .names = site_kind_names),
	FIELD(memory_item, file, NAME),
	FIELD(memory_item, function, NAME),
	FIELD(memory_item, line, NUMBER),
	FIELD(memory_item, bytes, NUMBER),
	KNOWN(memory_item, blocks, NUMBER),
	KNOWN(memory_item, largest, NUMBER),
	KNOWN(memory_item, other, NUMBER),
};

/* Each list has an order of its own, in which rows may be equal: any will do. */
static int item_cmp(const void *a, const void *b)
{
	const struct memory_item *x = a, *y = b;
	int c = strcmp(x->memory, y->memory);
	return c ? c : x->list <= y->list ? -1 : 1;
}

/* The same row of the same list, whatever its figures. */
static int item_same(const void *a, const void *b)
{
	const struct memory_item *x = a, *y = b;
	int c = strcmp(x->memory, y->memory);
	c = c ? c : (x->list > y->list) - (x->list < y->list);
	c = c ? c : span_cmp(x->category, y->category);
	c = c ? c : (x->kind > y->kind) - (x->kind < y->kind);
	c = c ? c : span_cmp(x->file, y->file);
	c = c ? c : span_cmp(x->function, y->function);
	return c ? c : (x->line > y->line) - (x->line < y->line);
}
static const struct schema item_schema = { .fields = item_fields,
	                                       .nr = sizeof item_fields / sizeof *item_fields,
	                                       .size = sizeof(struct memory_item),
	                                       .cmp = item_cmp,
	                                       .same = item_same };

static const struct field level_fields[] = {
	FIELD(memory_level, memory, TEXT),
	COUNT(memory_level, entries),
	FIELD(memory_level, time_us, OPTIONAL_COUNT, .absent = -1),
	FIELD(memory_level, allocated, NUMBER),
	KNOWN(memory_level, reserved, NUMBER),
};

static int level_cmp(const void *a, const void *b)
{
	const struct memory_level *x = a, *y = b;
	int c = strcmp(x->memory, y->memory);
	return c ? c : (x->entries > y->entries) - (x->entries < y->entries);
}
static const struct schema level_schema = SCHEMA(level_fields, memory_level, level_cmp);

static const struct field input_fields[] = {
	FIELD(input_stat, name, TEXT),
	FIELD(input_stat, micro, NUMBER),
};
static const struct schema input_schema = SCHEMA(input_fields, input_stat, text_cmp);

static const struct field evidence_fields[] = {
	FIELD(memory_evidence, memory, TEXT), FIELD(memory_evidence, history, BOOL),
	FIELD(memory_evidence, midway, BOOL), FIELD(memory_evidence, truncated, BOOL),
	COUNT(memory_evidence, unseen_frees), COUNT(memory_evidence, contradicted_frees),
	COUNT(memory_evidence, lost_allocs),  FIELD(memory_evidence, lowest_allocated, NUMBER),
	COUNT(memory_evidence, allocs),
};
static const struct schema evidence_schema = SCHEMA(evidence_fields, memory_evidence, text_cmp);

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

/* ---- steps ---- */

static const char *const metric_names[] = {
#define X(id, name, ...) name,
#include "model/metrics.def"
#undef X
	NULL
};

#define VALUE(type_, stat, key_)                                                          \
	{                                                                                     \
		.key = (key_), .type = FIELD_COUNT, .offset = offsetof(struct type_, value[stat]) \
	}
#define VALUES(type)                                                                              \
	VALUE(type, STAT_MEDIAN, "median"), VALUE(type, STAT_MEAN, "mean"),                           \
	    VALUE(type, STAT_MIN, "min"), VALUE(type, STAT_MAX, "max"), VALUE(type, STAT_P90, "p90"), \
	    VALUE(type, STAT_P95, "p95"), VALUE(type, STAT_P99, "p99"),                               \
	    VALUE(type, STAT_TOTAL, "total")

static const struct field summary_fields[] = {
	FIELD(step_summary, metric, ENUM, .names = metric_names, .names_row = true),
	VALUES(step_summary),
};

static int summary_cmp(const void *a, const void *b)
{
	const struct step_summary *x = a, *y = b;
	return (x->metric > y->metric) - (x->metric < y->metric);
}
static int summary_since(const void *row)
{
	return metric_table[((const struct step_summary *)row)->metric].since;
}
static const struct schema summary_schema =
    SCHEMA(summary_fields, step_summary, summary_cmp, .since = summary_since);

static const struct field phase_fields[] = {
	FIELD(phase_summary, phase, ENUM, .names = phase_names, .names_row = true),
	FIELD(phase_summary, metric, ENUM, .names = metric_names, .names_row = true),
	COUNT(phase_summary, steps),
	VALUES(phase_summary),
#define PART(part, key_)                                      \
	{                                                         \
		.key = (key_), .type = FIELD_OPTIONAL_NUMBER,         \
		.offset = offsetof(struct phase_summary, parts[part]) \
	}
	PART(STEP_PART_COMPUTE, "time.compute"),
	PART(STEP_PART_COMM, "time.communication"),
	PART(STEP_PART_MEMORY, "time.memory"),
	PART(STEP_PART_IDLE, "time.idle"),
#undef PART
};

static int phase_cmp(const void *a, const void *b)
{
	const struct phase_summary *x = a, *y = b;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return (x->metric > y->metric) - (x->metric < y->metric);
}
static int phase_since(const void *row)
{
	return metric_table[((const struct phase_summary *)row)->metric].since;
}
static const struct schema phase_schema =
    SCHEMA(phase_fields, phase_summary, phase_cmp, .since = phase_since);

static void check_phase_summaries(struct row_reader *r, const struct digest *d, uint64_t byte)
{
	bool fine = d->phase_summaries.nr == 0 || d->summaries.nr;
	for (size_t i = 0; i < d->phase_summaries.nr; i++) {
		const struct phase_summary *s = &d->phase_summaries.v[i];
		fine = fine && phase_has_metric(s->phase, &metric_table[s->metric]) && s->steps > 0 &&
		       s->steps <= d->usable_steps;
	}
	if (!fine)
		row_fail(r, byte, "phase_summaries", "are of what no phase has, or of no step");
}

/* Samples, or a summary of each step metric that was there from the first. */
static void check_steps(struct row_reader *r, const struct digest *d, uint64_t byte)
{
	bool whole = true;
	for (int m = 0; m < NR_STEP_METRICS && d->summaries.nr; m++)
		whole = whole && (metric_table[m].since > 0 || digest_summary(d, (enum metric_id)m));
	for (size_t i = 0; i < d->summaries.nr; i++)
		whole = whole && metric_table[d->summaries.v[i].metric].per_step;
	if (!whole)
		row_fail(r, byte, "summaries", "do not have one for each figure of steps");
	else if (d->summaries.nr && d->usable_steps == 0)
		row_fail(r, byte, "summaries", "are of no step");
	check_phase_summaries(r, d, byte);
}

/* ---- the document ---- */

#define ROWS(key_, member, schema_)                                                   \
	{                                                                                 \
		.key = (key_), .type = FIELD_ROWS, .offset = offsetof(struct digest, member), \
		.sub = &(schema_)                                                             \
	}
#define SOME_ROWS(member, schema_) FIELD(digest, member, OPTIONAL_ROWS, .sub = &(schema_))

static const struct field digest_fields[] = {
	FIELD(digest, rank, OPTIONAL_COUNT, .absent = -1),
	FIELD(digest, world_size, OPTIONAL_COUNT, .absent = -1),
	FIELD(digest, trace, OPTIONAL_TEXT),
	FIELD(digest, snapshot, OPTIONAL_TEXT),
	FIELD(digest, metrics_file, OPTIONAL_TEXT),
	FIELD(digest, source_hash, HASH),
	FIELD(digest, marker, TEXT),
	FIELD(digest, communication, TEXT),
	COUNT(digest, warmup),
	FIELD(digest, attribution, ENUM, .names = attributions),
	FIELD(digest, window, BOOL),
	FIELD(digest, unmarked, OPTIONAL_TEXT),
	FIELD(digest, period_count, OPTIONAL_NUMBER, .absent = 0),
	FIELD(digest, period_launches, OPTIONAL_NUMBER, .absent = 0),
	FIELD(digest, period_regularity, OPTIONAL_NUMBER, .absent = 0),
	COUNT(digest, events),
	COUNT(digest, total_steps),
	FIELD(digest, start_ns, NUMBER),
	COUNT(digest, window_ns),
	KNOWN(digest, device_memory, COUNT),
	ROWS("environment", env, env_schema),
	FIELD(digest, trust, ROW, .sub = &trust_schema),
	COUNT(digest, usable_steps),
	{ .key = "steps",
	  .type = FIELD_OWN,
	  .read = steps_read,
	  .write = steps_write,
	  .describe = steps_describe },
	SOME_ROWS(summaries, summary_schema),
	SOME_ROWS(phase_summaries, phase_schema),
	ROWS("kernels", kernels, kernel_schema),
	ROWS("devices", devices, device_schema),
	ROWS("ops", ops, op_schema),
	SOME_ROWS(flops, flop_schema),
	SOME_ROWS(calls, call_schema),
	ROWS("threads", threads, thread_schema),
	SOME_ROWS(comms, comm_schema),
	SOME_ROWS(collectives, collective_schema),
	COUNT(digest, collectives_cut),
	SOME_ROWS(functions, function_schema),
	SOME_ROWS(counters, counter_schema),
	FIELD(digest, progress, ROW, .sub = &progress_schema),
	FIELD(digest, cross, ROW, .sub = &cross_schema),
	ROWS("memories", memories, memory_schema),
	SOME_ROWS(memory_items, item_schema),
	SOME_ROWS(memory_levels, level_schema),
	SOME_ROWS(memory_evidence, evidence_schema),
	SOME_ROWS(inputs, input_schema),
};

const struct schema digest_schema = {
	.id = DIGEST_SCHEMA,
	.fields = digest_fields,
	.nr = sizeof digest_fields / sizeof *digest_fields,
	.size = sizeof(struct digest),
};

const struct schema ranks_schema = {
	.counted = true,
	.fields = digest_fields,
	.nr = sizeof digest_fields / sizeof *digest_fields,
	.size = sizeof(struct digest),
};

static void check_inputs(struct row_reader *r, const struct digest *d)
{
	bool fine = d->metrics_file || d->inputs.nr == 0;
	for (size_t i = 0; i < d->inputs.nr; i++)
		fine = fine && input_name_is_valid(span_of(d->inputs.v[i].name), false);
	if (jscan_status(r->js) == ST_OK && !fine)
		row_fail(r, jscan_byte(r->js), "inputs", "are not those of a metrics file");
}

void digest_check(struct row_reader *r, const struct digest *d)
{
	if (d->rank > RANK_MAX)
		row_fail(r, jscan_byte(r->js), "rank", "is beyond 2147483647");
	if (d->rank < 0 && (digest_has_trace(d) || d->snapshot))
		row_fail(r, jscan_byte(r->js), "rank", "is missing");
	check_inputs(r, d);
	if (d->window && d->nr_steps > 1)
		row_fail(r, jscan_byte(r->js), "steps",
		         "is more than one sample, though the trace is one window");
	if (d->unmarked && strcmp(d->unmarked, UNMARKED_PERIOD) != 0)
		row_fail(r, jscan_byte(r->js), "unmarked", "is not \"" UNMARKED_PERIOD "\"");
	if (d->period_count < 0 || d->period_launches < 0 || d->period_regularity < 0)
		row_fail(r, jscan_byte(r->js), "period_count", "or what it is of is below 0");
	if (d->usable_steps > (int64_t)d->nr_steps)
		row_fail(r, jscan_byte(r->js), "usable_steps", "is more than there are steps");
	check_steps(r, d, jscan_byte(r->js));
	check_memories(r, d);
	digest_check_rows(r, d);
}

void digest_read_into(struct row_reader *r, struct digest *d)
{
	struct arena *outer = r->arena;
	r->arena = &d->arena;
	row_read(r, &digest_schema, d);
	digest_check(r, d);
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
	struct row_reader r = { .js = js, .arena = &scratch, .path = STRBUF_INIT };
	read(&r, ctx);
	if (jscan_status(js) == ST_OK)
		jscan_end(js);
	enum status st = jscan_status(js);
	jscan_free(js);
	strbuf_release(&r.path);
	arena_release(&scratch);
	return st == ST_INPUT ? fail : st;
}

void digest_schema_write(struct sink *out)
{
	row_schema_write(&digest_schema, "gpugate digest: what was measured in a rank", out);
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
