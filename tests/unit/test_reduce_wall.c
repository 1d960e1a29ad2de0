/* Periods of steps: the time at which each step is over, and the work of devices between these
 * times. */
#include "reduce_rig.h"

/* Annotations that are much shorter than the work that they launch; launches with id 9 are in no
 * step. */
#define THREE                                                                       \
	"A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n" \
	"R x 1 1 1 1\nR x 1 2 11 1\nR x 1 3 21 1\nR x 1 9 99 1\n"
#define TWO \
	"A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nR x 1 1 1 1\nR x 1 2 11 1\nR x 1 9 99 1\n"

static void test_moments(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "the GPU keeps up: over with the annotations, at 100, 200, 300",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 100 100\nA ProfilerStep#3 1 200 100\n"
		  "R x 1 1 5 1\nR x 1 2 105 1\nR x 1 3 205 1\n"
		  "K a 0 7 1 10 80\nK a 0 7 2 110 80\nK a 0 7 3 210 80\n",
		  "step.period", "- 100 100", NULL, 0 },
		{ "", NULL, "step.latency", "100 100 100", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 80 80", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 20 20", NULL, 0 },
		{ "the GPU lags behind the host: over at 105, 205, 305",
		  THREE "K a 0 7 1 5 100\nK a 0 7 2 105 100\nK a 0 7 3 210 95\n", "step.period",
		  "- 100 100", NULL, 0 },
		{ "from the start of the annotations", NULL, "step.latency", "105 195 285", NULL, 0 },
		{ "the annotations aside", NULL, "step.time", "10 10 10", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 100 95", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0 5", NULL, 0 },
		{ "195 of two periods", NULL, "devices", "[0: 1 3 300 295 295 0 0 | 195/200]", NULL, 0 },
		{ "two in flight, the earlier one over last, at 180",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 50 100\nR x 1 1 60 1\nR x 1 2 120 1\n"
		  "K a 0 7 1 70 110\nK a 0 8 2 130 10\n",
		  "step.period", "- 0", NULL, 0 },
		{ "until its own work is done", NULL, "step.latency", "180 100", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0", NULL, 0 },
		{ "two in flight, over one after the other, at 100 and 160",
		  "A ProfilerStep#1 1 0 90\nA ProfilerStep#2 1 30 100\nR x 1 1 5 1\nR x 1 2 95 1\n"
		  "K a 0 7 1 20 80\nK a 0 7 2 110 50\n",
		  "step.period", "- 60", NULL, 0 },
		{ "", NULL, "step.latency", "100 130", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 10", NULL, 0 },
		{ "one inside of another takes no time",
		  "A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 10 20\nR x 1 1 5 1\nK a 0 7 1 50 30\n",
		  "step.period", "- 0", NULL, 0 },
		{ "", NULL, "step.latency", "100 20", NULL, 0 },
		{ "by start times: 5, 12 and 22 begin in steps 1, 2 and 3",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n"
		  "K a 0 7 -1 5 20\nK a 0 8 -1 12 6\nK a 0 7 -1 26 34\n",
		  "step.period", "- 0 35", NULL, 0 },
		{ "", NULL, "step.latency", "25 10 40", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0 1", NULL, 0 },
		{ "host steps alone, over at 10, 20 and 45",
		  "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 12 8\nA ProfilerStep#3 1 30 15\n",
		  "step.period", "- 10 25", NULL, 0 },
		{ "", NULL, "step.latency", "10 8 15", NULL, 0 },
		{ "of no device", NULL, "step.idle_time", "- 0 0", NULL, 0 },
		{ "one step without GPU work: over at 50, at 50 with it, and at 80",
		  THREE "K a 0 7 1 5 45\nK a 0 7 3 60 20\n", "step.period", "- 0 30", NULL, 0 },
		{ "", NULL, "step.latency", "50 10 60", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0 10", NULL, 0 },
		{ "no steps, no period", "K a 0 7 -1 10 10\nK a 0 7 -1 30 10\n", "step.period", "", NULL,
		  0 },
		{ "", NULL, "step.latency", "", NULL, 0 },
		{ "", NULL, "step.period_compute", "", NULL, 0 },
		{ "that of the window", NULL, "step.idle_time", "10", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 2 30 20 20 0 0 | 20/30]", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_first(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a single step: its latency, from 5 to 50",
		  "A ProfilerStep#1 1 5 15\nR x 1 4 6 1\nK a 0 7 4 10 40\nK a 0 7 3 0 8\n", "step.period",
		  "45", NULL, 0 },
		{ "", NULL, "step.latency", "45", NULL, 0 },
		{ "with 3 of what was carried over", NULL, "step.period_compute", "43", NULL, 0 },
		{ "", NULL, "step.idle_time", "2", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 2 50 48 48 0 0 | 43/45]", NULL, 0 },
		{ "over at 40, 70, 110", THREE "K a 0 7 1 0 40\nK a 0 7 2 40 30\nK a 0 7 3 80 30\n",
		  "step.period", "- 30 40", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 3 110 100 100 0 0 | 60/70]", NULL, 0 },
		{ "the warm-up step is the one before", NULL, "step.period", "30 40", NULL, 1 },
		{ "", NULL, "step.latency", "60 90", NULL, 1 },
		{ "", NULL, "step.idle_time", "0 10", NULL, 1 },
		{ "", NULL, "devices", "[0: 1 3 110 100 100 0 0 | 60/70]", NULL, 1 },
		{ "for a single one that is left, too", NULL, "step.period", "40", NULL, 2 },
		{ "", NULL, "step.period_compute", "30", NULL, 2 },
		{ "", NULL, "devices", "[0: 1 3 110 100 100 0 0 | 30/40]", NULL, 2 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_devices(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "two devices: over at 60, when the second one is done, and at 150",
		  TWO "K a 0 7 1 0 50\nK a 1 7 1 20 40\nK a 0 7 2 100 50\nK a 1 7 2 100 40\n",
		  "step.period", "- 90", NULL, 0 },
		{ "50 and 40", NULL, "step.period_compute", "- 90", NULL, 0 },
		{ "40 and 50", NULL, "step.idle_time", "- 90", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 2 150 100 100 0 0 | 50/90][1: 1 2 120 80 80 0 0 | 40/90]",
		  NULL, 0 },
		{ "one that works in the first step alone idles afterwards",
		  TWO "K a 0 7 1 20 10\nK a 1 7 1 20 5\nK a 0 7 2 40 20\n", "step.idle_time", "- 40", NULL,
		  0 },
		{ "", NULL, "devices", "[0: 1 2 40 30 30 0 0 | 20/30][1: 1 1 5 5 5 0 0 | 0/30]", NULL, 0 },
		{ "one that works in no step has its window, and no share in periods",
		  TWO "K a 0 7 1 20 10\nK a 0 7 2 40 20\nK a 1 7 9 35 20\nK a 1 7 9 75 5\n", "step.period",
		  "- 30", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 20", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 10", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 2 40 30 30 0 0 | 20/30][1: 1 2 45 25 25 0 0 | 25/45]", NULL,
		  0 },
		{ "times below 0: over at -970 and at -940",
		  "A ProfilerStep#1 1 -1000 10\nA ProfilerStep#2 1 -990 10\nR x 1 1 -999 1\n"
		  "R x 1 2 -989 1\nK a 0 7 1 -980 10\nK a 0 7 2 -960 20\n",
		  "step.period", "- 30", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 20", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 10", NULL, 0 },
		{ "an activity of no step on one that works in steps",
		  TWO "K a 0 7 1 20 10\nK a 0 7 9 32 5\nK a 0 7 2 40 20\n", "step.period_compute", "- 25",
		  NULL, 0 },
		{ "", NULL, "step.idle_time", "- 5", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

static void test_parts(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "all parts, from 10 to 130",
		  TWO "K a 0 7 1 0 10\nK a 0 7 2 20 40\nK nccl 0 8 2 40 50\nC x 0 9 2 80 40\n"
		      "S y 0 9 2 115 15\n",
		  "step.period", "- 120", NULL, 0 },
		{ "20 to 60", NULL, "step.period_compute", "- 40", NULL, 0 },
		{ "60 to 90", NULL, "step.period_exposed_comm", "- 30", NULL, 0 },
		{ "90 to 130", NULL, "step.period_exposed_memory", "- 40", NULL, 0 },
		{ "10 to 20", NULL, "step.idle_time", "- 10", NULL, 0 },
		{ "", NULL, "devices", "[0: 3 5 130 120 50 50 20 | 110/120]", NULL, 0 },
		{ "communication and a copy behind computation, from 10 to 60",
		  TWO "K a 0 7 1 0 10\nK a 0 7 2 20 40\nK nccl 0 8 2 20 10\nC x 0 9 2 25 20\n",
		  "step.period_compute", "- 40", NULL, 0 },
		{ "", NULL, "step.period_exposed_comm", "- 0", NULL, 0 },
		{ "", NULL, "step.period_exposed_memory", "- 0", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 10", NULL, 0 },
		{ "on another device it hides nothing: from 10 to 60 on each",
		  TWO "K a 0 7 1 0 10\nK a 0 7 2 20 40\nK nccl 1 8 2 20 10\nC x 1 9 2 25 20\n",
		  "step.period_compute", "- 40", NULL, 0 },
		{ "20 to 30", NULL, "step.period_exposed_comm", "- 10", NULL, 0 },
		{ "30 to 45", NULL, "step.period_exposed_memory", "- 15", NULL, 0 },
		{ "10 and 25", NULL, "step.idle_time", "- 35", NULL, 0 },
		{ "a kernel across two edges counts on each side: over at 100, 200, 300",
		  THREE "K a 0 7 1 10 90\nK a 0 7 2 110 90\nK a 0 8 3 50 250\n", "step.period_compute",
		  "- 100 100", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0 0", NULL, 0 },
		{ "communication across the edge at 100, exposed to 120",
		  TWO "K a 0 7 1 0 100\nK nccl 0 8 2 80 70\nK a 0 7 2 120 40\n", "step.period_exposed_comm",
		  "- 20", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 40", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 0", NULL, 0 },
		{ "steps of copies alone: over at 30 and 60", TWO "C x 0 7 1 20 10\nC x 0 7 2 40 20\n",
		  "step.period_exposed_memory", "- 20", NULL, 0 },
		{ "", NULL, "step.period_compute", "- 0", NULL, 0 },
		{ "", NULL, "step.idle_time", "- 10", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
