/* Replays of graphs, and the captures that they fit: by kinds, names, order and places. */
#include "reduce_rig.h"

#define BEGIN "R cudaStreamBeginCapture 1 -1 0 1\n"
#define END "R cudaStreamEndCapture 1 -1 90 1\n"
#define CALL(at) "R cudaLaunchKernel 1 9" at " " at " 1\n"
#define NAMED(at, kernel) "R hipLaunchKernel 1 9" at " " at " 1 =" kernel "\n"
#define OP(name, at) "O " name " 1 " at " 5\n"
#define ADDS OP("add", "10") CALL("11")
#define CAPTURE BEGIN ADDS OP("mul", "20") CALL("21") END
#define LAUNCH "R cudaGraphLaunch 1 5 200 1\n"
#define KERNEL(name, at) "K " name " 0 7 5 " at " 5\n"
#define TWICE(a, b) LAUNCH KERNEL(a, "210") KERNEL(b, "220")
#define AGAIN(a, b) "R cudaGraphLaunch 1 6 300 1\nK " a " 0 7 6 310 5\nK " b " 0 7 6 320 5\n"
#define MM " 10 #[2, 3], [3, 5] float\n"

#define BIG "#[3037000500, 1], [1, 1518500249] float\n"

static void test_fitting(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "two kernels", CAPTURE TWICE("a", "b"), "graphs", "10 10 0 0", NULL, 0 },
		{ "have the places of their calls", NULL, "code", "[add: 1 5][mul: 1 5]", NULL, 0 },
		{ "one more", CAPTURE TWICE("a", "b") KERNEL("c", "230"), "graphs", "15 0 0 0", NULL, 0 },
		{ "and a launch of no graph",
		  CAPTURE "R cudaLaunchKernel 1 7 150 1\nK c 0 7 7 160 5\n" TWICE("a", "b"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "beside a kernel without a launch", CAPTURE TWICE("a", "b") "K c 0 7 99 215 5\n",
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "and a capture of nothing",
		  CAPTURE "R cudaStreamBeginCapture 1 -1 100 1\nR cudaStreamEndCapture 1 -1 110 1\n" TWICE(
		      "a", "b"),
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "and one that another call began, behind it in the file",
		  CAPTURE TWICE("a", "b") "R hipStreamBeginCapture 1 -1 100 1\n"
		                          "R cudaStreamEndCapture 1 -1 110 1\n",
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "one less", CAPTURE LAUNCH KERNEL("a", "210"), "graphs", "5 0 0 0", NULL, 0 },
		{ "a copy", CAPTURE LAUNCH KERNEL("a", "210") "C b 0 7 5 220 5\n", "graphs", "10 0 0 0",
		  NULL, 0 },
		{ "of a call that copies",
		  BEGIN ADDS
		  "R cudaMemcpyAsync 1 920 20 1\n" END LAUNCH KERNEL("a", "210") "C b 0 7 5 220 5\n",
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "names that calls tell", BEGIN NAMED("10", "a") NAMED("20", "b") END TWICE("a", "b"),
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "in another order", BEGIN NAMED("10", "a") NAMED("20", "b") END TWICE("b", "a"), "graphs",
		  "10 0 0 0", NULL, 0 },
		{ "the name of one of two", BEGIN NAMED("10", "a") CALL("20") END TWICE("a", "b"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "the name of the last", BEGIN CALL("10") NAMED("20", "b") END TWICE("a", "c"), "graphs",
		  "10 0 0 0", NULL, 0 },
		{ "the names of all, beside a copy",
		  BEGIN NAMED("10", "a") NAMED("20", "b") "R hipMemcpyAsync 1 930 30 1\n" END TWICE(
		      "a", "b") "C c 0 7 5 230 5\n",
		  "graphs", "15 15 0 0", NULL, 0 },
		{ "calls that come in the file before a capture, whose names were not read",
		  CALL("10") BEGIN CALL("20") END TWICE("a", "b"), "graphs", "10 0 0 10", NULL, 0 },
		{ "another name", BEGIN NAMED("10", "a") CALL("20") END TWICE("b", "a"), "graphs",
		  "10 0 0 0", NULL, 0 },
		{ "calls of another thread",
		  BEGIN ADDS "R cudaLaunchKernel 2 920 20 1\n" END TWICE("a", "b"), "graphs", "10 0 0 0",
		  NULL, 0 },
		{ "calls before and behind", CAPTURE "R cudaLaunchKernel 1 990 90 1\n" TWICE("a", "b"),
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "a capture without an end", BEGIN ADDS CALL("20") TWICE("a", "b"), "graphs", "0 0 0 0",
		  NULL, 0 },
		{ "a capture in a capture",
		  BEGIN ADDS "R cudaStreamBeginCapture 1 -1 15 1\nR cudaStreamEndCapture 1 -1 16 1\n" CALL(
		      "20") END TWICE("a", "b"),
		  "graphs", "10 10 0 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* A capture of two calls, with numbers from 110 on in one thread. */
#define SECOND(op1, op2)                                                              \
	"R cudaStreamBeginCapture 1 -1 100 1\n" OP(op1, "110") CALL("111") OP(op2, "120") \
	    CALL("121") "R cudaStreamEndCapture 1 -1 190 1\n"
#define NUMBERED(name, stream, at, number) "K " name " 0 " stream " 5 " at " 5 ~" number "\n"
#define FORKS BEGIN ADDS "R cudaStreamWaitEvent 1 -1 15 1\n" OP("mul", "20") CALL("21") END

static void test_order(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "at once", CAPTURE LAUNCH KERNEL("a", "210") KERNEL("b", "210"), "graphs", "10 0 10 0",
		  NULL, 0 },
		{ "on two streams", CAPTURE LAUNCH KERNEL("a", "210") "K b 0 8 5 220 5\n", "graphs",
		  "10 0 10 0", NULL, 0 },
		{ "the first of which has no time", CAPTURE LAUNCH "K a 0 7 5 0 0\n" KERNEL("b", "220"),
		  "graphs", "5 0 5 0", NULL, 0 },
		{ "the second", CAPTURE LAUNCH KERNEL("a", "199") "K b 0 7 5 0 0\n", "graphs", "5 0 5 0",
		  NULL, 0 },
		{ "with numbers",
		  CAPTURE LAUNCH NUMBERED("a", "7", "210", "9") NUMBERED("b", "8", "210", "3"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "which tell the order",
		  CAPTURE LAUNCH "K a 0 7 5 210 4 ~9\n" NUMBERED("b", "8", "210", "3"), "code",
		  "[add: 1 5][mul: 1 4]", NULL, 0 },
		{ "with equal numbers",
		  CAPTURE LAUNCH NUMBERED("a", "7", "210", "9") NUMBERED("b", "7", "220", "9"), "graphs",
		  "10 0 10 0", NULL, 0 },
		{ "with the number of one",
		  CAPTURE LAUNCH NUMBERED("a", "7", "220", "3") KERNEL("b", "210"), "code",
		  "[add: 1 5][mul: 1 5]", NULL, 0 },
		{ "the last two of three at once",
		  BEGIN ADDS CALL("20") CALL("30") END TWICE("a", "b") KERNEL("c", "220"), "graphs",
		  "15 0 15 0", NULL, 0 },
		{ "the first two of three at once",
		  BEGIN ADDS CALL("20") CALL("30") END TWICE("a", "b") KERNEL("c", "210"), "graphs",
		  "15 0 15 0", NULL, 0 },
		{ "side by side", FORKS TWICE("a", "b"), "graphs", "10 0 10 0", NULL, 0 },
		{ "side by side in the one without names of two",
		  FORKS "R cudaStreamBeginCapture 1 -1 100 1\n" NAMED("110", "a")
		      NAMED("120", "b") "R cudaStreamEndCapture 1 -1 190 1\n" TWICE("a", "b"),
		  "graphs", "10 0 10 0", NULL, 0 },
		{ "in the one with names",
		  CAPTURE "R cudaStreamBeginCapture 1 -1 100 1\n" NAMED(
		      "110", "a") "R cudaStreamWaitEvent 1 -1 115 1\n" NAMED("120",
		                                                             "b") "R cudaStreamEndCapture "
		                                                                  "1 -1 190 1\n" TWICE("a",
		                                                                                       "b"),
		  "graphs", "10 0 10 0", NULL, 0 },
		{ "with numbers, too",
		  FORKS LAUNCH NUMBERED("a", "7", "210", "1") NUMBERED("b", "8", "210", "2"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "with the number of the first",
		  FORKS LAUNCH NUMBERED("a", "7", "210", "1") KERNEL("b", "220"), "graphs", "10 0 10 0",
		  NULL, 0 },
		{ "with that of the last", FORKS LAUNCH KERNEL("a", "210") NUMBERED("b", "7", "220", "1"),
		  "graphs", "10 0 10 0", NULL, 0 },
		{ "side by side, and not as many", FORKS LAUNCH KERNEL("a", "210"), "graphs", "5 0 0 0",
		  NULL, 0 },
		{ "at once, and not as many", CAPTURE TWICE("a", "b") KERNEL("c", "220"), "graphs",
		  "15 0 0 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Two captures, and a replay that fits both: the inputs of the second's product are given. */
#define TWO(second)                                                                             \
	BEGIN "O aten::mm 1 10 5 #[2, 3], [3, 5] float\n" CALL("11") OP("add", "20") CALL("21") END \
	    "R cudaStreamBeginCapture 1 -1 100 1\nO aten::mm 1 110 5 " second "\n" CALL("111")      \
	        OP("add", "120") CALL("121") "R cudaStreamEndCapture 1 -1 190 1\n" TWICE("a", "b")

static void test_places(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "calls before a capture", CALL("50") SECOND("add", "mul") TWICE("a", "b"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "captures of two threads, each with its own calls",
		  CAPTURE "R cudaStreamBeginCapture 2 -1 0 1\nO sub 2 10 50\n"
		          "R cudaLaunchKernel 2 1 11 1\nR cudaLaunchKernel 2 2 12 1\n"
		          "R cudaLaunchKernel 2 3 13 1\nR cudaStreamEndCapture 2 -1 20 1\n"
		          "R cudaLaunchKernel 2 4 25 1\n" TWICE("a", "b")
		              AGAIN("a", "b") "K c 0 7 6 330 1\n",
		  "code", "[add: 1 5][mul: 1 5][sub: 1 5][sub: 1 1][sub: 1 5]", NULL, 0 },
		{ "in whatever order",
		  "R cudaStreamBeginCapture 2 -1 0 1\nO sub 2 10 50\n"
		  "R cudaLaunchKernel 2 1 11 1\nR cudaLaunchKernel 2 2 12 1\n"
		  "R cudaLaunchKernel 2 3 13 1\nR cudaStreamEndCapture 2 -1 20 1\n" CAPTURE TWICE("a", "b")
		      AGAIN("a", "b") "K c 0 7 6 330 1\n",
		  "code", "[add: 1 5][mul: 1 5][sub: 1 5][sub: 1 1][sub: 1 5]", NULL, 0 },
		{ "two captures of the same", CAPTURE SECOND("add", "mul") TWICE("a", "b"), "graphs",
		  "10 10 0 0", NULL, 0 },
		{ "of other places", CAPTURE SECOND("add", "sub") TWICE("a", "b"), "graphs", "10 0 0 10",
		  NULL, 0 },
		{ "one of them with names",
		  CAPTURE "R cudaStreamBeginCapture 1 -1 100 1\n" OP("add", "110") NAMED("111", "a") OP(
		      "mul", "120") NAMED("121", "b") "R cudaStreamEndCapture 1 -1 190 1\n" TWICE("a", "b"),
		  "graphs", "10 10 0 0", NULL, 0 },
		{ "one of them with names, of other places",
		  CAPTURE "R cudaStreamBeginCapture 1 -1 100 1\n" NAMED("111", "a")
		      NAMED("121", "b") "R cudaStreamEndCapture 1 -1 190 1\n" TWICE("a", "b"),
		  "graphs", "10 0 0 10", NULL, 0 },
		{ "copies alone", BEGIN "R cudaMemcpyAsync 1 920 20 1\n" END LAUNCH "C b 0 7 5 220 5\n",
		  "graphs", "5 5 0 0", NULL, 0 },
		{ "one graph, twice", CAPTURE TWICE("a", "b") AGAIN("a", "b"), "graphs", "20 20 0 0", NULL,
		  0 },
		{ "two graphs of one capture", CAPTURE TWICE("a", "b") AGAIN("b", "a"), "graphs",
		  "20 0 0 20", NULL, 0 },
		{ "that differ in the last", CAPTURE TWICE("a", "b") AGAIN("a", "c"), "graphs", "20 0 0 20",
		  NULL, 0 },
		{ "that differ in the first", CAPTURE TWICE("a", "b") AGAIN("c", "b"), "graphs",
		  "20 0 0 20", NULL, 0 },
		{ "that differ in the order of their kernels being known",
		  CAPTURE TWICE("a", "b") "R cudaGraphLaunch 1 6 300 1\nK a 0 7 6 310 5\nK b 0 7 6 310 5\n",
		  "graphs", "20 10 10 0", NULL, 0 },
		{ "of two captures, and of one with names",
		  CAPTURE SECOND("add", "mul") "R cudaStreamBeginCapture 1 -1 400 1\n" OP("add", "410")
		      NAMED("411", "a") OP("mul", "420")
		          CALL("421") "R cudaStreamEndCapture 1 -1 490 1\n" TWICE("a", "b") AGAIN("a", "c"),
		  "graphs", "20 0 0 20", NULL, 0 },
		{ "two graphs of two captures",
		  CAPTURE SECOND("add", "mul") TWICE("a", "b") AGAIN("b", "a"), "graphs", "20 20 0 0", NULL,
		  0 },
		{ "operations of replays",
		  BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") CALL("30") END TWICE("a", "b")
		      KERNEL("c", "230"),
		  "flops", "[aten::mm/2: 1 60 0 10]", NULL, 0 },
		{ "of two captures that differ in them alone", TWO("#[2, 4], [4, 5] float"), "flops",
		  "[GPU graphs/0: 0 0 1 0]", NULL, 0 },
		{ "and one with names",
		  TWO("#[2, 4], [4, 5] float") "R cudaStreamBeginCapture 1 -1 400 1\n"
		                               "O aten::mm 1 410 5 #[2, 3], [3, 5] float\n" NAMED(
		                                   "411", "a") OP("add", "420")
		                                   NAMED("421", "b") "R cudaStreamEndCapture 1 -1 490 1\n",
		  "flops", "[GPU graphs/0: 0 0 1 0]", NULL, 0 },
		{ "in one place", TWO("#[2, 4], [4, 5] float"), "graphs", "10 10 0 0", NULL, 0 },
		{ "in their bytes", TWO("#[1, 3], [3, 10] float"), "flops", "[GPU graphs/0: 0 0 1 0]", NULL,
		  0 },
		{ "in their types", TWO("#[2, 3], [3, 5] int"), "flops", "[GPU graphs/0: 0 0 1 0]", NULL,
		  0 },
		{ "in nothing", TWO("#[2, 3], [3, 5] float"), "flops", "[aten::mm/2: 1 60 0 5]", NULL, 0 },
		{ "of a capture before the measured steps",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 195 300\n" BEGIN
		  "O aten::mm 1 10" MM CALL("11") CALL("12") END TWICE("a", "b"),
		  "flops", "[aten::mm/2: 1 60 0 10]", NULL, 1 },
		{ "whose replays are together beyond int64",
		  BEGIN "O aten::mm 1 10 10 " BIG CALL("11") CALL("12") END TWICE("a", "b") AGAIN("a", "b"),
		  "flops", "[aten::mm/2: 0 0 2 20]", NULL, 0 },
		{ "", NULL, "bytes", "[aten::mm: 0 2]", NULL, 0 },
		{ "whose bytes are beyond it alone",
		  BEGIN "O aten::neg 1 10 10 #[576460752303423487] double\n" CALL("11") CALL("12")
		      END TWICE("a", "b") AGAIN("a", "b"),
		  "bytes", "[aten::neg: 0 2]", NULL, 0 },
		{ "once they are not",
		  BEGIN "O aten::neg 1 10 10 #[576460752303423487] double\n" CALL("11") CALL("12")
		      END TWICE("a", "b"),
		  "bytes", "[aten::neg: 9223372036854775792 0]", NULL, 0 },
		{ "of which there are none", BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") END, "flops",
		  "", NULL, 0 },
		{ "of an operator that calls twice, and another one",
		  BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") "O aten::mm 1 30" MM CALL("31")
		      END TWICE("a", "b") KERNEL("c", "230") AGAIN("a", "b") "K c 0 7 6 330 5\n",
		  "flops", "[aten::mm/2: 4 240 0 30]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Up to 64 captures that tell the names of only some kernels are compared with each replay. */
static void test_partly_named(void **state)
{
	(void)state;
	for (int nr = 64; nr <= 65; nr++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		for (int i = 0; i < nr; i++) {
			char script[400];
			snprintf(script, sizeof script,
			         "R hipStreamBeginCapture 1 -1 %d00 1\nR hipLaunchKernel 1 %d01 %d01 1 =k%d\n"
			         "R hipLaunchKernel 1 %d02 %d02 1\nR hipStreamEndCapture 1 -1 %d03 1\n",
			         i + 1, i + 1, i + 1, i, i + 1, i + 1, i + 1);
			rig_feed(&g, script);
		}
		rig_feed(&g, "R hipGraphLaunch 1 5 9000 1\nK k7 0 7 5 9010 5\nK x 0 7 5 9020 5\n");
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_show(g.d, "graphs", &out);
		assert_string_equal(strbuf_str(&out), nr == 64 ? "10 10 0 0" : "10 0 0 10");
		strbuf_release(&out);
		rig_close(&g);
	}
}

/* Captures of other recordings: their replays get places, operations and names from them. */
#define THREE BEGIN OP("sub", "10") CALL("11") CALL("12") CALL("30") END
#define THRICE                      \
	"R cudaGraphLaunch 1 6 300 1\n" \
	"K x 0 7 6 310 1\nK y 0 7 6 320 2\nK z 0 7 6 330 4\n"

static void test_joined(void **state)
{
	(void)state;
	static const struct {
		const char *title, *captured[2], *script, *what, *expect;
		bool full; ///< true if the table of names is full
	} rows[] = {
		{ "of another recording",
		  { CAPTURE },
		  TWICE("a", "b"),
		  "code",
		  "[add: 1 5][mul: 1 5]",
		  false },
		{ "without it", { NULL }, TWICE("a", "b"), "code", "[: 1 5][: 1 5]", false },
		{ "beside a capture of its own",
		  { CAPTURE },
		  THREE THRICE TWICE("a", "b"),
		  "code",
		  "[: 1 4][add: 1 5][mul: 1 5][sub: 1 2][sub: 1 1]",
		  false },
		{ "of two recordings",
		  { THREE, CAPTURE },
		  THRICE TWICE("a", "b"),
		  "code",
		  "[: 1 4][add: 1 5][mul: 1 5][sub: 1 2][sub: 1 1]",
		  false },
		{ "with names",
		  { BEGIN NAMED("10", "a") NAMED("20", "b") END },
		  TWICE("a", "b"),
		  "graphs",
		  "10 10 0 0",
		  false },
		{ "with other names",
		  { BEGIN NAMED("10", "a") NAMED("20", "b") END },
		  TWICE("b", "a"),
		  "graphs",
		  "10 0 0 0",
		  false },
		{ "with operations",
		  { BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") CALL("30") END },
		  TWICE("a", "b") KERNEL("c", "230"),
		  "flops",
		  "[aten::mm/2: 1 60 0 10]",
		  false },
		{ "beside operations of its own",
		  { BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") CALL("30") END },
		  BEGIN "O aten::bmm 1 10 5 #[2, 2, 3], [2, 3, 5] float\n" CALL("11") CALL("20")
		      END TWICE("a", "b") THRICE,
		  "flops",
		  "[aten::bmm/2: 1 120 0 5][aten::mm/2: 1 60 0 3]",
		  false },
		{ "operators whose names have no room",
		  { CAPTURE },
		  TWICE("a", "b"),
		  "code",
		  "[: 1 5][: 1 5]",
		  true },
		{ "have no row of operations",
		  { BEGIN "O aten::mm 1 10" MM CALL("11") CALL("12") CALL("30") END },
		  TWICE("a", "b") KERNEL("c", "230"),
		  "flops",
		  "",
		  true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g, other[2];
		struct captured *captured[2] = { NULL, NULL };
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		for (size_t k = 0; k < 2 && rows[i].captured[k]; k++) {
			rig_open(&other[k], NULL);
			rig_feed(&other[k], rows[i].captured[k]);
			assert_int_equal(reducer_finish(other[k].r, &other[k].meta, other[k].d, &other[k].log),
			                 ST_OK);
			captured[k] = reducer_captured(other[k].r);
			rig_close(&other[k]);
			reducer_join(g.r, captured[k]);
		}
		rig_feed(&g, rows[i].script);
		if (rows[i].full)
			g.names.bytes = (size_t)1 << 30; /* the largest total length (base/intern.h) */
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_show(g.d, rows[i].what, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: %s", rows[i].title, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
		captured_free(captured[0]);
		captured_free(captured[1]);
	}
}

/* Makes frames of Python of the rig's events: "f" becomes "net.py(7): f". */
static enum status with_frames(void *ctx, const struct event *ev)
{
	struct rig *g = ctx;
	struct event e = *ev;
	struct event_sink sink = reducer_sink(g->r);
	if (e.kind == EVENT_PYTHON) {
		char text[64];
		snprintf(text, sizeof text, "net.py(7): %s", ev->name->s);
		e.name = name_intern(&g->names, span_of(text));
	}
	return sink.event(sink.ctx, &e);
}

/* Places of the kernels that a replay runs: "place/operator time". */
static void show_places(const struct digest *d, struct strbuf *out)
{
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		strbuf_addf(out, "[%.*s/%.*s %" PRId64 "]", (int)c->place.n, c->place.p, (int)c->op.n,
		            c->op.p, c->total_ns);
	}
}

#define FRAMES "P f 1 5 60\nP g 1 9 8\n"
#define THIRD                                                       \
	"R cudaStreamBeginCapture 1 -1 100 1\n" CALL("110") CALL("120") \
	    CALL("130") "R cudaStreamEndCapture 1 -1 190 1\n"

/* Replays have the frames of their capture, be it in this or in another recording. */
static void test_frames(void **state)
{
	(void)state;
	static const struct {
		const char *title, *captured, *script, *expect;
	} rows[] = {
		{ "of this recording", NULL, FRAMES CAPTURE TWICE("a", "b"),
		  "[net.py:f/mul 5][net.py:g/add 5]" },
		{ "of another one", FRAMES CAPTURE, TWICE("a", "b"), "[net.py:f/mul 5][net.py:g/add 5]" },
		{ "of each its own", FRAMES CAPTURE,
		  "P h 1 105 60\nP i 1 119 8\n" THIRD "R cudaGraphLaunch 1 6 300 1\nK x 0 7 6 310 1\n"
		  "K y 0 7 6 320 2\nK z 0 7 6 330 4\n" TWICE("a", "b"),
		  "[net.py:f/mul 5][net.py:g/add 5][net.py:h/ 1][net.py:h/ 4][net.py:i/ 2]" },
		{ "of two captures in frames of their own", NULL,
		  FRAMES CAPTURE "P h 1 105 80\nP g 1 109 8\n" SECOND("add", "mul") TWICE("a", "b"),
		  "[/ 5][/ 5]" },
		{ "of two captures in the same frames", NULL,
		  FRAMES CAPTURE "P f 1 105 80\nP g 1 109 8\n" SECOND("add", "mul") TWICE("a", "b"),
		  "[net.py:f/mul 5][net.py:g/add 5]" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g, other;
		struct captured *captured = NULL;
		struct strbuf out = STRBUF_INIT;
		struct site_rules sites = { 0 };
		const struct reduce_options options = { .sites = &sites };
		rig_open(&g, &options);
		g.through = (struct event_sink){ .ctx = &g, .event = with_frames };
		if (rows[i].captured) {
			rig_open(&other, &options);
			other.through = (struct event_sink){ .ctx = &other, .event = with_frames };
			rig_feed(&other, rows[i].captured);
			assert_int_equal(reducer_finish(other.r, &other.meta, other.d, &other.log), ST_OK);
			captured = reducer_captured(other.r);
			rig_close(&other);
			reducer_join(g.r, captured);
		}
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		show_places(g.d, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: %s", rows[i].title, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
		captured_free(captured);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fitting), cmocka_unit_test(test_order),
		cmocka_unit_test(test_places),  cmocka_unit_test(test_partly_named),
		cmocka_unit_test(test_joined),  cmocka_unit_test(test_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
