/*
 * The trace reader: small documents and the events they hold. In the rows ' stands
 * for " and ^ for nothing: it marks the byte that the error names. Every row is read
 * in blocks of 1, 2, 3, 7 bytes and whole, and those that are traces also cut at
 * every byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#include "read/foreign.h"
#include "trace_record.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static const size_t blocks[] = { 0, 1, 2, 3, 7 };

struct row {
	const char *json;
	const char *events; ///< NULL: an error
	const char *meta; ///< of errors too, where it is asked for
	const char *error; ///< its line behind "error: doc: byte N: "
	struct trace_options options;
};

static struct strbuf json_of(const char *text)
{
	struct strbuf b = STRBUF_INIT;
	for (; *text; text++)
		if (*text != '^')
			strbuf_addch(&b, *text == '\'' ? '"' : *text);
	return b;
}

static void check_row(const struct row *row, const struct record *r, size_t block)
{
	struct strbuf log = STRBUF_INIT;
	const char *mark = strchr(row->json, '^');
	if (!row->events && mark)
		strbuf_addf(&log, "error: doc: byte %td: %s\n", mark - row->json, row->error);
	else if (!row->events)
		strbuf_addf(&log, "error: doc: %s\n", row->error);
	bool ok = r->status == (row->events ? ST_OK : ST_INPUT) && !r->broken &&
	          (!row->events || span_eq(strbuf_span(&r->events), span_of(row->events))) &&
	          (!row->meta || span_eq(strbuf_span(&r->meta), span_of(row->meta))) &&
	          span_eq(strbuf_span(&r->log), strbuf_span(&log));
	if (!ok)
		fail_msg("%s\nblock %zu, status %d, broken %d\nevents: %s\nmeta:   %s\nlog:    %s",
		         row->json, block, r->status, r->broken, strbuf_str(&r->events),
		         strbuf_str(&r->meta), strbuf_str(&r->log));
	strbuf_release(&log);
}

/* Where the array of the events begins: behind it a cut can be allowed. */
static size_t begin_of_events(struct span json)
{
	const char *key = strstr(json.p, "\"traceEvents\"");
	const char *p = strchr(key ? key : json.p, '[');
	return (size_t)(p - json.p) + 1;
}

/* Without leave an error that says where; with it the complete events, a prefix of all. */
static void check_cut(struct span json, size_t n, const struct record *whole, size_t block)
{
	struct span part = { json.p, n };
	struct record strict = record_trace(part, (struct trace_options){ 0 }, block, 0);
	struct record lenient =
	    record_trace(part, (struct trace_options){ .allow_truncated = true }, block, 0);
	bool begun = n >= begin_of_events(json), ok = strict.status == ST_INPUT && !strict.truncated;
	char place[64];
	snprintf(place, sizeof place, "error: doc: byte %zu: the input ends", n);
	ok = ok && span_starts(strbuf_span(&strict.log), span_of(place));
	ok = ok && (strstr(strbuf_str(&strict.log), "--allow-truncated") != NULL) == begun;
	ok = ok && lenient.status == (begun ? ST_OK : ST_INPUT) && lenient.truncated == begun;
	ok = ok && !lenient.broken &&
	     span_starts(strbuf_span(&whole->events), strbuf_span(&lenient.events)) &&
	     span_eq(strbuf_span(&strict.events), strbuf_span(&lenient.events));
	if (begun) {
		snprintf(place, sizeof place, "warning: doc: byte %zu: ", n);
		ok = ok && span_starts(strbuf_span(&lenient.log), span_of(place));
	}
	if (!ok)
		fail_msg("%.*s\nblock %zu\nstrict: %d %s%s\nlenient: %d %s%s%s", (int)n, json.p, block,
		         strict.status, strbuf_str(&strict.log), strbuf_str(&strict.events), lenient.status,
		         strbuf_str(&lenient.log), strbuf_str(&lenient.meta), strbuf_str(&lenient.events));
	record_release(&strict);
	record_release(&lenient);
}

