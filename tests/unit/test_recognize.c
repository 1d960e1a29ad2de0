/* Memory snapshots, and memory records of other profilers, are distinguished from traces by
   content, in whole files and by the first bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/artifact_format.h"

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
	/* traces, although they have keys of snapshots */
	{ "{\"traceEvents\": [], \"segments\": [" SEGMENT "]}", false },
	{ "{\"segments\": [], \"traceEvents\": [], \"device_traces\": []}", false },
	{ "[{\"ph\": \"X\", \"address\": 1, \"total_size\": 2}]", false },
	{ "[{\"name\": \"a\", \"args\": {\"address\": 1, \"total_size\": 2}}]", false },
	{ "[{\"name\": \"a\", \"ph\": \"X\"}, {\"ts\": 1}]", false },
	/* JSON that is not a trace and has one of the keys of snapshots */
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

static const char *format_of(struct span text)
{
	return artifact_format_find(text, "file")->name;
}

static void test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span text = span_of(rows[i].text);
		struct source *src = source_memory("t", text.p, text.n, NULL);
		if (json_form_of(src) != (rows[i].snapshot ? JSON_SNAPSHOT : JSON_OTHER))
			fail_msg("%s", rows[i].text);
		source_close(src);
		if (strcmp(format_of(text), rows[i].snapshot ? "snapshot" : "trace") != 0)
			fail_msg("first bytes: %s", rows[i].text);
	}
}

static const struct {
	const char *format;
	struct span first;
} firsts[] = {
	/* an empty file is left to the trace reader, which reports that it is empty */
	{ "trace", SPAN("") },
	{ "trace", SPAN(" \n\t\r") },
	{ "trace", SPAN("{}") },
	{ "trace", SPAN("\n [1") },
	{ "other", SPAN("nul") },
	{ "other", SPAN("-1") },
	{ "digest", SPAN("{\"schema\":\"gpugate-digest-1\",\"ranks\"") },
	{ "baseline", SPAN("{\n \"schema\": \"gpugate-baseline-1\"") },
	{ "machine", SPAN("{\"schema\": \"gpugate-machine-1\", \"time_ns\": 1") },
	{ "report", SPAN("{\"schema\": \"gpugate-metrics-1\"") },
	{ "report", SPAN("{\"schema\": \"gpugate-result-1\"") },
	{ "trace", SPAN("{\"schema\": \"other\"}") },
	{ "trace", SPAN("[\"gpugate-digest-1\"]") },
	{ "pickle", SPAN("\x80\x02}q\0") },
	{ "pickle", SPAN("\x80\x04\x95") },
	{ "pickle", SPAN("(dp0\nS'segments'") },
	{ "pickle", SPAN("}q\0(X") },
	{ "pickle", SPAN("]q\0") },
	{ "xspace", SPAN("\x0a\x14\x12\x0e/host:metadata") },
	/* the first two bytes, a tag and a length, look like line feeds or blanks */
	{ "xspace", SPAN("\x0a\x0a\x08\x01\x12\x06/device:GPU:0") },
	{ "xspace", SPAN("\x0a\x20\x12\x09/host:CPU") },
	{ "other", SPAN("\x0a\x14\x12\x0etokyo.example") },
	/* a name that is longer than the plane that contains it */
	{ "other", SPAN("\x0a\x05\x12\x0e/host:metadata") },
	{ "nsys", SPAN("SQLite format 3\0\x10") },
	{ "other", SPAN("SQLite format 2\0\x10") },
	{ "other", SPAN("<html>") },
	{ "other", SPAN("version: 1") },
	{ "other", SPAN("\0") },
	{ "other", SPAN(" \0{") },
	{ "other", SPAN("\x7f"
	                "ELF") },
	{ "other", SPAN("PK\x03\x04") },
	{ "other", SPAN("\xEF\xBB\xBF{}") },
	{ "run", SPAN("{\"schema\": \"gpugate-run-1\"") },
	{ "tensorboard",
	  SPAN("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\xc0\x85\x9c\x0d\xd9\x41\x1a\x0d"
	       "brain.Event:2") },
	{ "flight_pickle", SPAN("\x80\x02}q\0(X\x09\0\0\0pg_configq\x01") },
	{ "flight", SPAN("{\"entries\": [{\"collective_seq_id\": 1, \"record_id\": 0,") },
	{ "flight", SPAN("{\"version\": \"2.10\", \"entries\": [], \"pg_config\": {\"0\":") },
	{ "trace", SPAN("{\"entries\": [{\"record_id\": 0, \"action\": \"alloc\"}]}") },
	{ "utf16", SPAN("\xff\xfe{\0") },
	{ "utf16", SPAN("\xfe\xff\0{") },
	{ "columns", SPAN("PAR1\x15\x04") },
	{ "columns", SPAN("ARROW1\0\0") },
	{ "snapshot", SPAN("{\"segments\": [" SEGMENT "]}") },
	{ "xprof", SPAN("{\"memoryProfilePerAllocator\":{}}") },
	{ "xprof", SPAN(" {\"version\":1,\"memory_profile_per_allocator\":{\"0\":") },
	{ "xprof", SPAN("{\"hloModules\":[{}],\"memoryProfilePerAllocator\":{\"0\":{}") },
	{ "trace", SPAN("{\"memoryProfilePerAllocator\":[]}") },
	{ "trace", SPAN("{\"memory_profilePerAllocator\":{}}") },
	{ "trace", SPAN("{\"memoryProfilePerAllocators\":{}}") },
	{ "trace", SPAN("{\"traceEvents\":[],\"memoryProfilePerAllocator\":{}}") },
	{ "trace", SPAN("[{\"memoryProfilePerAllocator\":{}}]") },
	{ "timeline", SPAN("[[-1, 1, 1024, 0], [") },
	{ "timeline", SPAN("\n[ [1e3") },
	{ "timeline", SPAN("[[], []]") },
	{ "trace", SPAN("[[\"a\", 1]]") },
	{ "trace", SPAN("[[[1]]]") },
	{ "trace", SPAN("[[") },
	{ "trace", SPAN("[]") },
	{ "trace", SPAN("[1, [2]]") },
	{ "timeline page", SPAN("<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline "
	                        "HTML</title></head>") },
	{ "other", SPAN("<html><title>x</title>") },
	{ "metrics", SPAN("{\"tokens_per_s\": 123.4}") },
	{ "metrics", SPAN(" {\"a\": -1e3, \"b\": NaN, \"c\"") },
	{ "metrics", SPAN("{\"a\": 1, \"b\": \"text\", \"c\": {\"d\": null}}") },
	{ "metrics", SPAN("{\"a\": 1} x") },
	{ "trace", SPAN("{}") },
	{ "trace", SPAN("{\"a\": \"text\"}") },
	{ "trace", SPAN("{\"a\": 1, \"b\": \"text\"") },
	{ "trace", SPAN("{\"a\": \"text\", \"b\": 1} x") },
	{ "trace", SPAN("{\"a\": 1, \"b\": [2]}") },
	{ "trace", SPAN("{\"schemaVersion\": 1}") },
	{ "trace", SPAN("{\"schemaVersion\": 1, \"with_stack\": 1, \"traceEvents\"") },
	{ "trace", SPAN("{\"pid\": 1, \"nodes\": 2}") },
	/* beginnings of pickle.dumps({"a": 1}), ([]), protocols 0 to 5, and of the output of
	   pickletools.optimize() */
	{ "pickle", SPAN("\x80\x02}q") },
	{ "pickle", SPAN("\x80\x05\x95") },
	{ "pickle", SPAN("(dp0\nVa") },
	{ "pickle", SPAN("(lp0\n.") },
	{ "pickle", SPAN("}q\x01X") },
	{ "pickle", SPAN("]q") },
	{ "pickle", SPAN("(dVa\nI1\ns.") },
	{ "pickle", SPAN("}(X\x01") },
	{ "pickle", SPAN("}.") },
	{ "pickle", SPAN("].") },
	{ "pickle", SPAN("(l(dVa") },
	{ "other", SPAN("(due to") },
	{ "other", SPAN("}") },
	{ "other", SPAN("]") },
	{ "other", SPAN("(l") },
	{ "other", SPAN("dp0") },
	{ "other", SPAN("from x import y") },
	{ "other", SPAN("\"doc\"") },
	{ "other", SPAN("17") },
	{ "other", SPAN("null") },
	{ "other", SPAN("true") },
};

