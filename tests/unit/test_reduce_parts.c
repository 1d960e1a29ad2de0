/* Parts of a step's time, a last step that is cut short, and the last work of a rank. */
#include "reduce_rig.h"

static void test_parts(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "what nothing higher covers",
		  "A ProfilerStep#1 1 100 100\nK gemm 0 7 -1 110 20\nK nccl 0 8 -1 120 30\n"
		  "C HtoD 0 9 -1 140 20 1\nS memset 0 9 -1 165 5\n",
		  "parts", "20 20 15 45", NULL, 0 },
		{ "each device by itself",
		  "A ProfilerStep#1 1 100 100\nS memset 1 9 -1 165 5\nC HtoD 2 9 -1 140 20 1\n"
		  "K nccl 3 8 -1 120 30\nK gemm 0 7 -1 110 20\n",
		  "parts", "20 30 25 325", NULL, 0 },
		{ "of two devices the sum",
		  "A ProfilerStep#1 1 0 100\nK a 0 7 -1 10 20\nK b 1 7 -1 20 20\n", "parts", "40 0 0 160",
		  NULL, 0 },
		{ "clipped at its beginning, not at the end of the annotation",
		  "A ProfilerStep#1 1 100 100\nK a 0 7 -1 90 20\nK b 0 7 -1 195 50\n", "parts", "60 0 0 85",
		  NULL, 0 },
		{ "a device without work of a step", "A ProfilerStep#1 1 100 100\nK nccl 0 7 -1 0 500\n",
		  "parts", "0 0 0 0", NULL, 0 },
		{ "from the moment the step before is over",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 100 100\nR x 1 1 10 1\nK a 0 7 1 90 20\n",
		  "parts", "-1 -1 -1 -1, 0 0 0 90", NULL, 0 },
		{ "unattributed work is of no device that works",
		  "A ProfilerStep#1 1 100 100\nR x 1 1 10 1\nK a 0 7 1 120 20\n", "parts", "0 0 0 0", NULL,
		  0 },
		{ "steps that overlap stand side by side",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 50 100\nK a 0 7 -1 60 30\n"
		  "K nccl 0 7 -1 95 10\n",
		  "parts", "-1 -1 -1 -1, 0 0 0 45", NULL, 0 },
		{ "a step without length", "A ProfilerStep#1 1 50 0\nK a 0 7 -1 0 100\n", "parts",
		  "0 0 0 0", NULL, 0 },
		{ "measured ones", "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nK a 0 7 -1 12 3\n",
		  "parts", "3 0 0 7", NULL, 1 },
		{ "from the first event to the last end",
		  "O op 1 100 10\nK a 0 7 -1 120 30\nK nccl 0 7 -1 140 40\n", "window", "100 80", NULL, 0 },
		{ "no event", "M 0 1 5 5 5\n", "window", "0 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* In any trace, the parts of a step add up to its period times the number of devices that work. */
static void test_parts_add_up(void **state)
{
	(void)state;
	static const char *const kinds[] = { "K gemm", "K nccl", "C copy", "S set" };
	uint32_t seed = 1;
	for (int round = 0; round < 200; round++) {
		struct rig g;
		char line[128];
		rig_open(&g, NULL);
		for (int i = 0; i < 30; i++) {
			uint32_t v[4];
			for (int k = 0; k < 4; k++)
				v[k] = (seed = seed * 1664525 + 1013904223) >> 8;
			if (i < 4)
				snprintf(line, sizeof line, "A ProfilerStep#%d 1 %u %u", i, v[0] % 200, v[1] % 80);
			else
				snprintf(line, sizeof line, "%s %u 7 -1 %u %u", kinds[v[0] % 4], v[1] % 3,
				         v[2] % 300, v[3] % 40);
			rig_line(&g, line);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		for (size_t i = 0; i < g.d->nr_steps; i++) {
			int64_t sum = 0, period = g.d->samples[METRIC_STEP_PERIOD][i];
			for (size_t k = 0; k < sizeof rig_parts / sizeof *rig_parts && period >= 0; k++) {
				assert_true(g.d->samples[rig_parts[k]][i] >= 0);
				sum += g.d->samples[rig_parts[k]][i];
			}
			assert_true(period > 0 ? sum % period == 0 && sum / period <= 3
			                       : sum == 0 || period < 0);
		}
		rig_close(&g);
	}
}

/* STEP is a step with an operator, K a kernel and COPY a copy of 8 bytes, each with its launch.
 * SHORT has steps with 4, 4 and 1 activities. */
#define STEP(n, start) "A ProfilerStep#" n " 1 " start "00 100\nO op 1 " start "01 5\n"
#define K(id, start, dur) "R x 1 " id " " start " 1\nK a 0 7 " id " " start " " dur "\n"
#define FOUR(t) \
	K(t "1", t "10", "10") K(t "2", t "20", "10") K(t "3", t "30", "10") COPY(t "4", t "40")
#define COPY(id, start) "R x 1 " id " " start " 1\nC HtoD 0 7 " id " " start " 5 8\n"
#define TWO STEP("1", "1") STEP("2", "2") FOUR("1") FOUR("2")
#define SHORT TWO STEP("3", "3") COPY("34", "340")

static void test_short_last_step(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "less than half of the median", SHORT, "usable", "2", NULL, 0 },
		{ "its samples stay", NULL, "step.memcpy_bytes", "8 8 8", NULL, 0 },
		{ "and its activities", NULL, "activities", "4 4 1", NULL, 0 },
		{ "and its parts", NULL, "parts", "-1 -1 -1 -1, 30 0 5 65, 0 0 5 95", NULL, 0 },
		{ "figures by name leave it out", NULL, "kernels",
		  "[0 a: 6 60 10 0 6 60 10 0][1 HtoD: 3 15 5 24 2 10 5 16]", NULL, 0 },
		{ "operators too", NULL, "ops", "[op: 2 10 10]", NULL, 0 },
		{ "half is enough", TWO STEP("3", "3") K("31", "310", "1") COPY("34", "340"), "usable", "3",
		  NULL, 0 },
		{ "of three at least", SHORT, "usable", "2", NULL, 1 },
		{ "all two", STEP("2", "2") FOUR("2") STEP("3", "3") COPY("34", "340"), "usable", "2", NULL,
		  0 },
		{ "only the last",
		  STEP("1", "1") COPY("14", "140") STEP("2", "2") FOUR("2") STEP("3", "3") FOUR("3"),
		  "usable", "3", NULL, 0 },
		{ "collectives leave it out",
		  TWO STEP("3", "3") "R x 1 9 310 1\nK nccl 0 7 9 320 5 @allreduce,Byte,1,1,2,\n", "comms",
		  "", NULL, 0 },
		{ "a window has no steps to compare", "K a 0 7 -1 5 5\n", "usable", "1", NULL, 0 },
		{ "nothing", "M 0 1 5 5 5\n", "usable", "0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Two steps. The second one has three launches, of which the last one's kernel never ended, and a
 * collective: an operator with an annotation in it. */
#define HANG                                                                  \
	"A ProfilerStep#4 1 0 100\nA ProfilerStep#5 1 100 50\n"                   \
	"R cudaLaunchKernel 1 1 10 1\nK gemm 0 7 1 20 5\n"                        \
	"O aten::mm 1 105 20\nR cudaLaunchKernel 1 2 110 1\nK gemm 0 7 2 120 5\n" \
	"O c10d 1 128 20\nO record_param_comms 1 130 15 @allreduce,Byte,1,1,2,\n" \
	"A nccl:all_reduce 1 132 10\nR cudaLaunchKernelExC 1 3 135 1\n"           \
	"R cudaGraphLaunch 1 5 136 1\nR cudaLaunchKernel 2 4 140 1\n"

static void test_progress(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "of the last step", HANG, "progress", "5 3 1 2 nccl:all_reduce|gemm|nccl:all_reduce",
		  NULL, 0 },
		{ "whatever the warm-up", NULL, "progress", "5 3 1 2 nccl:all_reduce|gemm|nccl:all_reduce",
		  NULL, 2 },
		{ "what comes behind it counts",
		  HANG "O aten::add 1 160 5\nR hipLaunchKernel 1 6 161 1\n"
		       "K add 0 7 6 170 1\n",
		  "progress", "5 4 1 2 aten::add|add|nccl:all_reduce", NULL, 0 },
		{ "every collective once",
		  HANG "A nccl:all_reduce 1 160 5\nA nccl:broadcast 1 170 5\n"
		       "O record_param_comms 1 180 5 @wait,Byte,1,1,1,\n",
		  "progress", "5 3 3 2 record_param_comms|gemm|nccl:all_reduce", NULL, 0 },
		{ "nothing is pending",
		  "A ProfilerStep#5 1 0 10\nR cudaLaunchKernel 1 1 1 1\nK a 0 7 1 5 5\n", "progress",
		  "5 1 0 0 |a|", NULL, 0 },
		{ "a launch with the marker is in it",
		  "A ProfilerStep#5 1 0 10\nR cudaLaunchKernel 1 1 0 1\nK a 0 7 1 5 5\n", "progress",
		  "5 1 0 0 |a|", NULL, 0 },
		{ "the innermost, in whatever order",
		  "O mul 1 3 5\nA ProfilerStep#5 1 0 10\nR cudaLaunchKernel 1 1 4 1\nO outer 1 2 7\n"
		  "O add 1 1 2\n",
		  "progress", "5 1 0 1 mul||mul", NULL, 0 },
		{ "around it is nothing on that thread",
		  "A ProfilerStep#5 1 0 10\nO mm 2 0 9\nR cudaLaunchKernel 1 1 1 1\n", "progress",
		  "5 1 0 1 mm||", NULL, 0 },
		{ "calls with one id are where the first is",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nR cudaLaunchKernel 1 7 13 1\n"
		  "R cudaLaunchKernel 1 7 5 1\nR cudaLaunchKernel 1 8 15 1\nR cudaGraphLaunch 1 8 11 1\n"
		  "R cudaLaunchKernel 2 8 12 1\nO a 1 10 9\nO b 2 10 9",
		  "progress", "2 2 0 2 b||a", NULL, 0 },
		{ "a window", "O outer 1 0 9\nO inner 1 0 8\nR cudaLaunchKernel 1 1 1 1\n", "progress",
		  "-1 1 0 1 inner||inner", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_add_up),
		cmocka_unit_test(test_short_last_step),
		cmocka_unit_test(test_progress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
