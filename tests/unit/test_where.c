/* Places in the code that launched work: rows made from small traces. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "merge/digest_small.h"
#include "merge/where.h"
#include "read/trace.h"
#include "reduce/reduce.h"

/* Reads a trace in which ' is written instead of ", and returns its rows of code places as text:
 * kind, phase, module, place and line, operators, count, time, bytes; then those of annotations.
 * Caller: strbuf_release(). */
static struct strbuf rows_of(const char *events)
{
	struct span skipped[] = { SPAN("/torch/"), SPAN("/threading.py") };
	struct site_rules sites = { .skip = { skipped, 2, 2 } };
	struct reduce_options options = { .marker = "ProfilerStep#*",
		                              .communication = "nccl",
		                              .sites = &sites };
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	struct name_table names;
	struct trace_meta meta;
	struct diag_log log;
	strbuf_addf(&text, "[%s{}]", events);
	for (size_t i = 0; i < text.n; i++)
		text.p[i] = text.p[i] == '\'' ? '"' : text.p[i];
	diag_init(&log);
	name_table_init(&names);
	struct source *src =
	    source_memory("doc", text.p, text.n, &(struct source_options){ .max_bytes = 1 << 22 });
	struct reducer *r = reducer_new(&options, &names);
	struct digest *d = digest_new();
	assert_int_equal(
	    trace_read(src, &(struct trace_options){ 0 }, &names, reducer_sink(r), &meta, &log), ST_OK);
	assert_int_equal(reducer_finish(r, &meta, d, &log), ST_OK);
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		const struct span texts[] = { c->module, c->place, c->op };
		strbuf_addf(&out, "%s %s", code_kind_names[c->kind], phase_names[c->phase]);
		for (size_t k = 0; k < 3; k++) {
			strbuf_addch(&out, '|');
			for (size_t n = 0; n < texts[k].n; n++)
				strbuf_addch(&out, texts[k].p[n] == CODE_BETWEEN ? '>' : texts[k].p[n]);
			if (k == 1 && c->line >= 0)
				strbuf_addf(&out, "@%" PRId64, c->line);
		}
		strbuf_addf(&out, " %" PRId64 " %" PRId64 " %" PRId64 "\n", c->count, c->total_ns,
		            c->bytes);
	}
	for (size_t i = 0; i < d->ranges.nr; i++)
		strbuf_addf(&out, "range %.*s %" PRId64 " %" PRId64 "\n", (int)d->ranges.v[i].name.n,
		            d->ranges.v[i].name.p, d->ranges.v[i].count, d->ranges.v[i].total_ns);
	digest_free(d);
	reducer_free(r);
	source_close(src);
	name_table_release(&names);
	diag_release(&log);
	arena_release(&meta.arena);
	vec_release(&meta.devices);
	strbuf_release(&text);
	return out;
}

/* Events with times in µs; LAUNCH makes a launch and its kernel of 1 µs. */
#define EVENT(cat, name, tid, ts, dur, args)                                                      \
	"{'ph':'X','cat':'" cat "','name':'" name "','pid':1,'tid':" #tid ",'ts':" #ts ",'dur':" #dur \
	",'args':{" args "}},"
