/* What a report says of the runs that it compares: kinds of steps, environments, repeats, rules
 * that are left out, and kernels. */
#include "gate/sides.h"
#include "judge_rig.h"
#include "model/code.h"

/* ---- kinds of steps ---- */

static void add_kind(struct digest *d, enum phase p, int64_t steps, int64_t us)
{
	struct phase_summary s = { .phase = p, .metric = METRIC_STEP_CUDA_TIME, .steps = steps };
	for (size_t i = 0; i < NR_STATISTICS; i++)
		s.value[i] = us * 1000;
	if (steps)
		vec_push(&d->phase_summaries, s);
}

/* Runs of a server, whose steps of a kind take as long as before, but which have the kinds in other
 * shares. A rule over all steps then has nothing to say; a built-in one judges each kind. Kinds of
 * which a run has fewer than three steps are not judged, and the report says so. */
static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		int64_t prefill[2], decode[2], mixed[2]; ///< number of steps of both sides
		const char *phase; ///< of the rule
		int64_t limit; ///< percent; the shares may differ by a third of it
		enum metric_id metric;
		const char *says; ///< part of the check's message
		const char *warning; ///< expected warning; NULL: none
		bool flame; ///< true if the kernels of both sides are compared
	} rows[] = {
		/* a step takes 2 ms in the mean, then 2.02 ms: 1 % more */
		{ { 10, 51 },
		  { 10, 49 },
		  { 0, 0 },
		  NULL,
		  3,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  NULL,
		  true },
		{ { 10, 52 },
		  { 10, 49 },
		  { 0, 0 },
		  NULL,
		  3,
		  METRIC_STEP_CUDA_TIME,
		  "is not judged: the runs have the kinds of steps in other shares, and each kind is "
		  "judged "
		  "by itself",
		  NULL,
		  false },
		{ { 10, 52 },
		  { 10, 49 },
		  { 0, 0 },
		  NULL,
		  6,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  NULL,
		  false },
		{ { 10, 52 },
		  { 10, 49 },
		  { 0, 0 },
		  "decode",
		  3,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  NULL,
		  false },
		{ { 10, 52 }, { 10, 49 }, { 0, 0 }, NULL, 3, METRIC_INPUT, "is unchanged", NULL, false },
		{ { 50, 50 },
		  { 50, 50 },
		  { 0, 1 },
		  NULL,
		  3,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  "1 step of mixed is not judged, as the baseline has 0: a kind needs three on both sides",
		  true },
		{ { 50, 50 },
		  { 50, 50 },
		  { 2, 5 },
		  NULL,
		  9,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  "5 steps of mixed are not judged, as the baseline has 2: a kind needs three on both "
		  "sides",
		  true },
		{ { 50, 50 },
		  { 50, 50 },
		  { 3, 0 },
		  NULL,
		  9,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  "0 steps of mixed are not judged, as the baseline has 3: a kind needs three on both "
		  "sides",
		  true },
		{ { 50, 50 },
		  { 50, 50 },
		  { 3, 3 },
		  NULL,
		  9,
		  METRIC_STEP_CUDA_TIME,
		  "is unchanged",
		  NULL,
		  true },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			add_kind(d, PHASE_PREFILL, rows[i].prefill[side], 3000);
			add_kind(d, PHASE_DECODE, rows[i].decode[side], 1000);
			add_kind(d, PHASE_MIXED, rows[i].mixed[side], 2000);
			vec_push(&d->inputs, (struct input_stat){ .name = "loss", .value = 3 });
		}
		struct rule *r = add_rule(&s, "all", rows[i].metric);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(rows[i].limit), "x");
		r->query.phase = rows[i].phase;
		r = add_rule(&s, "kind", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(3), "x");
		r->built_in = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const char *item = rows[i].metric == METRIC_INPUT ? "all[loss]"
		                   : rows[i].phase                ? "all[decode]"
		                                                  : "all";
		if (!strstr(check(&s, item)->message, rows[i].says))
			fail_msg("row %zu: %s", i, check(&s, item)->message);
		assert_int_equal(check(&s, "kind[prefill]")->verdict, VERDICT_PASS);
		assert_int_equal(check(&s, "kind[decode]")->candidate, MS(1));
		assert_int_equal(s.report.warnings.nr, rows[i].warning != NULL);
		if (rows[i].warning)
			assert_string_equal(s.report.warnings.v[0], rows[i].warning);
		assert_int_equal(s.report.drift.nr > 0, rows[i].flame);
		release(&s);
	}
}

