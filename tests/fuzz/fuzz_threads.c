/* Traces that are easily cut in the wrong place are read by 2 to 8 threads: they have strings that
 * look like events, and escapes, quotes and brackets wherever these may occur. Events, messages and
 * digest equal those of a single thread. The first two bytes choose the number of threads and the
 * size of the pieces that they read; each further byte appends one of the texts below. */
#include "fuzz.h"

#include <stdlib.h>

#include "../unit/reduced_text.h"
#include "../unit/trace_record.h"
#include "choices.h"

static const char *const parts[] = {
	/* ---- texts of whole events ---- */
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":3,"
	"\"args\":"
	"{\"device\":0,\"stream\":7,\"correlation\":1}}",
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"},{\\\"ph\\\":\\\"X\\\"\",\"pid\":0,\"tid\":7,"
	"\"ts\":20,"
	"\"dur\":3,\"args\":{\"device\":0,\"stream\":7,\"correlation\":2}}",
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":5,"
	"\"dur\":1,\"args\":{\"correlation\":1}}",
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
	"\"ts\":1,"
	"\"dur\":50}",
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\\\\\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":9,"
	"\"args\":"
	"{\"Input Dims\":[[8,4],[4]],\"Input type\":[\"float\",\"},\"]}}",
	"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"t.py(1): "
	"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":"
	"40,\"args\":{\"Python id\":1,\"Python parent id\":null}}",
	"{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":3,\"args\":{\"Bytes\":512,"
	"\"Device "
	"Type\":1,\"Device Id\":0,\"Total Allocated\":512,\"Total Reserved\":4096}}",
	"{}",
	/* ---- text between events ---- */
	",",
	",",
	",\n",
	"\n,",
	" , ",
	"\r\n",
	/* ---- beginnings of events ---- */
	"{\"ph\":\"X\"",
	",\"name\":\"",
	",\"cat\":\"kernel\"",
	",\"ts\":",
	",\"dur\":",
	",\"args\":{",
	"}",
	"},{",
	"}}",
	"}},\n{\"ph\":\"X\",\"cat\":\"",
	"[",
	"]",
	"]}",
	"{",
	":",
	"\"",
	"\"x\":[{\"ph\":\"X\"},{\"ph\":",
	/* ---- escapes, also incomplete ones ---- */
	"\\",
	"\\\\",
	"\\\"",
	"\\u005c",
	"\\u0022",
	"\\ud83d",
	"\\ude00",
	"\\q",
	"\xc3",
	"\xa9",
	"\xf0\x9f",
	"\x01",
	"\xe2\x80\xa8",
	/* ---- values of members ---- */
	"1",
	"-1",
	"9223372036854775.807",
	"1e99",
	"NaN",
	"Infinity",
	"null",
	"true",
	"0.0000001",
	"tru",
	/* ---- keys of the outermost object ---- */
	"\"traceEvents\":[",
	"],\"distributedInfo\":{\"rank\":3}",
	"],\"traceEvents\":[",
	"\"traceEvents\"",
	",\"schemaVersion\":1",
};

static void law(bool holds)
{
	if (!holds)
		abort();
}

static bool alike(struct span text, struct trace_options one, struct trace_options many)
{
	struct record whole = record_trace(text, one, 0, 0), split = record_trace(text, many, 0, 0);
	bool is_read = whole.status == ST_OK;
	law(record_same(&whole, &split));
	record_release(&whole);
	record_release(&split);
	return is_read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = { data, data + size };
	struct strbuf text = STRBUF_INIT;
	struct trace_options one = { 0 }, many = { .threads = 2 + choose(&c, 7) };
	struct reduce_options reduce = { .marker = "*Step#*", .communication = "nccl" };
	many.piece = 16 + choose(&c, 256);
	strbuf_adds(&text, "{\"traceEvents\":[");
	while (c.p < c.end && text.n < 1 << 14)
		strbuf_adds(&text, parts[choose(&c, sizeof parts / sizeof *parts)]);
	for (int tail = 0; tail < 2; tail++) {
		struct span s = strbuf_span(&text);
		fuzz_accepted = alike(s, one, many);
		one.allow_truncated = many.allow_truncated = true;
		alike(s, one, many);
		struct strbuf a = reduced(s, &one, &reduce), b = reduced(s, &many, &reduce);
		law(span_eq(strbuf_span(&a), strbuf_span(&b)));
		strbuf_release(&a);
		strbuf_release(&b);
		one.allow_truncated = many.allow_truncated = false;
		strbuf_adds(&text, "]}");
	}
	strbuf_release(&text);
	return 0;
}
