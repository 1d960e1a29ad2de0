/* Changes under review: a check does not fail for a slowdown that the main branch already has. */
#include "judge_rig.h"

enum { RUNS = 20 };

/* Adds runs of main, the first half of which has another value than the second half. */
static void add_main(struct bench_of_two *s, struct history *to, const struct rule *r,
                     const int64_t ns[2], uint64_t pin, const char *commit, const char *time)
{
	for (size_t k = 0; k < RUNS; k++) {
		struct past_run *run = vec_push_zero(&to->runs);
		vec_push(&run->values,
		         (struct past_value){ query_text(&r->query, &s->rules.arena), SPAN(""), -1,
		                              ns[k >= RUNS / 2], MICRO_DIGITS });
		run->provenance.commit = k < RUNS / 2 ? "before" : commit;
		run->provenance.time = k < RUNS / 2 && *time ? "2026-01-01T1" : time;
		run->pin = pin;
		run->source_hash = 1000 + k;
	}
}

#define COMMIT "0123456789abcdef"
#define SINCE "as main is there already, since "

static void test_said(void **state)
{
	(void)state;
	static const struct {
		int64_t base, main[2], candidate; ///< ns
		enum condition condition;
		enum worse worse;
		const char *commit, *time;
		const char *said; ///< what the message says about the main branch; NULL: nothing
	} rows[] = {
		{ MS(100),
		  { MS(100), MS(104) },
		  MS(109),
		  COND_INCREASE,
		  WORSE_UP,
		  COMMIT,
		  "2026-01-02T2",
		  SINCE "0123456789ab of 2026-01-02: 104.00 ms" },
		{ MS(100),
		  { MS(100), MS(104) },
		  MS(109),
		  COND_INCREASE,
		  WORSE_UP,
		  COMMIT,
		  "",
		  SINCE "0123456789ab: 104.00 ms" },
		{ MS(100),
		  { MS(100), MS(104) },
		  MS(109),
		  COND_INCREASE,
		  WORSE_UP,
		  "",
		  "2026-01-02T2",
		  SINCE "2026-01-02: 104.00 ms" },
		{ MS(100),
		  { MS(100), MS(96) },
		  MS(91),
		  COND_DECREASE,
		  WORSE_DOWN,
		  COMMIT,
		  "",
		  SINCE "0123456789ab: 96.00 ms" },
		{ MS(100), { MS(100), MS(104) }, MS(91), COND_DECREASE, WORSE_DOWN, COMMIT, "", NULL },
		{ MS(100), { MS(100), MS(96) }, MS(109), COND_INCREASE, WORSE_UP, COMMIT, "", NULL },
		{ MS(100), { MS(100), MS(104) }, MS(109), COND_INCREASE, WORSE_EITHER, COMMIT, "", NULL },
		/* main has the approved value again: the message does not mention main */
		{ MS(100), { MS(104), MS(100) }, MS(109), COND_INCREASE, WORSE_UP, COMMIT, "", NULL },
		{ MS(100), { MS(100), MS(100) }, MS(109), COND_INCREASE, WORSE_UP, COMMIT, "", NULL },
		/* the baseline has only 1 ns, and its change in percent is still computed */
		{ 1, { 1, 2 }, 3, COND_INCREASE, WORSE_UP, COMMIT, "", SINCE "0123456789ab: 2 ns" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "cuda", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, rows[i].condition, true, PERCENT(5), "5%");
		r->worse = rows[i].worse;
		r->query.better = r->worse == WORSE_DOWN ? "higher" : NULL;
		r->noise.k = 0;
		r->noise.min_runs = 2 * RUNS; /* the baseline is the approved run */
		s.rules.in_review = true;
		for (size_t k = 0; k < 5; k++) {
			s.b->samples[METRIC_STEP_CUDA_TIME][k] = rows[i].base;
			s.c->samples[METRIC_STEP_CUDA_TIME][k] = rows[i].candidate;
		}
		add_main(&s, &s.recent, r, rows[i].main, 0, rows[i].commit, rows[i].time);
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "cuda");
		const char *at = strstr(k->message, SINCE);
		if (!at != !rows[i].said || (at && strcmp(at, rows[i].said) != 0))
			fail_msg("row %zu: %s", i, k->message);
		release(&s);
	}
}