/* ---- environments ---- */

static void add_rank(struct bench_of_two *s, int side, const char *gpu)
{
	struct digest *d = fixture_digest(5, usual, NR_OF(usual));
	d->env.nr = 0;
	d->rank = 1;
	if (gpu)
		digest_set_env(d, SPAN("gpu.name"), span_of(gpu));
	vec_push(&(side ? &s->candidate : &s->baseline)->ranks, d);
}

/* What differs between the machines is shown of the first rank that both sides have and on which it
 * differs. Rules that say nothing of the environment get a warning if the machine differs. */
static void test_machines(void **state)
{
	(void)state;
	static const struct {
		const char *gpu[2]; ///< of rank 1 of both sides; NULL: the side has no such rank
		const char *count[2]; ///< gpu.count of rank 0
		const char *size[2]; ///< world_size of rank 0
		const char *differs; ///< NULL: no difference
	} rows[] = {
		{ { NULL, NULL }, { "8", "8" }, { "1", "1" }, NULL },
		{ { NULL, NULL }, { "8", NULL }, { NULL, "1" }, NULL },
		{ { NULL, "V100" }, { NULL, NULL }, { NULL, NULL }, NULL },
		{ { "V100", NULL }, { NULL, NULL }, { NULL, NULL }, NULL },
		{ { "NVIDIA A100", "V100" },
		  { NULL, NULL },
		  { NULL, NULL },
		  "gpu.name is 'NVIDIA A100' in the baseline and 'V100' in the candidate" },
		{ { NULL, NULL },
		  { "8", "4" },
		  { "2", "1" },
		  "gpu.count is '8' in the baseline and '4' in the candidate; world_size is '2' in the "
		  "baseline and '1' in the candidate" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct arena a = ARENA_INIT;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			if (rows[i].count[side])
				digest_set_env(d, SPAN("gpu.count"), span_of(rows[i].count[side]));
			if (rows[i].size[side])
				digest_set_env(d, SPAN("world_size"), span_of(rows[i].size[side]));
			if (rows[i].gpu[side])
				add_rank(&s, side, rows[i].gpu[side]);
		}
		add_cuda_rule(&s);
		s.rules.no_environment = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const char *want =
		    arena_printf(&a,
		                 "judged although the machine differs: %s; the rules name no environment: "
		                 "add 'environment: {must_match: [gpu.name, gpu.count, world_size]}' to "
		                 "refuse this",
		                 rows[i].differs ? rows[i].differs : "");
		bool warned = s.report.warnings.nr && strcmp(s.report.warnings.v[0], want) == 0;
		if (warned != (rows[i].differs != NULL) || s.report.warnings.nr != warned)
			fail_msg("row %zu: %s", i,
			         s.report.warnings.nr ? s.report.warnings.v[0] : "no warning");
		report_release(&s.report);
		s.rules.no_environment = false;
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.warnings.nr, 0);
		arena_release(&a);
		release(&s);
	}
}

/* A key that the rules name twice has one row, and is told once. */
static void test_key_named_twice(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	for (int i = 0; i < 2; i++) {
		vec_push(&s.rules.must_match, SPAN("gpu.name"));
		vec_push(&s.rules.should_match, i ? SPAN("gpu.name") : SPAN("cuda.driver"));
		vec_push(&s.rules.should_match, SPAN("cuda.driver"));
	}
	digest_set_env(s.c, SPAN("gpu.name"), SPAN("V100"));
	digest_set_env(s.c, SPAN("cuda.driver"), SPAN("12.0"));
	s.ignore_environment = true;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.environment.nr, 2);
	assert_int_equal(s.report.warnings.nr, 2);
	assert_string_equal(
	    s.report.warnings.v[0],
	    "another environment, ignored: gpu.name is 'NVIDIA A100' in the baseline and "
	    "'V100' in the candidate");
	assert_string_equal(s.report.warnings.v[1], "the environment differs: cuda.driver is not known "
	                                            "in the baseline and '12.0' in the candidate");
	release(&s);
}

