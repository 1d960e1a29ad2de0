#include "reduce_rig.h"

/* Two steps with a gap between them; activities with launches in each, between them, and without a
   launch. */
#define TWO                           \
	"A ProfilerStep#7 1 100 100\n"    \
	"A ProfilerStep#8 1 300 100\n"    \
	"R cudaLaunchKernel 1 10 110 5\n" \
	"R cudaLaunchKernel 1 11 250 5\n" \
	"R cudaLaunchKernel 1 12 399 5\n" \
	"R cudaLaunchKernel 1 13 400 5\n" \
	"K gemm 0 7 10 350 10\n"          \
	"K gemm 0 7 11 360 20\n"          \
	"K gemm 0 7 12 800 40\n"          \
	"K gemm 0 7 13 900 80\n"

#define SERVER(i, name)                                                                      \
	"A " name " 1 " #i "00 50\nR cudaLaunchKernel 1 1" #i " " #i "10 1\nK a 0 7 1" #i " " #i \
	"20 9\n"
#define DECODE(n) "execute_context_0(0)_generation_" #n "(" #n ")"
#define TOKENS(n) "execute_context_1(" #n ")_generation_0(0)"
#define PREFILL(n) "execute_context_" #n "(300)_generation_0(0)"

/* The fewest and the most requests in a step: of decode, if there is one. */
static void test_requests(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "of all", SERVER(1, PREFILL(3)) SERVER(2, PREFILL(2)) SERVER(3, PREFILL(7)), "requests",
		  "2 7", "execute_*", 0 },
		{ "of decode",
		  SERVER(1, PREFILL(1)) SERVER(2, DECODE(5)) SERVER(3, DECODE(4)) SERVER(4, PREFILL(9)),
		  "requests", "4 5", "execute_*", 0 },
		{ "without the warm-up", NULL, "requests", "4 4", "execute_*", 2 },
		{ "some do not tell", SERVER(1, "execute_x") SERVER(2, PREFILL(2)), "requests", "2 2",
		  "execute_*", 0 },
		{ "none tells", SERVER(1, "execute_x") SERVER(2, "execute_y"), "requests", "0 0",
		  "execute_*", 0 },
		{ "names of other annotations than steps", SERVER(1, PREFILL(3)) SERVER(2, PREFILL(2)),
		  "requests", "2 3", NULL, 0 },
		{ "tokens of prompts", SERVER(1, PREFILL(3)) SERVER(2, DECODE(5)), "tokens", "300 300",
		  "execute_*", 0 },
		{ "of several lengths", SERVER(1, TOKENS(90)) SERVER(2, TOKENS(7)), "tokens", "7 90",
		  "execute_*", 0 },
		{ "a last step of few activities is cut",
		  SERVER(1, TOKENS(7)) SERVER(2, TOKENS(7)) "A " TOKENS(8) " 1 900 50\n", "usable", "2",
		  "execute_*", 0 },
		{ "unless it is idle",
		  SERVER(1, TOKENS(7)) SERVER(2, TOKENS(7)) "A " DECODE(0) " 1 900 50\n", "usable", "3",
		  "execute_*", 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_attribution(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "launch decides, the end is open", TWO, "step.cuda_time", "10 40", NULL, 0 },
		{ "numbers of the names", NULL, "steps", "7 8", NULL, 0 },
		{ "what is in no step", NULL, "attribution", "1 0 0 2", NULL, 0 },
		{ "and its time", NULL, "times", "150 0 100 0", NULL, 0 },
		{ "host time is that of the step", NULL, "step.time", "100 100", NULL, 0 },
		{ "half have a launch",
		  "A ProfilerStep#1 1 0 100\nR x 1 5 10 1\nK a 0 0 5 200 10\nK a 0 0 6 20 10\n",
		  "attribution", "1 0 1 1", NULL, 0 },
		{ "fewer than half: by start",
		  "A ProfilerStep#1 1 0 100\nR x 1 5 10 1\nK a 0 0 5 200 10\nK a 0 0 6 20 10\nK a 0 0 4 99 "
		  "10\n",
		  "attribution", "2 1 1 1", NULL, 0 },
		{ "", NULL, "step.cuda_time", "20", NULL, 0 },
		{ "the earliest call of an id is the launch",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nR x 1 5 12 1\nR y 1 5 3 1\n"
		  "K a 0 0 5 50 7\n",
		  "step.cuda_time", "7 0", NULL, 0 },
		{ "an id that only one side lacks is not a match",
		  "A ProfilerStep#1 1 0 10\nR x 1 -1 1 1\nK a 0 0 -1 2 7\n", "attribution", "2 0 1 0", NULL,
		  0 },
		{ "the smallest id of all launches divides carried over from dropped",
		  "R x 1 9 0 1\nR x 1 5 0 1\nR x 1 7 0 1\nK a 0 0 6 0 1\nK a 0 0 4 0 1\nK a 0 0 3 0 1\n",
		  "attribution", "0 2 1 0", NULL, 0 },
		{ "no GPU activity", "A ProfilerStep#1 1 0 10\n", "attribution", "2 0 0 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_overlapping_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "nested: the outer one has it all, what begins in both counts in both",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 10 20\nR cudaLaunchKernel 1 5 15 3\n"
		  "K a 0 0 5 50 7\n",
		  "step.cuda_time", "7 0", NULL, 0 },
		{ "", NULL, "step.launch_time", "3 3", NULL, 0 },
		{ "same start: the shorter first",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 0 20\nR x 1 5 15 1\nR x 1 6 20 1\n"
		  "K a 0 0 5 50 7\nK a 0 0 6 60 70\n",
		  "step.cuda_time", "7 70", NULL, 0 },
		{ "", NULL, "steps", "2 1", NULL, 0 },
		{ "overlap: the earlier to its end, then the later",
		  "A ProfilerStep#1 1 0 20\nA ProfilerStep#2 1 10 20\nR x 1 5 19 1\nR x 1 6 20 1\n"
		  "K a 0 0 5 50 7\nK a 0 0 6 60 70\n",
		  "step.cuda_time", "7 70", NULL, 0 },
		{ "a step without length holds nothing",
		  "A ProfilerStep#1 1 5 0\nA ProfilerStep#2 1 5 10\nR x 1 5 5 1\nK a 0 0 5 50 7\n",
		  "step.cuda_time", "0 7", NULL, 0 },
		{ "behind a long one and a short one inside it",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 10 5\nA ProfilerStep#3 1 90 30\n"
		  "R x 1 5 12 1\nR x 1 6 95 1\nR x 1 7 110 1\n"
		  "K a 0 0 5 200 1\nK a 0 0 6 300 10\nK a 0 0 7 400 100\n",
		  "step.cuda_time", "11 0 100", NULL, 0 },
		{ "several inside a long one",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 10 5\nA ProfilerStep#3 1 20 10\n"
		  "A ProfilerStep#4 1 40 10\nR x 1 5 45 1\nK a 0 0 5 200 1\n",
		  "step.cuda_time", "1 0 0 0", NULL, 0 },
		{ "of one number and two threads: one step, until the last ends",
		  "A ProfilerStep#1 1 0 20\nA ProfilerStep#1 2 1 29\nA ProfilerStep#2 1 40 20\n"
		  "R x 1 5 25 1\nK a 0 0 5 50 7\n",
		  "step.cuda_time", "7 0", NULL, 0 },
		{ "", NULL, "steps", "1 2", NULL, 0 },
		{ "", NULL, "step.time", "30 20", NULL, 0 },
		{ "wherever it begins", "A ProfilerStep#1 1 100 20\nA ProfilerStep#1 2 101 29\n",
		  "step.time", "30", NULL, 0 },
		{ "if less than half is in common, two",
		  "A ProfilerStep#1 1 100 20\nA ProfilerStep#1 2 110 20\n", "step.time", "20 20", NULL, 0 },
		{ "twice in the file", "A ProfilerStep#1 1 0 20\nA ProfilerStep#1 1 0 20\n", "steps", "1",
		  NULL, 0 },
		{ "without a number, and most of the time in common",
		  "A step 1 0 20\nA step 2 0 20\nA step 2 1 20\nA step 2 10 15\n", "step.time", "21 15",
		  "step", 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_numbers(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "in order of start", "A ProfilerStep#9 1 50 1\nO ProfilerStep#3 1 60 1\n", "steps", "9 3",
		  NULL, 0 },
		{ "twice: by start", "A ProfilerStep#9 1 50 1\nA ProfilerStep#9 1 60 1\n", "steps", "0 1",
		  NULL, 0 },
		{ "one has none: by start", "A s[4] 1 50 1\nA s[ 1 60 1\nA s[7 1 70 1\n", "steps", "0 1 2",
		  "s[*", 0 },
		{ "other markers", "A it#12 1 50 1\nA its 1 60 1\n", "steps", "12", "it#*", 0 },
		{ "the largest", "A s9223372036854775807 1 5 1\n", "steps", "9223372036854775807", "s*",
		  0 },
		{ "one more is not a number", "A s9223372036854775808 1 5 1\n", "steps", "0", "s*", 0 },
		{ "digits without end", "A s99999999999999999999999999 1 5 1\n", "steps", "0", "s*", 0 },
		{ "runtime calls are not markers", "R ProfilerStep#1 1 0 5 1\n", "steps", "0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_warmup(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "steps", TWO, "steps", "8", NULL, 1 },
		{ "samples", NULL, "step.cuda_time", "40", NULL, 1 },
		{ "launches", NULL, "step.launch_time", "5", NULL, 1 },
		{ "warm-up is not unattributed", NULL, "attribution", "1 0 0 2", NULL, 1 },
		{ "kernels: window and measured", NULL, "kernels", "[0 gemm: 4 150 80 0 1 40 40 0]", NULL,
		  1 },
		{ "utilisation", NULL, "devices", "[0: 1 4 630 150 150 0 0 | 60/480]", NULL, 1 },
		{ "idle begins where the warm-up step is over",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "R x 1 1 1 1\nR x 1 2 11 1\nR x 1 3 21 1\n"
		  "K a 0 0 1 100 10\nK a 0 0 2 130 10\nK a 0 0 3 190 10\n",
		  "step.idle_time", "20 50", NULL, 1 },
		{ "none left", TWO, "steps", "", NULL, 2 },
		{ "more than there are", NULL, "step.cuda_time", "", NULL, 99 },
		{ "no measured kernels", NULL, "kernels", "[0 gemm: 4 150 80 0 0 0 0 0]", NULL, 2 },
		{ "no measured time", NULL, "devices", "[0: 1 4 630 150 150 0 0 | 0/0]", NULL, 2 },
		{ "a window has none", "K a 0 0 5 50 7\n", "step.cuda_time", "7", NULL, 3 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

#define WINDOW                              \
	"R cudaLaunchKernel 1 4 10 5\n"         \
	"R cudaStreamSynchronize 1 -1 20 300\n" \
	"A enumerate(DataLoader)#x 1 5 2\n"     \
	"K gemm 0 7 4 100 50\n"                 \
	"K nccl 0 8 4 140 60\n"                 \
	"C HtoD 1 7 4 500 50 4096\n"

static void test_window(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "one sample", WINDOW, "steps", "0", NULL, 0 },
		{ "first start to last end", NULL, "step.time", "545", NULL, 0 },
		{ "all activities", NULL, "step.cuda_time", "160", NULL, 0 },
		{ "", NULL, "step.busy_time", "150", NULL, 0 },
		{ "", NULL, "step.span", "100", NULL, 0 },
		{ "", NULL, "step.exposed_comm_time", "50", NULL, 0 },
		{ "", NULL, "step.idle_time", "0", NULL, 0 },
		{ "", NULL, "step.memcpy_bytes", "4096", NULL, 0 },
		{ "all calls", NULL, "step.launch_time", "5", NULL, 0 },
		{ "", NULL, "step.sync_time", "300", NULL, 0 },
		{ "", NULL, "step.dataloader_time", "2", NULL, 0 },
		{ "no attribution", NULL, "attribution", "0 0 0 0", NULL, 0 },
		{ "step figures are those of the window", NULL, "kernels",
		  "[0 gemm: 1 50 50 0 1 50 50 0][0 nccl: 1 60 60 0 1 60 60 0][1 HtoD: 1 50 50 4096 1 50 50 "
		  "4096]",
		  NULL, 0 },
		{ "nothing at all: no step", "M 0 1 5 5 5\n", "steps", "", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* An id that does not fit int64 is interned as a name, and stored as -2 - id of the name. */
static int64_t text_id(struct rig *g, const char *text)
{
	return -2 - (int64_t)name_intern(&g->names, span_of(text))->id;
}

static void test_carried_over(void **state)
{
	(void)state;
	static const struct {
		const char *launch, *activity;
		int64_t carried;
		const char *other; ///< id of a second launch, if any
	} rows[] = {
		{ "-5", "-7", 0, "-9" },
		{ "-9", "-7", 0, "-5" },
		{ "-9", "-10", 1, "-5" },
		{ "7", "-7", 0, "-9" },
		{ "5", "4", 1, NULL },
		{ "5", "6", 0, NULL },
		{ "-5", "-6", 1, NULL },
		{ "-5", "-4", 0, NULL },
		{ "-5", "4", 0, NULL },
		{ "10000000000000000000", "9999999999999999999", 1, NULL },
		{ "10000000000000000000", "10000000000000000001", 0, NULL },
		{ "1", "-99999999999999999999999999999999999999999999999999999", 1, NULL },
		{ "5", "4x", 0, NULL },
		{ "5", "-", 0, NULL },
		{ "x", "1", 0, NULL },
		{ "5", "", 0, NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct event e = { .kind = EVENT_RUNTIME, .start_ns = 5 };
		int64_t small;
		rig_open(&g, NULL);
		e.name = name_intern(&g.names, SPAN("x"));
		e.correlation = number_parse(span_of(rows[i].launch), 0, &small) && small >= 0
		                    ? small
		                    : text_id(&g, rows[i].launch);
		rig_event(&g, &e);
		if (rows[i].other) {
			e.correlation = text_id(&g, rows[i].other);
			rig_event(&g, &e);
		}
		e.kind = EVENT_KERNEL;
		e.correlation = number_parse(span_of(rows[i].activity), 0, &small) && small >= 0
		                    ? small
		                    : text_id(&g, rows[i].activity);
		rig_event(&g, &e);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		if (g.d->trust.carried_over != rows[i].carried || g.d->trust.dropped != !rows[i].carried)
			fail_msg("launch %s, activity %s", rows[i].launch, rows[i].activity);
		rig_close(&g);
	}
}

/* The activities of one call that begin at the same time are stored by name and place, in whatever
   order they were recorded. */
static void test_kept_step(void **state)
{
	(void)state;
	struct rig g;
	struct site_rules sites = { 0 };
	rig_open(&g, &(struct reduce_options){ .keep_step = true, .sites = &sites });
	rig_feed(&g, "A ProfilerStep#1 1 0 100\nO op 1 5 20\nR cudaGraphLaunch 1 1 10 5\n"
	             "K a 0 7 1 30 4\nK b 0 8 1 30 5\nK a 0 9 1 30 6\nK b 0 10 1 20 7\n");
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	static const struct {
		const char *name;
		int64_t stream, dur_ns;
	} want[] = { { "b", 10, 7 }, { "a", 7, 4 }, { "a", 9, 6 }, { "b", 8, 5 } };
	assert_int_equal(g.d->step.launches.nr, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct code_launch *l = &g.d->step.launches.v[i];
		assert_true(span_eq(l->name, span_of(want[i].name)));
		assert_int_equal(l->stream, want[i].stream);
		assert_int_equal(l->dur_ns, want[i].dur_ns);
	}
	rig_close(&g);
}

/* The kept step is the measured one of median length, with its launches and waits alone. */
static void test_which_step_is_kept(void **state)
{
	(void)state;
	static const struct {
		int64_t durations[4], warmup;
		int64_t number; ///< of the kept step; -1 if none is
	} rows[] = {
		{ { 30, 10, 20 }, 0, 3 },
		{ { 30, 10 }, 0, 2 },
		{ { 10, 30 }, 0, 1 },
		{ { 40, 10, 30, 20 }, 0, 4 },
		{ { 10, 30, 20, 40 }, 1, 2 },
		{ { 20, 20, 20 }, 0, 2 },
		{ { 20, 20, 20 }, 1, 2 },
		{ { 30 }, 0, 1 },
		{ { 30 }, 1, -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct site_rules sites = { 0 };
		char line[400];
		rig_open(&g, &(struct reduce_options){
		                 .keep_step = true, .sites = &sites, .warmup = rows[i].warmup });
		for (int k = 0; k < 4 && rows[i].durations[k]; k++) {
			int64_t at = 100 * (k + 1);
			snprintf(line, sizeof line,
			         "A ProfilerStep#%d 1 %d %d\nO out%d 1 %d 9\nO in%d 1 %d 4\n"
			         "R cudaLaunchKernel 1 %d %d 1\nK k%d 0 7 %d %d 5 \n"
			         "R cudaStreamSynchronize 1 -1 %d 3\n",
			         k + 1, (int)at, (int)rows[i].durations[k], k + 1, (int)at, k + 1, (int)at + 2,
			         k + 1, (int)at + 3, k + 1, k + 1, (int)at + 20, (int)at + 4);
			rig_feed(&g, line);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		if (rows[i].number < 0) {
			assert_int_equal(g.d->step.launches.nr + g.d->step.around.nr, 0);
		} else {
			if (g.d->step.number != rows[i].number)
				fail_msg("row %zu: %" PRId64, i, g.d->step.number);
			int64_t at = 100 * rows[i].number;
			assert_int_equal(g.d->step.start_ns, at);
			assert_int_equal(g.d->step.end_ns, at + rows[i].durations[rows[i].number - 1]);
			assert_int_equal(g.d->step.launches.nr, 2);
			const struct code_launch *l = g.d->step.launches.v;
			assert_int_equal(l[0].call_start_ns, at + 3);
			assert_int_equal(l[0].start_ns, at + 20);
			assert_int_equal(l[0].stream, 7);
			assert_int_equal(l[1].start_ns, at + 4);
			assert_int_equal(l[1].dur_ns, 3);
			assert_int_equal(l[1].stream, -1);
			assert_int_equal(g.d->step.around.nr, 2);
			assert_int_equal(l[0].around, l[1].around);
			assert_true(span_starts(g.d->step.around.v[l[0].around - 1].name, SPAN("in")));
		}
		rig_close(&g);
	}
}

/* A step with more than 16384 launches and waits is not kept. */
static void test_long_step(void **state)
{
	(void)state;
	static const int rows[][2] = { { 16384, 0 }, { 16385, 0 }, { 16383, 1 }, { 16384, 1 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct site_rules sites = { 0 };
		rig_open(&g, &(struct reduce_options){ .keep_step = true, .sites = &sites });
		rig_feed(&g, "A ProfilerStep#1 1 0 100\nR cudaGraphLaunch 1 1 10 1\n");
		if (rows[i][1])
			rig_feed(&g, "R cudaStreamSynchronize 1 -1 20 3\n");
		struct event e = event_blank(EVENT_KERNEL);
		e.name = name_intern(&g.names, SPAN("k"));
		e.correlation = 1;
		e.dur_ns = 1;
		for (int k = 0; k < rows[i][0]; k++) {
			e.start_ns = 100 + k;
			rig_event(&g, &e);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->step.launches.nr, i % 2 ? 0 : 16384);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_attribution),
		cmocka_unit_test(test_overlapping_steps),
		cmocka_unit_test(test_kept_step),
		cmocka_unit_test(test_which_step_is_kept),
		cmocka_unit_test(test_long_step),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_warmup),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_carried_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
