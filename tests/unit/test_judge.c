#include <stdlib.h>

#include "base/text.h"
#include "breakdown_sums.h"
#include "gate/checks.h"
#include "judge_rig.h"

static void test_same(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_OK);
	assert_int_equal(s.report.verdict, VERDICT_PASS);
	assert_string_equal(s.report.headline, "pass: 1 of 1 check within its limits");
	assert_string_equal(
	    check(&s, "cuda")->message,
	    "median step.cuda_time is unchanged at 100.00 ms, within the limit of increase 5% and 2ms");
	assert_string_equal(s.report.accept, "");
	assert_false(s.report.same_artifact);
	assert_int_equal(s.report.warnings.nr, 0);
	assert_string_equal(s.report.baseline.commit, "c");
	assert_string_equal(s.report.candidate.gpu, "NVIDIA A100");
	assert_int_equal(s.report.candidate.steps, 5);
	release(&s);
}

static void test_regression(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s,
	      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(400) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
	           { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }));
	add_cuda_rule(&s);
	struct rule *r = add_rule(&s, "count", METRIC_STEP_KERNEL_COUNT);
	fixture_limit(&r->warn, COND_CHANGE, false, 0, "0");
	add_kernel_rule(&s)->min_share = PERCENT(15);
	for (size_t i = 0; i < s.rules.rules.nr; i++)
		s.rules.rules.v[i].noise.k = 0;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_FAILED);
	assert_int_equal(s.report.verdict, VERDICT_FAIL);
	assert_string_equal(s.report.headline, "fail: 2 of 4 checks beyond their limits (cuda, top)");
	/* expected order: failures first, then by rule; `elem` is too small a share to be checked */
	static const char *const order[] = { "cuda", "top[gemm_a]", "count", "top[gemm_b]" };
	for (size_t i = 0; i < NR_OF(order); i++)
		assert_string_equal(s.report.checks.v[i].id, order[i]);
	const struct check *k = check(&s, "cuda");
	assert_string_equal(
	    k->message, "median step.cuda_time rose from 100.00 ms to 110.00 ms (+10.00 ms, +10.00 %), "
	                "beyond the limit of increase 5% and 2ms");
	assert_int_equal(k->change, MS(10));
	assert_int_equal(k->change_pct, PERCENT(10));
	assert_non_null(k->breakdown);
	assert_int_equal(k->breakdown->change, MS(10));
	assert_int_equal(check(&s, "top[gemm_a]")->group, GROUP_KERNELS);
	assert_string_equal(check(&s, "top[gemm_a]")->item, "gemm_a");
	assert_null(check(&s, "count")->breakdown);
	assert_int_equal(s.report.drift.nr, 3);
	assert_int_equal(s.report.drift.v[0].drift, DRIFT_SLOWER);
	assert_string_equal(s.report.accept, "gpugate approve candidate.json.gz --baseline "
	                                     "'base lines/it'\\''s.json' --reason 'why it is "
	                                     "right' --accept cuda --accept top");
	release(&s);
}

/* An improved check counts as within its limits; the headline also says how many improved. */
static void test_improved(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s,
	      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(250) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
	           { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }));
	add_cuda_rule(&s);
	struct rule *r = add_rule(&s, "count", METRIC_STEP_KERNEL_COUNT);
	fixture_limit(&r->fail, COND_CHANGE, false, 0, "0");
	s.rules.rules.v[0].noise.k = 0;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "cuda")->verdict, VERDICT_IMPROVED);
	assert_string_equal(s.report.headline,
	                    "pass: 2 of 2 checks within their limits, 1 of them improved");
	/* a side without work on a GPU has no note on how work was attributed to steps */
	report_release(&s.report);
	s.c->trust.gpu_events = 0;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.baseline.notes.nr, 1);
	assert_int_equal(s.report.candidate.notes.nr, 0);
	release(&s);
}

/* The message of a check for each possible result. */
static void test_sentences(void **state)
{
	(void)state;
	static const struct {
		int64_t before_ms, after_ms;
		const char *message;
	} cases[] = {
		{ 100, 103,
		  "median step.cuda_time rose from 100.00 ms to 103.00 ms (+3.000 ms, +3.00 %), beyond the "
		  "warning "
		  "limit of increase 2%" },
		{ 100, 90,
		  "median step.cuda_time fell from 100.00 ms to 90.00 ms (-10.00 ms, -10.00 %), better by "
		  "more than "
		  "the limit of increase 5% and 2ms" },
		{ 100, 101,
		  "median step.cuda_time rose from 100.00 ms to 101.00 ms (+1.000 ms, +1.00 %), within the "
		  "limit of "
		  "increase 5% and 2ms" },
		{ 0, 3,
		  "median step.cuda_time rose from 0 ns to 3.000 ms (+3.000 ms), beyond the limit of "
		  "increase 5% and 2ms" },
		{ 0, 1,
		  "median step.cuda_time rose from 0 ns to 1.000 ms (+1.000 ms): a change from 0 has no "
		  "percentage; give an absolute limit or 'and'" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		for (size_t step = 0; step < 5; step++) {
			s.b->samples[METRIC_STEP_CUDA_TIME][step] = MS(cases[i].before_ms);
			s.c->samples[METRIC_STEP_CUDA_TIME][step] = MS(cases[i].after_ms);
		}
		assert_int_equal(run_judge(&s), ST_OK);
		assert_string_equal(check(&s, "cuda")->message, cases[i].message);
		release(&s);
	}
}

static void test_new_gone_and_share(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(350) }, { EVENT_KERNEL, "fresh", 5, MS(100) }));
	struct rule *r = add_kernel_rule(&s);
	r->on_new = SEVERITY_WARN;
	r->min_share = PERCENT(10);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_OK);
	assert_int_equal(s.report.checks.nr, 3);
	assert_int_equal(check(&s, "top[fresh]")->verdict, VERDICT_WARN);
	assert_string_equal(check(&s, "top[fresh]")->message,
	                    "kernel.time of 'fresh' is new at 20.00 ms: the baseline lacks it");
	assert_int_equal(check(&s, "top[gemm_b]")->verdict, VERDICT_PASS);
	assert_string_equal(check(&s, "top[gemm_b]")->message,
	                    "kernel.time of 'gemm_b' is gone: the baseline had 20.00 ms");
	release(&s);
}

/* Main has left the approved run by more than a limit; if the approved run lacks the figure,
   nothing says so. */
static void test_moved(void **state)
{
	(void)state;
	static const struct {
		int64_t pin, main; /* ms; 0: the approved run lacks the figure */
		bool for_each;
		const char *moved;
	} rows[] = {
		{ 50, 60, false, "'cuda' (50.00 ms → 60.00 ms)" },
		{ 50, 60, true, "" },
		{ 50, 51, false, "" },
		{ 60, 50, false, "" },
		{ 0, 60, false, "" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		struct rule *r = &s.rules.rules.v[0];
		r->noise = (struct noise_rule){ .k = 0, .min_runs = 2 };
		r->for_each = rows[i].for_each;
		for (int k = 0; k < 3; k++)
			add_recent(&s, r, MS(rows[i].main));
		for (size_t k = 0; k < 5; k++)
			s.b->samples[METRIC_STEP_CUDA_TIME][k] = rows[i].pin ? MS(rows[i].pin) : NO_SAMPLE;
		assert_int_equal(run_judge(&s), ST_OK);
		const char *moved = check(&s, "cuda")->moved;
		if (strcmp(moved ? moved : "", rows[i].moved) != 0)
			fail_msg("row %zu: %s", i, moved);
		release(&s);
	}
}

/* A kernel that the approved run lacks and later runs have: there it was not launched and took 0
 * ns, so that the whole change has parts. */
static void test_later_than_the_pin(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(350) }, { EVENT_KERNEL, "fresh", 5, MS(100) }));
	struct rule *r = add_kernel_rule(&s);
	r->noise = (struct noise_rule){ .k = 0, .min_runs = 2 };
	for (int i = 0; i < 3; i++) {
		add_recent(&s, r, MS(10));
		struct past_run *run = &s.recent.runs.v[i];
		run->values.v[0].label = SPAN("fresh");
	}
	assert_int_equal(run_judge(&s), ST_OK);
	const struct check *k = check(&s, "top[fresh]");
	assert_int_equal(k->verdict, VERDICT_FAIL);
	assert_int_equal(k->change, MS(10));
	assert_non_null(k->breakdown);
	assert_adds_up(k->breakdown);
	release(&s);
}