static void add_repeat(struct bench_of_two *s)
{
	s->repeats[0] = s->candidate;
	s->repeats[1] = fixture_run(fixture_digest(5, usual, NR_OF(usual)));
	s->repeats[1].label = "b.json";
	s->nr_repeats = 2;
}

/* Repeats of another environment are told as such if the rules ignore it, or only advise it. */
static void test_repeat_elsewhere(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	add_repeat(&s);
	vec_push(&s.rules.must_match, SPAN("gpu.name"));
	vec_push(&s.rules.should_match, SPAN("gpu.name"));
	s.repeats[1].ranks.v[0]->env.nr = 0;
	s.ignore_environment = true;
	assert_int_equal(run_judge(&s), ST_OK);
	static const char *const says[] = {
		"another environment, ignored: gpu.name is 'NVIDIA A100' in the candidate's first run and "
		"not known in 'b.json'",
		"the environment differs: gpu.name is 'NVIDIA A100' in the candidate's first run and not "
		"known in 'b.json'"
	};
	assert_int_equal(s.report.warnings.nr, NR_OF(says));
	for (size_t i = 0; i < NR_OF(says); i++)
		assert_string_equal(s.report.warnings.v[i], says[i]);
	release(&s);
}

/* ---- repeats and control runs ---- */

static void two_controls(struct bench_of_two *s)
{
	for (size_t i = 0; i < 2; i++) {
		s->controls[i] = fixture_run(fixture_digest(5, usual, NR_OF(usual)));
		s->controls[i].label = i ? "old2.json" : "old1.json";
	}
	s->nr_controls = 2;
	add_repeat(s);
}
static void control_is_candidate(struct bench_of_two *s)
{
	s->controls[1].ranks.v[0]->source_hash = s->repeats[1].ranks.v[0]->source_hash;
}
static void control_is_control(struct bench_of_two *s)
{
	s->controls[1].ranks.v[0]->source_hash = s->controls[0].ranks.v[0]->source_hash;
}
static void repeat_is_candidate(struct bench_of_two *s)
{
	s->repeats[1].ranks.v[0]->source_hash = s->c->source_hash;
}
static void control_without_ranks(struct bench_of_two *s)
{
	run_release(&s->controls[1]);
}
static void control_of_fewer_ranks(struct bench_of_two *s)
{
	s->rules.expect_ranks = 1;
	vec_push(&s->controls[0].ranks, fixture_digest(5, usual, NR_OF(usual)));
	s->controls[0].ranks.v[1]->rank = 1;
}
static void figures_alone(struct bench_of_two *s)
{
	for (size_t i = 0; i < 2; i++) {
		struct digest *d = digest_new();
		d->marker = DEFAULT_MARKER;
		d->communication = "nccl";
		d->metrics_file = "m";
		digest_set_env(d, SPAN("gpu.name"), SPAN("NVIDIA A100"));
		digest_free(s->controls[i].ranks.v[0]);
		s->controls[i].ranks.v[0] = d;
	}
	assert_true(sides_same_artifact(&s->controls[0], &s->controls[1]));
}
static void nothing(struct bench_of_two *s)
{
	(void)s;
}