/* A message does not mention main's recent runs if there is no baseline above 0, if the run is not
   under review, or if a waiver in the rules covers the check. */
static void test_not_asked(void **state)
{
	(void)state;
	static const struct {
		bool in_review, waived;
		int64_t base;
		bool said;
	} rows[] = { { true, false, MS(100), true },
		         { false, false, MS(100), false },
		         { true, true, MS(100), false },
		         { true, false, 0, false } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const int64_t main[2] = { rows[i].base, rows[i].base + MS(4) };
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "cuda", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, COND_INCREASE, false, MS(4), "4ms");
		r->noise.k = 0;
		r->noise.min_runs = 2 * RUNS;
		s.rules.in_review = rows[i].in_review;
		for (size_t k = 0; k < 5; k++) {
			s.b->samples[METRIC_STEP_CUDA_TIME][k] = rows[i].base;
			s.c->samples[METRIC_STEP_CUDA_TIME][k] = MS(109);
		}
		if (rows[i].waived)
			vec_push(&s.rules.waivers, (struct waiver){ .rule = "cuda",
			                                            .until = 9,
			                                            .until_text = "1970-01-10",
			                                            .up_to = 1,
			                                            .reason = "why" });
		add_main(&s, &s.recent, r, main, 0, COMMIT, "");
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "cuda");
		if ((strstr(k->message, "main is there") != NULL) != rows[i].said)
			fail_msg("row %zu: %s", i, k->message);
		release(&s);
	}
}

/* Runs of main show that main has changed only if they were made after the present approval: those
 * that followed another approved run do not count. */
static void test_other_approval(void **state)
{
	(void)state;
	static const int64_t main[2] = { MS(100), MS(104) };
	for (int other = 0; other < 2; other++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "cuda", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
		r->noise.k = 0;
		r->noise.min_runs = 3 * RUNS;
		s.rules.in_review = true;
		for (size_t k = 0; k < 5; k++)
			s.c->samples[METRIC_STEP_CUDA_TIME][k] = MS(109);
		add_main(&s, &s.sample, r, main, past_source_hash(&s.baseline) + (other != 0), COMMIT, "");
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(strstr(check(&s, "cuda")->message, "main is there") != NULL, !other);
		release(&s);
	}
}

/* A kernel that is gone has no change that main could have had before; the level of a figure
 * of result files has no unit of its own, and is told without it. */
static void test_items(void **state)
{
	(void)state;
	static const struct {
		const char *item; ///< NULL: a figure of result files
		const char *id;
		int64_t main[2];
		const char *says;
	} rows[] = {
		{ "gemm_b",
		  "top[gemm_b]",
		  { MS(19), MS(30) },
		  "kernel.time of 'gemm_b' is gone: the baseline had 20.00 ms" },
		{ NULL,
		  "files[a]",
		  { MS(9), MS(10) },
		  "a rose from 9 to 10 (+1, +11.11 %), beyond the limit of "
		  "increase "
		  "5%; waived " SINCE "0123456789ab: its level has changed" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s,
		      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(350) }, { EVENT_KERNEL, "norm", 5, MS(100) }));
		struct rule *r = add_rule(&s, rows[i].item ? "top" : "files",
		                          rows[i].item ? METRIC_KERNEL_TIME : METRIC_INPUT);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(rows[i].item ? 200 : 5), "5%");
		r->noise.k = 0;
		r->noise.min_runs = 2 * RUNS;
		r->worse = WORSE_UP;
		r->for_each = rows[i].item != NULL;
		r->on_new = r->on_gone = SEVERITY_FAIL;
		s.rules.in_review = true;
		for (int side = 0; side < 2; side++)
			vec_push(&(side ? s.c : s.b)->inputs,
			         (struct input_stat){
			             .name = "a", .value = side ? 10 : 9, .spread = -1, .micro = INPUT_EXACT });
		add_main(&s, &s.recent, r, rows[i].main, 0, COMMIT, "");
		for (size_t k = 0; k < RUNS; k++)
			s.recent.runs.v[k].values.v[0].label = span_of(rows[i].item ? rows[i].item : "a");
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, rows[i].id);
		if (strcmp(k->message, rows[i].says) != 0)
			fail_msg("row %zu: %s", i, k->message);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_said),
		cmocka_unit_test(test_not_asked),
		cmocka_unit_test(test_other_approval),
		cmocka_unit_test(test_items),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
