/* Steps that the profiler marked itself. */
#include "reduce_rig.h"

/* Two steps on two GPUs; the second GPU begins each step when the first one has ended it. */
#define TWO                  \
	"T train_5 0 0 100 50\n" \
	"T train_6 0 1 160 50\n" \
	"T train_5 1 0 150 50\n" \
	"T train_6 1 1 210 50\n" \
	"K a 0 7 1 100 10\n"     \
	"K a 0 7 2 160 20\n"     \
	"K a 1 7 3 170 30\n"     \
	"K a 1 7 4 250 10\n"

static void test_lines(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "each GPU by its own line", TWO, "step.cuda_time", "40 30", NULL, 0 },
		{ "one step on both", NULL, "steps", "5 6", NULL, 0 },
		{ "from the first of them to the last", NULL, "step.time", "100 100", NULL, 0 },
		{ "the same if a later step comes first in the file",
		  "T train_6 0 1 160 50\nT train_6 1 1 210 50\nT train_5 0 0 100 50\nT train_5 1 0 150 "
		  "50\nK a 0 7 1 100 10\nK a 0 7 2 160 20\nK a 1 7 3 170 30\nK a 1 7 4 250 10\n",
		  "step.cuda_time", "40 30", NULL, 0 },
		{ "", NULL, "steps", "5 6", NULL, 0 },
		{ "by where it ran", NULL, "attribution", "2 0 4 0", NULL, 0 },
		{ "launches do not matter",
		  TWO "R cudaLaunchKernel 1 1 5 1\nR cudaLaunchKernel 1 2 5 1\nR cudaLaunchKernel 1 3 5 1\n"
		      "R cudaLaunchKernel 1 4 5 1\n",
		  "step.cuda_time", "40 30", NULL, 0 },
		{ "", NULL, "attribution", "2 0 0 0", NULL, 0 },
		{ "in turns: what begins belongs to the last that began",
		  "T 1 0 0 0 40\nT 2 0 1 20 20\nT 1 0 0 30 40\nT 2 0 1 60 20\nK a 0 7 -1 0 40\nK a 0 8 -1 "
		  "20 "
		  "20\nK a 0 7 -1 30 40\nK a 0 8 -1 60 20\n",
		  "step.cuda_time", "80 40", NULL, 0 },
		{ "", NULL, "step.kernel_count", "2 2", NULL, 0 },
		{ "half-open, and before the first",
		  "T 1 0 0 10 10\nK a 0 7 -1 9 1\nK a 0 7 -1 10 2\nK a 0 7 -1 19 4\nK a 0 7 -1 20 8\n",
		  "step.cuda_time", "6", NULL, 0 },
		{ "", NULL, "times", "15 15 9 3", NULL, 0 },
		{ "a GPU without a line", "T 1 0 0 10 10\nK a 1 7 -1 12 1\n", "attribution", "2 0 1 1",
		  NULL, 0 },
		{ "the same name in two groups", "T x_1 0 0 10 10\nT x_1 0 1 20 10\nK a 0 7 -1 25 1\n",
		  "steps", "0 1", NULL, 0 },
		{ "", NULL, "step.cuda_time", "0 1", NULL, 0 },
		{ "annotations of streams without ids, by the numbers of their names",
		  "G ProfilerStep#0 0 7 -1 0 20\nG ProfilerStep#1 0 7 -1"
		  " 20 20\nG ProfilerStep#0 0 8 -1 5 10\nK a 0 7 -1 5 10\nK a 0 8 -1 25 3\n",
		  "steps", "0 1", NULL, 0 },
		{ "each stream by its own", NULL, "step.cuda_time", "10 0", NULL, 0 },
		{ "on all streams from the first beginning to the last end, by name",
		  "O x 1 0 1\nG ProfilerStep#0 -2 7 -1 10 10\n"
		  "G ProfilerStep#1 -2 -3 -1 35 10\nG ProfilerStep#0 -2 -3 -1 5 10\n"
		  "G ProfilerStep#1 -2 7 -1 40 10\nG ProfilerStep#0 -2 8 -1 20 10\n"
		  "G ProfilerStep#1 -2 8 -1 50 20\n"
		  "K a -2 -3 -1 6 1\nK a -2 -3 -1 36 2\nK a -2 8 -1 22 4\nK a -2 8 -1 55 8\n"
		  "K a -2 7 -1 12 16\nK a -2 7 -1 41 32\n",
		  "step.time", "25 35", NULL, 0 },
		{ "", NULL, "step.cuda_time", "21 42", NULL, 0 },
		{ "a marker goes before", "A ProfilerStep#3 1 0 100\n" TWO, "steps", "3", NULL, 0 },
		{ "", NULL, "step.cuda_time", "0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

#define CALLS "R cuStreamSynchronize 1 90 12 3\nR cuStreamSynchronize 1 91 45 4\n"

static void test_host(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "annotations tell when it was on the host",
		  TWO CALLS "A train_6 1 40 30 6\nA train_5 1 10 30 5\nA eval_9 1 0 5 9\n", "step.time",
		  "30 30", NULL, 0 },
		{ "", NULL, "step.sync_time", "3 4", NULL, 0 },
		{ "", NULL, "step.cuda_time", "40 30", NULL, 0 },
		{ "not where one lacks", TWO CALLS "A train_5 1 10 30 5\n", "step.time", "100 100", NULL,
		  0 },
		{ "not where one has two",
		  TWO CALLS "A train_5 1 10 30 5\nA train_6 1 40 30 6\nA b_5 1 0 9 5\n", "step.time",
		  "100 100", NULL, 0 },
		{ "not where two have one",
		  "T x_1 0 0 10 10\nT y_1 0 1 20 10\nA x_1 1 0 5 1\nK a 0 7 -1 25 1\n", "step.time",
		  "10 10", NULL, 0 },
		{ "without lines they are the steps, by launch",
		  "A train 1 0 10 7\nA train 1 10 10 8\nR cuLaunchKernel 1 1 5 1\nR cuLaunchKernel 1 2 15 "
		  "1\n"
		  "K a 0 7 1 30 4\nK a 0 7 2 40 5\n",
		  "step.cuda_time", "4 5", NULL, 0 },
		{ "", NULL, "steps", "7 8", NULL, 0 },
		{ "", NULL, "attribution", "1 0 0 0", NULL, 0 },
		{ "not where a marker is there", "A ProfilerStep#3 1 0 9\nA train 1 0 10 7\n", "steps", "3",
		  NULL, 0 },
		{ "its number is the one given", "A ProfilerStep#3 1 0 9 4\n", "steps", "4", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_marker_alone(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "the marker that was asked for is not there", TWO "A train 1 10 30 5\n", "steps", "0",
		  "fwd*", 0 },
		{ "", NULL, "step.cuda_time", "70", "fwd*", 0 },
		{ "it is", TWO "A fwd 1 150 60\n", "step.cuda_time", "50", "fwd*", 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_marker_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