static void check_cuts(const struct row *row, struct span json)
{
	struct record whole = record_trace(json, row->options, 0, 0);
	size_t end = json.n; /* without the white space behind it is whole as well */
	while (end && json.p[end - 1] == ' ')
		end--;
	for (size_t n = 0; n < end; n++)
		for (size_t i = 0; i < 2; i++)
			check_cut(json, n, &whole, blocks[i]);
	record_release(&whole);
}

static void check_rows(const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct strbuf json = json_of(rows[i].json);
		for (size_t k = 0; k < ROWS(blocks); k++) {
			struct record r = record_trace(strbuf_span(&json), rows[i].options, blocks[k], 0);
			check_row(&rows[i], &r, blocks[k]);
			record_release(&r);
		}
		if (rows[i].events && !rows[i].options.quick)
			check_cuts(&rows[i], strbuf_span(&json));
		strbuf_release(&json);
	}
}

/* One event, of a kernel unless `rest` says more. */
#define EV(rest) "{'ph':'X','cat':'kernel','name':'k','pid':0,'tid':7," rest "}"
#define DOC(events) "{'traceEvents':[" events "]}"
#define K1 "kernel k @1000+2000 p0 t7 d0 s7\n"
#define GOOD EV("'ts':1,'dur':2")

/* ---- documents ---- */

static const struct row shape_rows[] = {
	{ .json = DOC(GOOD), .events = K1, .meta = "events=1" },
	{ .json = "[" GOOD "]", .events = K1, .meta = "events=1" },
	{ .json = " [ " GOOD " , " GOOD " ] ", .events = K1 K1, .meta = "events=2" },
	{ .json = "[]", .events = "", .meta = "events=0" },
	{ .json = DOC(""), .events = "", .meta = "events=0" },
	{ .json = "{'traceEvents' : [ ] }", .events = "", .meta = "events=0" },
	/* metadata before and behind, traceEvents last and first */
	{ .json = "{'schemaVersion':1,'displayTimeUnit':'ms','x':{'traceEvent':[1,{'ph':'X'}]},'"
	          "traceEvents':[" GOOD "]}",
	  .events = K1,
	  .meta = "events=1" },
	{ .json = "{'traceEvents':[" GOOD
	          "],'traceName':'/tmp/x.json','baseTimeNanoseconds':17,'with_flops':[[{}]]}",
	  .events = K1,
	  .meta = "events=1" },
	{ .json = "{'\\u0074raceEvents':[" GOOD "],'traceevents':[]}",
	  .events = K1,
	  .meta = "events=1",
	  .options = { .quick = 9 } },
	{ .json = "{'segments':1,'traceEvents':[" GOOD "]}", .events = K1, .meta = "events=1" },
	/* elements that are no events are counted */
	{ .json = DOC("1,null," GOOD ",[],'x'"), .events = K1, .meta = "events=5 malformed=4" },
	{ .json = DOC("{}"), .events = "", .meta = "events=1" },
	/* unsorted: as they come */
	{ .json = DOC(EV("'ts':5") "," EV("'ts':1")),
	  .events = "kernel k @5000+0 p0 t7 d0 s7\nkernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=2" },
	/* phases */
	{ .json = DOC(
	      "{'ph':'B','cat':'kernel','name':'k','ts':1},{'cat':'kernel','name':'k','ts':1},"
	      "{'ph':'x','cat':'kernel','name':'k','ts':1},{'ph':5,'cat':'kernel','name':'k','ts':1},"
	      "{'ph':null,'cat':'kernel','ts':1},{'ph':'XX','cat':'kernel','ts':1}"),
	  .events = "",
	  .meta = "events=6" },
};

static void shapes(void **state)
{
	(void)state;
	check_rows(shape_rows, ROWS(shape_rows));
}

#define CAT(cat) "{'ph':'X','cat':'" cat "','name':'n','ts':1,'dur':2,'pid':3,'tid':4}"

