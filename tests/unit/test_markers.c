/* Markers that are proposed for a trace without steps, and steps on the timelines of GPUs. */
#include "reduce/reducer.h"
#include "reduce_rig.h"

#include "reduce/step_name.h"

static void test_patterns(void **state)
{
	(void)state;
	static const struct {
		const char *name, *pattern;
		bool server;
	} rows[] = {
		{ "execute_new_2_cached_30", "execute_*", true },
		{ "execute_context_2(300)_generation_30(30)", "execute_*", true },
		{ "execute_330_context_2(sq300sk300)_generation_30(sq30sk9)", "execute_*", true },
		{ "step[EXTEND bs=2 toks=300]", "step[*", true },
		{ "execute_diffusion_3_2x4", "execute_diffusion_*", false },
		{ "execute_", "execute_", false },
		{ "execute_new_", "execute_new_", false },
		{ "execute_new_x2", "execute_new_x*", false },
		{ "execute_12", "execute_*", false },
		{ "execute_12_", "execute_*", false },
		{ "execute_12context_", "execute_*", false },
		{ "execute_12_context_", "execute_*", true },
		{ "execute_99999999999999999999_context_", "execute_*", false },
		{ "execute_context_", "execute_*", true },
		{ "step[0]", "step[*", false },
		{ "step_11", "step_*", false },
		{ "step12", "step*", false },
		{ "iteration 5/100", "iteration *", false },
		{ "[Executor] _forward_step 12: 3 ctx reqs", "[Executor] _forward_step *", false },
		{ "forward(bs=4)", "forward(bs=*", false },
		{ "resnet50_step_3", "resnet50_step_*", false },
		{ "Model Forward Pass", "Model Forward Pass", false },
		{ "12", "12", false },
		{ "", "", false },
	};
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool server;
		struct span p = marker_pattern_of(span_of(rows[i].name), &a, &server);
		if (!span_eq(p, span_of(rows[i].pattern)) || server != rows[i].server)
			fail_msg("%s: %.*s", rows[i].name, (int)p.n, p.p);
	}
	arena_release(&a);
}

/* A launch 1 ns after `start`, and its kernel 10 ns later. */
#define K(id, start) "R x 1 " id " " start "1 1\nK a 0 7 " id " " start "9 5\n"
#define A(name, start, dur) "A " name " 1 " start " " dur "\n"
#define FOUR K("1", "10") K("2", "20") K("3", "30") K("4", "40")

