/* A trace as a whole: its metadata, files that are refused, cuts and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "trace_rows.h"

/* ---- metadata of a trace ---- */

#define TAIL ",'traceEvents':[]}"

static const struct row meta_rows[] = {
	{ .json = "{'distributedInfo':{'backend':'nccl','rank':3,'world_size':8,'pg_config':[{'rank':9}"
	          "]}" TAIL,
	  .events = "",
	  .meta = "events=0 rank=3 world=8" },
	/* only plain integers are accepted as ranks */
	{ .json = "{'distributedInfo':{'rank':'3','world_size':null}" TAIL,
	  .events = "",
	  .meta = "events=0" },
	{ .json = "{'distributedInfo':{'rank':-1,'world_size':1e99}" TAIL,
	  .events = "",
	  .meta = "events=0" },
	{ .json = "{'distributedInfo':{'rank':1.0,'world_size':8e0}" TAIL,
	  .events = "",
	  .meta = "events=0" },
	{ .json =
	      "{'distributedInfo':{'rank':9223372036854775808,'world_size':9223372036854775807}" TAIL,
	  .events = "",
	  .meta = "events=0 world=9223372036854775807" },
	{ .json = "{'distributedInfo':{'rank':[0],'world_size':true}" TAIL,
	  .events = "",
	  .meta = "events=0" },
	{ .json = "{'distributedInfo':null,'rank':5" TAIL, .events = "", .meta = "events=0" },
	{ .json = "{'distributedInfo':[{'rank':3}]" TAIL, .events = "", .meta = "events=0" },
	{ .json = "{'distributedInfo':{'rank':2},'distributedInfo':{'rank':4}" TAIL,
	  .events = "",
	  .meta = "events=0 rank=4" },
	{ .json = "{'cuda_runtime_version':12040,'cuda_driver_version':12020" TAIL,
	  .events = "",
	  .meta = "events=0 runtime=12.4 driver=12.2" },
	{ .json = "{'cuda_runtime_version':9000,'cuda_driver_version':'11080'" TAIL,
	  .events = "",
	  .meta = "events=0 runtime=9.0" },
	{ .json = "{'hip_runtime_version':70226015,'hip_driver_version':60241134" TAIL,
	  .events = "",
	  .meta = "events=0 runtime=7.2 driver=6.2" },
	{ .json = "{'cuda_runtime_version':null,'cuda_driver_version':-1,'hip_runtime_version':[]" TAIL,
	  .events = "",
	  .meta = "events=0" },
	{ .json = "{'deviceProperties':[{'id':0,'name':'NVIDIA "
	          "A100','totalGlobalMem':85899345920,'regsPerBlock':65536},"
	          "{'name':'','id':1}]" TAIL,
	  .events = "",
	  .meta = "events=0 device=0:NVIDIA A100:85899345920 device=1::-1" },
	{ .json = "{'deviceProperties':[{},1,null,{'id':7,'name':5,'totalGlobalMem':1e99}]" TAIL,
	  .events = "",
	  .meta = "events=0 device=-1::-1 device=7::-1" },
	{ .json = "{'deviceProperties':{'id':0}" TAIL, .events = "", .meta = "events=0" },
	{ .json = "{'deviceProperties':[]" TAIL, .events = "", .meta = "events=0" },
	/* metadata after the events */
	{ .json =
	      "{'traceEvents':[" GOOD "],'distributedInfo':{'rank':1},'cuda_runtime_version':11000}",
	  .events = K1,
	  .meta = "events=1 rank=1 runtime=11.0" },
};

static void meta(void **state)
{
	(void)state;
	check_rows(meta_rows, ROWS(meta_rows));
}

/* ---- refused files ---- */

#define NO_TRACE(what)                                                                          \
	"not a profiler trace: it seems to be " what "; give the trace that torch.profiler or JAX " \
	"wrote"
#define OTHER_JSON NO_TRACE("other JSON") "; " TEXT_NO_FORMAT
#define SNAPSHOT "a CUDA memory snapshot (torch.cuda.memory._snapshot)"
#define CHAKRA "a PyTorch execution trace (Chakra)"
#define TIMELINE "a list of rows, such as the profiler's memory timeline"

