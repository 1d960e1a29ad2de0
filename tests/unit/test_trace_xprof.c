/* Events without a category, whose kind follows from the names of their processes and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace_rows.h"

#define FILE_OF(events) "{'metadata':{'highres-ticks':true},'traceEvents':[" events "]}"
#define PROCESS(pid, name) \
	"{'ph':'M','pid':" pid ",'name':'process_name','args':{'name':'" name "'}},"
#define THREAD(pid, tid, name) \
	"{'ph':'M','pid':" pid ",'tid':" tid ",'name':'thread_name','args':{'name':'" name "'}},"
#define GPU PROCESS("1", "/device:GPU:0") THREAD("1", "13", "Stream #13(Compute)")
#define CPU PROCESS("701", "/host:CPU")
#define X(pid, tid, name, args) \
	"{'ph':'X','pid':" pid ",'tid':" tid ",'ts':1.5,'dur':2,'name':'" name "'" args "}"
#define ARGS(args) ",'args':{" args "}"

/* ---- events that are read ---- */

static const struct row lane_rows[] = {
	/* the process's name gives the device, and the thread's name the stream, if it has a number */
	{ .json = FILE_OF(GPU X("1", "13", "k", "") ",{}"),
	  .events = "kernel k @1500+2000 p1 t13 d0 s13\n",
	  .meta = "events=4" },
	{ .json = FILE_OF(PROCESS("4", "/device:GPU:3")
	                      THREAD("4", "2", "Stream #118(MemcpyD2H,Compute)") X("4", "2", "k", "")),
	  .events = "kernel k @1500+2000 p4 t2 d3 s118\n" },
	{ .json = FILE_OF(PROCESS("1", "node7 /device:GPU:0") X("1", "5", "k", "")),
	  .events = "kernel k @1500+2000 p1 t5 d0 s5\n" },
	{ .json = FILE_OF(GPU THREAD("1", "9", "Stream #x") X("1", "9", "k", "")),
	  .events = "kernel k @1500+2000 p1 t9 d0 s9\n" },
	/* a thread named before its process, keys in the viewer's order, flows with a category */
	{ .json = FILE_OF(
	      "{'args':{'name':'Stream #7(Compute)'},'name':'thread_name','ph':'M','pid':1,'tid':"
	      "7},{'args':{'name':'/device:GPU:0'},'name':'process_name','ph':'M','pid':1,'thread_"
	      "count':3},{'pid':1,'tid':7,'name':'k','ts':1,'dur':2.0000000000000001e-06,'cat':'"
	      "gpu_launch','bind_id':5,'flow_in':true,'ph':'X','z':1}"),
	  .events = "kernel k @1000+0 p1 t7 d0 s7\n" },
	/* lines that XProf derives from other lines, so that their time would count twice */
	{ .json = FILE_OF(
	      GPU THREAD("1", "90", "XLA Ops") THREAD("1", "91", "XLA Modules")
	          THREAD("1", "92", "Framework Name Scope - from #13") THREAD("1", "93", "Launch Stats")
	              X("1", "90", "fusion.1", ARGS("'group_id':'0'")) "," X(
	                  "1", "91", "jit_f", "") "," X("1", "92", "n", "") "," X("1", "93", "l", "")),
	  .events = "",
	  .meta = "events=10" },
	/* a step whose arguments give its group, and one whose name is used as the group */
	{ .json = FILE_OF(GPU THREAD("1", "90", "Steps")
	                      X("1", "90", "train 5", ARGS("'group_id':'2','step_name':'train 5'"))),
	  .events = "step train 5 @1500+2000 p1 t90 d0 g2\n" },
	{ .json = FILE_OF(GPU THREAD("1", "90", "Steps") X("1", "90", "5", "")),
	  .events = "step 5 @1500+2000 p1 t90 d0 g'5'\n" },
	/* events of the host: calls, and annotations, some of which are steps; frames of Python are
	   left out */
	{ .json = FILE_OF(
	      CPU GPU
	          X("701", "8", "cuLaunchKernel", ARGS("'context_id':'$$1','correlation_id':'77'")) "," X(
	              "701", "8", "train",
	              ARGS(
	                  "'step_num':'12'")) "," X("701", "8", "NVTX:a",
	                                            ARGS(
	                                                "'correlation_id':'0'")) "," X("701", "8",
	                                                                               "$a.py:1 f",
	                                                                               "") "," X("701",
	                                                                                         "8",
	                                                                                         "Execu"
	                                                                                         "te",
	                                                                                         ARGS(
	                                                                                             "'"
	                                                                                             "s"
	                                                                                             "t"
	                                                                                             "e"
	                                                                                             "p"
	                                                                                             "_"
	                                                                                             "n"
	                                                                                             "u"
	                                                                                             "m"
	                                                                                             "'"
	                                                                                             ":"
	                                                                                             "'"
	                                                                                             "x"
	                                                                                             "'"))),
	  .events = "runtime cuLaunchKernel @1500+2000 p701 t8 c77\n"
	            "annotation train @1500+2000 p701 t8 n12\n"
	            "annotation NVTX:a @1500+2000 p701 t8\n"
	            "annotation Execute @1500+2000 p701 t8\n" },
	/* a pool of threads counts as the host if there is a GPU */
	{ .json = FILE_OF(GPU PROCESS("702", "node7 tf_pool")
	                      X("702", "8", "hipLaunchKernel", ARGS("'correlation_id':9"))),
	  .events = "runtime hipLaunchKernel @1500+2000 p702 t8 c9\n" },
	{ .json = FILE_OF(PROCESS("702", "tf_pool") X("702", "8", "a", "")), .events = "" },
	/* events of processes without a name, or with an unknown name, are skipped, except those with a
	 * category of Kineto */
	{ .json = FILE_OF(GPU X("2", "13", "k", "") "," X("null", "13", "k", "")), .events = "" },
	{ .json = FILE_OF(PROCESS("1", "/device:CUSTOM:Megascale Trace") PROCESS("2", "/device:GPU:x")
	                      X("1", "13", "k", "") "," X("2", "13", "k", "")),
	  .events = "" },
	{ .json = FILE_OF(PROCESS("1", "python") THREAD("1", "13", "Stream #13")
	                      X("1", "13", "k", "") "," X("1", "13", "k", ",'cat':'kernel'")),
	  .events = "kernel k @1500+2000 p1 t13 d1 s13\n" },
	{ .json = FILE_OF(GPU X("1", "13", "k", ",'cat':'cpu_op'")),
	  .events = "op k @1500+2000 p1 t13\n" },
	/* a complete event without a time */
	{ .json = FILE_OF(GPU "{'ph':'X','pid':1,'tid':13,'name':'k'}"),
	  .events = "",
	  .meta = "events=3 malformed=1" },
};