#define OP(name, tid, ts, dur) EVENT("cpu_op", name, tid, ts, dur, "")
#define NUMBERED(name, tid, ts, dur, sequence, forward) \
	EVENT("cpu_op", name, tid, ts, dur, "'Sequence number':" #sequence ",'Fwd thread id':" #forward)
#define RANGE(name, tid, ts, dur) EVENT("user_annotation", name, tid, ts, dur, "")
#define FRAME(name, tid, ts, dur, id, parent) \
	EVENT("python_function", name, tid, ts, dur, "'Python id':" #id ",'Python parent id':" #parent)
#define LAUNCH(id, tid, ts)                                                     \
	EVENT("cuda_runtime", "cudaLaunchKernel", tid, ts, 1, "'correlation':" #id) \
	EVENT("kernel", "k", 7, ts, 1, "'correlation':" #id ",'device':0,'stream':7")
#define FLOW(ph, id, tid, ts)                                                                     \
	"{'ph':'" ph "','cat':'fwdbwd','name':'fwdbwd','id':" #id ",'pid':1,'tid':" #tid ",'ts':" #ts \
	"},"

#define LABEL(pid, name) \
	"{'ph':'M','pid':" #pid ",'name':'process_name','args':{'name':'" name "'}},"
#define XLA(name, ts, args) \
	"{'ph':'X','name':'" name "','pid':9,'tid':1,'ts':" #ts ",'dur':1,'args':{" args "}},"
#define HOST(name, args) \
	"{'ph':'X','name':'" name "','pid':701,'tid':1,'ts':0,'dur':9,'args':{" args "}},"

struct row {
	const char *title, *events, *expect;
};

/* The call path main → train.py:step → model.py:forward, in a module, with the operator
   aten::linear. */
#define FORWARD                                                           \
	FRAME("train.py(12): step", 1, 10, 80, 1, 0)                          \
	FRAME("nn.Module: Net_0", 1, 11, 40, 2, 1)                            \
	FRAME("model.py(7): forward", 1, 12, 38, 3, 2)                        \
	FRAME("nn.Module: Linear_3", 1, 13, 30, 4, 3)                         \
	FRAME("/x/torch/nn/modules/linear.py(114): forward", 1, 14, 28, 5, 4) \
	FRAME("<built-in function linear>", 1, 15, 26, 6, 5)

static const struct row rows[] = {
	{ "operators in operators",
	  OP("a", 1, 10, 50) OP("b", 1, 20, 20) LAUNCH(1, 1, 25) LAUNCH(2, 1, 50),
	  "kernel all|||a 1 1000 0\nkernel all|||a>b 1 1000 0\n" },
	{ "a launch outside of operators, and another thread", OP("a", 1, 10, 50) LAUNCH(1, 2, 25),
	  "kernel all||| 1 1000 0\n" },
	{ "no length: it holds its start", OP("a", 1, 10, 0) OP("b", 1, 5, 9) LAUNCH(1, 1, 10),
	  "kernel all|||b>a 1 1000 0\n" },
	{ "a span that outlasts the one around it",
	  OP("a", 1, 10, 20) OP("b", 1, 20, 30) LAUNCH(1, 1, 25) LAUNCH(2, 1, 35),
	  "kernel all|||a>b 1 1000 0\nkernel all|||b 1 1000 0\n" },
	{ "frames, modules without their instance, no frame of PyTorch",
	  FORWARD OP("aten::linear", 1, 16, 20) LAUNCH(1, 1, 20),
	  "kernel all|Net>Linear|model.py:forward@7|aten::linear 1 1000 0\n" },
	{ "only frames of PyTorch: the innermost with a file",
	  FRAME("/x/torch/optim/sgd.py(9): step", 1, 10, 80, 1, 0)
	      FRAME("<built-in method add>", 1, 11, 70, 2, 1) LAUNCH(1, 1, 20),
	  "kernel all||/x/torch/optim/sgd.py:step@9| 1 1000 0\n" },
	{ "annotations, each once, and no step",
	  RANGE("ProfilerStep#1", 1, 0, 99) RANGE("r", 1, 5, 80) RANGE("s", 1, 6, 70)
	      RANGE("r", 1, 7, 60) LAUNCH(1, 1, 20) LAUNCH(2, 1, 80),
	  "kernel all||| 2 2000 0\nrange r 2 2000\nrange s 1 1000\n" },
	{ "the thread of autograd: frames of the forward operator, by a flow",
	  FORWARD OP("aten::linear", 1, 16, 20) FLOW("s", 5, 1, 16)
	      OP("autograd::engine::evaluate_function: X", 2, 60, 20) OP("X", 2, 61, 15)
	          FLOW("f", 5, 2, 61) LAUNCH(1, 2, 65),
	  "kernel backward|Net>Linear|model.py:forward@7|autograd::engine::evaluate_function: X>X 1 "
	  "1000 0\n" },
	{ "the same by sequence numbers: of those before it the last",
	  FORWARD NUMBERED("aten::t", 1, 12, 1, 8, 0) NUMBERED("aten::linear", 1, 16, 20, 8, 0)
	      NUMBERED("aten::late", 1, 90, 1, 8, 0) NUMBERED("X", 2, 61, 15, 8, 1) LAUNCH(1, 2, 65),
	  "kernel backward|Net>Linear|model.py:forward@7|X 1 1000 0\n" },
	{ "forward operators of one number on two threads tell nothing",
	  FORWARD NUMBERED("aten::linear", 1, 16, 20, 8, 0) NUMBERED("aten::linear", 3, 17, 20, 8, 0)
	      NUMBERED("X", 2, 61, 15, 8, 1) LAUNCH(1, 2, 65),
	  "kernel backward|||X 1 1000 0\n" },
	{ "forked: two threads of autograd, each by its own flow",
	  FORWARD OP("aten::linear", 1, 16, 2) OP("aten::relu", 1, 45, 2) FLOW("s", 5, 1, 16)
	      FLOW("s", 6, 1, 45) OP("X", 2, 61, 15) FLOW("f", 5, 2, 61) OP("Y", 3, 61, 15)
	          FLOW("f", 6, 3, 61) LAUNCH(1, 2, 65) LAUNCH(2, 3, 65),
	  "kernel all|Net|model.py:forward@7|Y 1 1000 0\n"
	  "kernel all|Net>Linear|model.py:forward@7|X 1 1000 0\n" },
	{ "checkpoints: what is computed again has frames of its own, its backward those",
	  FORWARD OP("aten::linear", 1, 16, 20) FLOW("s", 5, 1, 16)
	      OP("CheckpointFunctionBackward", 2, 60, 30) FLOW("f", 5, 2, 60)
	          FRAME("/x/torch/utils/checkpoint.py(3): recompute_fn", 2, 61, 9, 11, 0)
	              FRAME("nn.Module: Block_4", 2, 62, 7, 12, 11)
	                  FRAME("model.py(31): block", 2, 63, 6, 13, 12) OP("aten::mul", 2, 64, 3)
	                      FLOW("s", 6, 2, 64) LAUNCH(1, 2, 65) OP("MulBackward0", 2, 75, 5)
	                          FLOW("f", 6, 2, 75) LAUNCH(2, 2, 76),
	  "kernel all|Block|model.py:block@31|CheckpointFunctionBackward>aten::mul 1 1000 0\n"
	  "kernel all|Net>Linear|model.py:forward@7|CheckpointFunctionBackward>MulBackward0 1 1000 "
	  "0\n" },
	{ "of functions of a checkpoint, only the one that computes again does",
	  OP("autograd::engine::evaluate_function: X", 2, 60, 90) FRAME(
	      "/x/torch/utils/checkpoint.py(3): recompute_fn", 2, 61, 9, 11, 0) LAUNCH(1, 2, 65)
	      FRAME("/x/torch/utils/checkpoint.py(4): unpack_hook", 2, 71, 9, 12, 0) LAUNCH(2, 2, 75)
	          FRAME("/x/other.py(4): recompute_fn", 2, 81, 9, 13, 0) LAUNCH(3, 2, 85)
	              FRAME("/x/torch/utils/checkpoint.py(3): recompute_fn", 2, 91, 9, 14, 0)
	                  LAUNCH(4, 2, 95) FRAME("/x/torch/utils/checkpoint.py(4): unpack_hook", 2, 101,
	                                         9, 15, 0) LAUNCH(5, 2, 105),
	  "kernel backward||/x/other.py:recompute_fn@4|autograd::engine::evaluate_function: X 1 1000 "
	  "0\n"
	  "kernel backward||/x/torch/utils/checkpoint.py:unpack_hook@4|"
	  "autograd::engine::evaluate_function: X 2 2000 0\n"
	  "kernel recompute||/x/torch/utils/checkpoint.py:recompute_fn@3|"
	  "autograd::engine::evaluate_function: X 2 2000 0\n" },
	{ "frames beside operators, as in 2021: of the innermost that has some, and by sequence "
	  "numbers",
	  EVENT("Operator", "a", 1, 10, 20,
	        "'Call stack':'/x/torch/f.py(3): f;net.py(4): run','Sequence number':3")
	      OP("b", 1, 12, 10) LAUNCH(1, 1, 13) NUMBERED("B", 2, 50, 10, 3, 1) LAUNCH(2, 2, 55),
	  "kernel forward||net.py:run@4|a>b 1 1000 0\nkernel backward||net.py:run@4|B 1 1000 0\n" },
	{ "forward operators on two threads, each with frames of its own",
	  FRAME("a.py(1): f", 1, 10, 30, 1, 0) FRAME("b.py(2): g", 4, 10, 30, 2, 0)
	      OP("aten::linear", 1, 16, 2) OP("aten::relu", 4, 16, 2) FLOW("s", 5, 1, 16)
	          FLOW("s", 6, 4, 16) OP("X", 2, 61, 15) FLOW("f", 5, 2, 61) OP("Y", 3, 61, 15)
	              FLOW("f", 6, 3, 61) LAUNCH(1, 2, 65) LAUNCH(2, 3, 65),
	  "kernel all||a.py:f@1|X 1 1000 0\nkernel all||b.py:g@2|Y 1 1000 0\n" },
	{ "the same beside operators, as in 2021; a thread without frames tells none",
	  EVENT("Operator", "a", 1, 40, 20, "'Call stack':'a.py(9): f','Sequence number':4")
	      EVENT("Operator", "a", 1, 10, 20, "'Call stack':'a.py(1): f','Sequence number':3")
	          EVENT("Operator", "b", 4, 10, 20, "'Call stack':'b.py(2): g','Sequence number':5")
	              EVENT("Operator", "c", 5, 10, 20, "'Sequence number':6") LAUNCH(4, 1, 12) LAUNCH(
	                  5, 1, 42) LAUNCH(6, 4, 12) NUMBERED("A", 2, 70, 10, 3, 1) LAUNCH(1, 2, 75)
	                  NUMBERED("B", 3, 70, 10, 5, 4) LAUNCH(2, 3, 75) NUMBERED("C", 6, 70, 10, 6, 5)
	                      LAUNCH(3, 6, 75) NUMBERED("D", 7, 70, 10, 4, 1) LAUNCH(7, 7, 75),
	  "kernel forward||a.py:f@1|a 1 1000 0\nkernel forward||a.py:f@9|a 1 1000 0\n"
	  "kernel forward||b.py:g@2|b 1 1000 0\nkernel backward|||C 1 1000 0\n"
	  "kernel backward||a.py:f@1|A 1 1000 0\nkernel backward||a.py:f@9|D 1 1000 0\n"
	  "kernel backward||b.py:g@2|B 1 1000 0\n" },
	{ "calls behind the operator, before the next one begins",
	  EVENT("Operator", "a", 1, 10, 20, "'Call stack':'a.py(1): f','Sequence number':3")
	      LAUNCH(4, 1, 40) LAUNCH(5, 1, 50) OP("late", 1, 60, 5) NUMBERED("A", 2, 70, 10, 3, 1)
	          LAUNCH(1, 2, 75),
	  "kernel forward||| 2 2000 0\nkernel backward||a.py:f@1|A 1 1000 0\n" },
	{ "two threads of one call stack",
	  EVENT("Operator", "a", 1, 10, 20, "'Call stack':'a.py(1): f','Sequence number':3")
	      EVENT("Operator", "b", 4, 10, 20, "'Call stack':'a.py(1): f','Sequence number':5")
	          LAUNCH(4, 1, 12) LAUNCH(6, 4, 12) NUMBERED("A", 2, 70, 10, 3, 1) LAUNCH(1, 2, 75)
	              NUMBERED("B", 3, 70, 10, 5, 4) LAUNCH(2, 3, 75),
	  "kernel forward||a.py:f@1|a 1 1000 0\nkernel forward||a.py:f@1|b 1 1000 0\n"
	  "kernel backward||a.py:f@1|A 1 1000 0\nkernel backward||a.py:f@1|B 1 1000 0\n" },
	{ "copies and waiting",
	  FRAME("train.py(12): log", 1, 10, 80, 1, 0) OP("aten::item", 1, 20, 30)
	      EVENT("cuda_runtime", "cudaMemcpyAsync", 1, 21, 2, "'correlation':4")
	          EVENT("gpu_memcpy", "Memcpy DtoH", 7, 22, 3, "'correlation':4,'bytes':4096")
	              EVENT("cuda_runtime", "cudaStreamSynchronize", 1, 24, 5, "'correlation':5"),
	  "memcpy all||train.py:log@12|aten::item 1 3000 4096\n"
	  "sync all||train.py:log@12|aten::item 1 5000 0\n" },
	{ "JAX: each activity of a graph says its own operator and module; one says nothing",
	  LABEL(9, "/device:GPU:0") LABEL(701, "/host:CPU")
	      XLA("k1", 1,
	          "'correlation_id':'5','kernel_details':'x','name':'jit(f)/dot','hlo_op':'d.1',"
	          "'hlo_module':'jit_f_1'")
	          XLA("k2", 2,
	              "'correlation_id':'5','kernel_details':'x','hlo_op':'add.2',"
	              "'hlo_module':'jit_g'")
	              XLA("MemcpyD2D", 3, "'correlation_id':'5','memcpy_details':'size:64'")
	                  XLA("k1", 4,
	                      "'correlation_id':'6','kernel_details':'x','name':'jit(f)/dot',"
	                      "'hlo_op':'d.1','hlo_module':'jit_f_1'")
	                      HOST("cuGraphLaunch", "'correlation_id':'5'"),
	  "kernel all|jit_f_1||jit(f)/dot 1 1000 0\nkernel all|jit_g||add.2 1 1000 0\n"
	  "memcpy all||| 1 1000 64\n" },
	{ "only measured steps",
	  RANGE("ProfilerStep#1", 1, 10, 20) OP("a", 1, 5, 90) LAUNCH(1, 1, 8) LAUNCH(2, 1, 12),
	  "kernel all|||a 1 1000 0\n" },
};

static void where(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf got = rows_of(rows[i].events);
		if (strcmp(strbuf_str(&got), rows[i].expect) != 0)
			fail_msg("%s:\n%sexpected:\n%s", rows[i].title, strbuf_str(&got), rows[i].expect);
		strbuf_release(&got);
	}
}

/* If there are more rows than may keep their names, the rows with the least time lose their names,
 * but none of their figures. */
static void many(void **state)
{
	(void)state;
	enum { KEPT = 4096 };
	static const size_t nr[] = { KEPT, KEPT + 1, KEPT + 2 }, named[] = { KEPT, KEPT, KEPT };
	for (size_t i = 0; i < sizeof nr / sizeof *nr; i++) {
		struct strbuf events = STRBUF_INIT;
		for (size_t k = 0; k < nr[i]; k++)
			strbuf_addf(
			    &events,
			    "{'ph':'X','cat':'cpu_op','name':'o','pid':1,'tid':1,'ts':%zu,'dur':9},"
			    "{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel','pid':1,'tid':1,"
			    "'ts':%zu,'dur':1,'args':{'correlation':%zu}},"
			    "{'ph':'X','cat':'kernel','name':'k%zu','pid':1,'tid':7,'ts':%zu,'dur':%zu.%03zu,"
			    "'args':{'correlation':%zu,'device':0,'stream':%zu}},",
			    10 * k, 10 * k + 1, k + 1, k, 10 * k + 2, (k + 1) / 1000, (k + 1) % 1000, k + 1,
			    k + 7);
		struct strbuf got = rows_of(strbuf_str(&events));
		size_t kept = 0, without = 0;
		int64_t sum = 0;
		for (const char *at = strbuf_str(&got); *at; at = strchr(at, '\n') + 1) {
			int64_t count, ns;
			bool bare = strncmp(at, "kernel all||| ", 14) == 0;
			assert_int_equal(sscanf(strstr(at, bare ? "||| " : "|||o ") + (bare ? 4 : 5),
			                        "%" SCNd64 " %" SCNd64, &count, &ns),
			                 2);
			sum += ns;
			kept += !bare;
			without += bare ? (size_t)count : 0;
			assert_true(!bare || ns == (int64_t)(without * (without + 1) / 2));
		}
		assert_int_equal(kept, named[i]);
		assert_int_equal(without, nr[i] - named[i]);
		assert_int_equal(sum, (int64_t)(nr[i] * (nr[i] + 1) / 2));
		strbuf_release(&got);
		strbuf_release(&events);
	}
}

/* With more rows than all limits allow, sums do not change, and rows keep module and operator as
   long as there is space. */
static void folded(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	int64_t sum = 0;
	for (int64_t i = 0; i < 2000; i++) {
		char text[32];
		snprintf(text, sizeof text, "op%03d", (int)(i % 200));
		vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
		                                       .module = SPAN("m"),
		                                       .place = SPAN("f.py:g"),
		                                       .line = i,
		                                       .op = span_of(arena_dup(&d->arena, span_of(text))),
		                                       .kernel = (uint64_t)i + 1,
		                                       .count = 1,
		                                       .total_ns = i * i });
		sum += i * i;
	}
	vec_sort(&d->code, code_stat_cmp);
	for (int pass = 0; pass < 2; pass++) {
		int64_t left = 0, of_op = 0;
		digest_small_code(d);
		assert_in_range(d->code.nr, 1, KEEP_CODE + 1);
		for (size_t i = 0; i < d->code.nr; i++) {
			left += d->code.v[i].total_ns;
			of_op += code_path_has(d->code.v[i].op, SPAN("op007")) ? d->code.v[i].total_ns : 0;
		}
		assert_int_equal(left, sum);
		int64_t want = 0;
		for (int64_t i = 7; i < 2000; i += 200)
			want += i * i;
		assert_int_equal(of_op, want);
	}
	digest_free(d);
}

static void put(struct digest *d, const char *place, uint64_t kernel, int64_t count, int64_t ns)
{
	vec_push(&d->code, (struct code_stat){ .kind = kernel ? CODE_KERNEL : CODE_SYNC,
	                                       .module = SPAN(""),
	                                       .place = span_of(place),
	                                       .line = -1,
	                                       .op = span_of(*place ? "inner" : "own"),
	                                       .kernel = kernel,
	                                       .count = count,
	                                       .total_ns = ns });
}

static void assert_row(const struct digest *d, const char *place, uint64_t kernel, int64_t count,
                       int64_t ns)
{
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		if (c->kernel == kernel && span_eq(c->place, span_of(place))) {
			assert_int_equal(c->count, count);
			assert_int_equal(c->total_ns, ns);
			return;
		}
	}
	fail_msg("no row of kernel %d at '%s'", (int)kernel, place);
}

