#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sample_digest.h"
#include "store/digest_json.h"
#include "store/row.h"
#include "text_rig.h"

/* ---- editing and reading of digests ---- */

static char *text_of(const struct digest *d, size_t *n)
{
	struct sink *s = sink_open_memory();
	digest_write(d, s);
	return taken(s, n);
}

static enum status parse(struct span text, size_t block, struct digest **out, struct diag_log *log)
{
	struct source *src =
	    source_memory("d.json", text.p, text.n, &(struct source_options){ .block = block });
	enum status st = digest_read(src, false, out, log);
	source_close(src);
	return st;
}

static struct digest *parse_ok(struct span text, size_t block)
{
	struct diag_log log;
	struct digest *d = NULL;
	diag_init(&log);
	enum status st = parse(text, block, &d, &log);
	if (st != ST_OK)
		fail_msg("%s", diag_first_error(&log));
	diag_release(&log);
	return d;
}

static void assert_round_trip(const struct digest *d)
{
	size_t n, again_n;
	char *text = text_of(d, &n);
	static const size_t blocks[] = { 0, 1, 2, 3, 7 };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		struct digest *read = parse_ok((struct span){ text, n }, blocks[i]);
		char *again = text_of(read, &again_n);
		assert_string_equal(text, again);
		assert_int_equal(n, again_n);
		free(again);
		digest_free(read);
	}
	free(text);
}

/* ---- digests that are written and read again ---- */

static void test_round_trip(void **state)
{
	(void)state;
	struct digest *d = sample_digest(3);
	assert_round_trip(d);
	d->world_size = -1;
	d->trace = NULL;
	d->snapshot = "a\\b\n\x01\x7f";
	d->trust.truncated = true;
	assert_round_trip(d);
	d->memories.v[0].peak_op = "aten::mm";
	assert_round_trip(d);
	d->memories.v[0].peak_dims = "[8, 4], []";
	d->memories.v[0].peak_types = "float, -";
	assert_round_trip(d);
	d->device_memory = 80;
	digest_join(d, sample_snapshot(3));
	assert_round_trip(d);
	digest_free(d);
	d = sample_snapshot(0);
	assert_round_trip(d);
	digest_free(d);

	d = digest_new();
	d->marker = d->communication = "";
	digest_set_steps(d, 0);
	assert_round_trip(d);
	d->window = true; /* a trace without any relevant event */
	assert_round_trip(d);
	digest_set_steps(d, 1);
	d->samples[0][0] = INT64_MAX;
	assert_round_trip(d);
	d->unmarked = UNMARKED_PERIOD;
	d->period_count = 40;
	d->period_launches = 218;
	d->period_regularity = 98300000;
	assert_round_trip(d);
	digest_free(d);
}

static void test_fields_are_kept(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_digest(5);
	char *text = text_of(d, &n);
	struct digest *r = parse_ok((struct span){ text, n }, 0);
	assert_int_equal(r->rank, 5);
	assert_int_equal(r->world_size, 2);
	assert_true(r->source_hash == d->source_hash);
	assert_string_equal(r->trace, "rank.json");
	assert_null(r->snapshot);
	assert_int_equal(r->attribution, ATTRIBUTION_LAUNCH);
	assert_string_equal(digest_env(r, "gpu.name"), "NVIDIA \"A100\"/80GB");
	assert_memory_equal(&r->trust, &d->trust, sizeof r->trust);
	assert_int_equal(r->nr_steps, 2);
	for (int m = 0; m < NR_STEP_METRICS; m++)
		assert_memory_equal(r->samples[m], d->samples[m], 2 * sizeof(int64_t));
	assert_int_equal(r->kernels.nr, d->kernels.nr);
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *want = &d->kernels.v[i], *have = &r->kernels.v[i];
		assert_int_equal(want->kind, have->kind);
		assert_true(span_eq(want->name, have->name));
		assert_memory_equal(&want->count, &have->count,
		                    offsetof(struct kernel_stat, grid) -
		                        offsetof(struct kernel_stat, count));
		assert_memory_equal(want->grid, have->grid,
		                    want->grid[0] < 0 ? sizeof *want->grid : sizeof want->grid);
		assert_memory_equal(want->block, have->block,
		                    want->grid[0] < 0 ? sizeof *want->block : sizeof want->block);
		assert_int_equal(want->shapes, have->shapes);
		assert_int_equal(want->occupancy, have->occupancy);
	}
	assert_memory_equal(&r->devices.v[0].streams, &d->devices.v[0].streams,
	                    sizeof *r->devices.v - offsetof(struct device_stat, streams));
	assert_memory_equal(&r->memories.v[0].events, &d->memories.v[0].events,
	                    sizeof *r->memories.v - offsetof(struct memory_stat, events));
	assert_int_equal(r->ops.v[0].self_ns, 301);
	assert_int_equal(r->threads.v[0].busy_ns, 777);
	digest_free(r);
	digest_free(d);
	free(text);
}

