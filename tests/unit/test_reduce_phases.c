/* Phases: which work was launched, and which operators ran, in which part of a step. */
#include <stdlib.h>

#include "reduce_rig.h"

#define BACKWARD "autograd::engine::evaluate_function:x"
#define STEP "A ProfilerStep#1 1 0 1000\n"
#define TRAINING                                                                            \
	STEP "A enumerate(DataLoader)#x 1 0 100\nO load 1 10 20\n"                              \
	     "O forward 1 100 100\nO inner 1 110 10\n"                                          \
	     "O " BACKWARD " 2 200 100\nO grad 2 210 20\nO nccl:all_reduce 2 240 10\n"          \
	     "A Optimizer.step#Adam.step 1 400 100\nO adam 1 410 50\n"                          \
	     "R cudaLaunchKernel 1 1 20 1\nR cudaLaunchKernel 1 2 120 1\n"                      \
	     "R cudaLaunchKernel 2 3 220 1\nR cudaLaunchKernel 2 4 245 1\n"                     \
	     "R cudaLaunchKernel 1 5 220 1\nR cudaLaunchKernel 1 6 420 1\n"                     \
	     "R cudaLaunchKernel 1 7 500 1\n"                                                   \
	     "K k 0 7 1 600 1\nK k 0 7 2 610 2\nK k 0 7 3 620 4\nK ncclAllReduce 0 7 4 630 8\n" \
	     "K k 0 7 5 640 16\nK k 0 7 6 650 32\nK k 0 7 7 690 64\nK lost 0 7 99 780 128\n"

/* Writes "k 2 18 | forward 1 100 90": kernels with count and time, then operators with count, time
 * and own time. */
static void show(const struct digest *d, struct strbuf *out)
{
	for (size_t i = 0; i < d->kernels.nr; i++)
		strbuf_addf(out, "%s %" PRId64 " %" PRId64 " ", d->kernels.v[i].name.p,
		            d->kernels.v[i].step_count, d->kernels.v[i].step_total_ns);
	strbuf_adds(out, "|");
	for (size_t i = 0; i < d->ops.nr; i++)
		strbuf_addf(out, " %s %" PRId64 " %" PRId64, d->ops.v[i].name.p, d->ops.v[i].total_ns,
		            d->ops.v[i].self_ns);
}

