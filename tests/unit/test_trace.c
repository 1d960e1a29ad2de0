/* The events of a trace: documents, categories, numbers, ids, arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace_rows.h"

/* ---- documents of traces ---- */

static const struct row shape_rows[] = {
	{ .json = DOC(GOOD), .events = K1, .meta = "events=1" },
	{ .json = "[" GOOD "]", .events = K1, .meta = "events=1" },
	{ .json = " [ " GOOD " , " GOOD " ] ", .events = K1 K1, .meta = "events=2" },
	{ .json = "[]", .events = "", .meta = "events=0" },
	{ .json = DOC(""), .events = "", .meta = "events=0" },
	{ .json = "{'traceEvents' : [ ] }", .events = "", .meta = "events=0" },
	/* traceEvents is the last key or the first one; the other keys are metadata */
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
	/* elements that are not events count as malformed */
	{ .json = DOC("1,null," GOOD ",[],'x'"), .events = K1, .meta = "events=5 malformed=4" },
	{ .json = DOC("{}"), .events = "", .meta = "events=1" },
	/* events are not sorted, but handed on in file order */
	{ .json = DOC(EV("'ts':5") "," EV("'ts':1")),
	  .events = "kernel k @5000+0 p0 t7 d0 s7\nkernel k @1000+0 p0 t7 d0 s7\n",
	  .meta = "events=2" },
	/* events of different phases ("ph") */
	{ .json = DOC(
	      "{'ph':'B','cat':'kernel','name':'k','ts':1},{'cat':'kernel','name':'k','ts':1},"
	      "{'ph':'x','cat':'kernel','name':'k','ts':1},{'ph':5,'cat':'kernel','name':'k','ts':1},"
	      "{'ph':null,'cat':'kernel','ts':1},{'ph':'XX','cat':'kernel','ts':1}"),
	  .events = "",
	  .meta = "events=6 malformed=6" },
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
	/* categories as traces of 2021 name them, in upper or lower case */
	{ .json = DOC(
	      CAT("Kernel") "," CAT("Memcpy") "," CAT("Memset") "," CAT("Runtime") "," CAT("Operator")),
	  .events = "kernel n @1000+2000 p3 t4 d3 s4\nmemcpy n @1000+2000 p3 t4 d3 s4 b0\n"
	            "memset n @1000+2000 p3 t4 d3 s4 b0\nruntime n @1000+2000 p3 t4\nop n @1000+2000 "
	            "p3 t4\n" },
	{ .json = DOC(CAT("KERNEL") "," CAT("Gpu_MemCpy")),
	  .events = "kernel n @1000+2000 p3 t4 d3 s4\nmemcpy n @1000+2000 p3 t4 d3 s4 b0\n" },
	/* categories that no figure needs */
	{ .json = DOC(CAT("gpu_operator") "," CAT("ac2g") "," CAT("kernels") "," CAT("") "," CAT(
	      "kerne") "," CAT("Trace") "," CAT("cuda_sync") "," CAT("ke"
	                                                             "rn"
	                                                             "el"
	                                                             ","
	                                                             "x")),
	  .events = "",
	  .meta = "events=8" },
	{ .json = DOC(CAT("gpu_user_annotation")), .events = "gpu-annotation n @1000+2000 p3 t4\n" },
	{ .json = DOC("{'ph':'X','name':'n','ts':1},{'ph':'X','cat':null,'ts':1},{'ph':'X','cat':['"
	              "kernel'],'ts':1}"),
	  .events = "",
	  .meta = "events=3" },
	/* events whose name is absent, null, a number or an object */
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

/* ---- values of members ---- */

#define BAD_VALUE(place) place ": not a value that can be held exactly; write the trace anew"
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
	/* behind events of the same form, along which it is read */
	{ .json = DOC(EV("'ts':1,'dur':2") "," EV("'ts':1,'dur':2") "," EV("'ts':1,'dur':2") "," EV(
	      "'ts':1e1,'dur':2") "," EV("'ts':1,'dur':25e-1") "," EV("'ts':1,'dur':2")),
	  .events = "kernel k @1000+2000 p0 t7 d0 s7\nkernel k @1000+2000 p0 t7 d0 s7\n"
	            "kernel k @1000+2000 p0 t7 d0 s7\nkernel k @10000+2000 p0 t7 d0 s7\n"
	            "kernel k @1000+2500 p0 t7 d0 s7\nkernel k @1000+2000 p0 t7 d0 s7\n" },
	/* 'ts' or 'dur' is absent, null or negative */
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
	/* events that are not read, so their values do not matter */
	{ .json = DOC("{'ph':'X','cat':'ac2g'}"), .events = "", .meta = "events=1" },
	/* values that cannot be represented, in members that are needed */
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
	{ .json = DOC(EV("'ts':9223372036854775.807,'dur':0.001") "^"), .error = SPAN_ERROR },
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
	/* values out of range or of a wrong type are accepted in members that are not needed */
	{ .json = DOC("{'ph':'X','cat':'ac2g','ts':1e999,'dur':{},'pid':[]}"),
	  .events = "",
	  .meta = "events=1" },
	{ .json = DOC("{'ph':'s','cat':'kernel','ts':[]}"),
	  .events = "",
	  .meta = "events=1 malformed=1" },
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
	/* ids are compared as text: 2 and "2" are equal */
	{ .json = DOC(ID("2", "'7'", "'device':'3','stream':4,'correlation':'12'")),
	  .events = "kernel k @1000+0 p2 t7 c12 d3 s4\n" },
	{ .json = DOC(ID("0", "'0'", "'device':0,'stream':'0','correlation':0")),
	  .events = "kernel k @1000+0 p0 t0 c0 d0 s0\n" },
	{ .json = DOC(ID("'Spans'", "'stream 7 '", "")),
	  .events = "kernel k @1000+0 p'Spans' t'stream 7 ' d'Spans' s'stream 7 '\n" },
	/* the largest id that is stored as a number, and larger ids */
	{ .json = DOC(ID("9223372036854775807", "9223372036854775808",
	                 "'device':18446744073709551615,'correlation':1e400")),
	  .events = "kernel k @1000+0 p9223372036854775807 t'9223372036854775808' c'1e400' "
	            "d'18446744073709551615' "
	            "s'9223372036854775808'\n" },
	{ .json = DOC(ID("-1", "'-1'", "'device':-2,'stream':-9223372036854775808")),
	  .events = "kernel k @1000+0 p'-1' t'-1' d'-2' s'-9223372036854775808'\n" },
	/* a text that is not an integer in its usual form ("007") is not the id of the integer (7) */
	{ .json = DOC(ID("'007'", "1.0", "'device':'','stream':' 1','correlation':'+1'")),
	  .events = "kernel k @1000+0 p'007' t'1.0' c'+1' d'' s' 1'\n" },
	/* null counts as absent */
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
	/* the last of equal keys counts, even if it is a whole object */
	{ .json = DOC(EV("'ts':1,'ts':2,'dur':9,'dur':null,'name':'a','name':'b','pid':5,'pid':6")),
	  .events = "kernel b @2000+0 p6 t7 d6 s7\n" },
	{ .json = DOC(EV("'ts':1e999,'ts':2")), .events = "kernel k @2000+0 p0 t7 d0 s7\n" },
	{ .json = DOC(EV("'ts':1,'ph':'i'") "," EV("'ts':1,'cat':'x'") "," EV("'ts':1,'cat':5") "," EV(
	      "'ts':1,'ph':5")),
	  .events = "",
	  .meta = "events=4 malformed=2" },
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
	/* keys in any order */
	{ .json = DOC("{'args':{'correlation':3,'device':1,'stream':2},'dur':2,'ts':1,'tid':7,'pid':0,'"
	              "name':'k','cat':'kernel','ph':'X'}"),
	  .events = "kernel k @1000+2000 p0 t7 c3 d1 s2\n" },
	{ .json = DOC("{'args':{'bytes':64},'ts':1,'ph':'X','cat':'Memcpy','name':'Memcpy HtoD (Pinned "
	              "-> Device)'}"),
	  .events = "memcpy Memcpy HtoD (Pinned -> Device) @1000+0 p- t- d- s- b64\n" },
	/* bytes of copies, in both spellings of the key */
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
	/* no value of the previous event is left */
	{ .json = DOC(
	      "{'ph':'X','cat':'kernel','name':'k','ts':5,'dur':-3,'args':{'device':1,'stream':2,"
	      "'correlation':9,'grid':[1,1,1],'block':[1,1,1]}},{'ph':'i','name':'[memory]','ts':5}"),
	  .events =
	      "kernel k @5000+0! p- t- c9 d1 s2 g1,1,1 k1,1,1\nmemory [memory] @5000+0 p- t- b0 type0 "
	      "id-1 a-1 r-1\n" },
	{ .json = DOC(
	      "{'ph':'X','cat':'gpu_memcpy','name':'m','ts':5,'dur':3,'args':{'bytes':7,'device':1,"
	      "'stream':2}},{'ph':'i','name':'[memory]','ts':5},{'ph':'X','cat':'memset','name':'s',"
	      "'ts':5}"),
	  .events =
	      "memcpy m @5000+3000 p- t- d1 s2 b7\nmemory [memory] @5000+0 p- t- b0 type0 id-1 a-1 "
	      "r-1\nmemset s @5000+0 p- t- d- s- b0\n" },
	/* if an event has several phases or categories, the last one counts, even after the name */
	{ .json =
	      DOC("{'ph':'X','cat':'cpu_op','name':'[memory]','ts':5,'ph':'i'},{'ph':'X','cat':"
	          "'cpu_op','name':'a','ts':5,'cat':'x'},{'ph':'X','cat':'x','name':'b','ts':5,'cat':"
	          "'cpu_op'}"),
	  .events = "memory [memory] @5000+0 p- t- b0 type0 id-1 a-1 r-1\nop b @5000+0 p- t-\n" },
	{ .json = DOC(MEM("'Total Reserved':2048,'Total Allocated':1024,'Bytes':-512,'Addr':14,'Device "
	                  "Id':0,'Device Type':1")),
	  .events = "memory [memory] @5000+0 p1 t2 b-512 type1 id0 a1024 r2048\n" },
	{ .json = DOC("{'ph':'i','name':'[OutOfMemory]','ts':5,'args':{'Bytes':9,'Total Allocated':7,"
	              "'Device Id':0,'Device Type':1}}," MEM("'Bytes':8")),
	  .events = "memory [OutOfMemory] @5000+0 p- t- b9 type1 id0 a7 r0 failed\nmemory [memory] "
	            "@5000+0 p1 t2 b8 type0 id-1 a-1 r-1\n" },
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

#define OP(args) "{'ph':'X','cat':'cpu_op','name':'o','ts':1,'args':{" args "}}"
#define OP_IN "op o @1000+0 p- t- in "
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X250 X50 X50 X50 X50 X50

static const struct row inputs_rows[] = {
	{ .json = DOC(OP("'Input Dims':[[8,1024],[1024],[]],'Input type':['float','c10::Half','']")),
	  .events = OP_IN "[8, 1024], [1024], [] of float, c10::Half, -\n" },
	/* an operator of 2021; lists of tensors; values that are neither list, number nor text */
	{ .json = DOC(OP("'Input dims':[[[2,3],[4]],[],5,null,{'a':[1]},true]")),
	  .events = OP_IN "[[2, 3], [4]], [], 5, -, -, - of \n" },
	{ .json = DOC(OP("'Input Dims':[[8,3]],'Input type':['','c10::Half'],'Concrete "
	                 "Inputs':['','[1, 1]','False','2.5',''],'kernel_flop':4096")),
	  .events = "op o @1000+0 p- t- in [8, 3] of -, c10::Half with -, [1, 1], False, 2.5, - "
	            "f4096\n" },
	{ .json = DOC(OP("'kernel_flop':1.5e3") "," OP("'kernel_flop':'many','Concrete Inputs':7")),
	  .events = "op o @1000+0 p- t- with  f1500\nop o @1000+0 p- t-\n" },
	{ .json = DOC(OP("'Input Dims':[],'Input type':'float'") "," OP(
	      "'Input Dims':{'a':1},'Input type':null")),
	  .events = "op o @1000+0 p- t-\nop o @1000+0 p- t-\n" },
	/* of a repeated key the last value counts; an operator has no inputs left from the event
	   before; only operators have inputs */
	{ .json = DOC(OP("'Input type':['a'],'Input type':['b']") "," OP("") "," EV(
	      "'ts':1,'dur':2,'args':{'Input Dims':[[1]]}")),
	  .events = OP_IN " of b\nop o @1000+0 p- t-\n" K1 },
	/* at most 256 bytes, of complete characters */
	{ .json = DOC(OP("'Input type':['" X250 "','abcd']")), .events = OP_IN " of " X250 ", abcd\n" },
	{ .json = DOC(OP("'Input type':['" X250 "','abcde',[[1]]]")),
	  .events = OP_IN " of " X250 ", a…\n" },
	{ .json = DOC(OP("'Input type':['" X250 "xx\\u00e4\\u00e4\\u00e4']")),
	  .events = OP_IN " of " X250 "xx…\n" },
};

static void inputs(void **state)
{
	(void)state;
	check_rows(inputs_rows, ROWS(inputs_rows));
}

#define NCCL(cat, rest) \
	"{'ph':'X','cat':'" cat "','name':'nccl:x','ts':1,'dur':2,'pid':0,'tid':7,'args':{" rest "}}"
#define ALL_REDUCE                                                                        \
	"'Collective name':'allreduce','dtype':'Float','In msg nelems':8,'Out msg nelems':9," \
	"'Group size':2,'Process Group Name':'0','Process Group Description':'dp'"
#define NOTE(rest) NCCL("user_annotation", rest)
#define TWO(a, b) a "," b
#define GROUP_3 "'Process Group ID':3,"
#define WAIT "'Collective name':'wait'"
#define ODD \
	"'Collective name':'a','In msg nelems':-1,'Out msg nelems':'x','Group size':[2],'dtype':null"
#define MINE \
	"{'ph':'X','cat':'user_annotation','name':'mine','ts':1,'pid':0,'tid':7,'args':{" DIMS "}}"
#define DIMS "'Input Dims':[[8]]"
#define ANNOTATION "annotation nccl:x @1000+2000 p0 t7"

static const struct row collective_rows[] = {
	{ .json =
	      DOC(TWO(TWO(NCCL("kernel", ALL_REDUCE), NCCL("cpu_op", ALL_REDUCE)), NOTE(ALL_REDUCE))),
	  .events = "kernel nccl:x @1000+2000 p0 t7 d0 s7 comm allreduce,Float,0,dp 8>9/2\n"
	            "op nccl:x @1000+2000 p0 t7 comm allreduce,Float,0,dp 8>9/2\n" ANNOTATION
	            " comm allreduce,Float,0,dp 8>9/2\n" },
	/* torch 2.1 writes a process group's number; its name has precedence, whichever comes first */
	{ .json = DOC(TWO(NOTE(GROUP_3 WAIT), NOTE(GROUP_3 "'Process Group Name':'n'," WAIT))),
	  .events = ANNOTATION " comm wait,,3, -1>-1/-1\n" ANNOTATION " comm wait,,n, -1>-1/-1\n" },
	/* a member that should be a count, but is not, counts as absent; an event without members does
	   not get those of the event before it */
	{ .json = DOC(TWO(TWO(NOTE(ODD), NOTE("'dtype':'Float','Group size':2")),
	                  TWO(NOTE(ALL_REDUCE), NOTE("")))),
	  .events = ANNOTATION " comm a,,, -1>-1/-1\n" ANNOTATION "\n" ANNOTATION
	                       " comm allreduce,Float,0,dp 8>9/2\n" ANNOTATION "\n" },
	/* annotations of collectives have shapes, other annotations do not */
	{ .json = DOC(TWO(NOTE(DIMS ",'Input type':['float']"), MINE)),
	  .events = ANNOTATION " in [8] of float\nannotation mine @1000+0 p0 t7\n" },
};

static void collectives(void **state)
{
	(void)state;
	check_rows(collective_rows, ROWS(collective_rows));
}

#define PYTHON(args) \
	"{'ph':'X','cat':'python_function','name':'f','ts':1,'dur':2,'pid':0,'tid':7,'args':{" args "}}"
static const struct row python_rows[] = {
	{ .json = DOC(PYTHON("'Python id':5,'Python parent id':4") "," PYTHON(
	      "'Python id':1,'Python parent id':null") "," PYTHON("'Python id':-7")),
	  .events = "python f @1000+2000 p0 t7 y5<4\npython f @1000+2000 p0 t7 y1<-1\n"
	            "python f @1000+2000 p0 t7\n" },
	/* nor does a frame get members of the event before it */
	{ .json = DOC(NCCL("kernel", ALL_REDUCE) "," PYTHON("")),
	  .events = "kernel nccl:x @1000+2000 p0 t7 d0 s7 comm allreduce,Float,0,dp 8>9/2\n"
	            "python f @1000+2000 p0 t7\n" },
};

/* The id between name and "ts" is read again for each arrow, though the text there repeats: an
 * arrow without an id is dropped. */
#define ARROW "{'ph':'f','cat':'fwdbwd','name':'fwdbwd','id':8,'pid':1,'tid':2,'bp':'e','ts':100.6}"
#define ARROW_LINE "flow fwdbwd @100600+0 p1 t2\n"

static const struct row flow_rows[] = {
	{ .json = DOC(ARROW "," ARROW "," ARROW "," ARROW),
	  .events = ARROW_LINE ARROW_LINE ARROW_LINE ARROW_LINE },
};

static void flows(void **state)
{
	(void)state;
	check_rows(flow_rows, ROWS(flow_rows));
}

static void python(void **state)
{
	(void)state;
	check_rows(python_rows, ROWS(python_rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes), cmocka_unit_test(categories),  cmocka_unit_test(numbers),
		cmocka_unit_test(ids),    cmocka_unit_test(args),        cmocka_unit_test(memory),
		cmocka_unit_test(inputs), cmocka_unit_test(collectives), cmocka_unit_test(python),
		cmocka_unit_test(flows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
