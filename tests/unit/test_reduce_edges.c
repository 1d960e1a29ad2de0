/* Figures of a reducer where events touch or tie, or where a count is just at a limit. */
#include "reduce_rig.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

/* ---- annotations that are proposed as step markers ---- */

/* Annotations of one name, one after the other; the first begins with the first launch. `of` has
   the number of launches in each annotation; 0 ends the list. */
struct held {
	const char *name;
	int of[12];
};

static void add_annotations(struct rig *g, const struct held *h)
{
	int from = 0;
	for (size_t i = 0; h->name && h->of[i]; from += h->of[i++]) {
		char line[400];
		snprintf(line, sizeof line, "A %s 1 %d %d\n", h->name, 1000 + 100 * from, 100 * h->of[i]);
		rig_line(g, line);
	}
}

#define N50 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define N200 N50 N50 N50 N50
#define TEN 10, 10, 10, 10, 10, 10, 10, 10, 10, 10

static void test_held_launches(void **state)
{
	(void)state;
	static const struct {
		int launches;
		struct held held[2];
		const char *proposed;
	} rows[] = {
		/* a marker is proposed if it has three steps or more, with 90 % of all launches */
		{ 30, { { "it", { 10, 10, 10 } } }, "it 3" },
		{ 20, { { "it", { 10, 10 } } }, "" },
		{ 100, { { "it", { 30, 30, 30 } } }, "it 3" },
		{ 101, { { "it", { 30, 30, 30 } } }, "" },
		/* at least three quarters of a marker's annotations must have as many launches as the
		   median annotation, give or take a tenth */
		{ 35, { { "it", { 10, 10, 10, 5 } } }, "it 4" },
		{ 30, { { "it", { 10, 10, 5, 5 } } }, "" },
		{ 38, { { "it", { 9, 10, 11, 8 } } }, "it 4" },
		{ 38, { { "it", { 8, 10, 12, 10 } } }, "" },
		{ 40, { { "it", { 10, 10, 12, 8 } } }, "" },
		/* an annotation with a name of over 200 bytes is not proposed as a step marker */
		{ 30, { { N200, { 10, 10, 10 } } }, N200 " 3" },
		{ 30, { { N200 "n", { 10, 10, 10 } } }, "" },
		/* of two markers whose steps hold equally many launches, within 2 %, the one with fewer
		 * steps is proposed; if they have equally many steps, the first */
		{ 100, { { "a", { TEN } }, { "b", { 20, 20, 20, 20, 20 } } }, "b 5" },
		{ 100, { { "a", { 20, 20, 20, 20, 20 } }, { "b", { TEN } } }, "a 5" },
		{ 100, { { "a", { 20, 20, 20, 20, 20 } }, { "b", { 20, 20, 20, 20, 20 } } }, "a 5" },
		{ 100, { { "a", { TEN } }, { "b", { 20, 20, 20, 20, 18 } } }, "b 5" },
		{ 100, { { "a", { TEN } }, { "b", { 20, 20, 20, 20, 17 } } }, "a 10" },
		{ 100, { { "a", { 20, 20, 20, 20, 18 } }, { "b", { TEN } } }, "a 5" },
		{ 100, { { "a", { 20, 20, 20, 20, 17 } }, { "b", { TEN } } }, "b 10" },
		/* an inference server's annotations are proposed if they have half of the launches, even if
		   others have more */
		{ 100, { { "step[DECODE]", { 50 } } }, "step[* 1" },
		{ 101, { { "step[DECODE]", { 50 } } }, "" },
		{ 100, { { "step[DECODE]", { 50 } }, { "b", { 20, 20, 20, 20, 20 } } }, "step[* 1" },
		{ 100, { { "a", { 20, 20, 20, 20, 20 } }, { "step[DECODE]", { 50 } } }, "step[* 1" },
		{ 100, { { "a", { 20, 20, 20, 20, 20 } }, { "step[DECODE]", { 49 } } }, "a 5" },
	};
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		add_annotations(&g, &rows[i].held[0]);
		add_annotations(&g, &rows[i].held[1]);
		for (int k = 0; k < rows[i].launches; k++) {
			char script[200];
			snprintf(script, sizeof script, "R x 1 %d %d 1\nK a 0 7 %d %d 5", k + 1, 1050 + 100 * k,
			         k + 1, 20000 + 10 * k);
			rig_feed(&g, script);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		rig_show(g.d, "proposed", &out);
		if (strcmp(strbuf_str(&out), rows[i].proposed) != 0)
			fail_msg("row %zu: '%s'", i, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

/* ---- launches whose kernels were not recorded ---- */

#define FOUND "R cudaLaunchKernel 1 9 0 1\nK a 0 7 9 0 8\n"

static void test_lost(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a capture that does not end ends with its thread",
		  FOUND "R cudaStreamBeginCapture 1 -1 10 1\nR cudaLaunchKernel 1 1 20 1\n"
		        "R cudaStreamBeginCapture 2 -1 10 1\nR cudaLaunchKernel 2 2 20 1\n"
		        "R cudaStreamEndCapture 2 -1 30 1\n",
		  "lost", "1 8", NULL, 0 },
		{ "and the next thread's begins anew",
		  FOUND "R cudaStreamBeginCapture 1 -1 10 1\nR cudaStreamBeginCapture 2 -1 10 1\n"
		        "R cudaLaunchKernel 2 2 20 1\nR cudaStreamEndCapture 2 -1 30 1\n",
		  "lost", "0 0", NULL, 0 },
		{ "an end without a begin, and a second one",
		  FOUND "R cudaStreamEndCapture 1 -1 5 1\nR cudaStreamBeginCapture 1 -1 10 1\n"
		        "R cudaLaunchKernel 1 1 10 1\nR cudaStreamEndCapture 1 -1 30 1\n"
		        "R cudaLaunchKernel 1 2 31 1\nR cudaStreamEndCapture 1 -1 40 1\n"
		        "R cudaLaunchKernel 1 3 41 1\n",
		  "lost", "2 16", NULL, 0 },
		{ "two captures of one thread, and a launch between",
		  FOUND "R cudaStreamBeginCapture 1 -1 10 1\nR cudaLaunchKernel 1 1 11 1\n"
		        "R cudaStreamEndCapture 1 -1 12 1\nR cudaLaunchKernel 1 2 13 1\n"
		        "R cudaStreamBeginCapture 1 -1 14 1\nR cudaLaunchKernel 1 3 15 1\n"
		        "R cudaStreamEndCapture 1 -1 16 1\n",
		  "lost", "1 8", NULL, 0 },
		{ "the innermost operator, in whatever order",
		  "O mm 1 0 10\nO mm 1 10 10\nO add 1 20 10\nO all 1 0 100\n"
		  "R cudaLaunchKernel 1 1 0 1\nR cudaLaunchKernel 1 2 10 1\nR cudaLaunchKernel 1 3 21 1\n"
		  "K gemm 0 7 1 100 90\nK add 0 7 3 200 10\n",
		  "lost", "1 90", NULL, 0 },
		{ "an operator is over at its end",
		  "O mm 1 0 10\nO mm 1 20 10\nO add 1 40 10\nR cudaLaunchKernel 1 1 1 1\n"
		  "R cudaLaunchKernel 1 2 30 1\nR hipLaunchKernel 1 3 41 1\n"
		  "K gemm 0 7 1 100 90\nK add 0 7 3 200 10\n",
		  "lost", "1 50", NULL, 0 },
		{ "operators of another thread do not count",
		  "O mm 1 0 10\nO mm 2 0 90\nR cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 3 2 30 1\n"
		  "R cudaLaunchKernel 2 3 41 1\nK gemm 0 7 1 100 90\nK add 0 7 3 200 30\n",
		  "lost", "1 60", NULL, 0 },
		{ "a launch at the very start of the last step that is cut short",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "K a 0 7 1 0 5\nK a 0 7 2 0 5\nK a 0 7 3 0 5\nK a 0 7 4 0 5\n"
		  "R cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 1 2 2 1\nR cudaLaunchKernel 1 3 11 1\n"
		  "R cudaLaunchKernel 1 4 12 1\nR cudaLaunchKernel 1 5 19 1\n"
		  "R cudaLaunchKernel 1 6 20 1\n",
		  "lost", "1 5", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* ---- what a rank did last ---- */

#define STEP "A ProfilerStep#5 1 0 100\n"
#define WAITS "R cudaLaunchKernel 1 1 50 1\n"

static void test_waits_in(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "an operator that begins with the launch", STEP "O mm 1 50 10\n" WAITS, "progress",
		  "5 1 0 1 mm||mm", NULL, 0 },
		{ "one that ends there", STEP "O mm 1 40 10\n" WAITS, "progress", "5 1 0 1 mm||", NULL, 0 },
		{ "the shorter of two", STEP "O a 1 40 30\nO b 1 40 20\n" WAITS, "progress", "5 1 0 1 b||b",
		  NULL, 0 },
		{ "whichever comes first", STEP "O b 1 40 20\nO a 1 40 30\n" WAITS, "progress",
		  "5 1 0 1 b||b", NULL, 0 },
		{ "of two that are alike, the later in the file",
		  STEP "O a 1 40 30\nO b 1 40 30\nO c 1 60 1\n" WAITS, "progress", "5 1 0 1 c||b", NULL,
		  0 },
		{ "the one that began later", STEP "O a 1 40 40\nO b 1 45 30\nO c 1 30 30\n" WAITS,
		  "progress", "5 1 0 1 b||b", NULL, 0 },
		{ "the first launch, whatever its id",
		  STEP
		  "O a 1 45 10\nO b 2 45 10\nR cudaLaunchKernel 1 9 49 1\nR cudaLaunchKernel 2 3 50 1\n",
		  "progress", "5 2 0 2 b||a", NULL, 0 },
		{ "of two at once, the first in the file",
		  STEP
		  "O a 1 45 10\nO b 2 45 10\nR cudaLaunchKernel 1 9 50 1\nR cudaLaunchKernel 2 3 50 1\n",
		  "progress", "5 2 0 2 b||a", NULL, 0 },
		{ "the same with the ids in order",
		  STEP
		  "O a 1 45 10\nO b 2 45 10\nR cudaLaunchKernel 1 3 50 1\nR cudaLaunchKernel 2 9 50 1\n",
		  "progress", "5 2 0 2 b||a", NULL, 0 },
		{ "annotations of collectives, of the same thread alone",
		  STEP "A nccl:all_reduce 2 40 20\nA nccl:broadcast 1 30 40\n" WAITS, "progress",
		  "5 1 2 1 nccl:all_reduce||nccl:broadcast", NULL, 0 },
		{ "collectives from the start of the last step on",
		  "A ProfilerStep#4 1 0 10\nA ProfilerStep#5 1 10 10\nA nccl:broadcast 1 9 1\n"
		  "A nccl:all_reduce 1 10 2\n",
		  "progress", "5 0 1 0 nccl:all_reduce||", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* ---- order of collectives, and which event gives a collective its name ---- */

#define ALL_REDUCE(start, nr) \
	"K ncclKernel_AllReduce 0 7 1 " start " 10 @allreduce,Long," nr "," nr ",2,b\n"
#define SEND_RECV "R cudaLaunchKernel 1 1 50 5\nK ncclKernel_SendRecv 0 7 1 100 10 "

static void test_collectives(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "at one time, the smaller message first", ALL_REDUCE("100", "2") ALL_REDUCE("100", "1"),
		  "collectives", "0 0 8 0 10, 0 0 16 0 10", NULL, 0 },
		{ "whatever the order", ALL_REDUCE("100", "1") ALL_REDUCE("100", "2"), "collectives",
		  "0 0 8 0 10, 0 0 16 0 10", NULL, 0 },
		{ "a name of one letter is a name",
		  SEND_RECV "@x,Float,8,8,2,tp\nA nccl:all_to_all 1 40 20 #[6, 2] float\n", "comms",
		  "[send_recv tp Float/2: 1 10 10 32 1 10]", NULL, 0 },
		{ "of an operator, too", SEND_RECV "\nO all_to_all 1 40 20 @x,Float,6,2,2,tp\n", "comms",
		  "[all_to_all tp Float/2: 1 10 10 24 1 10]", NULL, 0 },
		{ "an operator whose name alone is that of a collective",
		  SEND_RECV "\nO nccl:all_to_all 1 40 20 #[6, 2] float\n", "comms",
		  "[send_recv  /-1: 1 10 10 0 0 0]", NULL, 0 },
		{ "of two around it the inner one, in whatever order",
		  SEND_RECV
		  "\nA nccl:all_to_all 1 45 10 #[6, 2] float\nA nccl:broadcast 1 40 20 #[9] float\n",
		  "comms", "[all_to_all  Float/-1: 1 10 10 48 1 10]", NULL, 0 },
		{ "that begin at once",
		  SEND_RECV
		  "\nA nccl:all_to_all 1 40 15 #[6, 2] float\nA nccl:broadcast 1 40 20 #[9] float\n",
		  "comms", "[all_to_all  Float/-1: 1 10 10 48 1 10]", NULL, 0 },
		{ "one that ends with the launch of the other thread",
		  SEND_RECV "\nA nccl:all_to_all 2 40 20 #[6, 2] float\n", "comms",
		  "[send_recv  /-1: 1 10 10 0 0 0]", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* ---- activities of one name, order of steps, counters, rates of copies ---- */

static void test_kinds_of_one_name(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a kernel, a copy and a set of one name",
		  "K a 0 7 -1 0 5\nC a 0 7 -1 10 6\nK a 0 7 -1 20 7\nS a 0 7 -1 30 8\n", "kernels",
		  "[0 a: 2 12 7 0 2 12 7 0][1 a: 1 6 6 0 1 6 6 0][2 a: 1 8 8 0 1 8 8 0]", NULL, 0 },
		{ "an operator and a call of one name", "O x 1 0 5\nR x 1 -1 10 6\nO x 1 20 7\n", "ops",
		  "[x: 2 12 12]", NULL, 0 },
		{ "calls that get and return memory, and names that only begin like theirs",
		  "R cudaMalloc 1 -1 0 1\nR cudaFree 1 -1 5 2\nR hipFree 1 -1 9 4\nR cudaFreeHost 1 -1 20 "
		  "8\nR cudaMallocAsync 1 -1 30 16\n",
		  "calls", "[3 cudaFree: 1 2][3 cudaMalloc: 1 1][3 hipFree: 1 4]", NULL, 0 },
		{ "steps that begin and end together keep their order",
		  "A ProfilerStep#2 1 0 10\nA ProfilerStep#1 1 0 10\nA ProfilerStep#3 1 10 5\n", "steps",
		  "2 1 3", NULL, 0 },
		{ "the shorter of two steps that begin together comes first",
		  "A ProfilerStep#2 1 0 10\nA ProfilerStep#1 1 0 5\n", "steps", "1 2", NULL, 0 },
		{ "a warm-up below 0 leaves no step out", NULL, "steps", "1 2", NULL, -1 },
		{ "one of all steps", NULL, "steps", "2", NULL, 1 },
		{ "all steps", NULL, "steps", "", NULL, 2 },
		{ "more than all", NULL, "steps", "", NULL, 3 },
	};
	rig_check(rows, ROWS(rows));
}

/* Samples of a counter count from the start of the first usable step to the end of the last. */
static void test_counters(void **state)
{
	(void)state;
	static const int64_t at[] = { 99, 100, 150, 300, 301 };
	struct rig g;
	rig_open(&g, NULL);
	rig_feed(&g, "A ProfilerStep#1 1 100 100\nA ProfilerStep#2 1 200 100\n");
	vec_push(&g.meta.counters, SPAN("silent"));
	vec_push(&g.meta.counters, SPAN("busy"));
	vec_push(&g.meta.counters, SPAN("late"));
	for (size_t i = 0; i < ROWS(at); i++)
		vec_push(&g.meta.samples,
		         (struct counter_sample){ .counter = 1, .at_ns = at[i], .pct = 10 + (int)i });
	vec_push(&g.meta.samples, (struct counter_sample){ .counter = 2, .at_ns = 200, .pct = 7 });
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->counters.nr, 2);
	assert_string_equal(g.d->counters.v[0].name.p, "busy");
	assert_int_equal(g.d->counters.v[0].samples, 3);
	assert_int_equal(g.d->counters.v[0].median, 12000000);
	assert_int_equal(g.d->counters.v[0].mad, 1000000);
	assert_string_equal(g.d->counters.v[1].name.p, "late");
	assert_int_equal(g.d->counters.v[1].samples, 1);
	vec_release(&g.meta.counters);
	vec_release(&g.meta.samples);
	rig_close(&g);
}

/* Without a measured step no sample counts. */
static void test_counters_without_steps(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, &(struct reduce_options){ .warmup = 1 });
	rig_feed(&g, "A ProfilerStep#1 1 100 100\n");
	vec_push(&g.meta.counters, SPAN("busy"));
	vec_push(&g.meta.samples, (struct counter_sample){ .at_ns = 150, .pct = 10 });
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->counters.nr, 0);
	vec_release(&g.meta.counters);
	vec_release(&g.meta.samples);
	rig_close(&g);
}

/* A copy that moves less than one byte in two seconds has a rate of 0, which is known. */
static void test_rates(void **state)
{
	(void)state;
	static const struct {
		const char *script;
		int64_t rate;
	} rows[] = { { "C a 0 7 -1 0 1999999999 1\n", 1 },
		         { "C a 0 7 -1 0 2000000001 1\n", 0 },
		         { "C a 0 7 -1 0 1 1\n", 1000000000 },
		         { "C a 0 7 -1 0 0 1\n", -1 },
		         { "C a 0 7 -1 0 1 0\n", -1 } };
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->functions.nr, 1);
		if (g.d->functions.v[0].rate != rows[i].rate)
			fail_msg("row %zu: %" PRId64, i, g.d->functions.v[0].rate);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held_launches), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_waits_in),      cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_counters),      cmocka_unit_test(test_kinds_of_one_name),
		cmocka_unit_test(test_rates),         cmocka_unit_test(test_counters_without_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