static void test_first_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
		if (strcmp(format_of(firsts[i].first), firsts[i].format) != 0)
			fail_msg("'%s' is %s, not %s", firsts[i].first.p, format_of(firsts[i].first),
			         firsts[i].format);
}

static void test_endings(void **state)
{
	(void)state;
	const struct span bytes = SPAN("\x01"
	                               "binary");
	assert_string_equal(artifact_format_find(bytes, "a.nsys-rep")->name, "nsys report");
	assert_string_equal(artifact_format_find(bytes, "a.qdrep")->name, "nsys report");
	assert_string_equal(artifact_format_find(bytes, "a.ncu-rep")->name, "ncu report");
	assert_string_equal(artifact_format_find(bytes, "nsys-rep")->name, "other");
	assert_string_equal(artifact_format_find(SPAN("{"), "a.qdrep")->name, "trace");
}

/* Beginnings of files cut at any byte: if the kind is not yet sure, the trace reader gets the file.
 */
static void test_cut(void **state)
{
	(void)state;
	const struct span text = SPAN("{\"segments\": [" SEGMENT "]}");
	bool was = false;
	for (size_t n = 1; n <= text.n; n++) {
		const char *format = format_of((struct span){ text.p, n });
		bool is = strcmp(format, "snapshot") == 0;
		assert_true(is || strcmp(format, "trace") == 0);
		assert_true(is || !was);
		was = is;
	}
	assert_true(was);
}

static bool has_case(const struct artifact_format *f)
{
	for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
		if (strcmp(firsts[i].format, f->name) == 0)
			return true;
	return false;
}

/* Every reader must have a fuzz target, and its recognition a test above. */
static void test_rows(void **state)
{
	char path[100];
	(void)state;
	for (const struct artifact_format *f = artifact_formats; f->name; f++) {
		bool by_ending =
		    !f->schema && !f->form && !f->recognize && !f->recognize_blanks && f->endings[0];
		snprintf(path, sizeof path, "fuzz/fuzz_%s.c", f->name);
		if (f->load && access(path, R_OK) != 0)
			fail_msg("format '%s' has no fuzz target tests/%s", f->name, path);
		if (!by_ending && !has_case(f))
			fail_msg("format '%s' has no case in firsts[]", f->name);
		if (!f->load == !f->refusal)
			fail_msg("format '%s' needs a loader or a refusal", f->name);
		if (f->form && artifact_format_of(f->form) != f)
			fail_msg("format '%s' shares its form of JSON with another row", f->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),   cmocka_unit_test(test_first_bytes),
		cmocka_unit_test(test_endings), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