static void lanes(void **state)
{
	(void)state;
	check_rows(lane_rows, ROWS(lane_rows));
}

/* ---- details of activities ---- */

#define DETAILS(name, args) FILE_OF(GPU X("1", "13", name, ARGS(args)))
#define KERNEL "kernel k @1500+2000 p1 t13"
#define SIZE_ERROR                                                                              \
	"traceEvents[2].args.memcpy_details: not a size that can be held exactly; write the trace " \
	"anew"

static const struct row detail_rows[] = {
	{ .json = DETAILS("k", "'correlation_id':'5','kernel_details':'regs:32 static_shared:0 "
	                       "dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:16.6667'"),
	  .events = KERNEL " c5 d0 s13 g4,2,1 k256,1,1 o16666700\n" },
	{ .json = DETAILS("k", "'kernel_details':'occ_pct:0 grid:1,1 block:256,1,1'"),
	  .events = KERNEL " d0 s13\n" },
	{ .json = DETAILS("k", "'kernel_details':'grid:1,1,-1 block:2,2,2 '"),
	  .events = KERNEL " d0 s13\n" },
	{ .json = DETAILS("k", "'kernel_details':'regs:1','theoretical_occupancy_pct':'93.75'"),
	  .events = KERNEL " d0 s13 o93750000\n" },
	/* 'kernel_details' makes an event a kernel, even if its name begins with Memcpy */
	{ .json = DETAILS("Memcpy_fusion", "'kernel_details':'regs:1'"),
	  .events = "kernel Memcpy_fusion @1500+2000 p1 t13 d0 s13\n" },
	{ .json =
	      DETAILS("MemcpyH2D", "'memcpy_details':'kind_src:host kind_dst:device size:512 dest:0 "
	                           "async:1'"),
	  .events = "memcpy MemcpyH2D @1500+2000 p1 t13 d0 s13 b512\n" },
	{ .json = DETAILS("CopyHostToDevice", "'memcpy_details':'kind:Unknown size:9 dest:0 async:0'"),
	  .events = "memcpy CopyHostToDevice @1500+2000 p1 t13 d0 s13 b9\n" },
	{ .json = DETAILS("MemcpyD2D", "'hlo_op':'copy.1'"),
	  .events = "memcpy MemcpyD2D @1500+2000 p1 t13 d0 s13 b0\n" },
	{ .json = DETAILS("Memset 2", "'Memset_details':'kind:device num_bytes:64 async:1'"),
	  .events = "memset Memset 2 @1500+2000 p1 t13 d0 s13 b64\n" },
	/* events that last from an allocation to its end, and migrations, are left out */
	{ .json = DETAILS("Memory Device", "'MemoryResidency_details':'kind:device num_bytes:4'"),
	  .events = "" },
	{ .json = DETAILS("UM_BYTES_TRANSFER_HTOD", "'group_id':'1'"), .events = "" },
	/* in traces of XProf, Kineto's keys of details are ignored */
	{ .json = DETAILS("k", "'device':5,'stream':6,'bytes':7"), .events = KERNEL " d0 s13\n" },
	/* sizes in details that are not numbers, or below 0, are errors */
	{ .json = FILE_OF(GPU X("1", "13", "MemcpyH2D", ARGS("'memcpy_details':'size:-1'")) "^"),
	  .error = SIZE_ERROR },
	{ .json = FILE_OF(GPU X("1", "13", "MemcpyH2D", ARGS("'memcpy_details':'size:many'")) "^"),
	  .error = SIZE_ERROR },
};

