/* Files of schemas/ that come from tables are what the tables say; to renew them, run with
   SCHEMA_UPDATE=1. tests/prop/schemas.py holds outputs against all of them. */
#include "text_rig.h"

#include <stdio.h>

#include "rules/rules_file.h"
#include "store/digest_json.h"
#include "store/run_json.h"

static const struct {
	const char *path;
	void (*write)(struct sink *out);
} files[] = {
	{ "../schemas/gpugate-rules-1.json", rules_schema_write },
	{ "../schemas/" DIGEST_SCHEMA ".json", digest_schema_write },
	{ "../schemas/" RUN_SCHEMA ".json", run_schema_write },
	{ "../schemas/" BASELINE_SCHEMA ".json", baseline_schema_write },
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
		files[i].write(out);
		test_file(files[i].path, sink_memory(out));
		sink_abort(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_files) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