/* A run that is given twice would make its figures look surer than they are. */
static void test_given_twice(void **state)
{
	(void)state;
	static const struct {
		void (*change)(struct bench_of_two *s);
		const char *says; ///< NULL: no error
	} rows[] = {
		{ nothing, NULL },
		{ control_is_candidate,
		  "'old2.json' is the same as another run of the candidate: a control "
		  "is a run of its own without the change" },
		{ control_is_control,
		  "'old2.json' is the same as another run without the change: a control "
		  "is a run of its own without the change" },
		{ repeat_is_candidate, "'b.json' is the same as another run of the candidate: a repeat is "
		                       "another run of the same code" },
		{ control_without_ranks, "a control run has no ranks" },
		{ control_of_fewer_ranks, "a control run: " },
		{ figures_alone, NULL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_cuda_rule(&s);
		two_controls(&s);
		rows[i].change(&s);
		enum status st = run_judge(&s);
		if (st != (rows[i].says ? ST_INPUT : ST_OK) ||
		    (rows[i].says && strncmp(s.report.error, rows[i].says, strlen(rows[i].says)) != 0))
			fail_msg("row %zu: %d %s", i, (int)st, s.report.error ? s.report.error : "no error");
		release(&s);
	}
}

/* That the candidate is the baseline's own artifact says all: that it is also one of main's runs is
 * not told besides. */
static void test_known_artifact(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_cuda_rule(&s);
	add_recent(&s, &s.rules.rules.v[0], MS(100));
	s.c->source_hash = s.b->source_hash;
	s.recent.runs.v[0].source_hash = past_source_hash(&s.candidate);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.warnings.nr, 1);
	assert_non_null(strstr(s.report.warnings.v[0], "own artifact"));
	release(&s);
}

/* ---- without a baseline ---- */

/* Without a baseline, only the user's own rules are judged. The report then offers the command that
 * makes a baseline, and does not say of other rules' waivers that they excuse nothing. */
static void test_only_own(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	struct rule *r = add_rule(&s, "own", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_MAX, false, MS(101), "101ms");
	r->own = r->fail.own = true;
	r = add_rule(&s, "other", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_MAX, false, MS(99), "99ms");
	r = add_rule(&s, "figures", METRIC_INPUT);
	fixture_limit(&r->fail, COND_MAX, false, 0, "0");
	r->fail.list.v[0].exact.unit = "";
	vec_push(&s.c->inputs, (struct input_stat){ .name = "foo", .value = 3 });
	static const struct {
		const char *rule;
		int64_t up_to;
	} waivers[] = { { "own", 0 }, { "own", 1 }, { "other", 0 } };
	for (size_t i = 0; i < NR_OF(waivers); i++)
		vec_push(&s.rules.waivers, (struct waiver){ .rule = waivers[i].rule,
		                                            .up_to = waivers[i].up_to,
		                                            .until = 100,
		                                            .until_text = "day",
		                                            .reason = "why" });
	s.bootstrap = s.only_own = true;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.checks.nr, 1);
	assert_int_equal(s.report.left_out, 2);
	assert_string_equal(s.report.headline, "pass: 1 of 1 check within its limits");
	assert_string_equal(s.report.accept, "gpugate approve --new candidate.json.gz --baseline "
	                                     "'base lines/it'\\''s.json'");
	assert_int_equal(s.report.warnings.nr, 1);
	assert_string_equal(s.report.warnings.v[0], "the waiver for 'own' excuses nothing in this run");
	assert_int_equal(s.report.candidate.notes.nr, 1); /* none on figures that are not judged */
	report_release(&s.report);
	/* the same with all rules: with a failure, no command is offered, and all waivers are told */
	s.only_own = false;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_equal(s.report.left_out, 0);
	assert_int_equal(s.report.checks.nr, 3);
	assert_string_equal(s.report.accept, "");
	assert_int_equal(s.report.warnings.nr, 2);
	report_release(&s.report);
	/* a rule that compares needs a baseline; that it has only a warning does not make it a change
	 * to approve */
	for (size_t i = 1; i < s.rules.rules.nr; i++)
		vec_release(&s.rules.rules.v[i].fail.list);
	s.rules.rules.nr = 1;
	s.rules.waivers.nr = 0;
	r = add_rule(&s, "compares", METRIC_MEMORY_PEAK_ALLOCATED);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
	r->own = r->fail.own = true;
	r->on_missing = ON_MISSING_WARN;
	assert_int_equal(run_judge(&s), ST_OK);
	assert_string_equal(s.report.headline,
	                    "warn: 1 of 2 checks passed with a warning: there is no baseline yet");
	assert_string_equal(s.report.accept, "");
	release(&s);
}

/* ---- a side without a figure ---- */

/* A figure that the baseline lacks because an older gpugate stored it is skipped; any other one is
 * missing. Kernels are compared only if both sides recorded some. */