static const struct row category_rows[] = {
	{ .json = DOC(CAT("kernel") "," CAT("gpu_memcpy") "," CAT("gpu_memset")),
	  .events = "kernel n @1000+2000 p3 t4 d3 s4\nmemcpy n @1000+2000 p3 t4 d3 s4 b0\n"
	            "memset n @1000+2000 p3 t4 d3 s4 b0\n" },
	{ .json = DOC(
	      CAT("cuda_runtime") "," CAT("cuda_driver") "," CAT("cpu_op") "," CAT("user_annotation")),
	  .events = "runtime n @1000+2000 p3 t4\nruntime n @1000+2000 p3 t4\nop n @1000+2000 p3 t4\n"
	            "annotation n @1000+2000 p3 t4\n" },
	/* 2021, and without case */
	{ .json = DOC(
	      CAT("Kernel") "," CAT("Memcpy") "," CAT("Memset") "," CAT("Runtime") "," CAT("Operator")),
	  .events = "kernel n @1000+2000 p3 t4 d3 s4\nmemcpy n @1000+2000 p3 t4 d3 s4 b0\n"
	            "memset n @1000+2000 p3 t4 d3 s4 b0\nruntime n @1000+2000 p3 t4\nop n @1000+2000 "
	            "p3 t4\n" },
	{ .json = DOC(CAT("KERNEL") "," CAT("Gpu_MemCpy")),
	  .events = "kernel n @1000+2000 p3 t4 d3 s4\nmemcpy n @1000+2000 p3 t4 d3 s4 b0\n" },
	/* what no figure needs */
	{ .json = DOC(CAT("python_function") "," CAT("gpu_user_annotation") "," CAT("ac2g") "," CAT(
	      "kernels") "," CAT("") "," CAT("kerne") "," CAT("Trace") "," CAT("cuda_sync") "," CAT("ke"
	                                                                                            "rn"
	                                                                                            "el"
	                                                                                            ","
	                                                                                            "x")),
	  .events = "",
	  .meta = "events=9" },
	{ .json = DOC("{'ph':'X','name':'n','ts':1},{'ph':'X','cat':null,'ts':1},{'ph':'X','cat':['"
	              "kernel'],'ts':1}"),
	  .events = "",
	  .meta = "events=3" },
	/* names */
	{ .json = DOC("{'ph':'X','cat':'cpu_op','ts':1},{'ph':'X','cat':'cpu_op','ts':1,'name':null},"
	              "{'ph':'X','cat':'cpu_op','ts':1,'name':12.5},{'ph':'X','cat':'cpu_op','ts':1,'"
	              "name':{'a':[]}}"),
	  .events =
	      "op  @1000+0 p- t-\nop  @1000+0 p- t-\nop 12.5 @1000+0 p- t-\nop  @1000+0 p- t-\n" },
	{ .json = DOC("{'ph':'X','cat':'cpu_op','ts':1,'name':'aten::\\u00e4\\n\\ud800 x'}"),
	  .events = "op aten::\xC3\xA4\n\xED\xA0\x80 x @1000+0 p- t-\n" },
};

static void categories(void **state)
{
	(void)state;
	check_rows(category_rows, ROWS(category_rows));
}

/* ---- values ---- */

#define BAD_VALUE(place) place ": no value that can be held exactly; write the trace anew"
#define SPAN_ERROR "traceEvents[0]: 'ts' + 'dur' is beyond 292 years; write the trace anew"

