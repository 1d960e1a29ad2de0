/* Stored files of other minor versions: additions of a newer minor version are skipped, data that
 * an older one lacks counts as not recorded, and all other unknown keys are refused. */
#include "text_rig.h"

#include "sample_digest.h"
#include "store/digest_json.h"
#include "store/digest_schema.h"

/* ---- a row type with members of a newer minor version ---- */

struct grown {
	int64_t old, later, much_later;
	const char *note;
};
static const struct field grown_fields[] = {
	{ .key = "old", .type = FIELD_COUNT, .offset = offsetof(struct grown, old) },
	{ .key = "later",
	  .type = FIELD_COUNT,
	  .offset = offsetof(struct grown, later),
	  .absent = -7,
	  .since = 1 },
	{ .key = "much_later",
	  .type = FIELD_OPTIONAL_NUMBER,
	  .offset = offsetof(struct grown, much_later),
	  .absent = MEMORY_UNKNOWN,
	  .since = 2 },
	{ .key = "note", .type = FIELD_TEXT, .offset = offsetof(struct grown, note), .since = 2 },
};
static const struct schema grown_schema = { .id = "gpugate-grown-3",
	                                        .fields = grown_fields,
	                                        .nr = NR_OF(grown_fields),
	                                        .size = sizeof(struct grown) };

static void absent_fields(void **state)
{
	static const struct {
		const char *text, *error;
		struct grown want;
	} rows[] = {
		{ "{\"schema\": \"gpugate-grown-3\", \"old\": 1}", NULL, { 1, -7, MEMORY_UNKNOWN, NULL } },
		{ "{\"schema\": \"gpugate-grown-3\", \"minor\": 1, \"old\": 1, \"later\": 2}",
		  NULL,
		  { 1, 2, MEMORY_UNKNOWN, NULL } },
		{ "{\"schema\": \"gpugate-grown-3\", \"minor\": 2, \"old\": 1, \"much_later\": -3}",
		  NULL,
		  { 1, -7, -3, NULL } },
		{ "{\"schema\": \"gpugate-grown-3\", \"later\": 1}", "'old' is missing", { 0 } },
		{ "{\"schema\": \"gpugate-grown-3\", \"minor\": 900, \"later\": 1}",
		  "'old' is missing",
		  { 0 } },
		{ "{\"schema\": \"gpugate-grown-3\", \"old\": 1, \"minor\": 1}",
		  "'minor' is not known",
		  { 0 } },
		{ "{\"schema\": \"gpugate-grown-3\", \"minor\": -1}", "'minor' is negative", { 0 } },
		{ "{\"schema\": \"gpugate-grown-3\", \"minor\": \"1\"}", "'minor' is not a number", { 0 } },
		{ "{\"schema\": \"gpugate-grown-4\", \"old\": 1}",
		  "schema 'gpugate-grown-4' is newer than what this gpugate (" GPUGATE_VERSION
		  ") reads ('gpugate-grown-3')",
		  { 0 } },
		{ "{\"schema\": \"gpugate-grown-2\", \"minor\": 5, \"old\": 1}",
		  "schema 'gpugate-grown-2' is older than what this gpugate (",
		  { 0 } },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct grown g = { 0 };
		struct diag_log log;
		diag_init(&log);
		struct source *src = source_memory("g.json", rows[i].text, strlen(rows[i].text), NULL);
		struct row_reader as = { .arena = &log.arena };
		enum status st = stored_document_read(src, ST_INPUT, &grown_schema, as, &g, &log);
		source_close(src);
		if (rows[i].error) {
			assert_int_equal(st, ST_INPUT);
			assert_has(diag_first_error(&log), rows[i].error);
		} else {
			assert_int_equal(st, ST_OK);
			assert_int_equal(g.old, rows[i].want.old);
			assert_int_equal(g.later, rows[i].want.later);
			assert_int_equal(g.much_later, rows[i].want.much_later);
			assert_string_equal(g.note, "");
		}
		diag_release(&log);
	}
}

/* ---- a digest of a newer minor version ---- */

static enum status parse(const char *text, struct digest **out, struct diag_log *log)
{
	struct source *src = source_memory("d.json", text, strlen(text), NULL);
	enum status st = digest_read(src, false, out, log);
	source_close(src);
	return st;
}

#define HEAD "\"minor\": 3,"
#define NEWER "\"minor\": 900,"

/* Changes that a newer gpugate might make to a stored file: `old` is replaced by `new`. Some are
 * refused in spite of the newer minor version, with `error`. */