static void test_phases(void **state)
{
	(void)state;
	static const struct {
		enum phase phase;
		const char *script, *expect; /* expected text; NULL if phases are unknown */
	} rows[] = {
		{ PHASE_FORWARD, TRAINING, "k 3 82 | forward 100 90 inner 10 10" },
		{ PHASE_BACKWARD, TRAINING, "k 1 4 | " BACKWARD " 100 70 grad 20 20" },
		{ PHASE_OPTIMIZER, TRAINING, "k 1 32 | adam 50 50" },
		{ PHASE_BACKWARD,
		  STEP "O " BACKWARD " 2 200 100\nR cudaLaunchKernel 2 1 210 1\nR cudaLaunchKernel 2 2 220 "
		       "1\nK z 0 7 1 600 1\nK a 0 7 2 610 2\n",
		  "a 1 2 z 1 1 | " BACKWARD " 100 100" },
		{ PHASE_DATALOADER, TRAINING, "k 1 1 | load 20 20" },
		{ PHASE_COMMUNICATION, TRAINING, "ncclAllReduce 1 8 | nccl:all_reduce 10 10" },
		/* neither a backward pass nor an optimizer: the trace is not one of training */
		{ PHASE_FORWARD, STEP "O a 1 0 10\n", NULL },
		{ PHASE_BACKWARD, STEP "O a 1 0 10\nO Optimizer.step#x 1 20 1\n", NULL },
		{ PHASE_COMMUNICATION, STEP "O a 1 0 10\n", NULL },
		{ PHASE_COMMUNICATION, STEP "R cudaLaunchKernel 1 1 20 1\nK ncclAllReduce 0 7 1 30 8\n",
		  "ncclAllReduce 1 8 |" },
		{ PHASE_COMMUNICATION, STEP "O nccl:all_reduce 1 240 10\n", "| nccl:all_reduce 10 10" },
		{ PHASE_FORWARD, STEP "O a 1 0 10\nA Optimizer.step#x 1 20 1\n", "| a 10 10" },
		/* traces of 2021 record the optimizer as an operator */
		{ PHASE_OPTIMIZER, STEP "O Optimizer.step#x 1 20 10\nO a 1 22 5\n",
		  "| Optimizer.step#x 10 5 a 5 5" },
		/* an optimizer that is called with a closure runs forward and backward itself */
		{ PHASE_OPTIMIZER,
		  STEP "A Optimizer.step#x 1 100 500\nO f 1 110 10\nO " BACKWARD
		       " 2 200 100\nO o 1 310 10\n",
		  "| o 10 10" },
		{ PHASE_FORWARD,
		  STEP "A Optimizer.step#x 1 100 500\nO f 1 110 10\nO " BACKWARD
		       " 2 200 100\nO o 1 310 10\n",
		  "| f 10 10" },
		/* a backward pass may begin before it, and another one at its end; in any order */
		{ PHASE_OPTIMIZER,
		  STEP "O " BACKWARD " 2 100 300\nA Optimizer.step#x 1 200 400\nO f 1 250 10\n"
		       "O o 1 450 10\nO " BACKWARD " 2 600 100\n",
		  "| o 10 10" },
		{ PHASE_OPTIMIZER,
		  STEP "O " BACKWARD " 2 600 100\nO o 1 450 10\nO f 1 250 10\n"
		       "A Optimizer.step#x 1 200 400\nO " BACKWARD " 2 100 300\n",
		  "| o 10 10" },
		/* the nodes of autograd tell of a backward pass if its engine does not */
		{ PHASE_BACKWARD,
		  STEP "O torch::autograd::AccumulateGrad 3 400 50\nO x 3 410 10\nO y 3 450 10\n",
		  "| torch::autograd::AccumulateGrad 50 40 x 10 10" },
		{ PHASE_BACKWARD,
		  STEP "O torch::autograd::AccumulateGrad 3 400 50\nO x 3 410 10\nO " BACKWARD
		       " 2 200 100\nO torch::autograd::AccumulateGrad 3 500 50\nO z 3 510 10\n",
		  "| " BACKWARD " 100 100" },
		/* the longest kernel comes first */
		{ PHASE_OPTIMIZER,
		  STEP "A Optimizer.step#x 1 100 100\nR x 1 1 110 1\nR x 1 2 120 1\nK z 0 7 1 300 1\n"
		       "K y 0 7 2 310 9\n",
		  "y 1 9 z 1 1 |" },
		/* a backward within a backward counts once, up to the end of the outer one */
		{ PHASE_BACKWARD,
		  STEP "O " BACKWARD " 2 200 100\nO " BACKWARD " 2 210 10\nO a 2 250 10\nO b 2 300 10\n",
		  "| a 10 10 " BACKWARD " 110 90" },
	};
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, &(struct reduce_options){ .phase = rows[i].phase });
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		digest_narrow(g.d);
		show(g.d, &out);
		if (g.d->phase_known != (rows[i].expect != NULL) ||
		    (rows[i].expect && strcmp(strbuf_str(&out), rows[i].expect) != 0)) {
			print_error("row %zu: %s\n", i, strbuf_str(&out));
			wrong++;
		}
		strbuf_release(&out);
		rig_close(&g);
	}
	assert_int_equal(wrong, 0);
}

/* A step with a backward pass; with a kernel in it; with one of the optimizer. */
#define OF(i, at) "A ProfilerStep#" i " 1 " at "00 100\nO " BACKWARD " 1 " at "10 20\n"
#define WORKS(i, at) OF(i, at) "R cudaLaunchKernel 1 1" i " " at "15 1\nK k 0 7 1" i " " at "16 5\n"
#define UPDATES(i, at)                                                                             \
	WORKS(i, at)                                                                                   \
	"A Optimizer.step#x 1 " at "50 20\nR cudaLaunchKernel 1 2" i " " at "60 1\nK k 0 7 2" i " " at \
	"61 5\n"

/* Steps without the optimizer's work, among steps with it, accumulate gradients. */
static void test_updates(void **state)
{
	(void)state;
	static const struct {
		const char *title, *script;
		enum phase phases[3]; ///< of the steps; PHASE_ALL in the first: no step has one
	} rows[] = {
		{ "one of three",
		  WORKS("1", "1") WORKS("2", "2") UPDATES("3", "3"),
		  { PHASE_ACCUMULATION, PHASE_ACCUMULATION, PHASE_UPDATE } },
		{ "the first",
		  UPDATES("1", "1") WORKS("2", "2") WORKS("3", "3"),
		  { PHASE_UPDATE, PHASE_ACCUMULATION, PHASE_ACCUMULATION } },
		{ "all", UPDATES("1", "1") UPDATES("2", "2") UPDATES("3", "3"), { PHASE_ALL } },
		{ "none", WORKS("1", "1") WORKS("2", "2") WORKS("3", "3"), { PHASE_ALL } },
		{ "an optimizer without work",
		  WORKS("1", "1") WORKS("2", "2") WORKS("3", "3") "A Optimizer.step#x 1 350 20\n",
		  { PHASE_ALL } },
		{ "two steps without work", UPDATES("1", "1") OF("2", "2") OF("3", "3"), { PHASE_ALL } },
		{ "a step without work", UPDATES("1", "1") OF("2", "2") WORKS("3", "3"), { PHASE_ALL } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->nr_steps, 3);
		if ((g.d->step_phases != NULL) != (rows[i].phases[0] != PHASE_ALL))
			fail_msg("%s", rows[i].title);
		for (size_t k = 0; k < 3 && g.d->step_phases; k++)
			if (g.d->step_phases[k] != step_phase_code(rows[i].phases[k]))
				fail_msg("%s: step %zu", rows[i].title, k);
		rig_close(&g);
	}
}

