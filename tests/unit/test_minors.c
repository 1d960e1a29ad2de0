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
	enum status st = digest_read(src, ST_INPUT, out, log);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_fields),
		cmocka_unit_test(newer_minor),
		cmocka_unit_test(older_minor),
		cmocka_unit_test(newer_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