static const struct {
	const char *old, *new, *error;
} additions[] = {
	{ "\"rank\": 0,", "\"rank\": 0, \"mood\": {\"a\": [1, null, \"x\"]},", NULL },
	{ "\"truncated\":", "\"strayed_ns\":5,\"truncated\":", NULL },
	{ "\"step.time\": ", "\"step.unheard_of\": [1,2],\n\"step.time\": ", NULL },
	{ "\"busy_ns\":777", "\"busy_ns\":777,\"name\":\"main\"", NULL },
	{ "\"busy_ns\":777", "\"idle_ns\":[1],\"busy_ns\":777", NULL },
	{ "\"attribution\": \"launch\"", "\"attribution\": \"flow\"",
	  "'attribution' is 'flow', which is not known to this gpugate (" GPUGATE_VERSION
	  "); use the gpugate that wrote it" },
	{ "\"busy_ns\":777", "\"busy_ns\":-1", "'threads[0].busy_ns' is negative" },
	{ "\"rank\": 0,", "", "'rank' is missing" },
};

static void newer_minor(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0), *r;
	struct sink *out = sink_open_memory();
	digest_write(d, out);
	char *text = taken(out, NULL), *newer = edited(text, HEAD, NEWER);
	for (size_t i = 0; i < NR_OF(additions); i++) {
		struct diag_log log;
		diag_init(&log);
		char *added = edited(newer, additions[i].old, additions[i].new);
		char *same_minor = edited(text, additions[i].old, additions[i].new);
		assert_int_equal(parse(same_minor, &r, &log), ST_INPUT);
		diag_release(&log);
		diag_init(&log);
		enum status st = parse(added, &r, &log);
		if (additions[i].error) {
			assert_int_equal(st, ST_INPUT);
			assert_has(diag_first_error(&log), additions[i].error);
		} else {
			if (st != ST_OK)
				fail_msg("%s: %s", additions[i].new, diag_first_error(&log));
			struct sink *again = sink_open_memory();
			digest_write(r, again);
			char *rewritten = taken(again, NULL);
			assert_string_equal(rewritten, text);
			free(rewritten);
			digest_free(r);
		}
		free(added);
		free(same_minor);
		diag_release(&log);
	}
	free(newer);
	free(text);
	digest_free(d);
}

/* ---- a digest of minor version 0, which has no periods of steps ---- */