/* Times of each phase in a step: compute, copies, memory sets; and number of kernels. */
static void test_columns(void **state)
{
	(void)state;
	static const struct {
		const char *script, *expect;
	} rows[] = {
		{ TRAINING "R cudaMemcpyAsync 1 8 130 1\nC c 0 7 8 700 2\nR cudaMemsetAsync 2 9 230 1\n"
		           "S s 0 7 9 710 4\n",
		  "[forward 82 2 0 3][backward 4 0 4 1][optimizer 32 0 0 1][dataloader 1 0 0 1]"
		  "[communication 0 0 0 1]" },
		{ STEP "O " BACKWARD " 1 10 20\nR cudaLaunchKernel 1 1 15 1\nK k 0 7 1 16 5\n",
		  "[forward 0 0 0 0][backward 5 0 0 1]" },
		{ STEP "R cudaLaunchKernel 1 1 15 1\nK k 0 7 1 16 5\n", "" },
		/* without launches nothing tells the phase of a kernel */
		{ STEP "O " BACKWARD " 1 10 20\nK k 0 7 -1 16 5\n", "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		for (int p = 0; p < NR_INNER_PHASES; p++) {
			int64_t *const *column = g.d->phases[p];
			if (column[0])
				strbuf_addf(&out, "[%s %d %d %d %d]", phase_names[p], (int)column[PHASE_COMPUTE][0],
				            (int)column[PHASE_MEMCPY][0], (int)column[PHASE_MEMSET][0],
				            (int)column[PHASE_KERNELS][0]);
		}
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("row %zu: %s", i, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

/* The rows of a phase have the launch shapes and resources of their kernels. */
static void test_kernels_of_phase(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, &(struct reduce_options){ .phase = PHASE_BACKWARD });
	rig_feed(&g, STEP "O " BACKWARD " 1 10 20\nR cudaLaunchKernel 1 1 15 1\n");
	struct event e = event_blank(EVENT_KERNEL);
	e.name = name_intern(&g.names, SPAN("k"));
	e.correlation = 1;
	e.start_ns = e.dur_ns = 5;
	e.occupancy = 7;
	for (int i = 0; i < 3; i++) {
		e.grid[i] = 2 + i;
		e.block[i] = 5 + i;
		e.resources[i] = 8 + i;
	}
	rig_event(&g, &e);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->phase_kernels.nr, 1);
	const struct kernel_stat *k = &g.d->phase_kernels.v[0];
	for (int i = 0; i < 3; i++) {
		assert_int_equal(k->grid[i], 2 + i);
		assert_int_equal(k->block[i], 5 + i);
		assert_int_equal(k->resources[i], 8 + i);
	}
	assert_int_equal(k->shapes, 1);
	assert_int_equal(k->occupancy, 7);
	rig_close(&g);
}

/* The steps of a server keep what their names tell, whatever runs in them. */
static void test_told_phases(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, &(struct reduce_options){ .marker = "step[*" });
	rig_feed(&g, "A step[DECODE 1 100 100\nA step[DECODE] 1 200 100\nA step[EXTEND] 1 300 100\n");
	rig_feed(&g, "O " BACKWARD " 1 110 20\nR cudaLaunchKernel 1 1 115 1\nK k 0 7 1 116 5\n"
	             "R cudaLaunchKernel 1 2 215 1\nK k 0 7 2 216 5\nR cudaLaunchKernel 1 3 315 1\n"
	             "K k 0 7 3 316 5\nA Optimizer.step#x 1 310 20\n");
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->nr_steps, 3);
	assert_non_null(g.d->step_phases);
	assert_int_equal(g.d->step_phases[0], 0);
	assert_int_equal(g.d->step_phases[1], step_phase_code(PHASE_OTHER));
	assert_int_equal(g.d->step_phases[2], step_phase_code(PHASE_OTHER));
	rig_close(&g);
}

/* If no phase is requested, there are no rows of a phase. */
static void test_none(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	rig_feed(&g, TRAINING);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->phase_kernels.nr + g.d->phase_ops.nr, 0);
	assert_false(g.d->phase_known);
	rig_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),           cmocka_unit_test(test_none),
		cmocka_unit_test(test_updates),          cmocka_unit_test(test_columns),
		cmocka_unit_test(test_kernels_of_phase), cmocka_unit_test(test_told_phases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