static const struct row refused_rows[] = {
	{ .json = "{}", .meta = "events=0 foreign", .error = OTHER_JSON },
	{ .json = "{'a':1,'events':[{'ph':'X'}]}", .meta = "events=0 foreign", .error = OTHER_JSON },
	{ .json = "{'x':{'traceEvents':[]}}", .meta = "events=0 foreign", .error = OTHER_JSON },
	{ .json = "{'segments':[],'device_traces':[[]],'allocator_settings':{}}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE(SNAPSHOT) },
	{ .json = "[{'device':0,'address':1,'total_size':2,'segment_type':'large','blocks':[]}]",
	  .meta = "events=1 foreign",
	  .error = NO_TRACE(SNAPSHOT) },
	{ .json = "{'schema':'1.0.1','pid':5,'nodes':[{'name':'x','id':1}]}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE(CHAKRA) },
	{ .json = "[[-1,'PREEXISTING',[0,1],512],[2,'CREATE',[1,0],64]]",
	  .meta = "events=2 malformed=2 foreign",
	  .error = NO_TRACE(TIMELINE) },
	{ .json = "{'memoryProfilePerAllocator':{}}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE("a memory profile of XProf") },
	{ .json = "{'traceEvents':[" GOOD "],'viztracer_metadata':{}}",
	  .meta = "events=1 foreign",
	  .error = NO_TRACE("a trace of VizTracer") },
	{ .json = "{'beginningOfTime':17,'traceEvents':[]}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE("a trace of clang (-ftime-trace)") },
	{ .json = "[{'frame':{'name':'ROOT'},'metrics':{},'children':[]},{'CUDA':{}}]",
	  .meta = "events=2 foreign",
	  .error = NO_TRACE("a tree of Hatchet, as Triton's Proton writes it, which has no times of "
	                    "single kernels") },
	{ .json = "[1,2,3]",
	  .meta = "events=3 malformed=3 foreign",
	  .error = NO_TRACE("plain values") },
	{ .json = "[{'a':1},{'b':2}]", .meta = "events=2 foreign", .error = OTHER_JSON },
	{ .json = "12", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	{ .json = "null", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	{ .json = "'text'", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	/* a file of another kind stays refused when cuts are allowed */
	{ .json = "[[-1,'PREEXISTING',[0,1],512],[2,^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value was expected; it is empty or cut short" },
	{ .json = "{'segments':[^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value or ']' was expected; it is empty or cut short" },
	{ .json = "^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value was expected; it is empty or cut short" },
	/* a trace that is not well-formed */
	{ .json = "{'traceEvents':[" GOOD "],'traceEvents':^[]}",
	  .meta = "events=1",
	  .error = "'traceEvents' is there twice; write the trace anew" },
	{ .json = "{'traceEvents':[], 'traceEvents' : ^null}",
	  .error = "'traceEvents' is there twice; write the trace anew" },
	{ .json = "{'traceEvents':^null}", .error = "'traceEvents' is not an array" },
	{ .json = "{'traceEvents':^{}}", .error = "'traceEvents' is not an array" },
	{ .json = "{'traceEvents': ^'x'}", .error = "'traceEvents' is not an array" },
	{ .json = DOC(GOOD) "^x",
	  .meta = "events=1",
	  .error = "extra data after the end of the JSON text" },
	{ .json = "[" GOOD "]^]", .error = "extra data after the end of the JSON text" },
	{ .json = DOC(GOOD ",^"), .error = "unexpected ']' where a value was expected" },
	{ .json = DOC("{'ph':'X','args':{'x':[1,2^}}"),
	  .error = "unexpected '}' where ',' or ']' was expected" },
	{ .json = "{'a':[0^1],'traceEvents':[]}",
	  .error = "unexpected '1' where ',' or ']' was expected" },
	{ .json = DOC(EV("'ts':0^1")), .error = "unexpected '1' where ',' or '}' was expected" },
	{ .json = DOC("{'ph':'X','args':{'grid':[1,^+2]}}"),
	  .error = "unexpected '+' where a value was expected" },
	/* an error after the last event is an error, too, even if cuts are allowed */
	{ .json = "{'traceEvents':[" GOOD "],'x':^tru}",
	  .options = { .allow_truncated = true },
	  .error = "unexpected 't' where a value was expected" },
};

static void refused(void **state)
{
	(void)state;
	check_rows(refused_rows, ROWS(refused_rows));
}

static void nesting(void **state)
{
	(void)state;
	for (unsigned depth = 509; depth <= 510; depth++) {
		/* the document, the array and the event are three levels of nesting */
		struct strbuf b = STRBUF_INIT;
		strbuf_adds(&b, "{\"traceEvents\":[{\"x\":");
		for (unsigned i = 0; i < depth; i++)
			strbuf_addch(&b, '[');
		for (unsigned i = 0; i < depth; i++)
			strbuf_addch(&b, ']');
		strbuf_adds(&b, "}]}");
		struct record r = record_trace(strbuf_span(&b), (struct trace_options){ 0 }, 0, 0);
		assert_int_equal(r.status, depth == 509 ? ST_OK : ST_INPUT);
		if (depth == 510)
			assert_string_equal(strbuf_str(&r.log),
			                    "error: doc: byte 530: nested deeper than 512 levels\n");
		record_release(&r);
		strbuf_release(&b);
	}
}

/* ---- reading a part with --quick ---- */

static const struct row quick_rows[] = {
	{ .json = DOC(GOOD "," GOOD "," GOOD),
	  .options = { .quick = 1 },
	  .events = K1,
	  .meta = "events=1 partial" },
	{ .json = DOC(GOOD "," GOOD "," GOOD),
	  .options = { .quick = 2 },
	  .events = K1 K1,
	  .meta = "events=2 partial" },
	{ .json = DOC(GOOD "," GOOD "," GOOD),
	  .options = { .quick = 4 },
	  .events = K1 K1 K1,
	  .meta = "events=3" },
	{ .json = "[" GOOD "," GOOD "]",
	  .options = { .quick = 1 },
	  .events = K1,
	  .meta = "events=1 partial" },
	/* `quick` is the number of elements to read, of any kind; the text after them is not read, so
	 * that an error there is not seen */
	{ .json = DOC("{}," GOOD "," GOOD),
	  .options = { .quick = 2 },
	  .events = K1,
	  .meta = "events=2 partial" },
	{ .json = DOC(GOOD ", oh no"),
	  .options = { .quick = 1 },
	  .events = K1,
	  .meta = "events=1 partial" },
	{ .json = DOC(""), .options = { .quick = 1 }, .events = "", .meta = "events=0" },
	{ .json = "[[1],[2],[3]]",
	  .options = { .quick = 2 },
	  .meta = "events=2 malformed=2 partial foreign",
	  .error = NO_TRACE(TIMELINE) },
};

static void quick(void **state)
{
	(void)state;
	check_rows(quick_rows, ROWS(quick_rows));
}

/* ---- a sink that ends the reading, files that are cut, names of any length ---- */

/* A status of the sink ends the reading, and is returned. */
static void sink_stops_the_reader(void **state)
{
	static const char *const docs[] = { DOC(GOOD "," GOOD "," GOOD), "[" GOOD "," GOOD "]" };
	(void)state;
	for (size_t i = 0; i < ROWS(docs); i++) {
		struct strbuf json = json_of(docs[i]);
		struct record r = record_trace(strbuf_span(&json), (struct trace_options){ 0 }, 0, 2);
		assert_int_equal(r.status, ST_OUTPUT);
		assert_int_equal(r.nr_taken, 2);
		assert_int_equal(r.log.n, 0);
		record_release(&r);
		strbuf_release(&json);
	}
}

/* A file cut in the middle: all complete events before the cut are read. */
static void cut_counts_what_is_complete(void **state)
{
	struct strbuf json = json_of(DOC(GOOD "," GOOD "," GOOD));
	struct span part = { json.p, json.n - 10 };
	(void)state;
	struct record r = record_trace(part, (struct trace_options){ .allow_truncated = true }, 0, 0);
	assert_int_equal(r.status, ST_OK);
	assert_string_equal(strbuf_str(&r.events), K1 K1);
	assert_string_equal(strbuf_str(&r.meta), "events=2 truncated");
	struct strbuf log = STRBUF_INIT;
	strbuf_addf(&log,
	            "note: doc: byte %zu: the trace is cut short: its 2 complete events are used\n",
	            part.n);
	assert_string_equal(strbuf_str(&r.log), strbuf_str(&log));
	strbuf_release(&log);
	record_release(&r);
	part.n =
	    /* number of complete events, without a malformed one */
	    (size_t)(strchr(strstr(json.p, "},"), ',') - json.p) + 1;
	r = record_trace(part, (struct trace_options){ .allow_truncated = true }, 0, 0);
	assert_string_equal(strbuf_str(&r.meta), "events=1 truncated");
	record_release(&r);
	strbuf_release(&json);
}

/* A gzip file that is cut is refused, or its events are read if cuts are allowed. */
static void cut_gzip(void **state)
{
	struct strbuf json = json_of(DOC(GOOD "," GOOD "," GOOD));
	unsigned char z[1000];
	z_stream out = {
		.next_in = (Bytef *)json.p, .avail_in = (uInt)json.n, .next_out = z, .avail_out = sizeof z
	};
	(void)state;
	assert_int_equal(deflateInit2(&out, 0, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK); /* level 0: gzip data without compression */
	assert_int_equal(deflate(&out, Z_FINISH), Z_STREAM_END);
	size_t n = sizeof z - out.avail_out;
	deflateEnd(&out);
	for (size_t cut = 0; cut <= n; cut++) {
		struct span part = { (char *)z, cut };
		struct record strict = record_trace(part, (struct trace_options){ 0 }, 0, 0);
		struct record lenient =
		    record_trace(part, (struct trace_options){ .allow_truncated = true }, 0, 0);
		assert_int_equal(strict.status, cut == n ? ST_OK : ST_INPUT);
		assert_int_equal(lenient.status, cut >= 15 + 16 ? ST_OK : ST_INPUT);
		if (lenient.status == ST_OK)
			assert_int_equal(lenient.truncated, cut < n);
		assert_true(span_starts(SPAN(K1 K1 K1), strbuf_span(&lenient.events)));
		if (cut >= n - 8)
			assert_int_equal(lenient.nr_taken, 3);
		record_release(&strict);
		record_release(&lenient);
	}
	strbuf_release(&json);
}

/* Names of any length are kept whole and distinct. */
static void long_names(void **state)
{
	struct strbuf b = STRBUF_INIT, want = STRBUF_INIT;
	(void)state;
	strbuf_adds(&b, "[");
	for (int i = 0; i < 3; i++) {
		struct strbuf name = STRBUF_INIT;
		for (int k = 0; k < 300000; k++)
			strbuf_addch(&name, (char)('a' + k % 23));
		strbuf_addf(&name, "<%d>", i);
		strbuf_addf(&b, "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":%d,\"name\":\"%s\"}",
		            i ? "," : "", i, strbuf_str(&name));
		strbuf_addf(&want, "kernel %s @%d+0 p- t- d- s-\n", strbuf_str(&name), 1000 * i);
		strbuf_release(&name);
	}
	strbuf_adds(&b, "]");
	struct record r = record_trace(strbuf_span(&b), (struct trace_options){ 0 }, 0, 0);
	assert_int_equal(r.status, ST_OK);
	assert_true(span_eq(strbuf_span(&r.events), strbuf_span(&want)));
	record_release(&r);
	strbuf_release(&b);
	strbuf_release(&want);
}

/* Names that differ in one invalid byte, a NUL or a surrogate are never merged. */
static void names_stay_apart(void **state)
{
	static const struct span names[] = { SPAN("a"),        SPAN("a\xff"),        SPAN("a\xfe"),
		                                 SPAN("a\\u0000"), SPAN("a\\u0000b"),    SPAN("a\\ud800"),
		                                 SPAN("a\\udc00"), SPAN("a\xEF\xBF\xBD") };
	struct strbuf b = STRBUF_INIT;
	(void)state;
	strbuf_adds(&b, "[");
	for (size_t i = 0; i < 2 * ROWS(names); i++) {
		strbuf_adds(&b, i ? "," : "");
		strbuf_adds(&b, "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"name\":\"");
		strbuf_add(&b, names[i % ROWS(names)]);
		strbuf_adds(&b, "\"}");
	}
	strbuf_adds(&b, "]");
	struct record r = record_trace(strbuf_span(&b), (struct trace_options){ 0 }, 0, 0);
	assert_int_equal(r.status, ST_OK);
	assert_int_equal(r.nr_taken, 2 * ROWS(names));
	assert_int_equal(r.names.nr, ROWS(names));
	record_release(&r);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meta),
		cmocka_unit_test(refused),
		cmocka_unit_test(nesting),
		cmocka_unit_test(quick),
		cmocka_unit_test(sink_stops_the_reader),
		cmocka_unit_test(cut_counts_what_is_complete),
		cmocka_unit_test(cut_gzip),
		cmocka_unit_test(long_names),
		cmocka_unit_test(names_stay_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
