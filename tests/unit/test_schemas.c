/* Checks that files of schemas/ equal what the tables generate; run with SCHEMA_UPDATE=1 to renew
   them. tests/prop/schemas.py validates outputs with all of them. */
#include "text_rig.h"

#include <stdio.h>

#include "history/trends.h"
#include "model/rows.h"
#include "rules/rules_file.h"
#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "store/history_file.h"
#include "store/row.h"
#include "store/run_json.h"
#include "suite/suite.h"

static const struct {
	const char *path;
	void (*write)(struct sink *out);
	const struct schema *schema;
} files[] = {
	{ "../schemas/gpugate-rules-1.json", rules_schema_write, NULL },
	{ "../schemas/gpugate-rules-2.json", rules_differences_schema_write, NULL },
	{ "../schemas/" DIGEST_SCHEMA ".json", NULL, &digest_schema },
	{ "../schemas/" RUN_SCHEMA ".json", NULL, &run_schema },
	{ "../schemas/" BASELINE_SCHEMA ".json", NULL, &baseline_schema },
	{ "../schemas/" HISTORY_SCHEMA ".json", NULL, &history_schema },
	{ "../schemas/" TREND_SCHEMA ".json", NULL, &trends_schema },
	{ "../schemas/" SUITE_SCHEMA ".json", NULL, &suite_schema },
};

static void renew(const char *path, struct span text)
{
	FILE *f = fopen(path, "w");
	if (!f)
		fail_msg("%s: run in tests/", path);
	fwrite(text.p, 1, text.n, f);
	assert_int_equal(fclose(f), 0);
}

static void test_file(const char *path, struct span text)
{
	struct strbuf file = STRBUF_INIT;
	char buf[4096];
	size_t n;
	if (getenv("SCHEMA_UPDATE"))
		renew(path, text);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s: run in tests/", path);
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(&file, (struct span){ buf, n });
	fclose(f);
	if (!span_eq(strbuf_span(&file), text))
		fail_msg("%s is not what the table says; run with SCHEMA_UPDATE=1", path);
	strbuf_release(&file);
}

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct sink *out = sink_open_memory();
		if (files[i].write)
			files[i].write(out);
		else
			row_schema_write(files[i].schema, out);
		test_file(files[i].path, sink_memory(out));
		sink_abort(out);
	}
}

/* ---- schemas of rows of `metrics --json` ---- */

static const char *shown_type(const struct field *f)
{
	switch (f->type) {
	case FIELD_COUNT:
		return "{\"$ref\": \"#/$defs/count\"}";
	case FIELD_NUMBER:
		return "{\"type\": \"integer\"}";
	case FIELD_OPTIONAL_COUNT:
	case FIELD_OPTIONAL_NUMBER:
		return "{\"type\": [\"integer\", \"null\"]}";
	case FIELD_BOOL:
		return "{\"type\": \"boolean\"}";
	case FIELD_TEXT:
		return "{\"$ref\": \"#/$defs/id\"}";
	default:
		return "{\"type\": \"string\"}";
	}
}

/* Checks the object `key` in a schema file: for each field of the table `s`, it must have the line
 * that can be made from the table. */
static void test_rows_of(const char *file, const char *key, const struct schema *s)
{
	struct strbuf name = STRBUF_INIT, line = STRBUF_INIT;
	strbuf_addf(&name, "\n    \"%s\": {", key);
	const char *from = strstr(file, strbuf_str(&name));
	assert_non_null(from);
	const char *end = strstr(from, "\n    },");
	assert_non_null(end);
	for (const struct field *f = s->fields; f < s->fields + s->nr; f++) {
		if (!f->shown)
			continue;
		line.n = 0;
		strbuf_addf(&line, "\"%s\": %s", f->shown, shown_type(f));
		const char *at = strstr(from, strbuf_str(&line));
		if (!at || at > end)
			fail_msg("gpugate-metrics-1: %s lacks %s", key, strbuf_str(&line));
	}
	strbuf_release(&name);
	strbuf_release(&line);
}

static void test_metrics(void **state)
{
	(void)state;
	struct strbuf file = STRBUF_INIT;
	char buf[4096];
	size_t n;
	FILE *f = fopen("../schemas/gpugate-metrics-1.json", "r");
	if (!f)
		fail_msg("run in tests/");
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(&file, (struct span){ buf, n });
	fclose(f);
	const char *text = strbuf_str(&file);
	test_rows_of(text, "ranks", &trust_counts_row);
	test_rows_of(text, "kernels", &kernel_stat_row);
	test_rows_of(text, "collectives", &comm_stat_row);
	test_rows_of(text, "functions", &function_stat_row);
	test_rows_of(text, "memory_items", &memory_item_row);
	test_rows_of(text, "memory_levels", &memory_level_row);
	strbuf_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_files),
		                                cmocka_unit_test(test_metrics) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
