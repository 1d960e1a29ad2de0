#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "model/view.h"
#include "ranks_rig.h"

/* ---- matching of collectives ---- */

/* Compares the figures of each rank, "MATCHED: WAIT/TRANSFER LATExLAST": matched collectives;
 * waiting, transfer and lateness in ns; how often it came last. "-" if no collective is matched. */
static void assert_cross(const char *what, const struct run *run, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	struct cross_rank *cross = mem_calloc(run->ranks.nr, sizeof *cross);
	ranks_cross(run, cross);
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct cross_rank *c = &cross[r];
		strbuf_adds(&b, r ? " | " : "");
		if (c->matched == 0)
			strbuf_adds(&b, "-");
		else
			strbuf_addf(&b, "%" PRId64 ": %" PRId64 "/%" PRId64 " %" PRId64 "x%" PRId64, c->matched,
			            c->wait_ns, c->transfer_ns, c->late_ns, c->last_count);
	}
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("%s: '%s' instead of '%s'", what, strbuf_str(&b), want);
	strbuf_release(&b);
	free(cross);
}

static void test_matching(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		const char *ranks[5];
		const char *want;
	} rows[] = {
		{ "two", { "4: a50", "4: a30" }, "1: 20/30 0x0 | 1: 0/30 20x1" },
		{ "one rank", { "4: a50" }, "-" },
		{ "the median of the others, of two their mean",
		  { "4: a50", "4: a30", "4: a45" },
		  "1: 20/30 0x0 | 1: 0/30 18x1 | 1: 15/30 0x0" },
		{ "equally short: nobody came last",
		  { "4: a30", "4: a30", "4: a50" },
		  "1: 0/30 0x0 | 1: 0/30 0x0 | 1: 20/30 0x0" },
		{ "steps go by their number",
		  { "4: a50 | 5: a60 | 6: a70", "5: a10 | 6: a20" },
		  "2: 100/30 0x0 | 2: 0/30 100x2" },
		{ "and a step in the middle that one lacks",
		  { "4: a50 | 5: a1000 | 6: a70", "4: a50 | 6: a20", "4: a50 | 5: a900 | 6: a20" },
		  "3: 150/970 0x0 | 2: 0/70 0x0 | 3: 0/970 100x1" },
		{ "order counts within kind and group",
		  { "4: a10 a20 b30", "4: b31 a11 a22" },
		  "3: 0/60 4x3 | 3: 4/60 0x0" },
		{ "one more at the end of a step does not move the next",
		  { "4: a10 a20 | 5: a30", "4: a11 | 5: a33" },
		  "2: 0/40 4x2 | 2: 4/40 0x0" },
		{ "what one rank has alone", { "4: a10 b20", "4: a15" }, "1: 0/10 5x1 | 1: 5/10 0x0" },
		{ "groups of one description are distinguished by their names",
		  { "4: c10", "4: c15", "4: d20", "4: d28" },
		  "1: 0/10 5x1 | 1: 5/10 0x0 | 1: 0/20 8x1 | 1: 8/20 0x0" },
		{ "without names there are too many ranks for one group",
		  { "4: e10", "4: e15", "4: e20", "4: e28" },
		  "- | - | - | -" },
		{ "without names, but just enough", { "4: e10", "4: e15" }, "1: 0/10 5x1 | 1: 5/10 0x0" },
		{ "what is sent is not what a peer sends", { "4: f10", "4: f15" }, "- | -" },
		{ "an exchange, as often on each", { "4: g10", "4: g15" }, "1: 0/10 5x1 | 1: 5/10 0x0" },
		{ "exchanges with this and that neighbor", { "4: g10 g20", "4: g15" }, "- | -" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run run = rig_run(rows[i].ranks);
		assert_cross(rows[i].what, &run, rows[i].want);
		run_release(&run);
	}
}