static const struct row number_rows[] = {
	/* nanoseconds from decimal text, never through a double */
	{ .json = DOC(EV("'ts':1682725898237042.123,'dur':4.5")),
	  .events = "kernel k @1682725898237042123+4500 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1.0004,'dur':0.0005")), .events = "kernel k @1000+1 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':-1.5,'dur':1e3")), .events = "kernel k @-1500+1000000 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':'12.5','dur':'3'")), .events = "kernel k @12500+3000 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':9223372036854775.807")),
	  .events = "kernel k @9223372036854775807+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1e-999")), .events = "kernel k @0+0 p0 t7 d0 s7\n" },
	/* missing and negative */
	{ .json = DOC(EV("'ts':1")), .events = "kernel k @1000+0 p0 t7 d0 s7\n", .meta = "events=1" },
	{ .json = DOC(EV("'ts':1,'dur':null")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=1" },
	{ .json = DOC(EV("'ts':1,'dur':-2")),
	  .events = "kernel k @1000+0! p0 t7 d0 s7\n",
	  .meta = "events=1" },
	{ .json = DOC(EV("'ts':1,'dur':-0.0001")), .events = "kernel k @1000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'dur':2") "," GOOD), .events = K1, .meta = "events=2 malformed=1" },
	{ .json = DOC(EV("'ts':null,'dur':2")), .events = "", .meta = "events=1 malformed=1" },
	{ .json = DOC("{'ph':'X','cat':'python_function'}"),
	  .events = "",
	  .meta = "events=1" }, /* not wanted */
	/* beyond what can be held, where it is needed */
	{ .json = DOC(EV("'ts':^1e999")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts': ^1e999")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':^9223372036854775.808")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(GOOD "," EV("'ts':1,'dur':^-1e999")), .error = BAD_VALUE("traceEvents[1].dur") },
	{ .json = DOC(EV("'ts':^NaN")),
	  .meta = "events=0 faults=1@73",
	  .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':1,'dur':^Infinity")), .error = BAD_VALUE("traceEvents[0].dur") },
	{ .json = DOC(EV("'ts':^true")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':^'soon'")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':^''")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':^[1]")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':^{}")), .error = BAD_VALUE("traceEvents[0].ts") },
	{ .json = DOC(EV("'ts':9223372036854775.807,'dur':^0.001")), .error = SPAN_ERROR },
	{ .json = DOC(EV("'ts':1,'args':{'correlation':^[]}")),
	  .error = BAD_VALUE("traceEvents[0].args.correlation") },
	{ .json = DOC(EV("'ts':1,'args':{'device':^{}}")),
	  .error = BAD_VALUE("traceEvents[0].args.device") },
	{ .json = DOC(EV("'ts':1,'args':{'stream':^{}}")),
	  .error = BAD_VALUE("traceEvents[0].args.stream") },
	{ .json = DOC("{'ph':'X','cat':'gpu_memcpy','ts':1,'args':{'bytes':^1e30}}"),
	  .error = BAD_VALUE("traceEvents[0].args.bytes") },
	{ .json = DOC("{'ph':'X','cat':'cpu_op','ts':1,'pid':^[]}"),
	  .error = BAD_VALUE("traceEvents[0].pid") },
	{ .json = DOC("{'ph':'X','cat':'cpu_op','ts':1,'tid':^{}}"),
	  .error = BAD_VALUE("traceEvents[0].tid") },
	/* and where nobody needs it */
	{ .json = DOC("{'ph':'X','cat':'ac2g','ts':1e999,'dur':{},'pid':[]}"),
	  .events = "",
	  .meta = "events=1" },
	{ .json = DOC("{'ph':'s','cat':'kernel','ts':[]}"), .events = "", .meta = "events=1" },
	{ .json = DOC(EV("'ts':1,'id':1e999,'args':{'flops':1e999,'bytes':1e999,'priority':[1e999]}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=1" },
	{ .json = DOC("{'ph':'X','cat':'cpu_op','ts':1,'args':{'device':{},'stream':[]}}"),
	  .events = "op  @1000+0 p- t-\n" },
	{ .json = DOC(EV("'ts':1,'args':{'bandwidth':NaN}") "," EV("'ts':1,'x':-Infinity")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\nkernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=2 faults=2@95" },
	{ .json = DOC(EV("'ts':1,'path':'C:\\data'")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=1 faults=1@85" },
	{ .json = "{'x':'a\tb\x01','traceEvents':[" GOOD "]}",
	  .events = K1,
	  .meta = "events=1 faults=2@7" },
};

static void numbers(void **state)
{
	(void)state;
	check_rows(number_rows, ROWS(number_rows));
}

#define ID(pid, tid, args) \
	"{'ph':'X','cat':'kernel','name':'k','ts':1,'pid':" pid ",'tid':" tid ",'args':{" args "}}"

static const struct row id_rows[] = {
	/* compared as text: 2 and "2" are one */
	{ .json = DOC(ID("2", "'7'", "'device':'3','stream':4,'correlation':'12'")),
	  .events = "kernel k @1000+0 p2 t7 c12 d3 s4\n" },
	{ .json = DOC(ID("0", "'0'", "'device':0,'stream':'0','correlation':0")),
	  .events = "kernel k @1000+0 p0 t0 c0 d0 s0\n" },
	{ .json = DOC(ID("'Spans'", "'stream 7 '", "")),
	  .events = "kernel k @1000+0 p'Spans' t'stream 7 ' d'Spans' s'stream 7 '\n" },
	/* the largest that is itself, and beyond */
	{ .json = DOC(ID("9223372036854775807", "9223372036854775808",
	                 "'device':18446744073709551615,'correlation':1e400")),
	  .events = "kernel k @1000+0 p9223372036854775807 t'9223372036854775808' c'1e400' "
	            "d'18446744073709551615' "
	            "s'9223372036854775808'\n" },
	{ .json = DOC(ID("-1", "'-1'", "'device':-2,'stream':-9223372036854775808")),
	  .events = "kernel k @1000+0 p'-1' t'-1' d'-2' s'-9223372036854775808'\n" },
	/* not the text of an integer, so not that integer */
	{ .json = DOC(ID("'007'", "1.0", "'device':'','stream':' 1','correlation':'+1'")),
	  .events = "kernel k @1000+0 p'007' t'1.0' c'+1' d'' s' 1'\n" },
	/* null is there and says nothing */
	{ .json = DOC(ID("null", "null", "'correlation':null")),
	  .events = "kernel k @1000+0 p- t- d- s-\n" },
	{ .json = DOC(ID("1", "2", "'device':null,'stream':null")),
	  .events = "kernel k @1000+0 p1 t2 d- s-\n" },
	{ .json = DOC(ID("true", "false", "'device':NaN")),
	  .events = "kernel k @1000+0 p'True' t'False' d'nan' s'False'\n" },
	/* runtime calls have a correlation and no stream of their own */
	{ .json = DOC(
	      "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','ts':1,'dur':2,'pid':9,'tid':9,"
	      "'args':{'correlation':77,'device':3,'stream':4}}"),
	  .events = "runtime cudaLaunchKernel @1000+2000 p9 t9 c77\n" },
};

static void ids(void **state)
{
	(void)state;
	check_rows(id_rows, ROWS(id_rows));
}

static const struct row args_rows[] = {
	{ .json = DOC(EV(
	      "'ts':1,'args':{'grid':[160,1,2],'block':[128,4,1],'est. achieved occupancy %':49.5}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7 g160,1,2 k128,4,1 o49500000\n" },
	{ .json = DOC(EV("'ts':1,'args':{'grid':[160,1],'block':[128,4,1]}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1,'args':{'grid':[],'block':[[],{},1]}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1,'args':{'grid':7,'block':'x','est. achieved occupancy %':'n/a'}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1,'args':{'grid':['1','2','3'],'block':[1,2,3,4,5]}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7 g1,2,3 k1,2,3\n" },
	{ .json = DOC(EV("'ts':1,'args':null") "," EV("'ts':2,'args':[1,{'device':3}]") "," EV(
	      "'ts':3,'args':'device'")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\nkernel k @2000+0 p0 t7 d0 s7\nkernel k @3000+0 p0 "
	            "t7 d0 s7\n" },
	/* the last of equal keys wins, also where that is a whole object */
	{ .json = DOC(EV("'ts':1,'ts':2,'dur':9,'dur':null,'name':'a','name':'b','pid':5,'pid':6")),
	  .events = "kernel b @2000+0 p6 t7 d6 s7\n" },
	{ .json = DOC(EV("'ts':1e999,'ts':2")), .events = "kernel k @2000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1,'ph':'i'") "," EV("'ts':1,'cat':'x'") "," EV("'ts':1,'cat':5") "," EV(
	      "'ts':1,'ph':5")),
	  .events = "",
	  .meta = "events=4" },
	{ .json = DOC(EV("'ts':1,'args':{'device':1,'stream':2,'correlation':3,'grid':[1,1,1],'block':["
	                 "1,1,1]},'args':{'stream':5}")),
	  .events = "kernel k @1000+0 p0 t7 d0 s5\n" },
	{ .json = DOC(EV("'ts':1,'args':{'device':1,'stream':2},'args':null")),
	  .events = "kernel k @1000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(
	      EV("'ts':1,'args':{'device':1,'device':2,'grid':[1,2,3],'grid':[4],'block':[1,2,3]}")),
	  .events = "kernel k @1000+0 p0 t7 d2 s7\n" },
	{ .json = DOC(EV("'ts':1,'args':{'args':{'device':5},'device':1,'x':{'device':6}}")),
	  .events = "kernel k @1000+0 p0 t7 d1 s7\n" },
	/* any order of keys */
	{ .json = DOC("{'args':{'correlation':3,'device':1,'stream':2},'dur':2,'ts':1,'tid':7,'pid':0,'"
	              "name':'k','cat':'kernel','ph':'X'}"),
	  .events = "kernel k @1000+2000 p0 t7 c3 d1 s2\n" },
	{ .json = DOC("{'args':{'bytes':64},'ts':1,'ph':'X','cat':'Memcpy','name':'Memcpy HtoD (Pinned "
	              "-> Device)'}"),
	  .events = "memcpy Memcpy HtoD (Pinned -> Device) @1000+0 p- t- d- s- b64\n" },
	/* bytes of copies, in both spellings */
	{ .json =
	      DOC("{'ph':'X','cat':'gpu_memcpy','name':'c','ts':1,'args':{'bytes':4096}},"
	          "{'ph':'X','cat':'memcpy','name':'c','ts':1,'args':{'Bytes':512}},"
	          "{'ph':'X','cat':'gpu_memset','name':'c','ts':1,'args':{'bytes':8,'Bytes':512}},"
	          "{'ph':'X','cat':'gpu_memset','name':'c','ts':1,'args':{'bytes':null,'Bytes':512}},"
	          "{'ph':'X','cat':'gpu_memcpy','name':'c','ts':1,'args':{'bytes':-5}},"
	          "{'ph':'X','cat':'gpu_memcpy','name':'c','ts':1,'args':{'BYTES':5}}"),
	  .events = "memcpy c @1000+0 p- t- d- s- b4096\nmemcpy c @1000+0 p- t- d- s- b512\n"
	            "memset c @1000+0 p- t- d- s- b8\nmemset c @1000+0 p- t- d- s- b512\nmemcpy c "
	            "@1000+0 p- t- d- s- b0\n"
	            "memcpy c @1000+0 p- t- d- s- b0\n" },
};

static void args(void **state)
{
	(void)state;
	check_rows(args_rows, ROWS(args_rows));
}

#define MEM(args)                                                                                  \
	"{'ph':'i','cat':'cpu_instant_event','s':'t','name':'[memory]','ts':5,'pid':1,'tid':2,'args':" \
	"{" args "}}"

static const struct row memory_rows[] = {
	{ .json = DOC(MEM("'Total Reserved':2048,'Total Allocated':1024,'Bytes':-512,'Addr':14,'Device "
	                  "Id':0,'Device Type':1")),
	  .events = "memory [memory] @5000+0 p1 t2 b-512 type1 id0 a1024 r2048\n" },
	{ .json = DOC(MEM("'Bytes':64,'Device Type':0,'Device Id':-1")),
	  .events = "memory [memory] @5000+0 p1 t2 b64 type0 id-1 a-1 r-1\n" },
	{ .json = DOC(MEM("'Total Allocated':0,'Device Id':2,'Device Type':6")),
	  .events = "memory [memory] @5000+0 p1 t2 b0 type6 id2 a0 r0\n" },
	{ .json = DOC(
	      MEM("") ",{'name':'[memory]','ts':5},{'ph':'I','name':'[memory]','ts':5,'args':null}"),
	  .events = "memory [memory] @5000+0 p1 t2 b0 type0 id-1 a-1 r-1\nmemory [memory] @5000+0 p- "
	            "t- b0 type0 id-1 a-1 r-1\n"
	            "memory [memory] @5000+0 p- t- b0 type0 id-1 a-1 r-1\n" },
	{ .json = DOC("{'ph':'X','name':'[memory]','ts':5},{'ph':'i','name':'[memory] "
	              "','ts':5},{'ph':'i','name':'[Memory]','ts':5}"),
	  .events = "",
	  .meta = "events=3" },
	{ .json = DOC("{'ph':'i','name':'[memory]'}"), .events = "", .meta = "events=1 malformed=1" },
	{ .json = DOC(MEM("'Total Allocated':^1e30")),
	  .error = BAD_VALUE("traceEvents[0].args.Total Allocated") },
	{ .json = DOC(MEM("'Device Id':^'gpu'")), .error = BAD_VALUE("traceEvents[0].args.Device Id") },
};

static void memory(void **state)
{
	(void)state;
	check_rows(memory_rows, ROWS(memory_rows));
}

/* ---- what the trace says of itself ---- */

#define TAIL ",'traceEvents':[]}"

static const struct row meta_rows[] = {
	{ .json = "{'distributedInfo':{'backend':'nccl','rank':3,'world_size':8,'pg_config':[{'rank':9}"
	          "]}" TAIL,
	  .events = "",
	  .meta = "events=0 rank=3 world=8" },
	{ .json = "{'distributedInfo':{'rank':'3','world_size':null}" TAIL,
	  .events = "",
	  .meta = "events=0 rank=3" },
	{ .json = "{'distributedInfo':{'rank':-1,'world_size':1e99}" TAIL,
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
	  .meta = "events=0 runtime=9.0 driver=11.8" },
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
	{ .json = "{'deviceProperties':[{},1,null,{'id':'7','name':5,'totalGlobalMem':1e99}]" TAIL,
	  .events = "",
	  .meta = "events=0 device=-1::-1 device=7::-1" },
	{ .json = "{'deviceProperties':{'id':0}" TAIL, .events = "", .meta = "events=0" },
	{ .json = "{'deviceProperties':[]" TAIL, .events = "", .meta = "events=0" },
	/* behind the events as well */
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

/* ---- what is refused ---- */

#define NO_TRACE(what) \
	"no profiler trace: it seems to be " what "; give the trace that torch.profiler wrote"
#define SNAPSHOT "a CUDA memory snapshot (torch.cuda.memory._snapshot)"
#define CHAKRA "a PyTorch execution trace (Chakra)"
#define TIMELINE "a list of rows, such as the profiler's memory timeline"

static const struct row refused_rows[] = {
	{ .json = "{}", .meta = "events=0 foreign", .error = NO_TRACE("other JSON") },
	{ .json = "{'a':1,'events':[{'ph':'X'}]}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE("other JSON") },
	{ .json = "{'x':{'traceEvents':[]}}",
	  .meta = "events=0 foreign",
	  .error = NO_TRACE("other JSON") },
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
	{ .json = "[1,2,3]",
	  .meta = "events=3 malformed=3 foreign",
	  .error = NO_TRACE("plain values") },
	{ .json = "[{'a':1},{'b':2}]", .meta = "events=2 foreign", .error = NO_TRACE("other JSON") },
	{ .json = "12", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	{ .json = "null", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	{ .json = "'text'", .meta = "events=0 foreign", .error = NO_TRACE("plain values") },
	/* also where a cut is allowed: that does not make a trace of it */
	{ .json = "[[-1,'PREEXISTING',[0,1],512],[2,^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value was expected; it is empty or cut short" },
	{ .json = "{'segments':[^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value or ']' was expected; it is empty or cut short" },
	{ .json = "^",
	  .options = { .allow_truncated = true },
	  .error = "the input ends where a value was expected; it is empty or cut short" },
	/* a trace, and no well-formed one */
	{ .json = "{'traceEvents':[" GOOD "],'traceEvents':^[]}",
	  .meta = "events=1",
	  .error = "'traceEvents' a second time; write the trace anew" },
	{ .json = "{'traceEvents':[], 'traceEvents' : ^null}",
	  .error = "'traceEvents' a second time; write the trace anew" },
	{ .json = "{'traceEvents':^null}", .error = "'traceEvents' is no array" },
	{ .json = "{'traceEvents':^{}}", .error = "'traceEvents' is no array" },
	{ .json = "{'traceEvents': ^'x'}", .error = "'traceEvents' is no array" },
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
	/* an error behind the last event is one too, and leave to cut does not help */
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
		/* the document, the array and the event are three levels */
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

/* ---- --quick ---- */

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
	/* events of any kind count, and what follows is not looked at */
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

/* ---- the rest ---- */

/* What the sink says ends the reading, and is the result. */
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

/* Cut in the middle of a file of many events: those before it, all of them. */
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
	            "warning: doc: byte %zu: the trace is cut short: its 2 complete events are used\n",
	            part.n);
	assert_string_equal(strbuf_str(&r.log), strbuf_str(&log));
	strbuf_release(&log);
	record_release(&r);
	part.n = (size_t)(strchr(strstr(json.p, "},"), ',') - json.p) + 1; /* no malformed event */
	r = record_trace(part, (struct trace_options){ .allow_truncated = true }, 0, 0);
	assert_string_equal(strbuf_str(&r.meta), "events=1 truncated");
	record_release(&r);
	strbuf_release(&json);
}

/* A gzip file that is cut: refused, or its events where that is allowed. */
static void cut_gzip(void **state)
{
	struct strbuf json = json_of(DOC(GOOD "," GOOD "," GOOD));
	unsigned char z[1000];
	z_stream out = {
		.next_in = (Bytef *)json.p, .avail_in = (uInt)json.n, .next_out = z, .avail_out = sizeof z
	};
	(void)state;
	assert_int_equal(deflateInit2(&out, 0, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK); /* stored */
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

/* Names of any length stay whole and apart. */
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

static void recognise(void **state)
{
	static const struct {
		struct span first;
		enum artifact artifact;
	} rows[] = {
		{ SPAN(""), ARTIFACT_TRACE }, /* the reader says that it is empty */
		{ SPAN(" \n\t\r"), ARTIFACT_TRACE },
		{ SPAN("{}"), ARTIFACT_TRACE },
		{ SPAN("\n [1"), ARTIFACT_TRACE },
		{ SPAN("nul"), ARTIFACT_TRACE },
		{ SPAN("-1"), ARTIFACT_TRACE },
		{ SPAN("{\"schema\":\"gpugate-digest-1\",\"ranks\""), ARTIFACT_DIGEST },
		{ SPAN("{\n  \"schema\": \"gpugate-baseline-1\""), ARTIFACT_BASELINE },
		{ SPAN("{\"schema\": \"gpugate-metrics-1\""), ARTIFACT_RESULT },
		{ SPAN("{\"schema\": \"gpugate-result-1\""), ARTIFACT_RESULT },
		{ SPAN("{\"schema\": \"other\"}"), ARTIFACT_TRACE },
		{ SPAN("[\"gpugate-digest-1\"]"), ARTIFACT_TRACE },
		{ SPAN("\x80\x02}q\0"), ARTIFACT_PICKLE },
		{ SPAN("\x80\x04\x95"), ARTIFACT_PICKLE },
		{ SPAN("(dp0\nS'segments'"), ARTIFACT_PICKLE },
		{ SPAN("}q\0(X"), ARTIFACT_PICKLE },
		{ SPAN("]q\0"), ARTIFACT_PICKLE },
		{ SPAN("<html>"), ARTIFACT_UNKNOWN },
		{ SPAN("version: 1"), ARTIFACT_UNKNOWN },
		{ SPAN("\0"), ARTIFACT_UNKNOWN },
		{ SPAN(" \0{"), ARTIFACT_UNKNOWN },
		{ SPAN("\x7f"
		       "ELF"),
		  ARTIFACT_UNKNOWN },
		{ SPAN("PK\x03\x04"), ARTIFACT_UNKNOWN },
		{ SPAN("\xEF\xBB\xBF{}"), ARTIFACT_UNKNOWN },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		if (artifact_recognise(rows[i].first) != rows[i].artifact)
			fail_msg("row %zu: %d", i, artifact_recognise(rows[i].first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),     cmocka_unit_test(categories),
		cmocka_unit_test(numbers),    cmocka_unit_test(ids),
		cmocka_unit_test(args),       cmocka_unit_test(memory),
		cmocka_unit_test(meta),       cmocka_unit_test(refused),
		cmocka_unit_test(nesting),    cmocka_unit_test(quick),
		cmocka_unit_test(cut_gzip),   cmocka_unit_test(cut_counts_what_is_complete),
		cmocka_unit_test(long_names), cmocka_unit_test(sink_stops_the_reader),
		cmocka_unit_test(recognise),  cmocka_unit_test(names_stay_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