/* The first of several steps has no period: it is written as null, and read as a missing sample. */
static void test_null_is_kept(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_digest(5);
	d->samples[METRIC_STEP_PERIOD][0] = NO_SAMPLE;
	char *text = text_of(d, &n);
	assert_non_null(strstr(text, "\n\"step.period\": [null,600000000],\n"));
	struct digest *r = parse_ok((struct span){ text, n }, 0);
	assert_true(r->samples[METRIC_STEP_PERIOD][0] == NO_SAMPLE);
	assert_int_equal(r->samples[METRIC_STEP_PERIOD][1], 600000000);
	assert_round_trip(d);
	digest_free(r);
	digest_free(d);
	free(text);
}

static void test_snapshot_is_kept(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_snapshot(5);
	char *text = text_of(d, &n);
	struct digest *r = parse_ok((struct span){ text, n }, 0);
	assert_string_equal(r->snapshot, "rank.snapshot.json");
	assert_true(r->device_memory == MEMORY_UNKNOWN);
	assert_int_equal(r->memories.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_memory_equal(&r->memories.v[i].events, &d->memories.v[i].events,
		                    sizeof *r->memories.v - offsetof(struct memory_stat, events));
		const struct memory_evidence *e = &r->memory_evidence.v[i];
		assert_true(e->history && e->midway == (i == 1) && !e->truncated);
		assert_memory_equal(&e->unseen_frees, &d->memory_evidence.v[i].unseen_frees,
		                    sizeof *e - offsetof(struct memory_evidence, unseen_frees));
	}
	assert_int_equal(r->memory_items.nr, d->memory_items.nr);
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *want = &d->memory_items.v[i], *have = &r->memory_items.v[i];
		assert_string_equal(have->memory, want->memory);
		assert_int_equal(have->list, want->list);
		assert_int_equal(have->kind, want->kind);
		assert_true(span_eq(have->category, want->category) && span_eq(have->file, want->file) &&
		            span_eq(have->function, want->function));
		assert_memory_equal(&have->line, &want->line,
		                    sizeof *have - offsetof(struct memory_item, line));
	}
	assert_int_equal(r->memory_levels.nr, 4);
	for (size_t i = 0; i < 4; i++)
		assert_memory_equal(&r->memory_levels.v[i].entries, &d->memory_levels.v[i].entries,
		                    sizeof *r->memory_levels.v - offsetof(struct memory_level, entries));
	digest_free(r);
	digest_free(d);
	free(text);
}