static void test_unusable_and_cut(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a50 | 5: a60 a70", "4: a30 | 5: a40 a40", NULL };
	struct run run = rig_run(lines);
	struct cross_rank cross[2];
	assert_cross("whole", &run, "3: 70/110 0x0 | 3: 0/110 70x3");
	run.ranks.v[0]->usable_steps = 1;
	assert_cross("a step cut short on one rank is left out", &run, "1: 20/30 0x0 | 1: 0/30 20x1");
	run.ranks.v[0]->usable_steps = 2;
	for (size_t r = 0; r < 2; r++)
		run.ranks.v[r]->collectives_cut = 1;
	assert_cross("the step in which the list is cut", &run, "1: 20/30 0x0 | 1: 0/30 20x1");
	ranks_cross(&run, cross);
	assert_int_equal(cross[0].steps, 1);
	assert_int_equal(cross[0].step_ns, RIG_STEP_NS);
	run.ranks.v[0]->comms.nr = 0; /* a digest with collectives that refer to a missing row */
	run.ranks.v[1]->collectives.v[0].step = -1;
	assert_cross("out of range", &run, "- | -");
	run_release(&run);
}

/* ---- missing steps and compute time ---- */

static void test_steps_and_compute(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: | 5: | 6:", "4: | 5:", "4: | 5: | 6: | 7:", "8:",
		                                 NULL };
	static const int64_t compute[] = { 100, 104, 90, 100 };
	static const int64_t missing[] = { 2, 3, 1, 4 }, skew[] = { 0, 4000000, -10000000, 0 };
	struct run run = rig_run(lines);
	struct cross_rank cross[4];
	for (size_t r = 0; r < 4; r++)
		for (size_t i = 0; i < run.ranks.v[r]->nr_steps; i++)
			run.ranks.v[r]->samples[METRIC_STEP_COMPUTE_TIME][i] = compute[r];
	ranks_cross(&run, cross);
	for (size_t r = 0; r < 4; r++) {
		assert_true(cross[r].known);
		assert_int_equal(cross[r].missing_steps, missing[r]);
		assert_int_equal(cross[r].compute_skew, skew[r]);
	}
	run.ranks.v[3]->kernels.nr = 0; /* a rank without GPU work */
	run.ranks.v[2]->usable_steps = 3; /* the last step of this rank is cut short */
	run.ranks.v[1]->window = true;
	ranks_cross(&run, cross);
	assert_int_equal(cross[3].compute_skew, MEMORY_UNKNOWN);
	assert_int_equal(cross[0].missing_steps, 1);
	assert_int_equal(cross[1].missing_steps, 0);
	run_release(&run);
}

/* If the figures of a rank that need all ranks are stored, as in a baseline, they are not computed
 * again. A run of one rank has no such figures. */
static void test_known(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a50", "4: a30", NULL };
	struct run run = rig_run(lines);
	struct cross_rank cross[2];
	run.ranks.v[1]->cross = (struct cross_rank){ .known = true, .matched = 7, .wait_ns = 77 };
	ranks_cross(&run, cross);
	assert_int_equal(cross[0].wait_ns, 20);
	assert_int_equal(cross[1].wait_ns, 77);
	assert_int_equal(cross[1].matched, 7);
	digest_free(run.ranks.v[1]);
	run.ranks.nr = 1;
	ranks_cross(&run, cross);
	assert_false(cross[0].known);
	run_release(&run);
}

/* ---- figures of ranks ---- */

static void describe(void *ctx, const struct figure *f)
{
	struct strbuf *b = ctx;
	strbuf_addf(b, "%s%.*s%s", b->n ? " " : "", (int)f->label.n, f->label.p, f->label.n ? "=" : "");
	for (size_t i = 0; i < f->nr; i++)
		strbuf_addf(b, "%" PRId64, f->samples[i]);
}

static void assert_figures(const struct run_view *v, size_t r, const char *metric, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	rank_figures(v, r, metric_find(span_of(metric)), describe, &b);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("%s: '%s' instead of '%s'", metric, strbuf_str(&b), want);
	strbuf_release(&b);
}

