/* Nodes of graphs that were lost, activities without a time, recorded twice or within others, and
 * recordings whose end is open. */
#include "reduce_rig.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

/* Launches of graphs, and kernels of the nodes 1, 2 and 3 of the graph 1. */
#define L(id) "R cudaGraphLaunch 1 " id " " id " 1\n"
#define LAUNCHES L("1") L("2") L("3")
#define NODE(id, dur, node) "K k 0 7 " id " 10" id " " dur " ~" node "\n"
#define N1 "4294967297"
#define N2 "4294967298"
#define N3 "4294967299"
#define OTHER "8589934593" /* node 1 of the graph 2 */

static void test_nodes(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "all launches have both",
		  L("1") L("2") NODE("1", "5", N1) NODE("1", "5", N2) NODE("2", "5", N1) NODE("2", "5", N2),
		  "nodes", "0 0", NULL, 0 },
		{ "one lacks the second, which takes its mean time",
		  LAUNCHES NODE("1", "5", N1) NODE("1", "6", N2) NODE("2", "5", N1) NODE("2", "8", N2)
		      NODE("3", "9", N1),
		  "nodes", "1 7", NULL, 0 },
		{ "two launches that share the first node alone",
		  L("1") L("2") NODE("1", "5", N1) NODE("2", "5", N1) NODE("2", "6", N2), "nodes", "1 6",
		  NULL, 0 },
		{ "launches of different graphs lack nothing",
		  L("1") L("2") NODE("1", "5", N1) NODE("2", "5", OTHER), "nodes", "0 0", NULL, 0 },
		{ "a body that one launch did not run is a graph of its own",
		  L("1") L("2") NODE("1", "5", N1) NODE("1", "5", OTHER) NODE("2", "5", N1), "nodes", "0 0",
		  NULL, 0 },
		{ "a node that one launch ran twice",
		  L("1") L("2") NODE("1", "5", N1) NODE("1", "5", N1) NODE("2", "5", N1), "nodes", "0 0",
		  NULL, 0 },
		{ "launches that are of one graph since both share a node with a third",
		  LAUNCHES NODE("1", "5", N2) NODE("2", "5", N1) NODE("2", "5", N2) NODE("3", "5", N1)
		      NODE("3", "5", N3),
		  "nodes", "4 20", NULL, 0 },
		{ "the same in another order",
		  LAUNCHES NODE("1", "5", N1) NODE("2", "5", N1) NODE("2", "5", N2) NODE("3", "5", N2),
		  "nodes", "2 10", NULL, 0 },
		{ "copies of nodes do not count",
		  L("1") L("2") NODE("1", "5", N1) NODE("2", "5", N1) "C c 0 7 1 200 5 8 ~" N2 "\n",
		  "nodes", "0 0", NULL, 0 },
		{ "nor do kernels without a launch, or with one of no graph",
		  L("1") L("2") "R cudaLaunchKernel 1 4 4 1\n" NODE("1", "5", N1) NODE("2", "5", N1)
		      NODE("4", "5", N2) NODE("9", "5", N3),
		  "nodes", "0 0", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* Three steps of which the last is cut short: launches count up to its start. */
#define CUT                                                                         \
	"A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nA ProfilerStep#3 1 20 10\n" \
	"R x 1 91 1 1\nR x 1 92 2 1\nR x 1 93 3 1\nR x 1 94 11 1\nR x 1 95 12 1\n"      \
	"R x 1 96 13 1\nK x 0 7 91 50 1\nK x 0 7 92 51 1\nK x 0 7 93 52 1\n"            \
	"K x 0 7 94 53 1\nK x 0 7 95 54 1\nK x 0 7 96 55 1\n"
#define AT(id, at) "R cudaGraphLaunch 1 " id " " at " 1\n"
#define KERNEL(name, id) "K " name " 0 7 " id " 10" id " 5\n"

static void test_nodes_of_cut_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a launch just before the cut step",
		  CUT AT("1", "5") AT("2", "19") NODE("1", "5", N1) NODE("1", "5", N2) NODE("2", "5", N1),
		  "nodes", "1 5", NULL, 0 },
		{ "one at its start",
		  CUT AT("1", "5") AT("2", "20") NODE("1", "5", N1) NODE("1", "5", N2) NODE("2", "5", N1),
		  "nodes", "0 0", NULL, 0 },
		{ "kinds of graphs just before it",
		  CUT AT("1", "5") AT("2", "19") KERNEL("a", "1") KERNEL("b", "2"), "graph_kinds", "2",
		  NULL, 0 },
		{ "at its start", CUT AT("1", "5") AT("2", "20") KERNEL("a", "1") KERNEL("b", "2"),
		  "graph_kinds", "1", NULL, 0 },
		{ "kernels with numbers of nodes do not tell kinds",
		  AT("1", "5") AT("2", "6") KERNEL("a", "1") NODE("2", "5", N1) NODE("2", "5", N2),
		  "graph_kinds", "1", NULL, 0 },
		{ "two kinds in turns",
		  AT("1", "5") AT("2", "6") AT("3", "7") KERNEL("a", "1") KERNEL("b", "2") KERNEL("a", "3"),
		  "graph_kinds", "2", NULL, 0 },
		{ "kernels of no launch, and copies, do not tell kinds",
		  AT("1", "5") AT("2", "6") KERNEL("a", "1") KERNEL("a", "2")
		      KERNEL("d", "99") "C c 0 7 2 300 5 8\n",
		  "graph_kinds", "1", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

static void test_missing(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a graph takes as long as all kernels of another",
		  L("1") L("2") KERNEL("a", "1") KERNEL("b", "1"), "missing", "1 0 10 0 0 0", NULL, 0 },
		{ "no graph tells how long", "R cudaLaunchKernel 1 3 3 1\n" L("1") KERNEL("a", "3"),
		  "missing", "1 1 0 0 0 0", NULL, 0 },
		{ "no kernel does", "R cudaLaunchKernel 1 3 3 1\nR cudaLaunchKernel 1 4 4 1\n", "missing",
		  "2 2 0 0 0 0", NULL, 0 },
		{ "a kernel without a launch is that of another one",
		  "R cudaLaunchKernel 1 3 3 1\nR cudaLaunchKernel 1 4 4 1\n" KERNEL("a", "9"), "missing",
		  "1 1 0 1 0 0", NULL, 0 },
		{ "a second kernel of a launch is",
		  "R cudaLaunchKernel 1 3 3 1\nR cudaLaunchKernel 1 4 4 1\n" KERNEL("a", "3")
		      KERNEL("b", "3"),
		  "missing", "0 0 0 1 0 0", NULL, 0 },
		{ "of three launches two are lost",
		  "R cudaLaunchKernel 1 3 3 1\nR cudaLaunchKernel 1 4 4 1\nR cudaLaunchKernel 1 5 5 1\n"
		  "R cudaLaunchKernel 1 6 6 1\n" KERNEL("a", "3") KERNEL("b", "3"),
		  "missing", "2 0 20 1 0 0", NULL, 0 },
		{ "more kernels than launches that lack one",
		  "R cudaLaunchKernel 1 3 3 1\nR cudaLaunchKernel 1 4 4 1\n" KERNEL("a", "7")
		      KERNEL("b", "8"),
		  "missing", "0 0 0 2 0 0", NULL, 0 },
		{ "copies, which do not count as launches",
		  "R cudaMemcpyAsync 1 1 1 1\nR cudaMemcpyAsync 1 2 2 1\nC c 0 7 1 10 6 8\n", "missing",
		  "0 0 0 0 1 6", NULL, 0 },
		{ "memory sets may run nothing", "R cudaMemsetAsync 1 1 1 1\n", "missing", "0 0 0 0 0 0",
		  NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

static void test_contained(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "two within one, whose time counts once",
		  "K a 0 7 1 0 10\nK b 0 7 2 2 2\nK b 0 7 3 5 2\nK c 0 7 4 20 7\nK b 0 7 5 22 1\n",
		  "contained", "17", NULL, 0 },
		{ "one that ends with it", "K a 0 7 1 0 10\nK b 0 7 2 2 8\n", "contained", "0", NULL, 0 },
		{ "one without length", "K a 0 7 1 0 10\nK b 0 7 2 2 0\n", "contained", "0", NULL, 0 },
		{ "one on another stream", "K a 0 7 1 0 10\nK b 0 8 2 2 2\n", "contained", "0", NULL, 0 },
		{ "one of the same launch", "K a 0 7 1 0 10\nK b 0 7 1 2 2\n", "contained", "0", NULL, 0 },
		/* the last of a stream, beyond all host events: more than 1000 times the others' mean */
		{ "1001 times", "O h 1 0 50\nK a 0 7 1 0 1\nK a 0 7 2 10 1\nK a 0 7 3 20 1001\n",
		  "contained", "1001", NULL, 0 },
		{ "1000 times", "O h 1 0 50\nK a 0 7 1 0 1\nK a 0 7 2 10 1\nK a 0 7 3 20 1000\n",
		  "contained", "0", NULL, 0 },
		{ "others without any time", "O h 1 0 50\nK a 0 7 1 1 0\nK a 0 7 2 10 0\nK a 0 7 3 20 90\n",
		  "contained", "0", NULL, 0 },
		{ "of names of their own", "O h 1 0 50\nK a 0 7 1 0 1\nK b 0 7 3 20 5000\n", "contained",
		  "0", NULL, 0 },
		{ "collectives wait", "O h 1 0 50\nK nccl 0 7 1 0 1\nK nccl 0 7 3 20 5000\n", "contained",
		  "0", NULL, 0 },
		{ "ends with the last host event", "O h 1 0 5020\nK a 0 7 1 0 1\nK a 0 7 3 20 5000\n",
		  "contained", "0", NULL, 0 },
		{ "ends behind it", "O h 1 0 5019\nK a 0 7 1 0 1\nK a 0 7 3 20 5000\n", "contained", "5000",
		  NULL, 0 },
		{ "the host has no events", "K a 0 7 1 0 1\nK a 0 7 3 20 5000\n", "contained", "0", NULL,
		  0 },
		{ "each stream",
		  "O h 1 0 50\nK a 0 7 1 0 1\nK a 0 7 1 2 1\nK b 0 8 3 20 5000\nK b 0 9 4 20 1\n"
		  "K c 0 9 4 30 5000\nK c 0 7 4 30 1\n",
		  "contained", "10000", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

static void test_untimed(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		/* an activity without a duration, before the first host event, in whole microseconds */
		{ "1 us before its launch", "R l 1 1 5000 5\nK a 0 7 1 4000 0\n", "early", "0 0 0", NULL,
		  0 },
		{ "2 us before it", "R l 1 1 5000 5\nK a 0 7 1 3000 0\n", "early", "1 0 0", NULL, 0 },
		{ "with a duration", "R l 1 1 5000 5\nK a 0 7 1 3000 1000\n", "early", "0 1 2000", NULL,
		  0 },
		{ "with the first host event", "O o 1 3000 5\nR l 1 1 5000 5\nK a 0 7 1 3000 0\n", "early",
		  "1 0 0", NULL, 0 },
		{ "behind it", "O o 1 2999 5\nR l 1 1 5000 5\nK a 0 7 1 3000 0\n", "early", "0 1 2000",
		  NULL, 0 },
		{ "1 us early is not early", "R l 1 1 5000 5\nK a 0 7 1 4000 9\n", "early", "0 0 0", NULL,
		  0 },
		{ "the earliest of several",
		  "R l 1 1 5000 5\nR l 1 2 6000 5\nR l 1 3 9000 5\nK a 0 7 1 3999 9\nK a 0 7 2 3000 9\n"
		  "K a 0 7 3 8500 9\n",
		  "early", "0 2 3000", NULL, 0 },
		/* from 0 on down, and 1 s before the first host event */
		{ "1 s before", "O o 1 999999995 5\nK a 0 7 -1 -5 9\n", "early", "0 0 0", NULL, 0 },
		{ "more than 1 s before", "O o 1 999999996 5\nK a 0 7 -1 -5 9\n", "early", "1 0 0", NULL,
		  0 },
		{ "it takes no time", NULL, "times", "0 0 0 0", NULL, 0 },
		{ "", NULL, "kernels", "[0 a: 1 0 9 0 1 0 0 0]", NULL, 0 },
		{ "", NULL, "devices", "[0: 1 1 0 0 0 0 0 | 0/0]", NULL, 0 },
		{ "a host event without length", "O o 1 1000000001 0\nK a 0 7 -1 0 9\n", "early", "1 0 0",
		  NULL, 0 },
		{ "1 s before its launch, with which it begins",
		  "R l 1 1 2000000008 5\nK a 0 7 1 1000000007 9\n", "window", "2000000008 5", NULL, 0 },
		{ "with an activity, if that is first",
		  "O o 1 100 1\nK b 0 7 -1 50 5\nK c 0 7 -1 0 0\nK d 0 7 -1 70 5\n", "progress",
		  "-1 0 0 0 o|d|", NULL, 0 },
		{ "at 0", "O o 1 1000000001 5\nK a 0 7 -1 0 9\n", "early", "1 0 0", NULL, 0 },
		{ "above 0", "O o 1 1000000002 5\nK a 0 7 -1 1 9\n", "early", "0 0 0", NULL, 0 },
		{ "where the host has no events", "K a 0 7 -1 -5 9\n", "early", "0 0 0", NULL, 0 },
		{ "one without a time begins with its launch, and one without that, with the first event",
		  "O o 1 100 1\nR l 1 1 150 1\nK a 0 7 1 0 0\nK b 0 7 -1 120 5\nK c 0 7 -1 0 0\n",
		  "progress", "-1 0 0 0 o|a|", NULL, 0 },
		{ "", NULL, "window", "100 51", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* A kernel in whole microseconds, and a second record of it. */
#define FIRST "K a 0 7 1 1000 5000\n"

static void test_twice(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "of one kernel on another stream",
		  "R cudaLaunchKernel 1 1 0 1\n" FIRST "K a 0 8 1 1000 5000\n", "account",
		  "1 0 1 0 5000 0 0 0", NULL, 0 },
		{ "not on another device", "R cudaLaunchKernel 1 1 0 1\n" FIRST "K a 1 7 1 1000 5000\n",
		  "account", "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "not under another name", "R cudaLaunchKernel 1 1 0 1\n" FIRST "K b 0 7 1 1000 5000\n",
		  "account", "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "not behind it", "R cudaLaunchKernel 1 1 0 1\n" FIRST "K a 0 7 1 6000 5000\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "in its last microsecond", "R cudaLaunchKernel 1 1 0 1\n" FIRST "K a 0 7 1 5000 5000\n",
		  "account", "1 0 1 0 5000 0 0 0", NULL, 0 },
		{ "of a graph on another stream",
		  "R cudaGraphLaunch 1 1 0 1\nK a 0 7 1 1001 5000\nK a 0 8 1 1001 5000\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "of a graph with another duration",
		  "R cudaGraphLaunch 1 1 0 1\nK a 0 7 1 1001 5000\nK a 0 7 1 1001 5001\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "of a graph at another time",
		  "R cudaGraphLaunch 1 1 0 1\nK a 0 7 1 1001 5000\nK a 0 7 1 1002 5000\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
		{ "of a call that copies",
		  "R cudaMemcpyAsync 1 1 0 1\nC a 0 7 1 1000 5000\nC a 0 7 1 1000 5000\n", "account",
		  "1 0 1 0 5000 0 0 0", NULL, 0 },
		{ "with another id", "K a 0 7 1 1000 5000\nK a 0 7 2 1000 5000\n", "account",
		  "2 0 0 0 0 0 0 0", NULL, 0 },
	};
	rig_check(rows, ROWS(rows));
}

/* Three steps, each with a kernel. The longest time from a launch to the end of its work is 40: a
   launch in the last 40 ns of the recording may wait for its kernel. */
#define OPEN                                                                             \
	"A ProfilerStep#1 1 0 100\nA ProfilerStep#2 1 100 100\nA ProfilerStep#3 1 200 100\n" \
	"R cudaLaunchKernel 1 1 10 1\nK a 0 7 1 40 10\nR cudaLaunchKernel 1 2 110 1\n"       \
	"K a 0 7 2 130 10\nR cudaLaunchKernel 1 3 210 1\nK a 0 7 3 230 10\n"

static void test_open_end(void **state)
{
	(void)state;
	static const struct {
		const char *title, *script;
		bool closed;
		const char *expect; ///< complete steps, launches without a kernel, pending ones, and what
		                    ///< the rank did last
	} rows[] = {
		{ "the profiler waited for the GPU", OPEN "R cudaLaunchKernel 1 4 260 1\n", true,
		  "3 1 0 3 2 0 1 |a|" },
		{ "it did not", OPEN "R cudaLaunchKernel 1 4 260 1\n", false, "2 0 1 3 2 0 0 |a|" },
		{ "in an operator", OPEN "O mm 1 255 10\nR cudaLaunchKernel 1 4 260 1\n", true,
		  "3 1 0 3 2 0 1 mm|a|mm" },
		{ "in which it does not wait", OPEN "O mm 1 255 10\nR cudaLaunchKernel 1 4 260 1\n", false,
		  "2 0 1 3 2 0 0 mm|a|" },
		{ "a launch before the last 40 ns", OPEN "R cudaLaunchKernel 1 4 259 1\n", false,
		  "3 1 0 3 2 0 0 |a|" },
		{ "a graph", OPEN "R cudaGraphLaunch 1 4 260 1\n", false, "2 0 1 3 1 0 0 |a|" },
		{ "a copy", OPEN "R cudaMemcpyAsync 1 4 260 1\n", false, "2 0 0 3 1 0 0 |a|" },
		{ "a memory set, which may run nothing", OPEN "R cudaMemsetAsync 1 4 260 1\n", false,
		  "3 0 0 3 1 0 0 |a|" },
		{ "one whose kernel is there", OPEN "R cudaLaunchKernel 1 4 260 1\nK a 0 7 4 262 10\n",
		  false, "3 0 0 3 2 0 0 |a|" },
		{ "the earliest of several, in the step before",
		  OPEN "R cudaLaunchKernel 1 5 270 1\nR cudaLaunchKernel 1 9 199 1\nK b 0 7 9 230 70\n"
		       "R cudaLaunchKernel 1 4 199 1\n",
		  false, "1 0 2 3 2 0 0 |b|" },
		{ "from the end of a step on it is complete", OPEN "R cudaLaunchKernel 1 4 300 1\n", false,
		  "3 0 1 3 2 0 0 |a|" },
		/* the job had stopped before the recording ended: 100 is the longest of the other steps */
		{ "within the time of a step", OPEN "R cudaLaunchKernel 1 4 260 1\nO o 1 340 20\n", false,
		  "3 1 0 3 2 0 0 o|a|" },
		{ "later", OPEN "R cudaLaunchKernel 1 4 260 1\nO o 1 340 21\n", false,
		  "3 1 0 3 2 0 1 o|a|" },
	};
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		g.meta.open_end = !rows[i].closed;
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		const struct trust_counts *t = &g.d->trust;
		rig_numbers(&out, (int64_t[]){ g.d->usable_steps, t->launches_without_kernel, t->pending },
		            3);
		rig_show(g.d, "progress", &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: %s", rows[i].title, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_nodes_of_cut_steps),
		cmocka_unit_test(test_contained),
		cmocka_unit_test(test_untimed),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_open_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
