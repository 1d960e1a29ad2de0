#include <stdlib.h>

#include "reduce_rig.h"

static void test_calls(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "synchronization by how the name begins",
		  "R cudaDeviceSynchronize 1 -1 0 1\nR hipStreamSynchronize_spt 1 -1 0 10\n"
		  "R cuEventSynchronize 1 -1 0 100\nR cuCtxSynchronize 1 -1 0 1000\n"
		  "R xcudaDeviceSynchronize 1 -1 0 10000\nR cudaGraphSynchronize 1 -1 0 10000\nR cuda 1 -1 "
		  "0 10000\n"
		  "R CudaDeviceSynchronize 1 -1 0 10000\nO cudaDeviceSynchronize 1 0 10000\n",
		  "step.sync_time", "1111", NULL, 0 },
		{ "", NULL, "step.sync_count", "4", NULL, 0 },
		{ "", NULL, "step.launch_time", "0", NULL, 0 },
		{ "launches by what the name contains",
		  "R hipExtModuleLaunchKernel 1 -1 0 1\nR cudaGraphLaunch_v 1 -1 0 10\n"
		  "R cuLaunchCooperativeKernel 1 -1 0 100\nR cudalaunchkernel 1 -1 0 1000\n",
		  "step.launch_time", "111", NULL, 0 },
		{ "loading data: operators and annotations",
		  "A enumerate(DataLoader)#a 1 0 1\nO enumerate(DataLoader)#b 1 0 10\nR "
		  "enumerate(DataLoader) 1 -1 0 100\n"
		  "A xenumerate(DataLoader) 1 0 1000\n",
		  "step.dataloader_time", "11", NULL, 0 },
		{ "in the step where it begins, on any thread",
		  "A ProfilerStep#1 1 10 10\nA ProfilerStep#2 1 30 10\nR cudaGraphLaunch 1 -1 9 1\n"
		  "R cudaGraphLaunch 5 -1 10 10\nR cudaGraphLaunch 1 -1 19 100\nR cudaGraphLaunch 1 -1 20 "
		  "1000\n"
		  "R cudaGraphLaunch 1 -1 39 10000\nR cudaGraphLaunch 1 -1 40 100000\n",
		  "step.launch_time", "110 10000", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Calls by kind and name, over the usable steps. */
static void test_calls_by_name(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a window is one step",
		  "R cudaLaunchKernel 1 -1 0 1\nR cudaLaunchKernel 1 -1 5 2\nR cudaGraphLaunch 2 -1 0 7\n"
		  "R cudaStreamSynchronize 1 -1 0 10\nR cudaMemcpyAsync 1 -1 0 1\nO a 1 0 1\n"
		  "A enumerate(DataLoader)#a 1 0 3\n",
		  "calls",
		  "[0 cudaGraphLaunch: 1 7][0 cudaLaunchKernel: 2 3][1 cudaStreamSynchronize: 1 10]"
		  "[2 enumerate(DataLoader)#a: 1 3]",
		  NULL, 0 },
		{ "an operator and an annotation of one name",
		  "A enumerate(DataLoader)#a 1 0 3\nO enumerate(DataLoader)#a 1 9 4\n", "calls",
		  "[2 enumerate(DataLoader)#a: 2 7]", NULL, 0 },
		{ "of the measured steps, by their begin; once more where two hold it",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 15 10\n"
		  "R cudaGraphLaunch 1 -1 9 1\nR cudaGraphLaunch 1 -1 10 10\nR cudaGraphLaunch 1 -1 15 "
		  "100\n"
		  "R cudaGraphLaunch 1 -1 20 1000\nR cudaGraphLaunch 1 -1 25 10000\n",
		  "calls", "[0 cudaGraphLaunch: 4 1210]", NULL, 1 },
		{ "", NULL, "step.launch_time", "110 1100", NULL, 1 },
		{ "none measured", NULL, "calls", "", NULL, 3 },
		{ "without a last step that is cut short",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "K a 0 7 1 0 1\nK a 0 7 2 0 1\nK a 0 7 3 0 1\nK a 0 7 4 0 1\n"
		  "R cudaLaunchKernel 1 1 1 1\nR cudaLaunchKernel 1 2 2 1\nR cudaLaunchKernel 1 3 11 1\n"
		  "R cudaLaunchKernel 1 4 12 1\nR cudaGraphLaunch 1 -1 21 5\n",
		  "calls", "[0 cudaLaunchKernel: 4 4]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_ops(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		/* columns: count, time, own time */
		{ "nested", "O a 1 0 100\nO b 1 10 50\nO c 1 20 10\nO b 1 70 30\n", "ops",
		  "[a: 1 100 20][b: 2 80 70][c: 1 10 10]", NULL, 0 },
		{ "in any order of the file", "O c 1 20 10\nO b 1 70 30\nO a 1 0 100\nO b 1 10 50\n", "ops",
		  "[a: 1 100 20][b: 2 80 70][c: 1 10 10]", NULL, 0 },
		{ "on its own thread only", "O a 1 0 100\nO b 2 10 50\n", "ops",
		  "[a: 1 100 100][b: 1 50 50]", NULL, 0 },
		{ "within itself", "O a 1 0 100\nO a 1 10 50\n", "ops", "[a: 2 150 100]", NULL, 0 },
		{ "equal times: the first is the outer one", "O a 1 0 10\nO b 1 0 10\n", "ops",
		  "[a: 1 10 0][b: 1 10 10]", NULL, 0 },
		{ "side by side", "O a 1 0 10\nO b 1 10 10\n", "ops", "[a: 1 10 10][b: 1 10 10]", NULL, 0 },
		{ "half in: not nested", "O a 1 0 10\nO b 1 5 10\n", "ops", "[a: 1 10 10][b: 1 10 10]",
		  NULL, 0 },
		{ "half in each other, whole in a third", "O a 1 0 20\nO b 1 0 10\nO c 1 5 10\n", "ops",
		  "[a: 1 20 5][b: 1 10 10][c: 1 10 10]", NULL, 0 },
		{ "calls are not operators", "O a 1 0 20\nR x 1 -1 0 10\nA y 1 0 10\n", "ops",
		  "[a: 1 20 20]", NULL, 0 },
		{ "of the measured steps, by their begin",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nO a 1 9 5\nO a 1 19 50\nO b 1 20 5\n",
		  "ops", "[a: 1 50 45]", NULL, 1 },
		{ "none measured", NULL, "ops", "", NULL, 2 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_threads(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "union of operators and calls", "O a 7 0 10\nR x 7 -1 5 10\nA y 7 0 100\nO b 12 3 4\n",
		  "threads", "[1/12: 4][1/7: 15]", NULL, 0 },
		{ "union of operators alone", "O a 7 0 10\nO b 7 5 10\nR x 7 -1 5 30\nR x 12 -1 3 4\n",
		  "threads in operators", "[1/12: 0][1/7: 15]", NULL, 0 },
		{ "annotations are neither", "A enumerate(DataLoader)#x 7 0 10\nO a 7 20 1\n", "threads",
		  "[1/7: 1]", NULL, 0 },
		{ "the whole window", "A ProfilerStep#1 1 0 10\nO a 7 50 10\n", "threads", "[1/7: 10]",
		  NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* Operators at random, properly nested: their own times are compared with an array that has a flag
   for each nanosecond. */
#define TIMES 60
static void nest(unsigned *seed, struct rig *g, int64_t lo, int64_t hi, int depth,
                 int64_t own[TIMES])
{
	static const char *const names[] = { "a", "b", "c" };
	for (int64_t at = lo; at < hi && depth < 4;) {
		int64_t start = at + rand_r(seed) % 4, end = start + 1 + rand_r(seed) % 20;
		int name = rand_r(seed) % 3;
		if (end > hi)
			break;
		char line[64];
		snprintf(line, sizeof line, "O %s 1 %" PRId64 " %" PRId64, names[name], start, end - start);
		rig_line(g, line);
		for (int64_t t = start; t < end; t++)
			own[t] = name;
		nest(seed, g, start, end, depth + 1, own);
		at = end;
	}
}

static void test_own_times(void **state)
{
	(void)state;
	unsigned seed = 5;
	for (int round = 0; round < 300; round++) {
		struct rig g;
		int64_t own[TIMES], want[3] = { 0 }, have[3] = { 0 };
		for (int t = 0; t < TIMES; t++)
			own[t] = -1;
		rig_open(&g, NULL);
		nest(&seed, &g, 0, TIMES, 0, own);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		for (int t = 0; t < TIMES; t++)
			if (own[t] >= 0)
				want[own[t]]++;
		for (size_t i = 0; i < g.d->ops.nr; i++)
			have[g.d->ops.v[i].name.p[0] - 'a'] = g.d->ops.v[i].self_ns;
		for (int i = 0; i < 3; i++)
			assert_int_equal(have[i], want[i]);
		rig_close(&g);
	}
}

/* Processes are those that launched work; if these are fewer than two, those with steps. */
static void test_processes(void **state)
{
	(void)state;
	static const struct {
		int launch, mark, nr; /* numbers of processes, from 1 on; the result */
		const char *text;
	} rows[] = {
		{ 0, 0, 0, "" },
		{ 1, 0, 0, "" },
		{ 0, 1, 1, "1" },
		{ 1, 2, 2, "1, 2" },
		{ 2, 1, 2, "1, 2" },
		{ 8, 1, 8, "1, 2, 3, 4, 5, 6, 7, 8" },
		{ 9, 1, 9, "1, 2, 3, 4, 5, 6, 7, 8, …" },
		{ 10, 1, 10, "1, 2, 3, 4, 5, 6, 7, 8, …" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = ARENA_INIT;
		struct rig g;
		const char *text;
		rig_open(&g, NULL);
		for (int pid = 1; pid <= rows[i].launch || pid <= rows[i].mark; pid++) {
			struct event ev = event_blank(pid <= rows[i].launch ? EVENT_RUNTIME : EVENT_OP);
			ev.pid = ev.tid = pid;
			ev.name = name_intern(&g.names, SPAN("cudaLaunchKernel"));
			rig_event(&g, &ev);
			ev.kind = EVENT_ANNOTATION;
			ev.name = name_intern(&g.names, SPAN("ProfilerStep#1"));
			if (pid <= rows[i].mark)
				rig_event(&g, &ev);
		}
		rig_feed(&g, "A range 1 0 10\nR cudaMalloc 1 -1 0 1\n");
		assert_int_equal(reducer_processes(g.r, &a, &text), rows[i].nr);
		assert_string_equal(text, rows[i].text);
		arena_release(&a);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),     cmocka_unit_test(test_calls_by_name),
		cmocka_unit_test(test_ops),       cmocka_unit_test(test_threads),
		cmocka_unit_test(test_own_times), cmocka_unit_test(test_processes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