static void test_baseline_lacks(void **state)
{
	(void)state;
	static const struct {
		bool period; ///< true if the baseline has the period of steps
		enum metric_id metric;
		enum verdict verdict;
	} rows[] = {
		{ true, METRIC_STEP_PERIOD, VERDICT_PASS },
		{ false, METRIC_STEP_PERIOD, VERDICT_SKIPPED },
		{ true, METRIC_STEP_IDLE_TIME, VERDICT_MISSING },
		{ false, METRIC_STEP_IDLE_TIME, VERDICT_SKIPPED },
		{ true, METRIC_STEP_DATALOADER_TIME, VERDICT_MISSING },
		{ false, METRIC_STEP_DATALOADER_TIME, VERDICT_MISSING },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (size_t k = 0; k < 5; k++) {
			s.b->samples[METRIC_STEP_PERIOD][k] = MS(200);
			s.c->samples[METRIC_STEP_PERIOD][k] = MS(200);
			s.b->samples[METRIC_STEP_IDLE_TIME][k] = -1;
			s.c->samples[METRIC_STEP_IDLE_TIME][k] = MS(20);
			s.b->samples[METRIC_STEP_DATALOADER_TIME][k] = -1;
			s.c->samples[METRIC_STEP_DATALOADER_TIME][k] = MS(20);
		}
		if (!rows[i].period)
			s.b->samples[METRIC_STEP_PERIOD] = NULL;
		struct rule *r = add_rule(&s, "a", rows[i].metric);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "x");
		assert_int_equal(run_judge(&s), ST_OK);
		if (check(&s, "a")->verdict != rows[i].verdict)
			fail_msg("row %zu: %s %s", i, verdict_names[check(&s, "a")->verdict],
			         check(&s, "a")->message);
		release(&s);
	}
	for (int side = 0; side < 3; side++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "a", METRIC_KERNEL_DRIFT_PCT);
		fixture_limit(&r->fail, COND_MAX, false, PERCENT(5), "x");
		r->top = 10;
		if (side < 2) {
			struct digest *d = digest_new();
			d->marker = DEFAULT_MARKER;
			d->communication = "nccl";
			d->metrics_file = "m";
			digest_free(side ? s.c : s.b);
			(side ? &s.candidate : &s.baseline)->ranks.v[0] = d;
		}
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "a");
		if (k->verdict != (side < 2 ? VERDICT_INCONCLUSIVE : VERDICT_PASS) ||
		    k->has_candidate != (side == 2))
			fail_msg("side %d: %s %s", side, verdict_names[k->verdict], k->message);
		release(&s);
	}
}

/* ---- operators that change together ---- */

/* A digest of four operators; times are µs in each step. */
static struct digest *digest_of_ops(const int64_t us[4])
{
	static const char *const kernels[] = { "gemm_a", "gemm_b", "elem_a", "elem_b" },
	                         *const ops[] = { "aten::a", "aten::b", "aten::c", "aten::d" };
	struct activity a[4];
	for (size_t i = 0; i < 4; i++)
		a[i] = (struct activity){ EVENT_KERNEL, kernels[i], 5, 5000 * us[i] };
	struct digest *d = fixture_digest(5, a, 4);
	for (size_t i = 0; i < 4; i++)
		vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
		                                       .module = SPAN(""),
		                                       .place = SPAN(""),
		                                       .line = -1,
		                                       .op = span_of(ops[i]),
		                                       .kernel = code_kernel_key(span_of(kernels[i])),
		                                       .count = 5,
		                                       .total_ns = 5000 * us[i] });
	vec_sort(&d->code, code_stat_cmp);
	return d;
}

/* Operators that rose together are excused only if a check on whole steps tells this, or if what
 * they have in common is within their own limits. */