static void test_nothing_above_share(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_kernel_rule(&s)->min_share = PERCENT(99);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.checks.nr, 1);
	assert_int_equal(check(&s, "top")->verdict, VERDICT_SKIPPED);
	assert_string_equal(check(&s, "top")->message,
	                    "kernel.time: no kernel has a share of 99 % on either side");
	assert_string_equal(check(&s, "top")->limit, "increase 10%");
	/* if the noise is unknown, there is no text on it */
	assert_string_equal(check(&s, "top")->evidence.text, "");
	assert_int_equal(s.report.status, ST_INPUT); /* ST_INPUT, since nothing was compared */
	release(&s);
}

/* for_each takes the top N of each side by time, even if another figure is judged. */
static void test_top_by_time(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	struct rule *r = add_rule(&s, "counts", METRIC_KERNEL_COUNT);
	fixture_limit(&r->fail, COND_CHANGE, false, 0, "0");
	r->for_each = true;
	r->top = 1;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.checks.nr, 1);
	assert_int_equal(check(&s, "counts[gemm_a]")->verdict, VERDICT_PASS);
	release(&s);
}

static void test_selects_nothing(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	struct rule *r = add_kernel_rule(&s);
	r->query.kernel = "ampere_*";
	r->on_missing = ON_MISSING_SKIP;
	assert_int_equal(run_judge(&s), ST_USAGE);
	assert_int_equal(s.report.status, ST_USAGE);
	assert_string_equal(
	    diag_first_error(&s.log),
	    "rules.yaml:3:5: rule 'top' selects nothing: no kernel.time of "
	    "either side fits 'kernel=ampere_*'; did you mean 'elem', 'gemm_a' or 'gemm_b'?");
	assert_string_equal(s.report.error, diag_first_error(&s.log));
	assert_int_equal(s.report.verdict, VERDICT_INCONCLUSIVE);
	release(&s);
}

/* Names that are proposed are short, unless two kernels have the same short name. */
static void test_near_names(void **state)
{
	(void)state;
	struct bench_of_two s;
	const struct activity kernels[] = { { EVENT_KERNEL, "void gemm<float>(int)", 5, MS(50) },
		                                { EVENT_KERNEL, "void gemm<float>(long)", 5, MS(50) },
		                                { EVENT_KERNEL, "void gemv<half>(int)", 5, MS(50) } };
	setup(&s, kernels, NR_OF(kernels));
	digest_free(s.b);
	s.baseline.ranks.v[0] = s.b = fixture_digest(5, kernels, NR_OF(kernels));
	struct rule *r = add_kernel_rule(&s);
	r->query.kernel = "gemx";
	assert_int_equal(run_judge(&s), ST_USAGE);
	assert_string_equal(
	    diag_first_error(&s.log),
	    "rules.yaml:3:5: rule 'top' selects nothing: no kernel.time of either side fits "
	    "'kernel=gemx'; did you mean 'gemv<half>', "
	    "'void gemm<float>(int)' or 'void gemm<float>(long)'?");
	release(&s);
}

/* A figure that neither side recorded is missing, or not applicable if the rule says so. */
static void test_not_recorded(void **state)
{
	(void)state;
	static const enum metric_id ids[] = { METRIC_STEP_COMM_TIME, METRIC_MEMORY_PEAK_ALLOCATED,
		                                  METRIC_COMM_OVERLAP_PCT, METRIC_MFU_PCT };
	for (size_t i = 0; i < NR_OF(ids); i++)
		for (int skip = 0; skip < 2; skip++) {
			struct bench_of_two s;
			setup(&s, usual, NR_OF(usual));
			add_cuda_rule(&s);
			struct rule *r = add_rule(&s, "x", ids[i]);
			fixture_limit(&r->fail, COND_MAX, false, 1, "1");
			r->on_missing = skip ? ON_MISSING_SKIP : ON_MISSING_FAIL;
			assert_int_equal(run_judge(&s), ST_OK);
			assert_int_equal(check(&s, "x")->verdict, skip ? VERDICT_SKIPPED : VERDICT_MISSING);
			assert_int_equal(s.report.status, skip ? ST_OK : ST_INPUT);
			assert_string_equal(check(&s, "x")->baseline_text, "–");
			release(&s);
		}
}

static void test_one_side_lacks(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	struct memory_stat *m = vec_push_zero(&s.b->memories);
	*m = (struct memory_stat){ .id = "0", .source = MEMORY_OF_TRACE, .peak_allocated = 1 << 30 };
	struct rule *r = add_rule(&s, "peak", METRIC_MEMORY_PEAK_ALLOCATED);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(1), "1%");
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_INPUT);
	assert_string_equal(s.report.headline, "missing: 1 of 1 check lacks a figure");
	assert_int_equal(check(&s, "peak")->group, GROUP_MEMORY);
	assert_string_equal(
	    check(&s, "peak")->message,
	    "memory.peak_allocated is missing in the candidate, the baseline has 1.00 GiB");
	report_release(&s.report);
	/* the rule allows that the baseline lacks the figure, and the report says so */
	vec_push(&s.c->memories, *m);
	s.b->memories.nr = 0;
	r->on_missing = ON_MISSING_SKIP;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "peak")->verdict, VERDICT_SKIPPED);
	assert_int_equal(s.report.warnings.nr, 1);
	assert_non_null(strstr(s.report.warnings.v[0], "'peak' is skipped: memory.peak_allocated"));
	report_release(&s.report);
	s.c->memories.nr = 0; /* the report says nothing about a figure that both sides lack */
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "peak")->verdict, VERDICT_SKIPPED);
	assert_int_equal(s.report.warnings.nr, 0);
	release(&s);
}

/* A regression that was found takes precedence over a missing figure. */
static void test_fail_before_missing(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(900) }));
	add_cuda_rule(&s);
	struct rule *r = add_rule(&s, "peak", METRIC_MEMORY_PEAK_ALLOCATED);
	fixture_limit(&r->fail, COND_MAX, false, 1, "1");
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_FAILED);
	assert_string_equal(s.report.headline, "fail: 1 of 2 checks beyond its limits (cuda), "
	                                       "1 missing");
	/* The report offers no command that accepts the run if a figure is missing. */
	assert_string_equal(s.report.accept, "");
	release(&s);
}

static void test_spoiled(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	s.b->trust.dropped = 9;
	s.b->trust.dropped_ns = MS(50);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_INPUT);
	assert_int_equal(s.report.verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(check(&s, "cuda")->message,
	                    "median step.cuda_time cannot be judged: the baseline has 9 GPU activities "
	                    "of no known launch, 10.00 % of its GPU time");
	release(&s);
}

/* A last step that was cut short is left out of the statistics over steps. */
static void test_short_last_step(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	struct rule *r = add_rule(&s, "least", METRIC_STEP_CUDA_TIME);
	r->stat = r->query.stat = STAT_MIN;
	fixture_limit(&r->fail, COND_DECREASE, true, PERCENT(5), "5%");
	s.c->samples[METRIC_STEP_CUDA_TIME][4] = MS(1);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "least")->verdict, VERDICT_FAIL);
	report_release(&s.report);
	s.c->usable_steps = 4;
	add_kernel_rule(&s);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "least")->verdict, VERDICT_PASS);
	assert_string_equal(s.report.trust.v[0].id, "short-last-step");
	release(&s);
}

