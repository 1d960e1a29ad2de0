/* Memory snapshots, and what other profilers record of memory, are told from traces by content, in
   whole files and by the first bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/recognise.h"

#define SEGMENT "{\"device\": 0, \"address\": 1, \"total_size\": 2, \"blocks\": []}"
#define LONG_FRAMES "\"frames\": [{\"name\": \"f\"}], \"x\": [1, {\"ph\": \"X\"}]"

static const struct {
	const char *text;
	bool snapshot;
} rows[] = {
	{ "{\"segments\": [" SEGMENT "]}", true },
	{ " \n{\"segments\":[{\"blocks\":[],\"device\":0,\"segment_type\":\"large\"}]}", true },
	{ "{\"segments\": [{" LONG_FRAMES ", \"address\": 1, \"total_size\": 2}]}", true },
	{ "{\"segments\": [{" LONG_FRAMES "}, " SEGMENT "]}", true },
	{ "{\"external_annotations\": [{}], \"allocator_settings\": {}, \"segments\": [" SEGMENT "]}",
	  true },
	{ "{\"device_traces\": [[], [{\"action\": \"alloc\"}]]}", true },
	{ "{\"device_traces\": [[], []], \"segments\": []}", true },
	{ "{\"segments\": [], \"device_traces\": []}", true },
	{ "[" SEGMENT "]", true },
	{ "[{\"address\": 1, \"total_size\": 2, \"stream\": 0}]", true },
	/* traces */
	{ "{\"traceEvents\": [], \"segments\": [" SEGMENT "]}", false },
	{ "{\"segments\": [], \"traceEvents\": [], \"device_traces\": []}", false },
	{ "[{\"ph\": \"X\", \"address\": 1, \"total_size\": 2}]", false },
	{ "[{\"name\": \"a\", \"args\": {\"address\": 1, \"total_size\": 2}}]", false },
	{ "[{\"name\": \"a\", \"ph\": \"X\"}, {\"ts\": 1}]", false },
	/* other JSON that has a word of it */
	{ "{\"segments\": []}", true },
	{ "{\"device_traces\": [[]]}", false },
	{ "{\"segments\": {\"address\": 1, \"total_size\": 2}}", false },
	{ "{\"text\": \"\", \"segments\": [{\"id\": 0, \"start\": 0.0, \"text\": \"a\"}]}", false },
	{ "{\"metadata\": {\"total_size\": 1}, \"address\": [2]}", false },
	{ "{\"device_traces\": [{\"action\": \"alloc\"}]}", false },
	{ "[[" SEGMENT "]]", false },
	{ "[1, \"total_size\", null]", false },
	{ "{\"segments\": [{\"address\": 1, }", false },
};

static void test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span text = span_of(rows[i].text);
		struct source *src = source_memory("t", text.p, text.n, NULL);
		enum artifact want = rows[i].snapshot ? ARTIFACT_SNAPSHOT : ARTIFACT_TRACE;
		if (memory_recognise(src) != want)
			fail_msg("%s", rows[i].text);
		source_close(src);
		if (artifact_recognise(text) != want)
			fail_msg("first bytes: %s", rows[i].text);
	}
}

static void test_records(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum artifact kind;
	} records[] = {
		{ "{\"memoryProfilePerAllocator\":{}}", ARTIFACT_XPROF },
		{ " {\"version\":1,\"memory_profile_per_allocator\":{\"0\":", ARTIFACT_XPROF },
		{ "{\"hloModules\":[{}],\"memoryProfilePerAllocator\":{\"0\":{}", ARTIFACT_XPROF },
		{ "{\"memoryProfilePerAllocator\":[]}", ARTIFACT_TRACE },
		{ "{\"memory_profilePerAllocator\":{}}", ARTIFACT_TRACE },
		{ "{\"memoryProfilePerAllocators\":{}}", ARTIFACT_TRACE },
		{ "{\"traceEvents\":[],\"memoryProfilePerAllocator\":{}}", ARTIFACT_TRACE },
		{ "[{\"memoryProfilePerAllocator\":{}}]", ARTIFACT_TRACE },
		{ "[[-1, 1, 1024, 0], [", ARTIFACT_TIMELINE },
		{ "\n[ [1e3", ARTIFACT_TIMELINE },
		{ "[[], []]", ARTIFACT_TIMELINE },
		{ "[[\"a\", 1]]", ARTIFACT_TRACE },
		{ "[[[1]]]", ARTIFACT_TRACE },
		{ "[[", ARTIFACT_TRACE },
		{ "[]", ARTIFACT_TRACE },
		{ "[1, [2]]", ARTIFACT_TRACE },
	};
	static const char page[] = "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline "
	                           "HTML</title></head>";
	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		if (artifact_recognise(span_of(records[i].text)) != records[i].kind)
			fail_msg("%s", records[i].text);
	assert_int_equal(artifact_recognise(span_of(page)), ARTIFACT_TIMELINE_PAGE);
	assert_int_equal(artifact_recognise(span_of("<html><title>x</title>")), ARTIFACT_UNKNOWN);
}

/* The first bytes end anywhere: what is not yet sure is left to the trace reader. */
static void test_cut(void **state)
{
	(void)state;
	const struct span text = SPAN("{\"segments\": [" SEGMENT "]}");
	bool was = false;
	for (size_t n = 1; n <= text.n; n++) {
		enum artifact a = artifact_recognise((struct span){ text.p, n });
		assert_true(a == ARTIFACT_TRACE || a == ARTIFACT_SNAPSHOT);
		assert_true(a == ARTIFACT_SNAPSHOT || !was);
		was = a == ARTIFACT_SNAPSHOT;
	}
	assert_true(was);
}

static void test_metrics(void **state)
{
	(void)state;
	static const char *const metrics[] = {
		"{\"tokens_per_s\": 123.4}",
		" {\"a\": -1e3, \"b\": NaN, \"c\"",
		"{\"a\": 1, \"b\": \"text\", \"c\": {\"d\": null}}",
		"{\"a\": 1} x",
	};
	static const char *const others[] = {
		"{}",
		"{\"a\": \"text\"}",
		"{\"a\": 1, \"b\": \"text\"",
		"{\"a\": \"text\", \"b\": 1} x",
		"{\"a\": 1, \"b\": [2]}",
		"{\"schemaVersion\": 1}",
		"{\"schemaVersion\": 1, \"with_stack\": 1, \"traceEvents\"",
		"{\"pid\": 1, \"nodes\": 2}",
	};
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		assert_int_equal(artifact_recognise(span_of(metrics[i])), ARTIFACT_METRICS);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(artifact_recognise(span_of(others[i])), ARTIFACT_TRACE);
}

static void test_pickles(void **state)
{
	(void)state;
	/* starts of pickle.dumps({"a": 1}), ([]), protocols 0 to 5, and of what
	   pickletools.optimize() leaves of them */
	static const char *const pickles[] = {
		"\x80\x02}q",   "\x80\x05\x95", "(dp0\nVa", "(lp0\n.", "}q\x01X", "]q",
		"(dVa\nI1\ns.", "}(X\x01",      "}.",       "].",      "(l(dVa",
	};
	static const char *const others[] = { "(due to",         "}",       "]",  "(l",   "dp0",
		                                  "from x import y", "\"doc\"", "17", "null", "true" };
	for (size_t i = 0; i < sizeof pickles / sizeof *pickles; i++)
		assert_int_equal(artifact_recognise(span_of(pickles[i])), ARTIFACT_PICKLE);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(artifact_recognise(span_of(others[i])), ARTIFACT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),   cmocka_unit_test(test_records), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_pickles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