static void test_snapshot_errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message; ///< expected message; NULL if the text is read
	} rows[] = {
		{ "\"alloc_count\":5,", "", NULL },
		{ "\"alloc_count\":5,", "\"alloc_count\":-5,", "'memories[0].alloc_count' is negative" },
		{ "\"reserved_at_peak\":-512", "\"reserved_at_peak\":-5.5",
		  "'memories[1].reserved_at_peak' is not a whole number" },
		{ "\"reserved_at_peak\":-512", "\"reserved_at_peak\":-9223372036854775809",
		  "'memories[1].reserved_at_peak' is too large" },
		{ "\"peak_transient\":-512", "\"peak_transient\":null",
		  "'memories[0].peak_transient' is not a number" },
		{ "\"list\":\"peak\"", "\"list\":\"peek\"", "'memory_items[2].list' is 'peek'" },
		{ "\"list\":\"peak\"", "\"list\":\"pinned\"", "'memory_items[3]' does not come after" },
		{ "\"kind\":\"rest\"", "\"kind\":\"test\"", "'memory_items[10].kind' is 'test'" },
		{ "\"memory\":\"3\",\"list\":\"category\"", "\"memory\":\"2\",\"list\":\"category\"",
		  "'memories' do not list a memory that other rows name" },
		{ "\"memory\":\"3\",\"history\"", "\"memory\":\"4\",\"history\"",
		  "'memories' do not list a memory that other rows name" },
		{ "\"memory\":\"0\",\"entries\":0", "\"memory\":\"\",\"entries\":0",
		  "'memories' do not list a memory that other rows name" },
		{ "\"entries\":7", "\"entries\":0", "'memory_levels[1]' does not come after" },
		{ "\"memory_levels\": [", "\"memory_levels\": 1, \"x\": [",
		  "'memory_levels' is not an array" },
		{ "\"midway\":false", "\"midway\":0", "'memory_evidence[0].midway' is neither true nor" },
	};
	size_t n;
	struct digest *d = sample_snapshot(0);
	char *text = text_of(d, &n);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diag_log log;
		struct digest *r = NULL;
		diag_init(&log);
		char *bad = edited(text, rows[i].old, rows[i].new);
		enum status st = parse(span_of(bad), 0, &r, &log);
		assert_int_equal(st, rows[i].message ? ST_INPUT : ST_OK);
		if (rows[i].message && !strstr(diag_first_error(&log), rows[i].message))
			fail_msg("'%s' instead of '%s'", diag_first_error(&log), rows[i].message);
		if (!rows[i].message)
			assert_true(r->memories.v[0].alloc_count == MEMORY_UNKNOWN);
		digest_free(r);
		free(bad);
		diag_release(&log);
	}
	free(text);
	digest_free(d);
}

static void test_layout(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_digest(0);
	char *text = text_of(d, &n);
	static const char head[] =
	    "{\n\"schema\": \"gpugate-digest-1\",\n\"minor\": 3,\n\"rank\": 0,\n\"world_size\": 2,\n";
	assert_memory_equal(text, head, sizeof head - 1);
	assert_non_null(strstr(text, "\n\"source_hash\": \"fedcba9876543210\",\n"));
	assert_non_null(strstr(text, "\n\"step.time\": [100000000,300000000],\n"));
	assert_non_null(strstr(text, "\n{\"id\":\"12/34\",\"busy_ns\":777,\"op_ns\":700}\n],\n"));
	assert_string_equal(text + n - 5, "}\n]\n}\n" + 1);
	digest_free(d);
	free(text);
}

static void test_hostile_names(void **state)
{
	(void)state;
	/* names in the order of their bytes, with invalid UTF-8 and NUL: each must stay distinct */
	static const struct span names[] = {
		SPAN(""),
		SPAN("\0"),
		SPAN("</script><!-- `|` ]]> \"\\\" \x1b[31m\r\n\t\b\f"),
		SPAN("a\0b"),
		SPAN("a\xc0\x80"),
		SPAN("a\xed\xa0\x80"),
		SPAN("a\xef\xbf\xbd"),
		SPAN("a\xff"),
		SPAN("a\xff\xff"),
		SPAN("\xe2\x80\xae\xf0\x9f\x98\x80"),
	};
	enum { NR = sizeof names / sizeof *names };
	struct digest *d = sample_digest(0);
	d->ops.nr = 0;
	for (size_t i = 0; i < NR; i++)
		vec_push(&d->ops, (struct op_stat){ names[i], (int64_t)i, 0, 0, 0 });
	d->trace = "bad\xff.json";
	d->devices.v[0].id = "\x80";
	assert_round_trip(d);
	size_t n;
	char *text = text_of(d, &n);
	assert_true(text_is_valid((struct span){ text, n }));
	struct digest *r = parse_ok((struct span){ text, n }, 0);
	assert_int_equal(r->ops.nr, NR);
	for (size_t i = 0; i < NR; i++)
		assert_true(span_eq(r->ops.v[i].name, names[i]));
	assert_string_equal(r->trace, d->trace);
	assert_string_equal(r->devices.v[0].id, "\x80");
	digest_free(r);
	digest_free(d);
	free(text);
}