static void test_environment(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	vec_push(&s.rules.must_match, SPAN("gpu.name"));
	vec_push(&s.rules.must_match, SPAN("world_size"));
	vec_push(&s.rules.should_match, SPAN("cuda.driver"));
	digest_set_env(s.c, SPAN("gpu.name"), SPAN("V100\x1b[31m"));
	digest_set_env(s.c, SPAN("cuda.driver"), SPAN("12.0"));
	assert_int_equal(run_judge(&s), ST_BASELINE);
	assert_int_equal(s.report.status, ST_BASELINE);
	assert_string_equal(
	    diag_first_error(&s.log),
	    "base lines/it's.json: the baseline is of another environment: gpu.name is 'NVIDIA A100' "
	    "in the baseline and "
	    "'V100\uFFFD[31m' in the candidate; make a baseline for it (in the rules, 'baseline: "
	    "baselines/{workload}-{gpu}-{world_size}.json' keeps one for each), or compare "
	    "nevertheless "
	    "with 'environment: {must_match: []}'");
	/* no row for world_size, which neither side knows */
	assert_int_equal(s.report.environment.nr, 2);
	report_release(&s.report);
	/* a trace that lost all GPU work names no GPU: it cannot be judged, but is of no other machine
	 */
	s.c->env.nr = 0;
	assert_int_equal(run_judge(&s), ST_BASELINE);
	report_release(&s.report);
	struct trust_counts recorded = s.c->trust;
	s.c->trust.gpu_events = 0;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_INPUT);
	report_release(&s.report);
	s.c->trust = recorded;
	digest_set_env(s.c, SPAN("gpu.name"), SPAN("V100\x1b[31m"));
	digest_set_env(s.c, SPAN("cuda.driver"), SPAN("12.0"));
	s.ignore_environment = true;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_OK);
	assert_int_equal(s.report.warnings.nr, 2);
	assert_string_equal(s.report.warnings.v[1], "the environment differs: cuda.driver is not known "
	                                            "in the baseline and '12.0' in the candidate");
	report_release(&s.report);
	/* the report offers no command that would promote a run of another environment */
	s.rules.rules.v[0].noise.k = 0;
	for (size_t i = 0; i < 5; i++)
		s.c->samples[METRIC_STEP_CUDA_TIME][i] = MS(120);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.verdict, VERDICT_FAIL);
	assert_string_equal(s.report.accept, "");
	digest_set_env(s.c, SPAN("gpu.name"), SPAN("NVIDIA A100"));
	report_release(&s.report);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_string_not_equal(s.report.accept, "");
	release(&s);
}

static void other_marker(struct bench_of_two *s)
{
	s->c->marker = "step*";
}
static void marker_of_rules(struct bench_of_two *s)
{
	s->rules.marker = "step*";
}
/* Makes `d` the digest of a trace without step markers. `how` is the setting by which steps were to
   be found; `count` is the number of repetitions found, 0 for one window. */
static void unmarked(struct digest *d, const char *how, int64_t count)
{
	d->unmarked = how;
	d->period_count = count;
	d->window = count == 0;
}
static void other_unmarked(struct bench_of_two *s)
{
	unmarked(s->b, UNMARKED_PERIOD, 0);
	unmarked(s->c, NULL, 0);
}
static void period_of_rules(struct bench_of_two *s)
{
	s->rules.unmarked = UNMARKED_PERIOD;
	unmarked(s->b, NULL, 0);
}
static void window_of_rules(struct bench_of_two *s)
{
	s->rules.unmarked = "window";
	unmarked(s->c, UNMARKED_PERIOD, 9);
}
static void other_warmup(struct bench_of_two *s)
{
	s->b->warmup = 1;
}
static void warmup_of_rules(struct bench_of_two *s)
{
	s->rules.warmup = 1;
}
static void other_communication(struct bench_of_two *s)
{
	s->b->communication = "nccl gemm_b";
}
static void too_few_ranks(struct bench_of_two *s)
{
	s->rules.expect_ranks = 2;
}
static void no_rules(struct bench_of_two *s)
{
	for (size_t i = 0; i < s->rules.rules.nr; i++) {
		vec_release(&s->rules.rules.v[i].fail.list);
		vec_release(&s->rules.rules.v[i].warn.list);
	}
	s->rules.rules.nr = 0;
}

static void test_incompatible(void **state)
{
	(void)state;
	static const struct {
		void (*change)(struct bench_of_two *);
		enum status status;
		const char *word;
	} cases[] = { { other_marker, ST_USAGE, "step marker" },
		          { marker_of_rules, ST_USAGE, "step marker" },
		          { other_unmarked, ST_USAGE,
		            "the baseline has no step marker and was reduced with 'unmarked: period', the "
		            "candidate with 'unmarked: window'" },
		          { period_of_rules, ST_USAGE, "window', the rules with 'unmarked: period'" },
		          { window_of_rules, ST_USAGE, "period', the rules with 'unmarked: window'" },
		          { other_warmup, ST_USAGE, "warm-up" },
		          { warmup_of_rules, ST_USAGE, "warm-up" },
		          { other_communication, ST_USAGE, "gemm_b" },
		          { too_few_ranks, ST_INPUT, "rank 1 of 2 is missing" },
		          { no_rules, ST_USAGE, "no rules" } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		cases[i].change(&s);
		assert_int_equal(run_judge(&s), cases[i].status);
		if (!strstr(diag_first_error(&s.log), cases[i].word))
			fail_msg("row %zu: %s", i, diag_first_error(&s.log));
		assert_int_equal(s.report.checks.nr, 0);
		release(&s);
	}
}

/* The runs are compared although the baseline recognizes communication by one more text, since that
   text matches none of the candidate's kernels. */
static void test_same_communication(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	s.b->communication = "nccl rccl";
	assert_int_equal(run_judge(&s), ST_OK);
	release(&s);
}

/* With step markers, the setting for unmarked traces makes no difference. */
static void test_unmarked_with_markers(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	s.rules.unmarked = s.c->unmarked = UNMARKED_PERIOD;
	assert_int_equal(run_judge(&s), ST_OK);
	release(&s);
}

static void test_own_artifact(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	s.c->source_hash = s.b->source_hash;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_true(s.report.same_artifact);
	assert_non_null(strstr(s.report.warnings.v[0], "own artifact"));
	release(&s);
}

/* ---- several runs of the candidate ---- */

/* Add a run of the candidate in which every step takes `ms`. */
static struct digest *add_repeat(struct bench_of_two *s, int64_t ms)
{
	struct digest *d = fixture_digest(5, usual, NR_OF(usual));
	if (s->nr_repeats == 0)
		s->repeats[s->nr_repeats++] = s->candidate;
	s->repeats[s->nr_repeats++] = fixture_run(d);
	for (size_t i = 0; i < 5; i++)
		d->samples[METRIC_STEP_CUDA_TIME][i] = MS(ms);
	return d;
}

/* The median of the candidate's runs is judged, so that one bad run does not decide. */
static void test_repeats(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	add_repeat(&s, 180);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "cuda")->candidate, MS(140));
	assert_int_equal(check(&s, "cuda")->verdict, VERDICT_FAIL);
	report_release(&s.report);
	add_repeat(&s, 101);
	assert_int_equal(run_judge(&s), ST_OK);
	const struct check *k = check(&s, "cuda");
	assert_int_equal(k->candidate, MS(101));
	assert_int_equal(k->verdict, VERDICT_PASS);
	assert_int_equal(k->evidence.candidate_runs, 3);
	assert_int_equal(k->evidence.runs.nr, 3);
	assert_int_equal(s.report.candidate.runs, 3);
	release(&s);
}

