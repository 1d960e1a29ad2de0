#include "store/digest_json.h"

#include <string.h>

#include "model/phases.h"
#include "model/step_figures.h"
#include "store/digest_schema.h"
#include "store/row.h"

/* ---- parts of a digest that must agree with each other ---- */

/* True if all of the `nr` rows of `size` bytes, which begin with the id of a memory, refer to
 * memories of the digest, and are in the order of d->memories. */
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
	bool fine =
	    memories_known(d, d->memory_items.v, d->memory_items.nr, sizeof *d->memory_items.v) &&
	    memories_known(d, d->memory_levels.v, d->memory_levels.nr, sizeof *d->memory_levels.v) &&
	    memories_known(d, d->memory_evidence.v, d->memory_evidence.nr,
	                   sizeof *d->memory_evidence.v);
	row_need(r, fine, "memories", "do not list a memory that other rows name");
}

static void check_phase_summaries(struct row_reader *r, const struct digest *d)
{
	bool fine = d->phase_summaries.nr == 0 || d->summaries.nr;
	for (size_t i = 0; i < d->phase_summaries.nr; i++) {
		const struct phase_summary *s = &d->phase_summaries.v[i];
		fine = fine && phase_has_metric(s->phase, &metric_table[s->metric]) && s->steps > 0 &&
		       s->steps <= d->usable_steps;
	}
	row_need(r, fine, "phase_summaries", "have a metric that no phase has, or no steps");
}

/* Checks that summaries, if there are any, include each step metric of version 1.0 of the format,
 * are only of step metrics, and come with usable steps. */
static void check_steps(struct row_reader *r, const struct digest *d)
{
	bool whole = true;
	for (int m = 0; m < NR_STEP_METRICS && d->summaries.nr; m++)
		whole = whole && (metric_table[m].since > 0 || digest_summary(d, (enum metric_id)m));
	for (size_t i = 0; i < d->summaries.nr; i++)
		whole = whole && metric_table[d->summaries.v[i].metric].per_step;
	row_need(r, whole, "summaries", "do not have one for each step metric");
	row_need(r, !d->summaries.nr || d->usable_steps, "summaries",
	         "are there, but there are no usable steps");
	check_phase_summaries(r, d);
}

/* ---- the document of a digest ---- */

#define FIELD(member, kind, ...)                                                         \
	{                                                                                    \
		.key = #member, .type = FIELD_##kind, .offset = offsetof(struct digest, member), \
		.since = __VA_ARGS__                                                             \
	}
#define ROWS(member, type) FIELD(member, ROWS, 0, .sub = &type##_row)
#define SOME_ROWS(member, type) FIELD(member, OPTIONAL_ROWS, 0, .sub = &type##_row)

static const struct field digest_fields[] = {
	/* FIELD(member of struct digest, stored form, minor version that added the member, …) */
	FIELD(rank, OPTIONAL_COUNT, 0, .absent = -1),
	FIELD(world_size, OPTIONAL_COUNT, 0, .absent = -1),
	FIELD(trace, OPTIONAL_TEXT, 0),
	FIELD(snapshot, OPTIONAL_TEXT, 0),
	FIELD(metrics_file, OPTIONAL_TEXT, 0),
	FIELD(source_hash, HASH, 0),
	FIELD(marker, TEXT, 0),
	FIELD(communication, TEXT, 0),
	FIELD(warmup, COUNT, 0),
	FIELD(attribution, ENUM, 0, .names = attribution_names),
	FIELD(window, BOOL, 0),
	FIELD(unmarked, OPTIONAL_TEXT, 0),
	FIELD(period_count, OPTIONAL_NUMBER, 0, .absent = 0),
	FIELD(period_launches, OPTIONAL_NUMBER, 0, .absent = 0),
	FIELD(period_regularity, OPTIONAL_NUMBER, 0, .absent = 0),
	FIELD(proposed_marker, OPTIONAL_TEXT, 0),
	FIELD(proposed_steps, OPTIONAL_NUMBER, 0, .absent = 0),
	FIELD(events, COUNT, 0),
	FIELD(total_steps, COUNT, 0),
	FIELD(start_ns, NUMBER, 0),
	FIELD(window_ns, COUNT, 0),
	FIELD(device_memory, OPTIONAL_COUNT, 0, .absent = MEMORY_UNKNOWN),
	MEMBER_AT("environment", digest, env, ROWS, .sub = &env_entry_row),
	FIELD(trust, ROW, 0, .sub = &trust_counts_row),
	FIELD(usable_steps, COUNT, 0),
	{ .key = "steps", .type = FIELD_STEPS },
	SOME_ROWS(summaries, step_summary),
	SOME_ROWS(phase_summaries, phase_summary),
	ROWS(kernels, kernel_stat),
	ROWS(devices, device_stat),
	ROWS(ops, op_stat),
	SOME_ROWS(flops, flop_stat),
	SOME_ROWS(calls, call_stat),
	ROWS(threads, thread_stat),
	SOME_ROWS(comms, comm_stat),
	SOME_ROWS(collectives, collective),
	FIELD(collectives_cut, COUNT, 0),
	SOME_ROWS(functions, function_stat),
	FIELD(code, OPTIONAL_ROWS, 1, .sub = &code_stat_row),
	FIELD(ranges, OPTIONAL_ROWS, 1, .sub = &range_stat_row),
	SOME_ROWS(counters, counter_stat),
	FIELD(progress, ROW, 0, .sub = &progress_row),
	FIELD(cross, ROW, 0, .sub = &cross_rank_row),
	ROWS(memories, memory_stat),
	FIELD(trace_memories, OPTIONAL_ROWS, 3, .sub = &memory_stat_row),
	SOME_ROWS(memory_items, memory_item),
	SOME_ROWS(memory_levels, memory_level),
	SOME_ROWS(memory_evidence, memory_evidence),
	SOME_ROWS(inputs, input_stat),
	SOME_ROWS(machines, machine_stat),
	{ .key = "fold",
	  .type = FIELD_OWN,
	  .since = 1,
	  .read = fold_read,
	  .write = fold_write,
	  .has = fold_is_there,
	  .sub = &fold_schema },
};