/* ---- errors in digests ---- */

/* Replaces `old` by `new` in the sample. The error must be at the byte after the text
   `before_error`. */
static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *before_error, *message;
	} rows[] = {
		{ "digest-1", "digest-2", "\"schema\": ", "reads ('gpugate-digest-1'); use the" },
		{ "digest-1", "digest-0",
		  "\"schema\": ", "schema 'gpugate-digest-0' is older than what this gpugate (" },
		{ "gpugate-digest-1", "x", "\"schema\": ", "'schema' is 'x'" },
		{ "\"gpugate-digest-1\"", "1", "\"schema\": ", "'schema' is not a string" },
		{ "\"schema\"", "\"scheme\"", "\"scheme\":", "does not begin with the key 'schema'" },
		{ "{\n\"schema\"", "[{\"schema\"", "", "the file is not an object" },
		{ "\"rank\": 0", "\"rank\": 0, \"rank\": 0", ", \"rank\":", "'rank' is there twice" },
		{ "\"rank\": 0,", "", "]\n}", "'rank' is missing" },
		{ "\"rank\": 0", "\"rank\": -1", "\"rank\": ", "'rank' is negative" },
		{ "\"rank\": 0", "\"rank\": -0", "\"rank\": ", "'rank' is negative" },
		{ "\"rank\": 0", "\"rank\": 0.0", "\"rank\": ", "'rank' is not a whole number" },
		{ "\"rank\": 0", "\"rank\": 1e2", "\"rank\": ", "'rank' is not a whole number" },
		{ "\"rank\": 0", "\"rank\": 9223372036854775808", "\"rank\": ", "'rank' is too large" },
		{ "\"rank\": 0", "\"rank\": \"0\"", "\"rank\": ", "'rank' is not a number" },
		{ "\"rank\": 0", "\"rank\": NaN", "\"rank\": ", "'rank' is not a number" },
		{ "\"rank\": 0", "\"rank\": null", "\"rank\": ", "'rank' is not a number" },
		{ "\"world_size\": 2", "\"world_size\": -1",
		  "\"world_size\": ", "'world_size' is negative" },
		{ "\"rank\": 0", "\"rank\": 00", "\"rank\": 0", "unexpected '0'" },
		{ "\"trace\": \"rank.json\"", "\"trace\": null", "\"trace\": ", "'trace' is not a string" },
		{ "\"window\": false", "\"window\": false, \"unmarked\": \"x\"", "]\n}",
		  "'unmarked' is not \"period\"" },
		{ "\"window\": false", "\"window\": false, \"period_count\": -1", "]\n}",
		  "'period_count' or what it is of is below 0" },
		{ "rank.json", "\xff", "\"trace\": ", "'trace' is not valid UTF-8" },
		{ "rank.json", "a\\u0000", "\"trace\": ", "'trace' is not valid UTF-8, or holds a NUL" },
		{ "rank.json", "\\ud800", "\"trace\": ", "'trace' is not valid UTF-8" },
		{ "rank.json", "a\tb", "\"a", "raw control byte" },
		{ "rank.json\"", "\xef\xbf\xbd\", \"trace_hex\": \"f\"",
		  "\"trace_hex\": ", "'trace_hex' is not hex" },
		{ "rank.json\"", "\xef\xbf\xbd\", \"trace_hex\": \"FF\"",
		  "\"trace_hex\": ", "'trace_hex' is not hex" },
		{ "rank.json\"", "\xef\xbf\xbd\", \"trace_hex\": \"41\"",
		  "\"trace_hex\": ", "does not lead back to" },
		{ "rank.json\"", "A\", \"trace_hex\": \"41\"", "\"trace_hex\": ", "does not lead back to" },
		{ "rank.json\"", "A\", \"trace_hex\": \"ff\"", "\"trace_hex\": ", "does not lead back to" },
		{ "rank.json\"", "\xef\xbf\xbd\", \"trace_hex\": \"00\"",
		  "\"trace_hex\": ", "holds a NUL" },
		{ "rank.json\"", "\xef\xbf\xbd\", \"trace_hex\": \"ff\", \"trace_hex\": \"ff\"",
		  "\"ff\", \"trace_hex\":", "'trace_hex' is there twice" },
		{ "\"trace\": ", "\"trace_hex\": \"ff\", \"trace\": ", "\"trace_hex\":",
		  "'trace_hex' comes before its text" },
		{ "\"trace\": ", "\"rank_hex\": \"ff\", \"trace\": ", "\"rank_hex\":",
		  "'rank_hex' is not known" },
		{ "\"trace\": ", "\"ra\\u006e\\nk\": 1, \"trace\": ", "\"ra\\u006e\\nk\":",
		  "is not known" },
		{ "fedcba9876543210", "fedcba987654321",
		  "\"source_hash\": ", "'source_hash' is not 16 hex digits" },
		{ "fedcba9876543210", "Fedcba9876543210",
		  "\"source_hash\": ", "'source_hash' is not 16 hex digits" },
		{ "\"launch\"", "\"lunch\"",
		  "\"attribution\": ", "'attribution' is 'lunch', which is not known" },
		{ "\"window\": false", "\"window\": 0",
		  "\"window\": ", "'window' is neither true nor false" },
		{ "\"window\": false", "\"window\": null",
		  "\"window\": ", "'window' is neither true nor false" },
		{ "\"window\": false", "\"window\": true", "]\n}", "'steps' is more than one sample" },
		{ "\"environment\": [", "\"environment\": 1, \"x\": [",
		  "\"environment\": ", "'environment' is not an array" },
		{ "{\"key\":\"gpu.name\"", "{\"key\":\"zzz\"", "/80GB\"},\n",
		  "'environment[1]' does not come after" },
		{ "{\"key\":\"gpu.name\"", "{\"key\":\"samples_per_step\"", "/80GB\"},\n",
		  "'environment[1]' does not come after" },
		{ "{\"key\":\"gpu.name\"", "1,{\"key\":\"gpu.name\"", "\"environment\": [\n",
		  "'environment[0]' is not an object" },
		{ "\"trust\": {", "\"trust\": [], \"x\": {", "\"trust\": ", "'trust' is not an object" },
		{ "\"gpu_events\":40", "\"gpu_event\":40",
		  "\"gpu_event\":", "'trust.gpu_event' is not known" },
		{ "\"gpu_events\":40,", "", "\"partial\":false}", "'trust.gpu_events' is missing" },
		{ "\"number\": [7,8]", "\"number\": [7,8,9]", "\"activities\": [20,20]",
		  "'steps.activities' does not have one value" },
		{ "\"number\": [7,8]", "\"number\": [7,8.5]", "[7,",
		  "'steps.number' is not a whole number" },
		{ "\"step.span\": [", "\"step.spam\": [",
		  "\"step.spam\":", "'steps.step.spam' is not known" },
		{ "\"step.span\": [", "\"step.time\": [",
		  "13000,13001],\n\"step.time\":", "'steps.step.time' is there twice" },
		{ "\"step.span\": [", "\"step.span\": 1, \"x\": [",
		  "\"step.span\": ", "'steps.step.span' is not an array" },
		{ "\"step.time\": [100000000", "\"step.time\": [null", "\"step.time\": [",
		  "'steps.step.time' is not a number" },
		{ "\"step.period\": [200000000", "\"step.period\": [-1", "\"step.period\": [",
		  "'steps.step.period' is negative" },
		{ "\"activities\": [20,20],", "", "]\n}", "'steps.activities' is missing" },
		{ "\"steps\": {", "\"steps\": [", "\"steps\": ", "'steps' is not an object" },
		{ "\"kind\":\"kernel\"", "\"kind\":\"colonel\"",
		  "\"kind\":", "'kernels[0].kind' is 'colonel'" },
		{ "\"count\":2", "\"count\":-2",
		  "\"ncclAllReduce\",\"count\":", "'kernels[1].count' is negative" },
		{ "[4,106,1]", "[4,106]", "\"grid\":", "'kernels[0].grid' does not have three numbers" },
		{ "[4,106,1]", "[4,106,1,1]",
		  "\"grid\":", "'kernels[0].grid' does not have three numbers" },
		{ "[4,106,1]", "[4,-1,1]", "[4,", "'kernels[0].grid' is negative" },
		{ "[4,106,1]", "4", "\"grid\":", "'kernels[0].grid' is not an array" },
		{ "alpha_gemm", "ncclAllReduce", "0000},\n",
		  "'kernels[1]' does not come after the row before it" },
		{ "\"kind\":\"kernel\"", "\"kind\":\"memset\"", "0000},\n",
		  "'kernels[1]' does not come after the row before it" },
		{ "\"op_ns\":700}", "\"op_ns\":700,}", "op_ns\":700,",
		  "unexpected '}' where a key was expected" },
	};
	size_t n, failed = 0;
	struct digest *d = sample_digest(0);
	char *text = text_of(d, &n);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diag_log log;
		struct digest *r = NULL;
		diag_init(&log);
		char *bad = edited(text, rows[i].old, rows[i].new);
		assert_int_equal(parse(span_of(bad), 0, &r, &log), ST_INPUT);
		assert_null(r);
		const char *at = strstr(bad, rows[i].before_error);
		char *want = NULL;
		assert_non_null(at);
		/* the error is at the last bracket of the text */
		if (strcmp(rows[i].before_error, "]\n}") == 0)
			at = strcmp(rows[i].old, "\"activities\": [20,20],") ? bad + strlen(bad) - 4 : at;
		assert_true(asprintf(&want, "d.json: byte %zu: ",
		                     (size_t)(at - bad) + strlen(rows[i].before_error)) > 0);
		const char *have = diag_first_error(&log);
		if (strncmp(have, want, strlen(want)) != 0 || !strstr(have, rows[i].message)) {
			print_error("row %zu: %s instead of %s… %s\n", i, have, want, rows[i].message);
			failed++;
		}
		free(want);
		free(bad);
		diag_release(&log);
	}
	free(text);
	digest_free(d);
	assert_int_equal(failed, 0);
}