static void same_run(struct bench_of_two *s)
{
	s->repeats[1].ranks.v[0]->source_hash = s->c->source_hash;
}
static void other_gpu(struct bench_of_two *s)
{
	digest_set_env(s->repeats[1].ranks.v[0], SPAN("gpu.name"), SPAN("V100"));
}
static void other_driver(struct bench_of_two *s)
{
	digest_set_env(s->repeats[1].ranks.v[0], SPAN("cuda.driver"), SPAN("12.0"));
}
static void repeat_marker(struct bench_of_two *s)
{
	s->repeats[1].ranks.v[0]->marker = "step*";
}
static void repeat_without_ranks(struct bench_of_two *s)
{
	run_release(&s->repeats[1]);
}
static void baseline_run(struct bench_of_two *s)
{
	s->repeats[1].ranks.v[0]->source_hash = s->b->source_hash;
}
static void dropped(struct bench_of_two *s)
{
	s->repeats[1].ranks.v[0]->trust.dropped_ns = MS(100);
}

/* Repeats must be runs of the same code on the same machine, and trust findings on repeats count as
 * well. */
static void test_repeats_differ(void **state)
{
	(void)state;
	static const struct {
		void (*change)(struct bench_of_two *);
		enum status status, report;
		const char *words; /* part of the error or, if there is none, of a warning or finding */
	} cases[] = {
		{ same_run, ST_INPUT, ST_INPUT, "is the same as another run of the candidate" },
		{ other_gpu, ST_INPUT, ST_INPUT,
		  "gpu.name is 'NVIDIA A100' in the candidate's first run and 'V100' in" },
		{ other_driver, ST_OK, ST_OK, "cuda.driver is not known in the candidate's first run" },
		{ repeat_marker, ST_USAGE, ST_USAGE, "another run of the candidate was reduced with step" },
		{ repeat_without_ranks, ST_INPUT, ST_INPUT, "the candidate has no ranks" },
		{ baseline_run, ST_OK, ST_OK, "the candidate is the baseline's own artifact" },
		{ dropped, ST_OK, ST_INPUT, "run 2 of the candidate has 0 GPU activities of no known" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		vec_push(&s.rules.must_match, SPAN("world_size")); /* an environment key that no run has */
		vec_push(&s.rules.must_match, SPAN("gpu.name"));
		vec_push(&s.rules.should_match, SPAN("cuda.runtime"));
		vec_push(&s.rules.should_match, SPAN("cuda.driver"));
		add_repeat(&s, 100);
		cases[i].change(&s);
		assert_int_equal(run_judge(&s), cases[i].status);
		assert_int_equal(s.report.status, cases[i].report);
		const char *got = cases[i].status != ST_OK   ? diag_first_error(&s.log)
		                  : s.report.warnings.nr > 0 ? s.report.warnings.v[0]
		                                             : s.report.trust.v[0].message;
		if (!strstr(got, cases[i].words))
			fail_msg("row %zu: %s", i, got);
		release(&s);
	}
}

static void test_known_run(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	add_recent(&s, &s.rules.rules.v[0], MS(100));
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.warnings.nr, 0);
	report_release(&s.report);
	s.recent.runs.v[0].source_hash = past_source_hash(&s.candidate);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.warnings.nr, 1);
	assert_non_null(strstr(s.report.warnings.v[0], "one of the baseline's recent runs"));
	assert_int_equal(s.report.baseline.runs, 2);
	report_release(&s.report);
	/* Promoting a run makes it the pin and a recent run. */
	s.recent.runs.v[0].source_hash = past_source_hash(&s.baseline);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.warnings.nr, 0);
	assert_int_equal(s.report.baseline.runs, 1);
	release(&s);
}

/* Ten recent runs are the reference, and show the noise (rules.md, "Reference" and "Noise"). */
static void test_noise_of_runs(void **state)
{
	(void)state;
	static const int64_t before[] = { 96, 98, 99, 100, 100, 100, 101, 101, 102, 103 };
	static const struct {
		int64_t candidate; /* candidate's value in µs */
		enum verdict verdict;
		const char *words;
	} cases[] = {
		{ 101000, VERDICT_PASS, "rose from 100.00 ms to 101.00 ms" },
		{ 105500, VERDICT_UNDECIDED,
		  "beyond the limit of increase 5% and 2ms but within the noise of" },
		{ 120000, VERDICT_FAIL, "beyond the limit of increase 5% and 2ms" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		s.rules.noise.min_runs = 5; /* equal to the rule's own noise.min_runs */
		struct rule *r = &s.rules.rules.v[0];
		for (size_t k = 0; k < NR_OF(before); k++)
			add_recent(&s, r, MS(before[k]));
		for (size_t k = 0; k < 5; k++) {
			s.b->samples[METRIC_STEP_CUDA_TIME][k] = MS(50); /* ignored: ten newer runs exist */
			s.c->samples[METRIC_STEP_CUDA_TIME][k] = cases[i].candidate * 1000;
		}
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "cuda");
		assert_int_equal(k->verdict, cases[i].verdict);
		if (!strstr(k->message, cases[i].words))
			fail_msg("%s", k->message);
		assert_int_equal(k->evidence.baseline_runs, 10);
		assert_int_equal(s.report.baseline.runs, 10); /* the recent runs, which are the reference;
		                                               * the pin is not counted */
		assert_true(k->evidence.has_noise && k->evidence.noise > MS(5));
		assert_true(s.report.has_false_alarms);
		release(&s);
	}
}

/* Under review, a slowdown that main has already does not fail the check. A change fails it if
   the candidate only loses what main had gained, or if the limit applies to changes in both
   directions. */
static void test_in_review(void **state)
{
	(void)state;
	static const struct {
		int64_t before, after, candidate; /* ns */
		enum condition condition;
		enum verdict verdict;
	} rows[] = {
		{ 100000000, 104000000, 109000000, COND_INCREASE, VERDICT_WAIVED },
		{ 100000000, 104000000, 109100000, COND_INCREASE, VERDICT_WAIVED },
		{ 100000000, 104000000, 109100002, COND_INCREASE, VERDICT_FAIL },
		{ 104000000, 100000000, 109000000, COND_INCREASE, VERDICT_FAIL },
		{ 100000000, 104000000, 109000000, COND_CHANGE, VERDICT_FAIL },
		{ 100000000, 100000000, 109000000, COND_INCREASE, VERDICT_FAIL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "cuda", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, rows[i].condition, true, PERCENT(5), "5%");
		r->worse = rows[i].condition == COND_CHANGE ? WORSE_EITHER : WORSE_UP;
		r->noise.k = 0;
		s.rules.in_review = true;
		for (size_t k = 0; k < 20; k++) {
			add_recent(&s, r, k < 10 ? rows[i].before : rows[i].after);
			s.recent.runs.v[k].provenance.commit = k == 10 ? "0123456789abcdef" : "c";
			s.recent.runs.v[k].provenance.time = k < 10 ? "2026-01-01T1" : "2026-01-02T2";
		}
		for (size_t k = 0; k < 5; k++)
			s.c->samples[METRIC_STEP_CUDA_TIME][k] = rows[i].candidate;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "cuda");
		bool said = strstr(k->message, "as main is there already, since 0123456789ab of 2026-01-02"
		                               ": 104.00 ms") != NULL;
		if (k->verdict != rows[i].verdict || (said != (i < 3)))
			fail_msg("row %zu: %s", i, k->message);
		release(&s);
	}
}

/* A limit on a figure of a result file, in the figure's own unit, is rounded to six decimals: a
   maximum down and a minimum up, so that rounding never makes it more lenient. */