const struct schema digest_schema =
    SCHEMA_OF(digest, digest_fields, .id = DIGEST_SCHEMA,
              .title = "gpugate digest: what was measured in a rank");

const struct schema ranks_schema = SCHEMA_OF(digest, digest_fields, .counted = true);

static bool input_is_fine(const struct input_stat *s)
{
	return input_name_is_valid(span_of(s->name), false) && s->digits <= DECIMAL_DIGITS_MAX &&
	       s->digits >= -DECIMAL_DIGITS_MAX &&
	       (!s->better || strcmp(s->better, "lower") == 0 || strcmp(s->better, "higher") == 0);
}

static void check_inputs(struct row_reader *r, struct digest *d)
{
	bool fine = d->metrics_file || d->inputs.nr == 0;
	input_settle(d->inputs.v, d->inputs.nr, &d->arena);
	for (size_t i = 0; i < d->inputs.nr; i++)
		fine = fine && input_is_fine(&d->inputs.v[i]);
	row_need(r, fine, "inputs", "are not those of a result file");
}

void digest_check(struct row_reader *r, struct digest *d)
{
	row_need(r, d->rank <= RANK_MAX, "rank", "is beyond 2147483647");
	row_need(r, d->rank >= 0 || d->fold || (!digest_has_trace(d) && !d->snapshot), "rank",
	         "is missing");
	check_inputs(r, d);
	row_need(r, !d->window || d->nr_steps <= 1, "steps",
	         "is more than one sample, though the trace is one window");
	row_need(r, !d->unmarked || strcmp(d->unmarked, UNMARKED_PERIOD) == 0, "unmarked",
	         "is not \"" UNMARKED_PERIOD "\"");
	row_need(r, d->period_count >= 0 && d->period_launches >= 0 && d->period_regularity >= 0,
	         "period_count", "or what it is of is below 0");
	row_need(r, d->usable_steps <= (int64_t)d->nr_steps, "usable_steps",
	         "is more than there are steps");
	check_steps(r, d);
	check_memories(r, d);
	digest_check_rows(r, d);
}

void digest_read_into(struct row_reader *r, struct digest *d)
{
	struct arena *outer = r->arena;
	struct strbuf text = STRBUF_INIT;
	r->arena = &d->arena;
	if (r->keeps_text)
		jscan_keep(r->js, &text);
	row_read(r, &digest_schema, d);
	digest_check(r, d);
	if (r->keeps_text) {
		jscan_keep_end(r->js);
		d->text = arena_span(&d->arena, strbuf_span(&text));
		digest_forget(d);
	}
	strbuf_release(&text);
	r->arena = outer;
}

void digest_write_inner(const struct digest *d, struct sink *out)
{
	if (d->text.n)
		sink_write(out, d->text);
	else
		row_write(&digest_schema, d, out);
}

void digests_write(const void *run, struct sink *out)
{
	const struct run *r = run;
	const char *before = "[\n";
	for (size_t i = 0; i < r->ranks.nr + (r->folded != NULL); i++) {
		sink_puts(out, before);
		digest_write_inner(r->folded && i == 0 ? r->folded : r->ranks.v[i - (r->folded != NULL)],
		                   out);
		before = ",\n";
	}
	sink_puts(out, *before == ',' ? "\n]" : "[]");
}

void digest_write(const struct digest *d, struct sink *out)
{
	row_write(&digest_schema, d, out);
	sink_puts(out, "\n");
}

enum status stored_document_read(struct source *src, enum status fail, const struct schema *s,
                                 struct row_reader as, void *row, struct diag_log *log)
{
	struct diag_log own;
	diag_init(&own);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .max_depth = 32 }, &own);
	as.js = js;
	if (s == &digest_schema)
		digest_read_into(&as, row);
	else
		row_read(&as, s, row);
	if (jscan_status(js) == ST_OK)
		jscan_end(js);
	enum status st = jscan_status(js);
	jscan_free(js);
	if (st != ST_OK)
		source_blame_damage(src, &own);
	diag_move(log, &own);
	strbuf_release(&as.path);
	return st == ST_INPUT ? fail : st;
}

enum status digest_read(struct source *src, bool keeps_text, struct digest **out,
                        struct diag_log *log)
{
	struct digest *d = digest_new();
	struct row_reader as = { .sampled = !keeps_text, .whole = true, .keeps_text = keeps_text };
	enum status st = stored_document_read(src, ST_INPUT, &digest_schema, as, d, log);
	if (st == ST_OK)
		*out = d;
	else
		digest_free(d);
	return st;
}

enum status digest_read_again(const struct digest *d, const char *path, struct digest **out,
                              struct diag_log *log)
{
	struct source *src = source_memory(path, d->text.p, d->text.n, NULL);
	enum status st = digest_read(src, false, out, log);
	source_close(src);
	return st;
}