static void test_all_together(void **state)
{
	(void)state;
	static const struct {
		int64_t us[4], limit; ///< of the candidate; percent, of the check on whole steps
		bool excused;
	} rows[] = {
		{ { 12000, 12000, 12000, 12000 }, 5, true },
		{ { 12000, 12000, 12000, 12000 }, 50, false },
		{ { 11200, 10800, 10800, 10800 }, 50, true },
		{ { 11400, 11100, 11100, 11100 }, 50, false },
	};
	static const int64_t before[] = { 10000, 10000, 10000, 10000 };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		digest_free(s.b);
		digest_free(s.c);
		s.baseline.ranks.v[0] = s.b = digest_of_ops(before);
		s.candidate.ranks.v[0] = s.c = digest_of_ops(rows[i].us);
		struct rule *r = add_rule(&s, "steps", METRIC_STEP_CUDA_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(rows[i].limit), "x");
		r = add_rule(&s, "ops", METRIC_OP_SELF_GPU_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "x");
		r->for_each = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "ops[aten::a]");
		bool said = strstr(k->message, "beyond the limit of increase x, as all operators together");
		if (said != rows[i].excused || (k->verdict == VERDICT_PASS) != said)
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		assert_int_equal(s.report.checks.nr, 5);
		assert_int_equal(s.report.warnings.nr, 0);
		release(&s);
	}
}

/* ---- kernels ---- */

/* If no kernel is on both sides, and figures of several cannot be added up, nothing is compared:
 * the check is missing instead of passing. */
static void test_nothing_in_common(void **state)
{
	(void)state;
	static const struct {
		const char *name; ///< of the candidate's only kernel
		enum metric_id metric;
		const char *id;
		enum verdict verdict;
	} rows[] = {
		{ "gemm", METRIC_KERNEL_MEAN, "top[gemm]", VERDICT_PASS },
		{ "norm", METRIC_KERNEL_MEAN, "top[all that is new or gone]", VERDICT_MISSING },
		{ "norm", METRIC_KERNEL_TIME, "top[all that is new or gone]", VERDICT_IMPROVED },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		const struct activity old = { EVENT_KERNEL, "gemm", 10, MS(500) };
		const struct activity new = { EVENT_KERNEL, rows[i].name, i ? 90 : 10,
			                          i ? MS(90) : MS(500) };
		setup(&s, &new, 1);
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b = fixture_digest(5, &old, 1);
		struct rule *r = add_kernel_rule(&s);
		r->metric = r->query.metric = &metric_table[rows[i].metric];
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, rows[i].id);
		if (k->verdict != rows[i].verdict)
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		if (rows[i].verdict == VERDICT_MISSING)
			assert_string_equal(k->message,
			                    "kernel.mean: no kernel is on both sides, and figures of several "
			                    "do not add up, so that nothing is compared");
		release(&s);
	}
}

/* A kernel that takes other resources than before is named with them, if that is more than a note.
 */
static void test_resources(void **state)
{
	(void)state;
	static const int64_t before = 32;
	static const struct {
		int64_t after;
		bool warns; ///< true for a warn limit, false for a fail limit
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ 64, false, VERDICT_FAIL, "top kernels take other resources than before: 'gemm_a' " },
		{ 64, true, VERDICT_WARN, "top kernels take other resources than before: 'gemm_a' " },
		{ 32, false, VERDICT_PASS, "kernel.resource_changes is 0" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (int side = 0; side < 2; side++) {
			struct digest *d = side ? s.c : s.b;
			for (size_t k = 0; k < d->kernels.nr; k++) {
				bool is = span_eq(d->kernels.v[k].name, SPAN("gemm_a"));
				for (size_t n = 0; n < NR_RESOURCES; n++)
					d->kernels.v[k].resources[n] = -1;
				d->kernels.v[k].resources[0] = side && is ? rows[i].after : before;
			}
		}
		struct rule *r = add_rule(&s, "resources", METRIC_KERNEL_RESOURCE_CHANGES);
		fixture_limit(rows[i].warns ? &r->warn : &r->fail, COND_MAX, false, 0, "0");
		r->top = 10;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "resources");
		if (k->verdict != rows[i].verdict ||
		    strncmp(k->message, rows[i].says, strlen(rows[i].says)))
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_key_named_twice),
		cmocka_unit_test(test_repeat_elsewhere),
		cmocka_unit_test(test_given_twice),
		cmocka_unit_test(test_known_artifact),
		cmocka_unit_test(test_only_own),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_all_together),
		cmocka_unit_test(test_baseline_lacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