static void test_figure_rule(void **state)
{
	(void)state;
	static const struct {
		struct decimal limit;
		enum condition condition;
		int64_t want;
	} rows[] = {
		{ { 15, 1 }, COND_MAX, 1500000 },
		{ { 12345678, 7 }, COND_MAX, 1234567 },
		{ { 12345678, 7 }, COND_MIN, 1234568 },
		{ { 3, -2 }, COND_MAX, 300000000 },
		{ { 1, 7 }, COND_MAX, 0 },
		{ { 1, 7 }, COND_MIN, 1 },
		{ { 1, 400 }, COND_MIN, 1 },
		{ { 1, 400 }, COND_MAX, 0 },
		{ { 0, 400 }, COND_MIN, 0 },
		{ { 1, -400 }, COND_MAX, INT64_MAX },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct arena a = ARENA_INIT;
		struct diag_log log;
		const struct rule *out;
		struct rule r = fixture_rule(METRIC_INPUT);
		fixture_limit(&r.fail, rows[i].condition, false, 0, "l");
		r.fail.list.v[0].exact = (struct file_limit){ rows[i].limit, "" };
		diag_init(&log);
		assert_int_equal(
		    figure_rule(&r, metric_of_input(SPAN("loss"), &a), "rules.yaml", &a, &out, &log),
		    ST_OK);
		assert_int_equal(out->fail.list.nr, 1);
		assert_int_equal(out->fail.list.v[0].value, rows[i].want);
		vec_release(&r.fail.list);
		diag_release(&log);
		arena_release(&a);
	}
}

/* An item whose share equals the rule's `min_share` is checked, also if only one side has it. */
static void test_least_share(void **state)
{
	(void)state;
	static const struct activity half[] = { { EVENT_KERNEL, "gemm_a", 5, MS(50) },
		                                    { EVENT_KERNEL, "gone", 5, MS(50) } };
	for (int over = 0; over < 2; over++) {
		struct bench_of_two s;
		setup(&s, half, 1);
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b = fixture_digest(5, half, 2);
		add_kernel_rule(&s)->min_share = PERCENT(50) + over;
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.checks.nr, 2 - over);
		release(&s);
	}
}

/* Slow growth over many runs: the change from the recent runs is within the limit of its rule, but
 * the change since the pin is not. */
static void test_creep(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	struct rule *r = add_rule(&s, "creep", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_INCREASE_SINCE_PIN, true, PERCENT(10), "10%");
	s.rules.rules.v[0].noise = r->noise = (struct noise_rule){ .k = 0, .min_runs = 2 };
	for (int64_t ms = 102; ms <= 110; ms += 2)
		add_recent(&s, r, MS(ms));
	for (size_t k = 0; k < 5; k++)
		s.c->samples[METRIC_STEP_CUDA_TIME][k] = MS(111);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "cuda")->verdict, VERDICT_WARN);
	assert_int_equal(check(&s, "creep")->verdict, VERDICT_FAIL);
	assert_string_equal(
	    check(&s, "creep")->message,
	    "median step.cuda_time rose from 100.00 ms in the approved run to 111.00 ms "
	    "(+11.00 ms, +11.00 %), beyond the limit of increase_since_pin 10%");
	/* the report shows what was judged: the change since the pin, and its breakdown */
	const struct check *k = check(&s, "creep");
	assert_int_equal(k->baseline, MS(100));
	assert_int_equal(k->change, MS(11));
	assert_int_equal(k->breakdown->change, MS(11));
	assert_string_equal(k->evidence.detectable_text, "10.00 ms (10.00 %)");
	assert_int_equal(check(&s, "cuda")->baseline, MS(106));
	assert_int_equal(check(&s, "cuda")->breakdown->change, MS(5));
	assert_adds_up(check(&s, "cuda")->breakdown);
	assert_int_equal(part(check(&s, "cuda")->breakdown, 0, "main's run less main's median")->change,
	                 -MS(6));
	for (size_t i = 0; i < 5; i++)
		s.c->samples[METRIC_STEP_CUDA_TIME][i] = MS(109);
	report_release(&s.report);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_string_equal(check(&s, "creep")->message,
	                    "median step.cuda_time rose from 100.00 ms in the approved run to 109.00 "
	                    "ms (+9.000 ms, +9.00 %), within the limit of increase_since_pin 10%");
	/* two limits of one rule, on the changes since the reference and since the pin: `baseline` of
	 * the check is the pin's value if the latter limit fails, else the reference's value */
	struct rule *both = add_rule(&s, "both", METRIC_STEP_CUDA_TIME);
	fixture_limit(&both->fail, COND_INCREASE, true, PERCENT(50), "50%");
	fixture_limit(&both->fail, COND_INCREASE_SINCE_PIN, true, PERCENT(5), "5%");
	both->noise = s.rules.rules.v[0].noise;
	report_release(&s.report);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "both")->verdict, VERDICT_FAIL);
	assert_int_equal(check(&s, "both")->baseline, MS(100));
	s.rules.rules.v[2].fail.list.v[1].value = PERCENT(20);
	report_release(&s.report);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "both")->verdict, VERDICT_PASS);
	assert_int_equal(check(&s, "both")->baseline, MS(106));
	release(&s);
}

/* ---- without a baseline ---- */

static void test_bootstrap(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	s.bootstrap = true;
	add_cuda_rule(&s);
	struct rule *r = add_kernel_rule(&s);
	r->on_new = SEVERITY_FAIL;
	r->top = 1;
	r = add_rule(&s, "drift", METRIC_KERNEL_DRIFT_PCT);
	fixture_limit(&r->fail, COND_MAX, false, PERCENT(10), "10%");
	vec_push(&s.rules.must_match, SPAN("gpu.name"));
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_OK);
	assert_int_equal(s.report.verdict, VERDICT_PASS);
	assert_int_equal(s.report.counts[VERDICT_SKIPPED], 3);
	assert_string_equal(s.report.headline,
	                    "pass: every check was skipped, there is no baseline yet to compare with");
	assert_string_equal(check(&s, "cuda")->message,
	                    "median step.cuda_time is 100.00 ms: there is no baseline yet to compare "
	                    "with");
	assert_string_equal(check(&s, "drift")->message,
	                    "kernel.drift_pct: there is no baseline yet to compare with");
	assert_string_equal(s.report.accept, "");
	assert_int_equal(s.report.warnings.nr, 0);
	report_release(&s.report);
	r = add_rule(&s, "max", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
	fixture_limit(&r->fail, COND_MAX, false, MS(100), "100ms");
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_OK);
	assert_string_equal(s.report.headline,
	                    "pass: 1 of 4 checks within its limits, 3 skipped: there is no baseline "
	                    "yet");
	assert_string_equal(
	    check(&s, "max")->message,
	    "median step.cuda_time is 100.00 ms, within its absolute limits: the others "
	    "need a baseline");
	report_release(&s.report);
	s.rules.rules.v[3].fail.list.v[1].value--;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.status, ST_FAILED);
	release(&s);
}

/* ---- the exit code of a gate ---- */

static void make_fail(struct bench_of_two *s)
{
	for (size_t i = 0; i < 5; i++)
		s->c->samples[METRIC_STEP_CUDA_TIME][i] = MS(110);
}
static void make_warn(struct bench_of_two *s)
{
	for (size_t i = 0; i < 5; i++)
		s->c->samples[METRIC_STEP_CUDA_TIME][i] = MS(103);
}
static void make_missing(struct bench_of_two *s)
{
	fixture_limit(&add_rule(s, "peak", METRIC_MEMORY_PEAK_ALLOCATED)->fail, COND_MAX, false, 1,
	              "1");
}
static void make_fail_and_missing(struct bench_of_two *s)
{
	make_fail(s);
	make_missing(s);
}
static void make_warn_and_missing(struct bench_of_two *s)
{
	make_warn(s);
	make_missing(s);
}
static void make_nothing(struct bench_of_two *s)
{
	(void)s;
}