/* A kernel's measured time is divided among places in the code in the proportions of a separate
   recording; sums do not change. */
static void apart(void **state)
{
	(void)state;
	struct digest *d = digest_new(), *w = digest_new();
	put(d, "", 1, 7, 10); /* equal shares of three places: the remainder goes to the first */
	put(d, "", 2, 3, INT64_MAX); /* divided like the time in the separate recording: 1 to 3 */
	put(d, "", 3, 5, 500); /* the separate recording lacks this kernel */
	put(d, "", 4, 2, 9); /* 0 ns in the separate recording: each place gets an equal share */
	put(d, "", 0, 4, 77); /* waiting time is never divided */
	for (int i = 0; i < 3; i++)
		put(w, (const char *[]){ "a", "b", "c" }[i], 1, 100, 6);
	put(w, "a", 2, 1, INT64_MAX / 4);
	put(w, "b", 2, 3, INT64_MAX / 4 * 3);
	put(w, "a", 4, 0, 0);
	put(w, "b", 4, 0, 0);
	put(w, "c", 9, 1, 1);
	put(w, "c", 0, 1, 1);
	w->where = true;
	digest_join_where(d, w);
	assert_row(d, "a", 1, 3, 4);
	assert_row(d, "b", 1, 2, 3);
	assert_row(d, "c", 1, 2, 3);
	assert_row(d, "b", 2, 2, INT64_MAX / 4 * 3 + 2);
	assert_row(d, "a", 2, 1, INT64_MAX / 4 + 1);
	assert_row(d, "", 3, 5, 500);
	assert_row(d, "a", 4, 1, 5);
	assert_row(d, "b", 4, 1, 4);
	assert_row(d, "", 0, 4, 77);
	assert_int_equal(d->code.nr, 9);
	/* a separate recording for code places is refused without a trace of its rank, and if the rank
	 * has two such recordings */
	assert_int_equal(digests_join_where(&w, 1), 0);
	struct digest *twice[] = { w, d, w };
	assert_int_equal(digests_join_where(twice, 3), 2);
	digest_free(d);
	digest_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where),
		cmocka_unit_test(many),
		cmocka_unit_test(folded),
		cmocka_unit_test(apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
