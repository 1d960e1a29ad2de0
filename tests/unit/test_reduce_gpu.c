#include "reduce_rig.h"

#include "merge/digest_small.h"

static void test_devices(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		/* [device: streams activities span busy compute communication overlap | busy/measured] */
		{ "two devices",
		  "K gemm 0 7 -1 0 10\nK nccl 0 8 -1 5 10\nC x 0 7 -1 40 10\nK gemm 3 7 -1 2 4\n",
		  "devices", "[0: 2 3 50 25 10 10 5 | 25/50][3: 1 1 4 4 4 0 0 | 4/4]", NULL, 0 },
		{ "several streams of one number",
		  "K a 0 7 -1 0 1\nK a 0 7 -1 1 1\nK a 0 8 -1 2 1\nK a 1 7 -1 3 1\n", "devices",
		  "[0: 2 3 3 3 3 0 0 | 3/3][1: 1 1 1 1 1 0 0 | 1/1]", NULL, 0 },
		{ "before the origin of time", "K a 0 7 1 -50 20\nK a 0 7 2 -20 5\nK a 1 7 3 -60 30\n",
		  "devices", "[0: 1 2 35 25 25 0 0 | 25/35][1: 1 1 30 30 30 0 0 | 30/30]", NULL, 0 },
		{ "", NULL, "times", "55 55 0 0", NULL, 0 },
		{ "overlap: with the first of those that end last; none within one id",
		  "K a 0 7 1 0 10\nK a 0 7 2 2 8\nK a 0 7 1 5 3\n", "times", "21 21 0 8", NULL, 0 },
		{ "no time at all", "K gemm 0 7 -1 5 0\n", "devices", "[0: 1 1 0 0 0 0 0 | 0/0]", NULL, 0 },
		{ "measured: the periods; on a device that works in no step, its window",
		  "A ProfilerStep#1 1 0 10\nR x 1 1 5 1\nR x 1 2 50 1\n"
		  "K gemm 0 7 1 0 10\nK gemm 0 7 1 15 5\nK gemm 0 7 2 18 80\nK gemm 1 7 2 18 80\n",
		  "devices", "[0: 1 3 98 93 93 0 0 | 15/20][1: 1 1 80 80 80 0 0 | 80/80]", NULL, 0 },
		{ "communication by substring, without case",
		  "K my_RCCL_x 0 7 -1 0 10\nC nccl_copy 0 7 -1 20 10\n", "devices",
		  "[0: 1 2 30 20 0 10 0 | 20/30]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

#define STEPS                                                                       \
	"A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n" \
	"R x 1 1 1 1\nR x 1 2 11 1\nR x 1 3 21 1\nR x 1 4 99 1\n"

static void test_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "idle: what no activity covers from the moment the step before is over",
		  STEPS "K a 0 0 1 100 10\nK a 0 0 4 115 5\nK a 0 0 2 130 10\nK a 0 0 3 200 10\nK a 0 0 3 "
		        "250 1\n",
		  "step.idle_time", "- 15 100", NULL, 0 },
		{ "idle: a step without activities is over with the one before",
		  STEPS "K a 0 0 1 100 10\nK a 0 0 3 200 10\n", "step.idle_time", "- 0 90", NULL, 0 },
		{ "idle: a step whose activities end earlier takes no time",
		  STEPS "K a 0 0 1 100 10\nK a 0 0 2 50 10\n", "step.idle_time", "- 0 0", NULL, 0 },
		{ "idle: of all devices",
		  STEPS "K a 0 0 1 100 10\nK a 0 0 2 130 10\nK a 1 0 1 100 1\nK a 1 0 2 107 1\n",
		  "step.idle_time", "- 50 0", NULL, 0 },
		{ "idle: the last step's, less what activities of no step cover",
		  STEPS "K a 0 0 3 200 10\nK a 0 0 4 220 20\nK a 0 0 3 250 10\n", "step.idle_time",
		  "- 10 200", NULL, 0 },
		{ "span: to the latest end, not that of the last start",
		  STEPS "K a 0 0 1 100 50\nK a 0 0 1 110 5\n", "step.span", "50 0 0", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 2 50 50 50 0 0 | 0/0]", NULL, 0 },
		{ "busy: union by device, summed",
		  STEPS "K a 0 0 1 100 10\nK a 0 1 1 105 10\nK a 1 0 1 100 10\n", "step.busy_time",
		  "25 0 0", NULL, 0 },
		{ "span: the longest", NULL, "step.span", "15 0 0", NULL, 0 },
		{ "exposed: communication that no compute of the step covers",
		  STEPS "K nccl 0 1 1 100 20\nK a 0 0 1 105 5\nK a 0 0 2 115 5\nC x 0 0 1 100 20\n",
		  "step.exposed_comm_time", "15 0 0", NULL, 0 },
		{ "parts", STEPS "K nccl 0 1 1 0 1\nK a 0 1 1 0 20\nC x 0 1 1 0 300\nS y 0 1 1 0 4000\n",
		  "step.cuda_time", "4321 0 0", NULL, 0 },
		{ "", NULL, "step.kernel_time", "21 0 0", NULL, 0 },
		{ "", NULL, "step.comm_time", "1 0 0", NULL, 0 },
		{ "", NULL, "step.compute_time", "20 0 0", NULL, 0 },
		{ "", NULL, "step.memcpy_time", "300 0 0", NULL, 0 },
		{ "", NULL, "step.memset_time", "4000 0 0", NULL, 0 },
		{ "", NULL, "step.kernel_count", "2 0 0", NULL, 0 },
		{ "", NULL, "activities", "4 0 0", NULL, 0 },
		{ "bytes: of copies, by launch",
		  STEPS "C x 0 1 3 0 1 100\nS y 0 1 1 0 1 7\nC x 0 1 1 5 1 20\nC x 0 1 4 5 1 3\nC z 0 1 1 "
		        "5 1 1\n",
		  "step.memcpy_bytes", "21 0 100", NULL, 0 },
		{ "", NULL, "kernels",
		  "[1 x: 3 3 1 123 2 2 1 120][1 z: 1 1 1 1 1 1 1 1][2 y: 1 1 1 7 1 1 1 7]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_overlaps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		/* columns: time of all activities, of dropped ones, of those outside of steps; overlap */
		{ "one after the other", "K a 0 7 1 0 10\nK a 0 7 2 10 10\n", "times", "20 20 0 0", NULL,
		  0 },
		{ "side by side", "K a 0 7 1 0 10\nK a 0 7 2 4 10\n", "times", "20 20 0 6", NULL, 0 },
		{ "inside", "K a 0 7 1 0 10\nK a 0 7 2 4 2\nK a 0 7 3 7 10\n", "times", "22 22 0 5", NULL,
		  0 },
		{ "of one graph", "K a 0 7 1 0 10\nK a 0 7 1 4 10\n", "times", "20 20 0 0", NULL, 0 },
		{ "of one launch of a graph", "R cudaGraphLaunch 1 1 0 1\nK a 0 7 1 0 10\nK a 0 7 1 4 10\n",
		  "times", "20 0 0 0", NULL, 0 },
		{ "of one launch of a kernel",
		  "R cudaLaunchKernel 1 1 0 1\nK a 0 7 1 0 10\nK a 0 7 1 4 10\n", "times", "20 0 0 6", NULL,
		  0 },
		{ "on two streams", "K a 0 7 1 0 10\nK a 0 8 2 4 10\n", "times", "20 20 0 0", NULL, 0 },
		{ "on two devices", "K a 0 7 1 0 10\nK a 1 7 2 4 10\n", "times", "20 20 0 0", NULL, 0 },
		{ "of one graph, begun with another kernel",
		  "K a 0 7 2 0 10\nK b 0 7 1 0 10\nK c 0 7 1 0 10\n", "times", "30 30 0 10", NULL, 0 },
		{ "in any order of the file", "K b 0 7 1 0 10\nK a 0 7 2 0 10\nK c 0 7 1 0 10\n", "times",
		  "30 30 0 10", NULL, 0 },
		{ "before time 0", "K a 0 7 5 -100 50\n", "times", "50 50 0 0", NULL, 0 },
		{ "two without an id share none", "K a 0 7 -1 0 10\nK a 0 7 -1 4 10\n", "times",
		  "20 20 0 6", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_launches(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "found and lost",
		  "R cudaLaunchKernel 1 1 0 1\nR cudaLaunchKernelExC 1 2 0 1\nK a 0 7 1 5 1\n", "launches",
		  "2 1", NULL, 0 },
		{ "graphs too", "R cudaGraphLaunch 1 1 0 1\nR cuGraphLaunchKernel 1 2 0 1\n", "launches",
		  "2 2", NULL, 0 },
		{ "no id, no launch", "R cudaLaunchKernel 1 -1 0 1\n", "launches", "0 0", NULL, 0 },
		{ "cooperative and HIP",
		  "R cuLaunchCooperative 1 1 0 1\nR hipExtModuleLaunchKernel 1 2 0 1\n", "launches", "2 2",
		  NULL, 0 },
		{ "two calls of one id",
		  "R cudaLaunchKernel 1 1 0 1\nR cuLaunchKernel 1 1 0 1\nC x 0 7 1 5 1\n", "launches",
		  "2 0", NULL, 0 },
		{ "activities of one graph that name their operators, and one that does not",
		  "R cudaGraphLaunch 1 5 0 1\nK a 0 7 5 10 1 =x\nK a 0 7 5 20 2 =y\nK a 0 7 5 30 4\n"
		  "K b 0 7 5 40 8 =x\n",
		  "code", "[: 1 4][x: 1 1][x: 1 8][y: 1 2]", NULL, 0 },
		{ "copies are not kernels", "R cudaMemcpyAsync 1 1 0 1\n", "launches", "0 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void kernel(struct rig *g, int64_t dur, int64_t gx, int64_t bz, int64_t occupancy)
{
	rig_event(g, &(struct event){ .kind = EVENT_KERNEL,
	                              .name = name_intern(&g->names, SPAN("k")),
	                              .dur_ns = dur,
	                              .grid = { gx, 1, 1 },
	                              .block = { 64, 1, bz },
	                              .occupancy = occupancy,
	                              .correlation = IDENT_NONE });
}

static void test_shapes(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	static const int64_t shapes[][2] = { { 9, 1 }, { 8, 2 }, { 8, 2 }, { 8, 1 },
		                                 { 9, 1 }, { 8, 1 }, { 7, 7 }, { 0, 1 } };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		kernel(&g, 10, shapes[i][0], shapes[i][1], -1);
	kernel(&g, 10, -1, 0, -1);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	const struct kernel_stat *k = &g.d->kernels.v[0];
	assert_int_equal(k->shapes, 5);
	assert_int_equal(k->grid[0], 8);
	assert_int_equal(k->block[2], 1);
	assert_int_equal(k->occupancy, -1);
	rig_close(&g);
}

static void test_resources(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	static const int64_t rows[][NR_RESOURCES] = { { 32, -1, -1 }, { 40, 0, -1 }, { -1, -1, -1 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct event e = event_blank(EVENT_KERNEL);
		e.name = name_intern(&g.names, SPAN("k"));
		e.dur_ns = 10;
		memcpy(e.resources, rows[i], sizeof e.resources);
		rig_event(&g, &e);
		e.kind = EVENT_MEMCPY;
		rig_event(&g, &e);
	}
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	const struct kernel_stat *k = g.d->kernels.v;
	assert_int_equal(k[0].resources[RESOURCE_REGISTERS], 40);
	assert_int_equal(k[0].resources[RESOURCE_SHARED], 0);
	assert_int_equal(k[0].resources[RESOURCE_LOCAL], -1);
	assert_int_equal(k[1].kind, EVENT_MEMCPY);
	assert_int_equal(k[1].resources[RESOURCE_REGISTERS], -1);
	kernel_stat_make_small(&g.d->kernels.v[0], "");
	assert_int_equal(k[0].resources[RESOURCE_REGISTERS], -1);
	rig_close(&g);
}

static void test_occupancy(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	kernel(&g, 10, -1, 0, 10000000);
	kernel(&g, 30, -1, 0, 50000001);
	kernel(&g, 1000, -1, 0, -1);
	kernel(&g, 1000, -1, 0, 0); /* a kernel whose occupancy was not computed */
	kernel(&g, 0, -1, 0, INT64_MAX);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	const struct kernel_stat *k = &g.d->kernels.v[0];
	assert_int_equal(k->occupancy, 40000001); /* the mean is 40000000.75, rounded up */
	assert_int_equal(k->shapes, 0);
	assert_true(k->grid[0] < 0);
	rig_close(&g);
}

/* What the reader found wrong with the text stands in the digest. */
static void test_faults(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	g.meta.malformed = 1;
	g.meta.json_faults = 2;
	g.meta.fault_byte = 3;
	g.meta.truncated = true;
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	const struct trust_counts *t = &g.d->trust;
	assert_int_equal(t->malformed, 1);
	assert_int_equal(t->json_faults, 2);
	assert_int_equal(t->fault_byte, 3);
	assert_true(t->truncated && !t->partial);
	rig_close(&g);
}

static void test_memory(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		/* columns: events, peak allocated, peak reserved, end allocated, end reserved, reserved at
		   peak */
		{ "ends: the latest, then the last written",
		  "M 0 1 50 100 7\nM 0 1 20 90 9\nM 0 1 10 80 9\nM 0 1 30 120 8\n", "memories",
		  "[0: 4 50 120 10 80 100]", NULL, 0 },
		{ "of equal peaks the latest, whatever the order",
		  "M 0 1 50 100 7\nM 0 1 50 90 9\nM 0 1 50 80 8\n", "memories", "[0: 3 50 100 50 90 90]",
		  NULL, 0 },
		{ "at one time the last written", "M 0 1 50 100 7\nM 0 1 50 90 7\n", "memories",
		  "[0: 2 50 100 50 90 90]", NULL, 0 },
		{ "host memory, no device, no level; what is reserved is not known",
		  "M 0 0 50 100 7\nM -1 1 50 100 7\nM 0 1 -1 100 7\nM 2 6 5 -1 7\n", "memories",
		  "[2: 1 5 -9223372036854775808 5 -9223372036854775808 -9223372036854775808]", NULL, 0 },
		{ "by id, whatever the order", "M 1 1 5 9 7\nM 0 1 6 9 8\n", "start", "[0: 6][1: 5]", NULL,
		  0 },
		{ "nothing allocated yet", "M 1 1 0 0 -5\n", "memories", "[1: 1 0 0 0 0 0]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* An allocation that failed counts as a failure alone. */
static void test_failed(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	struct event e = event_blank(EVENT_MEMORY);
	e.name = name_intern(&g.names, SPAN("[OutOfMemory]"));
	e.device_type = 1;
	e.total_allocated = e.total_reserved = 9;
	e.start_ns = 5;
	e.bytes = 4;
	e.failed = true;
	rig_event(&g, &e);
	e.start_ns = 6;
	rig_event(&g, &e);
	e.start_ns = 7;
	e.failed = false;
	rig_event(&g, &e);
	e.memory_id = 1;
	rig_event(&g, &e);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	const struct memory_stat *m = g.d->memories.v;
	assert_int_equal(m[0].events, 3);
	assert_int_equal(m[0].oom_count, 2);
	assert_int_equal(m[0].alloc_count, 1);
	assert_int_equal(m[0].churn_bytes, 4);
	assert_int_equal(m[0].start_allocated, 9);
	assert_true(m[1].oom_count == MEMORY_UNKNOWN);
	assert_int_equal(m[1].start_allocated, 5);
	rig_close(&g);
}

/* An activity may state its operator, its module or both. */
static void test_stated(void **state)
{
	(void)state;
	static const struct {
		const char *op, *module;
	} rows[] = { { "dot", "jit_f" }, { "dot", "" }, { "", "jit_f" }, { "", "" } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "R cudaLaunchKernel 1 1 0 1\n");
		struct event e = event_blank(EVENT_KERNEL);
		e.name = name_intern(&g.names, SPAN("k"));
		e.op = *rows[i].op ? name_intern(&g.names, span_of(rows[i].op)) : NULL;
		e.module = *rows[i].module ? name_intern(&g.names, span_of(rows[i].module)) : NULL;
		e.correlation = 1;
		e.start_ns = e.dur_ns = 5;
		rig_event(&g, &e);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->code.nr, 1);
		const struct code_stat *c = &g.d->code.v[0];
		if (!span_eq(c->op, span_of(rows[i].op)) || !span_eq(c->module, span_of(rows[i].module)))
			fail_msg("row %zu: %.*s, %.*s", i, (int)c->op.n, c->op.p, (int)c->module.n,
			         c->module.p);
		rig_close(&g);
	}
}

#define STEP(nr, start, dur) "A ProfilerStep#" #nr " 1 " #start " " #dur "\n"
#define FOUR_STEPS STEP(1, 0, 10) STEP(2, 10, 10) STEP(3, 20, 10) STEP(4, 30, 10)

static void test_memory_use(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "allocations and frees",
		  "M 0 1 9 9 1 5\nM 0 1 9 9 2 -5\nM 0 1 9 9 3 0\nM 0 1 9 9 4 7\nM 1 1 9 9 5 -9\n",
		  "allocations", "[0: 2 1 12][1: 0 1 0]", NULL, 0 },
		{ "one window has no growth", NULL, "growth", "[0: x][1: x]", NULL, 0 },
		{ "the level before the first event; at one time the first written",
		  "M 0 1 9 9 4 5\nM 0 1 7 9 2 3\nM 0 1 9 9 2 2\nM 1 1 2 9 1 -5\n", "start", "[0: 4][1: 7]",
		  NULL, 0 },
		/* levels at the step ends: 3 5 9 9; slopes 2 4 0 3 2 2 */
		{ "the median slope, of the events in any order",
		  FOUR_STEPS "M 0 1 9 9 29\nM 0 1 7 9 10\nM 0 1 5 9 19\nM 0 1 3 9 9\nM 0 1 1 9 40\n",
		  "growth", "[0: 2]", NULL, 0 },
		{ "without the warm-up: 5 9 9", NULL, "growth", "[0: 2]", NULL, 1 },
		{ "two steps are too few", NULL, "growth", "[0: x]", NULL, 2 },
		{ "an event at the end of a step is behind it",
		  FOUR_STEPS "M 0 1 5 9 10\nM 0 1 6 9 20\nM 0 1 8 9 30\n", "growth", "[0: 2]", NULL, 0 },
		{ "of one time the last written",
		  STEP(1, 0, 5) STEP(2, 5, 5)
		      STEP(3, 10, 5) "M 0 1 5 9 1\nM 0 1 9 9 1\nM 0 1 9 9 12\nM 0 1 2 9 12\nM 0 1 3 9 12\n",
		  "growth", "[0: -3]", NULL, 0 },
		{ "levels fall", FOUR_STEPS "M 0 1 9 9 1\nM 0 1 6 9 11\nM 0 1 3 9 21\nM 0 1 0 9 31\n",
		  "growth", "[0: -3]", NULL, 0 },
		{ "before the first event the level is not known",
		  FOUR_STEPS "M 0 1 4 9 15\nM 1 1 4 9 25\nM 0 1 8 9 35\nM 1 1 8 9 35\n", "growth",
		  "[0: 2][1: x]", NULL, 0 },
		{ "rounded half away from zero",
		  STEP(1, 0, 5) STEP(2, 5, 5) STEP(3, 10, 5) "M 0 1 1 9 1\nM 0 1 2 9 12\n", "growth",
		  "[0: 1]", NULL, 0 },
		{ "a step inside of another is not one of its own",
		  STEP(1, 0, 40) STEP(2, 5, 5) STEP(3, 12, 5) "M 0 1 1 9 1\n", "growth", "[0: x]", NULL,
		  0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* The growth of a memory is a slope over steps. The trace has more steps than a slope uses; with
   20,000 memories, the slope of each memory uses fewer steps. */
static void test_many_memories(void **state)
{
	(void)state;
	for (int memories = 1; memories <= 20000; memories *= 100) {
		struct rig g;
		char line[64];
		rig_open(&g, NULL);
		for (int i = 0; i < 3000; i++) {
			snprintf(line, sizeof line, "A ProfilerStep#%d 1 %d 10", i, i * 10);
			rig_line(&g, line);
			for (int m = 0; m < memories; m += 1 + (i > 0 && i < 2999) * memories) {
				snprintf(line, sizeof line, "M %d 1 %d 9 %d", m, 700 * i, i * 10 + 5);
				rig_line(&g, line);
			}
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->memories.nr, memories);
		assert_string_equal(g.d->memories.v[0].id, "0");
		assert_int_equal(g.d->memories.v[0].growth_per_step, 700);
		rig_close(&g);
	}
}

static void test_capacity(void **state)
{
	(void)state;
	static const struct {
		int64_t bytes[3]; ///< memory of devices 5, 6, 7 in bytes; 0 if there is no such device
		int64_t want;
	} rows[] = {
		{ { 80, 80, 80 }, 80 },
		{ { 80, 0, 0 }, 80 },
		{ { 80, 81, 80 }, MEMORY_UNKNOWN },
		{ { 80, 80, -1 }, MEMORY_UNKNOWN },
		{ { -1, -1, -1 }, MEMORY_UNKNOWN },
		{ { 0, 0, 0 }, MEMORY_UNKNOWN },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "K a 5 7 -1 0 1\nM 0 1 50 60 7");
		for (int k = 0; k < 3 && rows[i].bytes[k]; k++)
			vec_push(&g.meta.devices, (struct trace_device){ 5 + k, "A", rows[i].bytes[k], 0 });
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_true(g.d->device_memory == rows[i].want);
		assert_true(g.d->memories.v[0].capacity == rows[i].want);
		assert_true(g.d->memories.v[0].segment_count == MEMORY_UNKNOWN);
		rig_close(&g);
	}
}

#define GRAPHS                                                                                  \
	"R cudaGraphLaunch 1 1 1 1\nR cudaGraphLaunch 1 2 2 1\nR cudaGraphLaunch 1 3 3 1\n"         \
	"R cudaLaunchKernel 1 4 4 1\nK a 0 7 1 10 1\nK b 0 7 1 11 1\nK b 0 7 2 12 1\nK a 0 7 2 13 " \
	"1\nK c 0 7 4 19 1\n"

static void test_lost(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "between the calls of a capture of its thread nothing runs",
		  "R cudaStreamBeginCapture 1 -1 10 1\nR cudaLaunchKernel 1 1 20 1\n"
		  "R cudaStreamEndCapture 1 -1 30 1\nR cudaGraphLaunch 1 2 40 1\nK a 0 7 2 50 9\n",
		  "lost", "0 0", NULL, 0 },
		{ "the same if the end comes first in the file",
		  "R cudaStreamEndCapture 1 -1 30 1\nR cudaLaunchKernel 1 1 20 1\n"
		  "R cudaStreamBeginCapture 1 -1 10 1\nR cudaGraphLaunch 1 2 40 1\nK a 0 7 2 50 9\n",
		  "lost", "0 0", NULL, 0 },
		{ "HIP, a capture within another",
		  "R hipStreamBeginCapture 1 -1 10 1\nR hipStreamBeginCapture 1 -1 11 1\n"
		  "R hipStreamEndCapture 1 -1 12 1\nR hipLaunchKernel 1 1 20 1\n"
		  "R hipStreamEndCapture 1 -1 30 1\n",
		  "lost", "0 0", NULL, 0 },
		{ "before, after, on another thread, in one that does not end",
		  "K a 0 7 9 0 8\nR cudaLaunchKernel 1 9 0 1\n"
		  "R cudaLaunchKernel 1 1 9 1\nR cudaStreamBeginCapture 1 -1 10 1\n"
		  "R cudaLaunchKernel 2 2 20 1\nR cudaStreamEndCapture 1 -1 30 1\n"
		  "R cudaLaunchKernel 1 3 30 1\nR cudaStreamBeginCapture 3 -1 40 1\n"
		  "R cudaLaunchKernel 3 4 50 1\n",
		  "lost", "4 32", NULL, 0 },
		{ "launches of a graph that run the same kernels",
		  GRAPHS "K a 0 7 3 14 1\nK b 0 7 3 15 1\n", "graph_kinds", "1", NULL, 0 },
		{ "others", GRAPHS "K a 0 7 3 14 1\nM b 0 7 3 15 1\n", "graph_kinds", "2", NULL, 0 },
		{ "one more often", GRAPHS "K a 0 7 3 14 1\nK b 0 7 3 15 1\nK b 0 7 3 16 1\n",
		  "graph_kinds", "2", NULL, 0 },
		{ "with ids of nodes", GRAPHS "K a 0 7 3 14 1 ~5\n", "graph_kinds", "1", NULL, 0 },
		{ "a kernel of the same operator tells how long it took",
		  "O mm 1 0 10\nO mm 1 10 10\nO add 1 20 10\nR cudaLaunchKernel 1 1 1 1\n"
		  "R cudaLaunchKernel 1 2 11 1\nR cudaLaunchKernel 1 3 21 1\n"
		  "K gemm 0 7 1 100 90\nK add 0 7 3 200 10\n",
		  "lost", "1 90", NULL, 0 },
		{ "the innermost operator",
		  "O all 1 0 100\nO mm 1 0 10\nO mm 1 10 10\nO add 1 20 10\n"
		  "R cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 1 2 11 1\nR cudaLaunchKernel 1 3 21 1\n"
		  "K gemm 0 7 1 100 90\nK add 0 7 3 200 10\n",
		  "lost", "1 90", NULL, 0 },
		{ "without one the same call, else all kernels",
		  "R cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 1 2 2 1\n"
		  "R cuLaunchKernel 1 3 3 1\nR hipLaunchKernel 1 4 4 1\n"
		  "K a 0 7 1 100 90\nK b 0 7 3 200 10\n",
		  "lost", "2 140", NULL, 0 },
		{ "not those of a last step that is cut short",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "K a 0 7 1 0 5\nK a 0 7 2 0 5\nK a 0 7 3 0 5\nK a 0 7 4 0 5\n"
		  "R cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 1 2 2 1\nR cudaLaunchKernel 1 3 11 1\n"
		  "R cudaLaunchKernel 1 4 12 1\nR cudaLaunchKernel 1 5 13 1\n"
		  "R cudaLaunchKernel 1 6 21 1\n",
		  "lost", "1 5", NULL, 0 },
		{ "whole microseconds", "K a 0 7 -1 5000 2000\nK a 0 7 -1 9000 1000\n", "tick", "1000",
		  NULL, 0 },
		{ "halves of them", "K a 0 7 -1 5000 2500\n", "tick", "500", NULL, 0 },
		{ "nanoseconds", "K a 0 7 -1 5000 2000\nK a 0 7 -1 9001 1000\n", "tick", "0", NULL, 0 },
		{ "no activity", "O a 1 5000 2000\n", "tick", "0", NULL, 0 },
		{ "recorded twice",
		  "R cudaLaunchKernel 1 1 0 1\nR cudaLaunchKernel 1 2 1 1\nK a 0 7 1 10 5\nK a 0 7 1 12 7\n"
		  "K a 0 7 2 30 5\nK b 0 7 2 30 9\nK z 0 7 -1 0 0\n",
		  "account", "3 1 1 7 7 0 0 0", NULL, 0 },
		{ "twice in whole microseconds, without a call",
		  "K a 0 7 -1 1000 5000\nK a 0 7 -1 1000 5000\n", "account", "1 0 1 0 5000 0 0 0", NULL,
		  0 },
		{ "a call of many kernels, two of which look the same",
		  "R cudaGraphLaunch 1 1 0 1000\nK a 0 7 1 1000 5000\nK a 0 7 1 1000 5000\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "not in whole microseconds",
		  "R cudaGraphLaunch 1 1 0 1000\nK a 0 7 1 1000 5001\nK a 0 7 1 1000 5001\n", "account",
		  "1 0 1 0 5001 0 0 0", NULL, 0 },
		{ "without a launch, before that of another, in a warm-up",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nR cudaLaunchKernel 1 8 2 1\nR "
		  "cudaLaunchKernel 1 9 12 1\n"
		  "K a 0 7 -1 5 100\nK b 0 7 8 200 1000\nK b 0 7 9 2000 10000\nK c 0 7 4 1 20\n",
		  "account", "4 0 0 0 0 1000 20 100", NULL, 1 },
		{ "no duration, where others take whole microseconds, 10 in the mean",
		  "K a 0 7 -1 1 0\nK a 0 7 -1 2 0\nK a 0 7 -1 3 9000\nK a 0 7 -1 20000 11000\n", "account",
		  "2 2 0 20000 0 0 0 0", NULL, 0 },
		{ "less", "K a 0 7 -1 1 0\nK a 0 7 -1 2 0\nK a 0 7 -1 3 9000\nK a 0 7 -1 20000 10000\n",
		  "account", "4 0 0 0 0 0 0 0", NULL, 0 },
		{ "where all start at whole microseconds", "K a 0 7 -1 1000 0\nK a 0 7 -1 3000 90000\n",
		  "account", "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "where others take nanoseconds",
		  "K a 0 7 -1 1 0\nK a 0 7 -1 3 1500\nK b 0 7 -1 5000 999\n", "account",
		  "2 1 0 1500 0 0 0 0", NULL, 0 },
		{ "and where none of the name has a duration",
		  "K a 0 7 -1 1 0\nK b 0 7 -1 3 1500\nK b 0 7 -1 5000 1001\n", "account",
		  "2 1 0 1251 0 0 0 0", NULL, 0 },
		{ "1 s before its launch", "R l 1 1 2000000007 5\nK a 0 7 1 1000000007 9\n", "account",
		  "1 0 0 0 0 0 0 0", NULL, 0 },
		{ "more than 1 s before it", "R l 1 1 2000000008 5\nK a 0 7 1 1000000007 9\n", "account",
		  "0 1 0 0 0 0 0 0", NULL, 0 },
		{ "of all activities", "K a 0 7 -1 1 0\n", "account", "0 1 0 0 0 0 0 0", NULL, 0 },
		{ "of one of two", "K a 0 7 -1 1 0\nK b 0 7 -1 3 1\n", "account", "1 1 0 1 0 0 0 0", NULL,
		  0 },
		{ "of all of a name", "K a 0 7 -1 1 0\nK b 0 7 -1 3 90000\n", "account", "2 0 0 0 0 0 0 0",
		  NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost),       cmocka_unit_test(test_devices),
		cmocka_unit_test(test_steps),      cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_launches),   cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_resources),  cmocka_unit_test(test_occupancy),
		cmocka_unit_test(test_faults),     cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_use), cmocka_unit_test(test_many_memories),
		cmocka_unit_test(test_capacity),   cmocka_unit_test(test_failed),
		cmocka_unit_test(test_stated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