static void test_fail_on(void **state)
{
	(void)state;
	static const struct {
		void (*make)(struct bench_of_two *);
		enum verdict verdict;
		enum status status[3]; /* expected status for --fail-on fail, warn, never */
	} cases[] = {
		{ make_nothing, VERDICT_PASS, { ST_OK, ST_OK, ST_OK } },
		{ make_warn, VERDICT_WARN, { ST_OK, ST_FAILED, ST_OK } },
		{ make_fail, VERDICT_FAIL, { ST_FAILED, ST_FAILED, ST_OK } },
		{ make_missing, VERDICT_MISSING, { ST_INPUT, ST_INPUT, ST_INPUT } },
		{ make_warn_and_missing, VERDICT_MISSING, { ST_INPUT, ST_FAILED, ST_INPUT } },
		{ make_fail_and_missing, VERDICT_FAIL, { ST_FAILED, ST_FAILED, ST_INPUT } },
	};
	for (size_t i = 0; i < NR_OF(cases) * 3; i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		cases[i / 3].make(&s);
		s.fail_on = (enum fail_on)(i % 3);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.verdict, cases[i / 3].verdict);
		if (s.report.status != cases[i / 3].status[i % 3])
			fail_msg("row %zu, %zu: %d", i / 3, i % 3, (int)s.report.status);
		if (cases[i / 3].make == make_fail && s.fail_on == FAIL_ON_NEVER)
			assert_string_equal(s.report.headline, "fail: 1 of 1 check beyond its limits (cuda); "
			                                       "--fail-on never: the verdict does not decide");
		if (cases[i / 3].make == make_warn && s.fail_on == FAIL_ON_WARN)
			assert_string_equal(s.report.headline, "warn: 1 of 1 check passed with a warning; "
			                                       "--fail-on warn: warnings fail");
		release(&s);
	}
}

/* ---- waivers, and the age of the pin ---- */

static struct waiver *add_waiver(struct bench_of_two *s, const char *rule, int64_t until)
{
	struct waiver *w = vec_push_zero(&s->rules.waivers);
	*w = (struct waiver){ .rule = rule,
		                  .until = until,
		                  .until_text = "2027-01-31",
		                  .reason = "known, issue 7",
		                  .line = 9,
		                  .column = 5 };
	return w;
}

static void test_waived(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	make_fail(&s);
	add_waiver(&s, "cu*", 100);
	assert_int_equal(run_judge(&s), ST_OK);
	const struct check *k = check(&s, "cuda");
	assert_int_equal(s.report.status, ST_OK);
	assert_int_equal(s.report.verdict, VERDICT_PASS);
	assert_int_equal(k->verdict, VERDICT_WAIVED);
	assert_string_equal(k->waiver, "until 2027-01-31: known, issue 7");
	assert_string_equal(
	    k->message,
	    "median step.cuda_time rose from 100.00 ms to 110.00 ms (+10.00 ms, +10.00 %), "
	    "beyond the limit of increase 5% and 2ms; waived until 2027-01-31: known, issue "
	    "7");
	assert_non_null(k->breakdown); /* a waived failure still has a breakdown */
	assert_string_equal(s.report.headline, "pass: 0 of 1 check within their limits, 1 waived");
	assert_int_equal(s.report.warnings.nr, 0);
	release(&s);
}

/* What 'allow' covers of a check: of the wall time what compute adds to it. Two kernels may grow,
   of which one does; an exception of another rule covers nothing. */
static void test_allow(void **state)
{
	(void)state;
	static const struct {
		const char *kernel;
		int64_t up_to, limit; /* percent; of the growth of the kernel, and of the check */
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ "gemm_a", 20, 2, VERDICT_WAIVED, "waived until 2027-01-31, up to 20%: known" },
		{ "gemm_a", 10, 2, VERDICT_FAIL, "; 'allow' covers +7.000 ms of it" },
		{ "elem", 20, 2, VERDICT_FAIL, "limit of increase 2%" },
		{ "gemm_a", 20, 20, VERDICT_PASS, "within the limit" },
	};
	static const enum metric_id metrics[] = { METRIC_STEP_PERIOD, METRIC_STEP_COMPUTE_TIME };
	for (size_t i = 0; i < NR_OF(metrics) * NR_OF(rows); i++) {
		size_t row = i / NR_OF(metrics);
		struct bench_of_two s;
		setup(&s,
		      WITH({ EVENT_KERNEL, "gemm_a", 50, MS(400) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
		           { EVENT_KERNEL, "elem", 500, MS(45) },
		           { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }));
		struct rule *r = add_rule(&s, "time", metrics[i % NR_OF(metrics)]);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(rows[row].limit),
		              rows[row].limit == 2 ? "2%" : "20%");
		r->noise.k = 0;
		for (size_t k = 0; k < 10; k++) {
			struct digest *d = k < 5 ? s.b : s.c;
			int64_t work = d->samples[METRIC_STEP_COMPUTE_TIME][k % 5];
			d->samples[METRIC_STEP_PERIOD][k % 5] = work + MS(20);
			d->samples[METRIC_STEP_PERIOD_COMPUTE][k % 5] = work;
			d->samples[METRIC_STEP_IDLE_TIME][k % 5] = MS(20);
		}
		const char *const kernels[] = { "gemm_b", rows[row].kernel, "gemm_a" };
		for (size_t k = 0; k < NR_OF(kernels); k++) {
			struct waiver *w = add_waiver(&s, k < 2 ? "*" : "other", 100);
			w->allows = k < 2;
			w->select.kernel = kernels[k];
			w->up_to = PERCENT(rows[row].up_to);
		}
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "time");
		if (k->verdict != rows[row].verdict || !strstr(k->message, rows[row].says) ||
		    (strstr(k->message, "allow") && !strstr(rows[row].says, "allow")))
			fail_msg("%zu: %s", i, k->message);
		release(&s);
	}
}

/* Which checks of a rule a waiver covers. */
static void test_waiver_selects(void **state)
{
	(void)state;
	static const struct {
		const char *rule;
		struct query select;
		bool a, b; /* a: the waiver covers the check top[gemm_a]; b: it covers top[elem] */
	} cases[] = {
		{ "top", { 0 }, true, true },
		{ "t?p", { .kernel = "gemm*" }, true, false },
		{ "top", { .kernel = "nothing" }, false, false },
		{ "*", { .category = "GEMM" }, true, false },
		{ "*", { .category = "GEMM", .kernel = "elem" }, false, false },
		{ "*", { .cls = "compute" }, true, true },
		{ "*", { .cls = "communication" }, false, false },
		{ "*", { .rank = "0" }, false, false }, /* not covered: the checks are on all ranks */
		{ "cuda", { 0 }, false, false },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(450) },
		               { EVENT_KERNEL, "elem", 500, MS(145) }));
		struct rule *top = add_kernel_rule(&s);
		top->noise.k = 0;
		top->substitutes = SUBSTITUTES_NONE;
		add_waiver(&s, cases[i].rule, 100)->select = cases[i].select;
		assert_int_equal(run_judge(&s), ST_OK);
		bool a = check(&s, "top[gemm_a]")->verdict == VERDICT_WAIVED;
		bool b = check(&s, "top[elem]")->verdict == VERDICT_WAIVED;
		if (a != cases[i].a || b != cases[i].b)
			fail_msg("row %zu: %d %d", i, a, b);
		assert_int_equal(s.report.warnings.nr, !a && !b);
		release(&s);
	}
}

/* A waiver covers the check of one rank if it names that rank's number, or if the rule of the check
   selects that rank. */