static void older_minor(void **state)
{
	static const enum metric_id later[] = { METRIC_STEP_PERIOD,
		                                    METRIC_STEP_LATENCY,
		                                    METRIC_STEP_PERIOD_COMPUTE,
		                                    METRIC_STEP_PERIOD_EXPOSED_COMM,
		                                    METRIC_STEP_PERIOD_EXPOSED_MEMORY,
		                                    METRIC_STEP_IDLE_TIME };
	(void)state;
	struct digest *d = sample_digest(0), *r;
	struct sink *out = sink_open_memory(), *again = sink_open_memory();
	struct diag_log log;
	diag_init(&log);
	digest_write(d, out);
	char *text = taken(out, NULL), *older = edited(text, HEAD, "");
	if (parse(older, &r, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	for (size_t i = 0; i < NR_OF(later); i++)
		/* in minor version 0 idle time was defined in another way, so it counts as not recorded */
		assert_null(r->samples[later[i]]);
	assert_int_equal(r->samples[METRIC_STEP_TIME][1], 300000000);
	assert_int_equal(r->devices.v[0].measured_ns, -1);
	assert_int_equal(r->devices.v[0].measured_busy_ns, -1);
	assert_int_equal(r->devices.v[0].busy_ns, 800);
	digest_write(r, again);
	char *rewritten = taken(again, NULL);
	assert_has(rewritten, HEAD);
	assert_null(strstr(rewritten, "step.period"));
	assert_null(strstr(rewritten, "measured_ns"));
	free(rewritten);
	free(older);
	free(text);
	digest_free(r);
	digest_free(d);
	diag_release(&log);
}

/* ---- rows of a kind that only a newer minor version knows ---- */

static void newer_rows(void **state)
{
	static const char row[] = "{\"memory\":\"0\",\"list\":\"category\"";
	static const char first[] =
	    "{\"memory\":\"0\",\"list\":\"arena\",\"category\":\"\",\"kind\":"
	    "\"rest\",\"file\":\"\",\"function\":\"\",\"line\":0,\"bytes\":1},\n";
	(void)state;
	struct digest *d = sample_snapshot(0), *r;
	struct sink *out = sink_open_memory();
	digest_write(d, out);
	char *text = taken(out, NULL), *newer = edited(text, HEAD, NEWER);
	struct strbuf both = STRBUF_INIT;
	strbuf_adds(&both, first);
	strbuf_adds(&both, row);
	char *added = edited(newer, row, strbuf_str(&both));
	char *same_minor = edited(text, row, strbuf_str(&both));
	struct diag_log log;
	diag_init(&log);
	if (parse(added, &r, &log) != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	assert_int_equal(r->memory_items.nr, d->memory_items.nr);
	digest_free(r);
	assert_int_equal(parse(same_minor, &r, &log), ST_INPUT);
	assert_has(diag_first_error(&log), "'memory_items[0].list' is 'arena', which is not known");
	diag_release(&log);
	strbuf_release(&both);
	free(same_minor);
	free(added);
	free(newer);
	free(text);
	digest_free(d);
}

/* ---- members and metrics of each minor version ---- */

/* Files of an older minor version are read by these numbers: a line changes only by what a new
 * minor version adds. "PATH: KEY …" has the members of a row type that came after minor version 0
 * ("@1"), or whose absence means another number than 0 ("=-1"). */
static const char *const members[] = {
	"digest.trust: lost_ns@1 tick_ns@1 untimed@1 timed@2 untimed_ns@2 twice@2 twice_ns@2 "
	"before_ns@2 unknown_ns@2 cut_ns@2 contained_ns@2 captured@2 pending@2 left_over@2 "
	"lost_unknown@2 marker_ns@2 completion_ns@2 replayed_ns@3 joined_ns@3 unordered_ns@3 "
	"ambiguous_ns@3 lost_copies@3 lost_copies_ns@3 lost_nodes@3 early@3 early_ns@3 "
	"requests_low@3 requests_high@3 tokens_low@3 tokens_high@3 graph_kinds@3",
	"digest.summaries: slow@3=-1",
	"digest.kernels: registers@3=-1 shared_memory@3=-1 local_memory@3=-1 occupancy=-1 "
	"occupancy_ns@1 occupancy_rest@1",
	"digest.devices: measured_ns@1=-1 measured_busy_ns@1=-1",
	"digest.flops: bytes@3 unsized@3 sized_ns@3 memory_ns@3 compute_ns@3 short_ns@3 "
	"moved_ns@3 roof_ns@3",
	"digest.threads: op_ns=-1",
	"digest.comms: group_size=-1",
	"digest.collectives: bytes=-1",
	"digest.functions: parent=-1 rate=-1 rate_mad=-1",
	"digest.code: kind@1 phase@1 module@1 place@1 line@1=-1 op@1 kernel@1 count@1 total_ns@1 "
	"bytes@1 names@1",
	"digest.ranges: name@1 count@1 total_ns@1 names@1",
	"digest.progress: step=-1",
	"digest.cross: compute_skew=?",
	"digest.memories: peak_reserved=? end_allocated=? end_reserved=? start_allocated=? "
	"reserved_at_peak=? alloc_count=? free_count=? churn_bytes=? growth_per_step=? capacity=? "
	"end_requested=? inactive=? largest_inactive=? segment_count=? segment_churn=? "
	"segment_allocs=? oom_count=? peak_persistent=? peak_carried=? peak_transient=?",
	"digest.memory_items: blocks=? largest=? other=?",
	"digest.memory_levels: time_us=-1 reserved=?",
	"digest.inputs: micro=? value@1 digits@1 unit@1 better@1 samples@1 spread@1=-1 "
	"spread_share@3=-1 work@2 title@3 place@3",
	"digest.machines: id@1 samples@1 span_ns@1=-1 sm_clock_hz@1=-1 memory_clock_hz@1=-1 "
	"power_mw@1=-1 temperature_c@1=-1 throttled_pct@1=-1 other_processes@1=-1 energy_uj@3=-1 "
	"energy_ns@3=-1 reasons@1",
	"digest: rank=-1 world_size=-1 device_memory=? code@1 ranges@1 trace_memories@3 fold@1",
	"deed: throttled@1 reasons@1 shared@1",
	"figure: median=?",
	"series: group_size=-1",
	"baseline.provenance: built_in@3",
	"history.provenance: built_in@3",
	"history.values: rank=-1 digits@1=6",
	"history: together@1 memory_source@3",
	"metrics: step.period@1 step.latency@1 step.period_compute@1 step.period_exposed_comm@1 "
	"step.period_exposed_memory@1 step.idle_time@1 slow_steps_pct@3 gpu.utilization_pct@1 "
	"throughput.samples_per_s@1 throughput.tokens_per_s@1 throughput.steps_per_s@1 mfu_pct@1 "
	"flops.per_s@1 flops.peak_pct@1 kernel.registers@3 kernel.shared_memory@3 "
	"kernel.local_memory@3 kernel.resource_changes@3 op.gpu_time@1 op.self_gpu_time@1 "
	"module.gpu_time@1 range.gpu_time@1 place.gpu_time@1 place.launch_count@1 "
	"place.sync_time@1 place.sync_count@1 place.copy_bytes@1 op.bytes@3 op.bandwidth_pct@3 "
	"op.roofline_pct@3 machine.sm_clock@1 machine.memory_clock@1 machine.power@1 "
	"machine.temperature@1 machine.throttled_pct@1 machine.other_processes@1 "
	"machine.energy_per_step@3",
};

struct lines {
	struct arena arena;
	VEC(const char *) list;
};

/* Adds the lines of the row types in a row type, and its own. */
static void describe(const char *path, const struct schema *s, struct lines *out)
{
	struct strbuf b = STRBUF_INIT;
	for (const struct field *f = s->fields, *same; f < s->fields + s->nr; f++) {
		for (same = s->fields; same->sub != f->sub;)
			same++;
		if (f->sub && f->type != FIELD_OWN && same == f)
			describe(arena_printf(&out->arena, "%s.%s", path, f->key), f->sub, out);
		if (!f->since && !f->absent)
			continue;
		strbuf_addf(&b, " %s", f->key);
		if (f->since)
			strbuf_addf(&b, "@%d", f->since);
		if (f->absent == MEMORY_UNKNOWN)
			strbuf_adds(&b, "=?");
		else if (f->absent)
			strbuf_addf(&b, "=%d", (int)f->absent);
	}
	if (b.n)
		vec_push(&out->list, arena_printf(&out->arena, "%s:%s", path, strbuf_str(&b)));
	strbuf_release(&b);
}

static void test_members(void **state)
{
	(void)state;
	const struct schema history = { .fields = history_fields, .nr = NR_HISTORY_FIELDS };
	struct lines have = { .arena = ARENA_INIT };
	struct strbuf metrics = STRBUF_INIT;
	describe("digest", &digest_schema, &have);
	describe("deed", &fold_deed_row, &have);
	describe("figure", &fold_figure_row, &have);
	describe("series", &fold_series_row, &have);
	describe("run", &run_schema, &have);
	describe("baseline", &baseline_schema, &have);
	describe("history", &history, &have);
	for (size_t i = 0; i < NR_METRICS; i++)
		if (metric_table[i].since)
			strbuf_addf(&metrics, " %s@%d", metric_table[i].name, metric_table[i].since);
	vec_push(&have.list, arena_printf(&have.arena, "metrics:%s", strbuf_str(&metrics)));
	for (size_t i = 0; i < have.list.nr; i++)
		assert_string_equal(have.list.v[i], i < NR_OF(members) ? members[i] : "");
	assert_int_equal(have.list.nr, NR_OF(members));
	strbuf_release(&metrics);
	vec_release(&have.list);
	arena_release(&have.arena);
}

/* Which lists of a digest are joined when profiler cycles are merged (j), and which are summed over
 * the ranks of a folded run (s). The lists are named by their keys in files; those of phases (?)
 * have none. */
static void test_lists(void **state)
{
	(void)state;
	static const char want[] = "kernels:js devices:j ops:js flops:js calls:js threads:j comms:s "
	                           "code:js ranges:js counters:j "
	                           "?:j ?:j memories:j trace_memories:j";
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < nr_digest_lists; i++) {
		const struct digest_list *l = &digest_lists[i];
		size_t k = 0;
		while (k < digest_schema.nr && digest_schema.fields[k].offset != l->offset)
			k++;
		if (l->joined || l->summed)
			strbuf_addf(&b, "%s%s:%s%s", b.n ? " " : "",
			            k < digest_schema.nr ? digest_schema.fields[k].key : "?",
			            l->joined ? "j" : "", l->summed ? "s" : "");
	}
	assert_string_equal(strbuf_str(&b), want);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_fields), cmocka_unit_test(newer_minor),
		cmocka_unit_test(older_minor),   cmocka_unit_test(newer_rows),
		cmocka_unit_test(test_members),  cmocka_unit_test(test_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