static void details(void **state)
{
	(void)state;
	check_rows(detail_rows, ROWS(detail_rows));
}

/* ---- events that cannot be read are reported ---- */

#define LATE ": a process or thread of a GPU is named behind its events; write its name first"
#define VIEW                                                                                   \
	"a view of XProf's trace viewer, which leaves out short events; give the *.trace.json.gz " \
	"that "                                                                                    \
	"JAX wrote"

static const struct row error_rows[] = {
	{ .json =
	      FILE_OF(X("1", "13", "k", "") ",{'ph':'M','pid':1,'name':'process_name','args':{'name':'"
	                                    "/device:GPU:0'}}^"),
	  .error = "traceEvents[1]" LATE },
	{ .json =
	      FILE_OF(GPU X("7", "1", "cuLaunchKernel", "") ",{'ph':'M','pid':7,'name':'process_name','"
	                                                    "args':{'name':'/host:CPU'}}^"),
	  .error = "traceEvents[3]" LATE },
	{ .json = FILE_OF(PROCESS("1", "/device:GPU:0")
	                      X("1", "90", "5", "") ",{'ph':'M','pid':1,'tid':90,'"
	                                            "name':'thread_name','args':{'"
	                                            "name':'Steps'}}^"),
	  .error = "traceEvents[2]" LATE },
	{ .json = FILE_OF(
	      GPU "{'ph':'M','pid':2,'name':'process_name','args':{'name':'b /device:GPU:0'}}^"),
	  .error =
	      "traceEvents[2]: two processes are GPU 0; give the traces of several hosts one by one" },
	{ .json = FILE_OF(PROCESS("1", "/device:GPU:0")
	                      THREAD("1", "9", "Queue #1") "{'ph':'X','pid':1,'tid':9,'ts':1,'dur':1,'"
	                                                   "name':'k','args':{'kernel_details':'"
	                                                   "regs:1'}}^"),
	  .error = "traceEvents[2]: a kernel or copy on a thread that is not a 'Stream #N'; report the "
	           "version of JAX" },
	{ .json = "{'filteredByVisibility':^true,'traceEvents':[]}", .error = VIEW },
	{ .json = FILE_OF(PROCESS("1", "/device:TPU:0") X("1", "2", "fusion.1", "")),
	  .error = "a trace of TPUs; give one of GPUs" },
	/* no errors: 'filteredByVisibility' is not true, or the file has a GPU, whatever other devices
	   it names, or no device at all */
	{ .json = "{'filteredByVisibility':false,'traceEvents':[]}", .events = "" },
	{ .json = "{'filteredByVisibility':[true],'traceEvents':[]}", .events = "" },
	{ .json = FILE_OF(PROCESS("1", "/device:TPU:0") GPU X("1", "13", "k", "")),
	  .events = "kernel k @1500+2000 p1 t13 d0 s13\n" },
	{ .json = FILE_OF(GPU X("1", "13", "k", "") "," PROCESS("1", "/device:GPU:0") "{}"),
	  .events = "kernel k @1500+2000 p1 t13 d0 s13\n" },
	{ .json = FILE_OF(X("1", "13", "k", "") "," PROCESS("1", "python") "{}"), .events = "" },
};

static void errors(void **state)
{
	(void)state;
	check_rows(error_rows, ROWS(error_rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes),
		cmocka_unit_test(details),
		cmocka_unit_test(errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