static void test_waiver_of_rank(void **state)
{
	(void)state;
	for (int each = 0; each < 2; each++)
		for (int right = 0; right < 2; right++) {
			struct bench_of_two s;
			setup(&s, usual, NR_OF(usual));
			add_cuda_rule(&s);
			make_fail(&s);
			struct rule *r = &s.rules.rules.v[0];
			struct digest *more[2] = { fixture_digest(5, usual, NR_OF(usual)),
				                       fixture_digest(5, usual, NR_OF(usual)) };
			more[0]->rank = more[1]->rank = 1;
			vec_push(&s.baseline.ranks, more[0]);
			vec_push(&s.candidate.ranks, more[1]);
			if (each)
				r->reduce = r->query.reduce = REDUCE_EACH;
			else
				r->query.rank = "0";
			add_waiver(&s, "cuda", 100)->select.rank = right ? "0" : "1";
			assert_int_equal(run_judge(&s), ST_OK);
			assert_int_equal(check(&s, each ? "cuda[rank 0]" : "cuda")->verdict,
			                 right ? VERDICT_WAIVED : VERDICT_FAIL);
			release(&s);
		}
}

static void test_waiver_dates(void **state)
{
	(void)state;
	static const struct {
		int64_t today;
		enum status status;
		const char *warning;
	} cases[] = {
		{ 85, ST_OK, NULL },
		{ 86, ST_OK, "the waiver for 'cuda' ends in 14 days, on 2027-01-31: known, issue 7" },
		{ 99, ST_OK, "the waiver for 'cuda' ends tomorrow, on 2027-01-31: known, issue 7" },
		{ 100, ST_OK, "the waiver for 'cuda' ends today, on 2027-01-31: known, issue 7" },
		{ 101, ST_USAGE, NULL },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		make_fail(&s);
		add_waiver(&s, "cuda", 100);
		s.today = cases[i].today;
		assert_int_equal(run_judge(&s), cases[i].status);
		assert_int_equal(s.report.warnings.nr, cases[i].warning != NULL);
		if (cases[i].warning)
			assert_string_equal(s.report.warnings.v[0], cases[i].warning);
		if (cases[i].status != ST_OK)
			assert_string_equal(diag_first_error(&s.log),
			                    "rules.yaml:9:5: the waiver for 'cuda' ended on 2027-01-31: remove "
			                    "it, or give it a new day (known, issue 7)");
		release(&s);
	}
}

static void test_idle_waiver(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	add_waiver(&s, "cuda", 100);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(check(&s, "cuda")->verdict, VERDICT_PASS);
	assert_null(check(&s, "cuda")->waiver);
	assert_int_equal(s.report.warnings.nr, 1);
	assert_string_equal(s.report.warnings.v[0],
	                    "the waiver for 'cuda' excuses nothing in this run");
	release(&s);
}

/* For a change from 100 ms to 110 ms a waiver with a size (`up_to`) holds if the change can be
 * computed and is not larger. */
static void test_waiver_size(void **state)
{
	(void)state;
	static const struct {
		int64_t up_to;
		enum condition condition;
		bool relative;
		int64_t limit, baseline_pct;
		enum verdict verdict;
		const char *end;
	} cases[] = {
		{ 0, COND_INCREASE, true, PERCENT(5), 100, VERDICT_WAIVED,
		  "waived until 2027-01-31: known, issue 7" },
		{ PERCENT(10), COND_INCREASE, true, PERCENT(5), 100, VERDICT_WAIVED,
		  "waived until 2027-01-31, up to 10%: known, issue 7" },
		{ PERCENT(10) - 1, COND_INCREASE, true, PERCENT(5), 100, VERDICT_FAIL,
		  "; the waiver is exceeded: it holds up to 9.999999%" },
		{ PERCENT(10), COND_MAX, false, MS(105), 100, VERDICT_WAIVED, NULL },
		{ PERCENT(9), COND_MAX, false, MS(105), 100, VERDICT_FAIL, "it holds up to 9%" },
		{ PERCENT(9), COND_DECREASE, true, PERCENT(5), 200, VERDICT_FAIL, "it holds up to 9%" },
		{ PERCENT(45), COND_DECREASE, true, PERCENT(5), 200, VERDICT_WAIVED, NULL },
		{ PERCENT(9), COND_CHANGE, true, PERCENT(5), 200, VERDICT_FAIL, "it holds up to 9%" },
		{ PERCENT(9), COND_INCREASE, false, MS(5), 0, VERDICT_FAIL,
		  "; the waiver up to 9% does not hold: there is no change in % of a baseline" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "cuda", METRIC_STEP_CUDA_TIME);
		r->noise.k = 0;
		fixture_limit(&r->fail, cases[i].condition, cases[i].relative, cases[i].limit, "x");
		make_fail(&s);
		for (size_t n = 0; n < s.baseline.ranks.v[0]->nr_steps; n++)
			s.baseline.ranks.v[0]->samples[METRIC_STEP_CUDA_TIME][n] = MS(cases[i].baseline_pct);
		add_waiver(&s, "cuda", 100)->up_to = cases[i].up_to;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "cuda");
		if (k->verdict != cases[i].verdict || (cases[i].end && !strstr(k->message, cases[i].end)))
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		assert_int_equal(k->waiver != NULL, k->verdict == VERDICT_WAIVED);
		assert_int_equal(s.report.warnings.nr, cases[i].condition == COND_DECREASE);
		release(&s);
	}
}

/* A kernel's override decides on this kernel, and gives the smallest change that can be detected.
 */
static void test_override_reaches(void **state)
{
	(void)state;
	for (int override = 0; override < 2; override++) {
		struct bench_of_two s;
		setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(400) },
		               { EVENT_KERNEL, "gemm_b", 50, MS(160) }));
		struct digest *d = s.baseline.ranks.v[0];
		for (size_t i = 0; i < d->kernels.nr; i++)
			if (span_eq(d->kernels.v[i].name, SPAN("gemm_b")))
				d->kernels.v[i].total_ns = d->kernels.v[i].step_total_ns = MS(80);
		struct rule *top = add_kernel_rule(&s);
		if (override) {
			struct rule_override *o = vec_push_zero(&top->overrides);
			vec_push(&o->match, SPAN("gemm_b"));
			fixture_limit(&o->fail, COND_INCREASE, true, PERCENT(120), "120%");
		}
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "top[gemm_b]"); /* it rose by 100 % */
		assert_int_equal(k->verdict == VERDICT_FAIL, !override);
		assert_string_equal(k->evidence.detectable_text,
		                    override ? "19.20 ms (120.00 %)" : "1.600 ms (10.00 %)");
		release(&s);
	}
}

static void test_age_of_pin(void **state)
{
	(void)state;
	static const struct {
		const char *time;
		int64_t today, age; /* today's date; age of the pin in days, below 0 if unknown */
		bool warns;
	} cases[] = {
		{ "1970-01-11T12:00:00Z", 10, 0, false },
		{ "1970-01-11T12:00:00Z", 100, 90, false },
		{ "1970-01-11T12:00:00Z", 101, 91, true },
		{ "1970-01-11T12:00:00Z", 9, -1, false },
		{ "", 100, -1, false },
		{ NULL, 100, -1, false },
		{ "yesterday", 100, -1, false },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		s.baseline_time = cases[i].time;
		s.today = cases[i].today;
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.baseline.has_pin_age, cases[i].age >= 0);
		if (cases[i].age >= 0)
			assert_int_equal(s.report.baseline.pin_age_days, cases[i].age);
		assert_int_equal(s.report.warnings.nr, cases[i].warns);
		release(&s);
	}
}

static void test_pair_figures(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(350) }, { EVENT_KERNEL, "gemm_b", 25, MS(199) },
	               { EVENT_KERNEL, "elem", 500, MS(45) }));
	struct rule *r = add_rule(&s, "drift", METRIC_KERNEL_DRIFT_PCT);
	fixture_limit(&r->fail, COND_MAX, false, PERCENT(20), "20%");
	assert_int_equal(run_judge(&s), ST_OK);
	const struct check *k = check(&s, "drift");
	assert_int_equal(k->verdict, VERDICT_PASS);
	assert_int_equal(k->candidate, PERCENT(20));
	assert_false(k->has_baseline);
	assert_string_equal(k->message, "kernel.drift_pct is 20.00 %, within the limit of max 20%");
	release(&s);
}