static void test_truncated_at_every_byte(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_digest(0);
	char *text = text_of(d, &n);
	for (size_t i = 0; i < n - 1; i++) {
		/* all cuts except the one before the last byte, which is a newline */
		struct diag_log log;
		struct digest *r;
		diag_init(&log);
		assert_int_equal(parse((struct span){ text, i }, 0, &r, &log), ST_INPUT);
		assert_non_null(diag_first_error(&log));
		diag_release(&log);
	}
	char *more = edited(text, "\n}\n", "\n}\n"), *tail;
	assert_true(asprintf(&tail, "%s{}", more) > 0);
	struct diag_log log;
	struct digest *r;
	diag_init(&log);
	assert_int_equal(parse(span_of(tail), 0, &r, &log), ST_INPUT);
	assert_non_null(strstr(diag_first_error(&log), "extra data"));
	diag_release(&log);
	free(tail);
	free(more);
	free(text);
	digest_free(d);
}

/* Reads the sample with `nr` steps or `nr` threads, and expects the given result. */
static void assert_limit(const char *sample, bool threads, size_t nr, enum status want,
                         const char *message)
{
	struct strbuf b = STRBUF_INIT;
	struct diag_log log;
	struct digest *r = NULL;
	diag_init(&log);
	strbuf_adds(&b, threads ? "" : "\"number\": [");
	for (size_t i = 0; i < nr; i++)
		if (threads)
			strbuf_addf(&b, "%s{\"id\":\"%07zu\",\"busy_ns\":0}", i ? "," : "", i);
		else
			strbuf_adds(&b, i ? ",0" : "0");
	strbuf_adds(&b, threads ? "" : "]");
	char *text = edited(
	    sample, threads ? "{\"id\":\"12/34\",\"busy_ns\":777,\"op_ns\":700}" : "\"number\": [7,8]",
	    strbuf_str(&b));
	assert_int_equal(parse(span_of(text), 0, &r, &log), want);
	if (message && !strstr(diag_first_error(&log), message))
		fail_msg("'%s' instead of '%s'", diag_first_error(&log), message);
	digest_free(r);
	diag_release(&log);
	strbuf_release(&b);
	free(text);
}