static void test_figures(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a51 | 5: a70 b20", "4: a30 | 5: a40 b10", NULL };
	struct category_table categories = { 0 };
	struct naming naming = { .categories = &categories };
	struct run run = rig_run(lines);
	struct run_view v;
	for (size_t i = 0; i < 2; i++) { /* the size of one call is unknown */
		run.ranks.v[0]->comms.v[i].sized_count = 1;
		run.ranks.v[0]->comms.v[i].sized_ns = 20;
		run.ranks.v[0]->comms.v[i].bytes = 900;
	}
	for (size_t r = 0; r < 2; r++)
		run.ranks.v[r]->comms.nr = 2;
	run_view_init(&v, &run, &naming);
	assert_figures(&v, 0, "comm.wait_time", "31"); /* 61 ns over two steps, rounded */
	assert_figures(&v, 0, "comm.transfer_time", "40");
	assert_figures(&v, 0, "rank.straggler_pct", "0");
	assert_figures(&v, 1, "rank.straggler_pct", "30500"); /* the rank is 61 ns late in 200,000 ns */
	assert_figures(&v, 1, "rank.missing_steps", "0");
	assert_figures(&v, 1, "rank.compute_skew_pct", "0");
	assert_figures(&v, 0, "comm.time", "all_gather@world=10 all_reduce@world=61");
	assert_figures(&v, 0, "comm.count", "all_gather@world=500000 all_reduce@world=1000000");
	assert_figures(&v, 0, "comm.bytes", "all_gather@world=450 all_reduce@world=450");
	assert_figures(&v, 1, "comm.bytes", "");
	assert_figures(&v, 0, "comm.alg_bandwidth",
	               "all_gather@world=45000000000 all_reduce@world=45000000000");
	assert_figures(&v, 0, "comm.bus_bandwidth",
	               "all_gather@world=40000000000 all_reduce@world=80000000000");
	assert_true(run_has(&v, metric_find(SPAN("comm.wait_time"))));
	assert_true(run_has(&v, metric_find(SPAN("rank.missing_steps"))));
	run_view_release(&v);
	digest_free(run.ranks.v[1]);
	run.ranks.nr = 1;
	run_view_init(&v, &run, &naming);
	assert_figures(&v, 0, "comm.wait_time", "");
	assert_figures(&v, 0, "rank.missing_steps", "");
	assert_false(run_has(&v, metric_find(SPAN("comm.wait_time"))));
	assert_false(run_has(&v, metric_find(SPAN("rank.missing_steps"))));
	run_view_release(&v);
	run_release(&run);
}

static void test_functions(void **state)
{
	(void)state;
	static const char *const lines[] = { "4:", NULL };
	char deep[100];
	struct category_table categories = { 0 };
	struct naming naming = { .categories = &categories };
	struct run run = rig_run(lines);
	struct run_view v;
	memset(deep, 'x', sizeof deep);
	const struct function_stat rows[] = {
		{ FUNCTION_COMPUTE, SPAN("gemm"), -1, 1, 1, 250000, 1, -1, -1, 0 },
		{ FUNCTION_COMPUTE, SPAN(""), -1, 9, 9, 9, 9, -1, -1, 3 }, /* sums up 3 functions */
		{ FUNCTION_RUNTIME, SPAN("gemm"), -1, 1, 1, 10000, 1, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("main"), -1, 1, 1, 0, 1, -1, -1, 0 },
		{ FUNCTION_PYTHON, SPAN("step"), 3, 1, 1, 20000, 1, -1, -1, 0 },
		{ FUNCTION_PYTHON, { deep, sizeof deep }, 4, 1, 1, 30000, 1, -1, -1, 0 },
		{ FUNCTION_PYTHON, { deep, sizeof deep }, 5, 1, 1, 40000, 1, -1, -1, 0 },
		/* a function that calls itself */
		{ FUNCTION_PYTHON, SPAN("loop"), 7, 1, 1, 50000, 1, -1, -1, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		vec_push(&run.ranks.v[0]->functions, rows[i]);
	run_view_init(&v, &run, &naming);
	char want[600];
	snprintf(want, sizeof want,
	         "gemm=26000000 loop=5000000 main=0 main > step=2000000 main > step > %.100s=3000000 "
	         "~b07351b8 > %.100s=4000000",
	         deep, deep);
	assert_figures(&v, 0, "function.exclusive_pct", want);
	run_view_release(&v);
	run_release(&run);
}

/* A released run is empty, and ranks can be added to it again. */
static void test_release(void **state)
{
	(void)state;
	struct run run = { 0 };
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run.ranks.nr, 0);
		vec_push(&run.ranks, digest_new());
		vec_push(&run.ignored, "a.log");
		run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matching),          cmocka_unit_test(test_unusable_and_cut),
		cmocka_unit_test(test_steps_and_compute), cmocka_unit_test(test_known),
		cmocka_unit_test(test_release),           cmocka_unit_test(test_figures),
		cmocka_unit_test(test_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