/* Hostile names are complete in the item, short and unique in the id, and on one line
   everywhere. */
static void test_names(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	static const struct activity plain = { EVENT_KERNEL, "", 5, MS(50) };
	char longest[6000];
	memset(longest, 'x', sizeof longest);
	const struct span names[] = { SPAN("k"),
		                          SPAN("a\x01"),
		                          SPAN("a\x02"),
		                          SPAN("\xff\xfe"),
		                          SPAN("::error\n"),
		                          { longest, sizeof longest },
		                          { longest, sizeof longest - 1 } };
	for (size_t i = 0; i < NR_OF(names); i++)
		fixture_activity(s.c, names[i], &plain);
	add_kernel_rule(&s);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.checks.nr, 3 + NR_OF(names));
	for (size_t i = 0; i < s.report.checks.nr; i++) {
		const struct check *k = &s.report.checks.v[i];
		assert_true(text_is_valid(span_of(k->item)) && text_is_valid(span_of(k->message)));
		assert_null(strpbrk(k->id, "\n\x01\x02"));
		assert_null(strpbrk(k->message, "\n\x01\x02"));
		assert_true(text_chars(span_of(k->id)) <= 80);
		/* a number like "#2" would depend on other checks, a hash does not */
		assert_null(strchr(k->id, '#'));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(k->id, s.report.checks.v[j].id);
	}
	assert_string_equal(check(&s, "top[k]")->item, "k");
	release(&s);
}

/* Figures at the ends of int64, and empty steps: no overflow, and never a pass for figures that
   cannot be compared. */
static void test_extremes(void **state)
{
	(void)state;
	static const int64_t values[] = { 0, 1, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX };
	for (size_t i = 0; i < NR_OF(values) * NR_OF(values); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		add_kernel_rule(&s)->min_share = PERCENT(1);
		struct rule *r = add_rule(&s, "drift", METRIC_KERNEL_DRIFT_PCT);
		fixture_limit(&r->fail, COND_MAX, false, PERCENT(20), "20%");
		int64_t x = values[i % NR_OF(values)], y = values[i / NR_OF(values)];
		for (size_t k = 0; k < NR_OF(usual); k++) {
			s.b->kernels.v[k].step_total_ns = x;
			s.c->kernels.v[k].step_total_ns = y;
			s.b->kernels.v[k].step_count = y;
			s.c->kernels.v[k].step_count = x;
		}
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
			for (size_t step = 0; step < 5; step++) {
				s.b->samples[m][step] = x;
				s.c->samples[m][step] = y;
			}
		assert_int_equal(run_judge(&s), ST_OK);
		if (y > x && y - x > INT64_MAX / 4)
			assert_true(s.report.status != ST_OK);
		report_release(&s.report);
		assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
		                 ST_OK);
		release(&s);
	}
}

/* The headline of a diff names the figure with the largest change in percent. A change of the
   period counts double; of two equal changes, the first figure is named. */
static void test_headline_of_diff(void **state)
{
	(void)state;
	static const struct {
		int64_t period, compute; /* change in ns; the period is 200 ms, compute takes 99 ms */
		const char *says;
	} rows[] = {
		{ 0, 0, "wall time per step" },
		{ 0, 1, "compute per step 0.000001 % longer" },
		{ MS(2), MS(2), "compute per step 2.02 %" },
		{ MS(2), MS(1), "wall time per step" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.judged = true;
		for (size_t k = 0; k < 5; k++) {
			s.b->samples[METRIC_STEP_PERIOD][k] = MS(200);
			s.c->samples[METRIC_STEP_PERIOD][k] = MS(200) + rows[i].period;
			s.c->samples[METRIC_STEP_COMPUTE_TIME][k] += rows[i].compute;
		}
		assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
		                 ST_OK);
		if (!strstr(s.report.headline, rows[i].says))
			fail_msg("row %zu: %s", i, s.report.headline);
		release(&s);
	}
}

static void test_diff(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, WITH({ EVENT_KERNEL, "gemm_a", 50, MS(400) }, { EVENT_KERNEL, "elem", 500, MS(45) }));
	s.judged = true;
	vec_push(&s.b->inputs, (struct input_stat){ .name = "loss", .value = 3 });
	vec_push(&s.c->inputs, (struct input_stat){ .name = "loss", .value = 4 });
	vec_push(&s.b->machines, (struct machine_stat){ .id = "0", .throttled_pct = PERCENT(50) });
	assert_int_equal(compare_runs(&s.baseline, &s.candidate, &s.categories, &s.report, &s.log),
	                 ST_OK);
	assert_true(s.report.kind == REPORT_DIFF);
	assert_string_equal(s.report.trust.v[s.report.trust.nr - 1].id, "throttled");
	assert_int_equal(s.report.checks.nr, 0);
	assert_string_equal(s.report.headline, "compute per step 10.10 % shorter");
	assert_int_equal(s.report.breakdowns.nr, 1);
	assert_int_equal(s.report.breakdowns.v[0]->change, -MS(11));
	assert_int_equal(s.report.drift.nr, 3);
	bool category = false, drift = false, input = false;
	for (size_t i = 0; i < s.report.figures.nr; i++) {
		const struct figure_row *f = &s.report.figures.v[i];
		assert_true(f->metric->label != LABEL_KERNEL && f->metric->need != NEED_COMM);
		category |= f->metric->id == METRIC_CATEGORY_TIME && strcmp(f->item, "GEMM") == 0;
		drift |= f->metric->id == METRIC_KERNEL_DRIFT_PCT && !f->has_baseline;
		input |=
		    strcmp(f->metric->name, "input.loss") == 0 && f->has_pct && f->change_pct == 33333333;
	}
	assert_true(category && drift && input);
	assert_int_equal(s.report.environment.nr, 1);
	assert_true(s.report.environment.v[0].match);
	release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_regression),
		cmocka_unit_test(test_improved),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_new_gone_and_share),
		cmocka_unit_test(test_later_than_the_pin),
		cmocka_unit_test(test_nothing_above_share),
		cmocka_unit_test(test_top_by_time),
		cmocka_unit_test(test_selects_nothing),
		cmocka_unit_test(test_near_names),
		cmocka_unit_test(test_not_recorded),
		cmocka_unit_test(test_one_side_lacks),
		cmocka_unit_test(test_fail_before_missing),
		cmocka_unit_test(test_spoiled),
		cmocka_unit_test(test_short_last_step),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_incompatible),
		cmocka_unit_test(test_same_communication),
		cmocka_unit_test(test_unmarked_with_markers),
		cmocka_unit_test(test_own_artifact),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_known_run),
		cmocka_unit_test(test_repeats_differ),
		cmocka_unit_test(test_noise_of_runs),
		cmocka_unit_test(test_creep),
		cmocka_unit_test(test_in_review),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_figure_rule),
		cmocka_unit_test(test_least_share),
		cmocka_unit_test(test_bootstrap),
		cmocka_unit_test(test_fail_on),
		cmocka_unit_test(test_waived),
		cmocka_unit_test(test_waiver_selects),
		cmocka_unit_test(test_waiver_of_rank),
		cmocka_unit_test(test_waiver_dates),
		cmocka_unit_test(test_allow),
		cmocka_unit_test(test_idle_waiver),
		cmocka_unit_test(test_waiver_size),
		cmocka_unit_test(test_override_reaches),
		cmocka_unit_test(test_age_of_pin),
		cmocka_unit_test(test_pair_figures),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_headline_of_diff),
		cmocka_unit_test(test_diff),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