static void test_proposals(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "a number behind the name",
		  FOUR A("it_1", "100", "90") A("it_2", "200", "90") A("it_3", "300", "90")
		      A("it_4", "400", "90"),
		  "proposed", "it_* 4", NULL, 0 },
		{ "the same name",
		  FOUR A("it", "100", "90") A("it", "200", "90") A("it", "300", "90") A("it", "400", "90"),
		  "proposed", "it 4", NULL, 0 },
		{ "no others where the marker is there", NULL, "proposed", "", "it", 0 },
		{ "the outer of two",
		  FOUR A("it", "100", "90") A("it", "200", "90") A("it", "300", "150") A("f", "100", "50")
		      A("f", "200", "50") A("f", "300", "50") A("f", "400", "50"),
		  "proposed", "f 4", NULL, 0 },
		{ "two steps are not a pattern",
		  K("1", "10") K("2", "20") A("it_1", "100", "90") A("it_2", "200", "90"), "proposed", "",
		  NULL, 0 },
		{ "launches outside",
		  FOUR A("it", "100", "90") A("it", "200", "90") A("it", "300", "90") K("5", "500"),
		  "proposed", "", NULL, 0 },
		{ "launches outside of steps that overlap, each of which is in one step",
		  FOUR A("it", "100", "150") A("it", "200", "150") A("it", "300", "150")
		      A("it", "400", "90") K("5", "500"),
		  "proposed", "", NULL, 0 },
		{ "one that holds nothing",
		  FOUR A("it", "900", "9") A("it", "910", "9") A("it", "920", "9"), "proposed", "", NULL,
		  0 },
		{ "phases of training are not steps",
		  FOUR A("Optimizer.step#SGD", "100", "90") A("Optimizer.step#SGD", "200", "90")
		      A("Optimizer.step#SGD", "300", "90") A("Optimizer.step#SGD", "400", "90"),
		  "proposed", "", NULL, 0 },
		{ "operators of such a name",
		  FOUR A("it_1", "100", "90") A("it_2", "200", "90") A("it_3", "300", "90")
		      A("it_4", "400", "90") "O it_x 1 500 5\n",
		  "proposed", "", NULL, 0 },
		{ "a server's from one step on, irregular",
		  FOUR A("execute_context_1(9)_generation_0(0)", "100", "290"), "proposed", "execute_* 1",
		  NULL, 0 },
		{ "before all others",
		  FOUR A("it", "100", "90") A("it", "200", "90") A("it", "300", "90") A("it", "400", "90")
		      A("step[DECODE]", "200", "290"),
		  "proposed", "step[* 1", NULL, 0 },
		{ "on the GPU, where the host has none",
		  "K a 0 7 -1 100 5\nK a 0 7 -1 200 5\nK a 0 8 -1 201 5\nK a 0 7 -1 300 5\n"
		  "G it_1 0 7 1 100 5\nG it_2 0 7 2 200 5\nG it_2 0 8 2 201 5\nG it_3 0 7 3 300 5\n",
		  "proposed", "", NULL, 0 },
		{ "",
		  "K a 0 7 -1 100 5\nK a 0 7 -1 200 5\nK a 0 8 -1 301 5\nK a 0 7 -1 300 5\n"
		  "K a 0 7 -1 400 5\nG it_1 0 7 1 100 5\nG it_2 0 7 2 200 5\nG it_3 0 7 3 300 5\n"
		  "G it_3 0 8 3 301 5\nG it_4 0 7 4 400 5\n",
		  "proposed", "it_* 4", NULL, 0 },
		{ "beside one that has no step, whose name comes first",
		  "G warm 0 7 -1 50 5\nK a 0 7 -1 100 5\nK a 0 7 -1 200 5\nK a 0 7 -1 300 5\n"
		  "G it_1 0 7 1 100 5\nG it_2 0 7 2 200 5\nG it_3 0 7 3 300 5\n",
		  "proposed", "it_* 3", NULL, 0 },
		{ "ids of steps that are texts",
		  "K a 0 7 -1 100 5\nK a 0 7 -1 200 5\nK a 0 8 -1 301 5\nK a 0 7 -1 300 5\n"
		  "K a 0 7 -1 400 5\nG it_1 0 7 -5 100 5\nG it_2 0 7 -6 200 5\nG it_3 0 7 -7 300 5\n"
		  "G it_3 0 8 -7 301 5\nG it_4 0 7 -8 400 5\n",
		  "proposed", "it_* 4", NULL, 0 },
		{ "which is where its steps come from", NULL, "steps", "1 2 3 4", "it_*", 0 },
		{ "", NULL, "activities", "1 1 2 1", "it_*", 0 },
		{ "without steps of the host", NULL, "step.time", "5 5 6 5", "it_*", 0 },
		{ "by start", NULL, "attribution", "2 0 5 0", "it_*", 0 },
		{ "steps without ids, each by its name",
		  "G it_1 0 7 -1 100 5\nK a 0 7 -1 100 5\nG it_2 0 7 -1 200 5\nG it_2 0 8 -1 201 5\n"
		  "G it_3 0 7 -1 300 5\nG it_4 0 7 -1 400 5\nK a 0 7 -1 200 5\nK a 0 8 -1 201 5\n"
		  "K a 0 7 -1 300 5\nK a 0 7 -1 400 5\n",
		  "proposed", "it_* 4", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* An activity belongs to the step that began last before it on its own stream. */
static void test_gpu_steps(void **state)
{
	(void)state;
	static const struct rig_row rows[] = {
		{ "streams lag one another",
		  "K a 0 7 -1 10 10\nK a 0 7 -1 30 10\nK b 0 8 -1 25 20\nK b 0 8 -1 50 10\n"
		  "G ProfilerStep#1 0 7 5 10 10\nG ProfilerStep#2 0 7 6 30 10\n"
		  "G ProfilerStep#1 0 8 5 25 20\nG ProfilerStep#2 0 8 6 50 10\n",
		  "step.cuda_time", "30 20", NULL, 0 },
		{ "numbers are those of the names", NULL, "steps", "1 2", NULL, 0 },
		{ "a step is over with the last of its streams", NULL, "step.period", "- 15", NULL, 0 },
		{ "the host's come first",
		  "A ProfilerStep#7 1 0 100\nK a 0 7 -1 10 10\nG ProfilerStep#1 0 7 5 10 10\n", "steps",
		  "7", NULL, 0 },
		{ "a stream without annotations of its own, and a device",
		  "G ProfilerStep#1 0 7 5 10 10\nG ProfilerStep#2 0 7 6 30 10\nK a 0 8 -1 12 1\n"
		  "K a 0 7 -1 12 2\nK a 1 7 -1 12 4\nK a 0 6 -1 12 8\nK a 0 7 -1 40 16\n",
		  "times", "31 31 29 0", NULL, 0 },
		{ "without an id the number distinguishes steps",
		  "K a 0 7 -1 10 10\nK a 0 7 -1 30 10\nG ProfilerStep#1 0 7 -1 10 10\n"
		  "G ProfilerStep#2 0 7 -1 30 10\n",
		  "step.cuda_time", "10 10", NULL, 0 },
		{ "they are not times of the host", NULL, "window", "10 30", NULL, 0 },
		{ "ids that are texts; the last part of a step begins first",
		  "K a -5 -7 -1 10 10\nK a -5 -7 -1 30 10\nK b -6 -8 -1 5 20\nK b -6 -8 -1 27 10\n"
		  "G ProfilerStep#1 -5 -7 -9 10 10\nG ProfilerStep#2 -5 -7 -10 30 10\n"
		  "G ProfilerStep#1 -6 -8 -9 5 20\nG ProfilerStep#2 -6 -8 -10 27 10\n",
		  "step.cuda_time", "30 20", NULL, 0 },
		{ "", NULL, "step.time", "20 13", NULL, 0 },
		{ "", NULL, "attribution", "2 0 4 0", NULL, 0 },
	};
	rig_check(rows, sizeof rows / sizeof *rows);
}

/* A trace with more annotations than are kept gets no marker proposed. */
static void test_cut(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct rig g;
		rig_open(&g, NULL);
		struct steps *s = &g.r->steps;
		vec_reserve(&s->annotations, ANNOTATIONS_KEPT);
		memset(s->annotations.v, 0, (ANNOTATIONS_KEPT - 1) * sizeof *s->annotations.v);
		s->annotations.nr = ANNOTATIONS_KEPT - 1;
		rig_feed(&g, more ? "A x 1 0 1\nA x 1 2 1" : "A x 1 0 1");
		assert_int_equal(s->annotations.nr, ANNOTATIONS_KEPT);
		assert_int_equal(s->annotations_cut, more);
		s->annotations.nr = 0; /* the zeroed ones have no name */
		rig_close(&g);
	}
	for (int cut = 0; cut < 2; cut++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "K a 0 7 -1 100 5\nK a 0 7 -1 200 5\nK a 0 7 -1 300 5\nK a 0 7 -1 400 5\n"
		             "G it_1 0 7 1 100 5\nG it_2 0 7 2 200 5\nG it_3 0 7 3 300 5\n"
		             "G it_4 0 7 4 400 5\n");
		g.r->steps.annotations_cut = cut;
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->proposed_steps, cut ? 0 : 4);
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_proposals),
		cmocka_unit_test(test_gpu_steps),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