static void test_limits(void **state)
{
	(void)state;
	size_t n;
	struct digest *d = sample_digest(0);
	char *text = text_of(d, &n);
	assert_limit(text, false, store_limits.steps, ST_INPUT,
	             "'steps.activities' does not have one value for each step");
	assert_limit(text, false, store_limits.steps + 1, ST_INPUT,
	             "'steps.number' has too many steps");
	assert_limit(text, true, store_limits.rows, ST_OK, NULL);
	assert_limit(text, true, store_limits.rows + 1, ST_INPUT,
	             "'threads[1000000]' is one row too many");
	free(text);
	digest_free(d);
}

/* ---- baselines ---- */

static char *baseline_text(const struct baseline *b)
{
	struct sink *s = sink_open_memory();
	baseline_write(b, s);
	struct span text = sink_memory(s);
	char *copy = mem_strndup(text.p, text.n);
	sink_abort(s);
	return copy;
}

static enum status baseline_parse_text(const char *text, struct baseline *out, struct diag_log *log)
{
	struct source *src = source_memory("b.json", text, strlen(text), NULL);
	enum status st = baseline_parse(src, out, log);
	source_close(src);
	return st;
}

static void test_baseline(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} rows[] = {
		{ "baseline-1", "baseline-7", "schema 'gpugate-baseline-7' is newer" },
		{ "gpugate-baseline-1", "gpugate-digest-1",
		  "'schema' is 'gpugate-digest-1' where 'gpugate-baseline-1' is expected" },
		{ "\"workload\": \"toy\",", "", "'workload' is missing" },
		{ "\"reason\":\"\"", "\"reason\":\"\",\"mood\":\"\"", "'provenance.mood' is not known" },
		{ "\"reason\":\"\"", "\"reason\":1", "'provenance.reason' is not a string" },
		{ "\"ranks\": 2", "\"ranks\": 0", "'pin.ranks' holds no rank" },
		{ "\"ranks\": 2", "\"ranks\": 65537", "'pin.ranks' is too many ranks" },
		{ "\"ranks\": 2", "\"ranks\": 1", "'pin.rank' is not a number" },
		{ "\"ranks\": 2", "\"ranks\": 3", "'pin.rank' does not have one value for each rank" },
		{ "\"ranks\": 2,", "", "'pin' does not begin with the key 'ranks'" },
		{ "\"rank\": [0,4]", "\"rank\": [4,4]", "'pin.rank' is not in rising order" },
		{ "\"rank\": [0,4]", "\"rank\": [0,4,5]", "'pin.rank' does not have one value" },
		{ "\"rank\": [0,4]", "\"rank\": []", "'pin.rank' is empty" },
		{ "\"rank\": [0,4]", "\"rank\": [0,null]", "'pin.rank' is missing" },
		{ "\"world_size\": 2", "\"world_size\": [2,null]", NULL },
		{ "\"number\": [7,8]", "\"number\": [7]",
		  "'pin.steps.activities' does not have one value" },
		{ "\"number\": [7,8]", "\"number\": [[7,8]]",
		  "'pin.steps.number' does not have one value" },
		{ "\"number\": [7,8]", "\"number\": [[7,8],[7,8]]", NULL },
		{ "\"number\": [7,8]", "\"number\": [[7,8],[7]]", "'pin.steps.activities' does not have" },
		{ "\"pin\": {", "\"pin\": [], \"x\": {", "'pin' is not an object" },
		{ "\"id\":\"12/34\"", "\"id\":7", "'pin.threads[0].id' is not a string" },
		{ "{\"id\":\"12/34\"", "{\"ranks\":[1],\"id\":\"12/34\"", NULL },
		{ "{\"id\":\"12/34\"", "{},\n{\"id\":\"12/34\"", "'pin.threads[0].id' is missing" },
		{ "{\"id\":\"12/34\"", "{\"ranks\":[],\"id\":\"12/34\"",
		  "'pin.threads[0].ranks' is not a rising" },
		{ "{\"id\":\"12/34\"", "{\"ranks\":[1,0],\"id\":\"12/34\"",
		  "'pin.threads[0].ranks' is not a rising" },
		{ "{\"id\":\"12/34\"", "{\"ranks\":[2],\"id\":\"12/34\"",
		  "'pin.threads[0].ranks' is not a rising" },
		{ "\"grid\":[4,106,1]", "\"grid\":[[4,106,1],null]", NULL },
		{ "\"grid\":[4,106,1]", "\"grid\":[[4,106,1],[4]]",
		  "'pin.kernels[0].grid[1]' does not have three" },
		{ "\"recent\": []", "\"recent\": [1]", "'recent[0]' is not an object" },
		{ "\"recent\": []", "\"recent\": {}", "'recent' is not an array" },
		{ ",\n\"recent\": []", "", "'recent' is missing" },
	};
	struct baseline b = { .workload = "toy",
		                  .provenance = { "abc", "2026-01-02T03:04:05Z", "0.1.0", "\xff", "",
		                                  NULL } };
	vec_push(&b.pin.ranks, sample_digest(0));
	vec_push(&b.pin.ranks, sample_digest(4));
	char *text = baseline_text(&b);
	struct baseline r;
	struct diag_log log;
	diag_init(&log);
	assert_int_equal(baseline_parse_text(text, &r, &log), ST_OK);
	assert_string_equal(r.workload, "toy");
	assert_string_equal(r.provenance.who, "\xff");
	assert_string_equal(r.pin.label, "b.json");
	assert_int_equal(r.pin.ranks.nr, 2);
	assert_int_equal(r.pin.ranks.v[1]->rank, 4);
	char *again = baseline_text(&r);
	assert_string_equal(text, again);
	baseline_release(&r);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *bad = edited(text, rows[i].old, rows[i].new);
		diag_release(&log);
		enum status st = baseline_parse_text(bad, &r, &log);
		const char *error = diag_first_error(&log);
		if (st != (rows[i].message ? ST_BASELINE : ST_OK) ||
		    (rows[i].message && !strstr(error, rows[i].message)))
			fail_msg("'%s' instead of '%s'", error, rows[i].message);
		baseline_release(&r);
		free(bad);
	}
	assert_int_equal(baseline_read("/nonexistent/b.json", &r, &log), ST_BASELINE);
	baseline_release(&r);
	diag_release(&log);
	baseline_release(&b);
	free(text);
	free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_fields_are_kept),
		cmocka_unit_test(test_null_is_kept),
		cmocka_unit_test(test_snapshot_is_kept),
		cmocka_unit_test(test_snapshot_errors),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_truncated_at_every_byte),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_baseline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
