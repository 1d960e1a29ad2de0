/* The verdict of a whole report: which check decides it, where its conditions are just met or just
 * not, its headlines, and the commands that it prints. */
#include "judge_rig.h"
#include "model/code.h"

/* Adds a rule with a maximum. Both sides have 100 ms, and the maximum is chosen so that the check
 * passes, warns or fails, as `want` says. */
static struct rule *add(struct bench_of_two *s, const char *id, enum verdict want)
{
	struct rule *r = add_rule(s, id, METRIC_STEP_CUDA_TIME);
	int64_t below = MS(99), above = MS(101);
	fixture_limit(&r->fail, COND_MAX, false, want == VERDICT_FAIL ? below : above, "m");
	if (want == VERDICT_WARN)
		fixture_limit(&r->warn, COND_MAX, false, below, "m");
	return r;
}

/* An undecided check: the candidate is slower by 5.1 %, which may be noise. */
static void add_undecided(struct bench_of_two *s)
{
	struct rule *r = add_rule(s, "unsure", METRIC_STEP_COMPUTE_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
	for (size_t k = 0; k < 5; k++)
		s->c->samples[METRIC_STEP_COMPUTE_TIME][k] =
		    s->b->samples[METRIC_STEP_COMPUTE_TIME][k] * 1051 / 1000;
}

static void test_status(void **state)
{
	(void)state;
	static const struct {
		const char *checks; ///< f fails, w warns, p passes, u is undecided
		enum fail_on fail_on;
		enum status status;
		enum verdict verdict;
	} rows[] = {
		{ "p", FAIL_ON_FAIL, ST_OK, VERDICT_PASS },
		{ "pw", FAIL_ON_FAIL, ST_OK, VERDICT_WARN },
		{ "pw", FAIL_ON_WARN, ST_FAILED, VERDICT_WARN },
		{ "pw", FAIL_ON_NEVER, ST_OK, VERDICT_WARN },
		{ "pf", FAIL_ON_FAIL, ST_FAILED, VERDICT_FAIL },
		{ "pf", FAIL_ON_WARN, ST_FAILED, VERDICT_FAIL },
		{ "pf", FAIL_ON_NEVER, ST_OK, VERDICT_FAIL },
		{ "pu", FAIL_ON_FAIL, ST_INPUT, VERDICT_UNDECIDED },
		{ "pu", FAIL_ON_WARN, ST_INPUT, VERDICT_UNDECIDED },
		{ "pu", FAIL_ON_NEVER, ST_OK, VERDICT_UNDECIDED },
		{ "wu", FAIL_ON_WARN, ST_FAILED, VERDICT_UNDECIDED },
		{ "fwu", FAIL_ON_FAIL, ST_FAILED, VERDICT_FAIL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		static const char *const ids[] = { "a", "b", "c" };
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.fail_on = rows[i].fail_on;
		for (size_t k = 0; rows[i].checks[k]; k++) {
			char c = rows[i].checks[k];
			if (c == 'u')
				add_undecided(&s);
			else
				add(&s, ids[k], c == 'f' ? VERDICT_FAIL : c == 'w' ? VERDICT_WARN : VERDICT_PASS);
		}
		assert_int_equal(run_judge(&s), ST_OK);
		if (s.report.status != rows[i].status || s.report.verdict != rows[i].verdict)
			fail_msg("row %zu: %d, %s: %s", i, (int)s.report.status,
			         verdict_names[s.report.verdict], s.report.headline);
		release(&s);
	}
}

/* If a baseline is needed and absent, the verdict is "missing", or "fail" if a limit that needs no
   baseline is broken; the report proposes the command that creates the baseline of a run that does
   not fail. */
static void test_needs_baseline(void **state)
{
	(void)state;
	for (int fails = 0; fails < 2; fails++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.bootstrap = s.needs_baseline = true;
		add(&s, "a", fails ? VERDICT_FAIL : VERDICT_PASS);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.verdict, fails ? VERDICT_FAIL : VERDICT_MISSING);
		assert_int_equal(s.report.status, ST_BASELINE);
		assert_string_equal(s.report.accept,
		                    fails ? ""
		                          : "gpugate approve --new candidate.json.gz --baseline "
		                            "'base lines/it'\\''s.json'");
		release(&s);
	}
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	s.bootstrap = true;
	add(&s, "a", VERDICT_FAIL);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_string_equal(s.report.accept, "");
	release(&s);
}

/* Runs without ranks, and with another number of them than the rules expect. */
static void test_ranks(void **state)
{
	(void)state;
	static const struct {
		int64_t expected;
		const char *error; ///< part of the expected error message; NULL: no error
	} rows[] = { { 0, NULL }, { 1, NULL }, { 2, "the candidate: " } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.rules.expect_ranks = rows[i].expected;
		add(&s, "a", VERDICT_PASS);
		assert_int_equal(run_judge(&s), rows[i].error ? ST_INPUT : ST_OK);
		if (rows[i].error)
			assert_non_null(strstr(s.report.error, rows[i].error));
		release(&s);
	}
	for (int side = 0; side < 2; side++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add(&s, "a", VERDICT_PASS);
		run_release(side ? &s.candidate : &s.baseline);
		s.candidate.label = s.baseline.label = "x";
		assert_int_equal(run_judge(&s), side ? ST_INPUT : ST_BASELINE);
		assert_string_equal(s.report.error,
		                    side ? "the candidate has no ranks" : "the baseline has no ranks");
		release(&s);
	}
}

/* In the command by which a report asks for more runs, the files of these runs end like the given
 * one. */
static void test_endings(void **state)
{
	(void)state;
	static const struct {
		const char *artifact, *ending;
	} rows[] = {
		{ "run.json.gz", ".json.gz" },
		{ "a.b/run.json", ".json" },
		{ "a.b/run", "" },
		{ "a/.hidden", "" },
		{ ".hidden", "" },
		{ "run", "" },
		{ "run.js on", "" },
		{ "r.x", ".x" },
		{ "a/r.x", ".x" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct arena a = ARENA_INIT;
		setup(&s, usual, NR_OF(usual));
		s.artifact = rows[i].artifact;
		s.nr_check = 1;
		add_undecided(&s);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.plan_pairs, 3); /* as many as make a failure final */
		const char *want = arena_printf(&a, " --repeat=new{1..3}%s --control=old{1..3}%s",
		                                rows[i].ending, rows[i].ending);
		const char *at = strstr(s.report.decide, " --repeat");
		if (!at || strcmp(at, want) != 0)
			fail_msg("row %zu: '%s'", i, s.report.decide);
		arena_release(&a);
		release(&s);
	}
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	add_undecided(&s);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_string_equal(s.report.decide, ""); /* no command line was given that could be repeated */
	release(&s);
}

/* Up to four rules of up to 50 characters are named in the headline. */
static void test_named_rules(void **state)
{
	(void)state;
#define N12 "abcdefghijkl"
	static const struct {
		const char *ids[6];
		const char *named;
	} rows[] = {
		{ { "a" }, "fail: 1 of 1 check beyond its limits (a)" },
		{ { "a", "b", "c", "d" }, "fail: 4 of 4 checks beyond their limits (a, b, c, d)" },
		{ { "a", "b", "c", "d", "e" }, "fail: 5 of 5 checks beyond their limits" },
		{ { N12 "1", N12 "2", N12, N12 },
		  "fail: 4 of 4 checks beyond their limits (" N12 "1, " N12 "2, " N12 " ×2)" },
		{ { N12 "1", N12 "2", N12 N12 },
		  "fail: 3 of 3 checks beyond their limits (" N12 "1, " N12 "2, " N12 N12 ")" },
		{ { N12 "1", N12 "2",
		    N12 N12 "k[all that is new or gone] missing, k[gemm_a] pass, k[conv] pass" },
		  "fail: 3 of 3 checks beyond their limits" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		for (size_t k = 0; rows[i].ids[k]; k++)
			add(&s, rows[i].ids[k], VERDICT_FAIL);
		assert_int_equal(run_judge(&s), ST_OK);
		if (strcmp(s.report.headline, rows[i].named) != 0)
			fail_msg("row %zu: '%s'", i, s.report.headline);
		release(&s);
	}
}

static void test_other_workload(void **state)
{
	(void)state;
	static const struct {
		const char *of_baseline;
		const char *warning; ///< expected warning, or NULL
	} rows[] = { { NULL, NULL },
		         { "test", NULL },
		         { "other", "the baseline is of another workload: 'other'" } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.baseline_workload = rows[i].of_baseline;
		add(&s, "a", VERDICT_PASS);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.warnings.nr, rows[i].warning != NULL);
		if (rows[i].warning)
			assert_string_equal(s.report.warnings.v[0], rows[i].warning);
		release(&s);
	}
}

/* If the baseline contains one of several runs of the candidate, there is a warning. */
static void test_known_repeat(void **state)
{
	(void)state;
	for (size_t known = 0; known < 4; known++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.nr_repeats = 3;
		s.repeats[0] = s.candidate;
		for (size_t k = 1; k < 3; k++)
			s.repeats[k] = fixture_run(fixture_digest(5, usual, NR_OF(usual)));
		struct rule *r = add(&s, "a", VERDICT_PASS);
		add_recent(&s, r, MS(100));
		s.recent.runs.v[0].source_hash = known < 3 ? past_source_hash(&s.repeats[known]) : 1;
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.warnings.nr, known < 3);
		release(&s);
	}
}

/* Each of several waivers holds until its own day and excuses its own rule; the report says which
   of them excuse nothing. */
static void test_waivers(void **state)
{
	(void)state;
	for (size_t ended = 0; ended < 4; ended++) {
		static const char *const rules[] = { "a", "b", "c" };
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		s.today = 100;
		for (size_t i = 0; i < 3; i++)
			add(&s, rules[i], i < 2 ? VERDICT_PASS : VERDICT_FAIL);
		for (size_t i = 0; i < 3; i++)
			vec_push(&s.rules.waivers, (struct waiver){ .rule = rules[i],
			                                            .until = i == ended ? 99 : 110 + (int64_t)i,
			                                            .until_text = "day",
			                                            .reason = "why" });
		assert_int_equal(run_judge(&s), ended < 3 ? ST_USAGE : ST_OK);
		if (ended < 3) {
			struct arena a = ARENA_INIT;
			assert_non_null(strstr(s.report.error,
			                       arena_printf(&a, "the waiver for '%s' ended", rules[ended])));
			arena_release(&a);
		} else {
			static const char *const said[] = { "the waiver for 'a' ends in 10 days, on day: why",
				                                "the waiver for 'b' ends in 11 days, on day: why",
				                                "the waiver for 'c' ends in 12 days, on day: why",
				                                "the waiver for 'a' excuses nothing in this run",
				                                "the waiver for 'b' excuses nothing in this run" };
			assert_int_equal(s.report.warnings.nr, NR_OF(said));
			for (size_t i = 0; i < NR_OF(said); i++)
				assert_string_equal(s.report.warnings.v[i], said[i]);
			assert_int_equal(check(&s, "c")->verdict, VERDICT_WAIVED);
		}
		release(&s);
	}
}

/* ---- ids of checks ---- */

#define N30 "abcdefghijabcdefghijabcdefghij"

static void test_ids(void **state)
{
	(void)state;
	static const struct {
		const char *name, *id;
	} rows[] = {
		{ N30 N30, "top[" N30 N30 "]" },
		{ "gemm[1]\n", "top[gemm[1]\xef\xbf\xbd~dba55aa8]" },
		{ N30 N30 "k", "top[" N30 "abcdefghijabcdefghija~e3811446]" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		const struct activity one[] = { { EVENT_KERNEL, rows[i].name, 5, MS(50) } };
		setup(&s, one, 1);
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b = fixture_digest(5, one, 1);
		add_kernel_rule(&s);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.checks.nr, 1);
		assert_string_equal(s.report.checks.v[0].id, rows[i].id);
		release(&s);
	}
}

/* In the id of a check, a figure's name of more than 60 bytes is replaced by a hash and its end. */
static void test_figure_ids(void **state)
{
	(void)state;
	static const char *const names[] = { N30 N30, N30 N30 "k" }, *const ids[] = {
		"own[" N30 N30 "]", "own[e3811446~abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijk]"
	};
	for (size_t i = 0; i < NR_OF(names); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_rule(&s, "own", METRIC_INPUT);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
		r->for_each = true;
		for (int side = 0; side < 2; side++)
			vec_push(side ? &s.c->inputs : &s.b->inputs,
			         (struct input_stat){ .name = names[i], .value = 7, .micro = INPUT_EXACT });
		assert_int_equal(run_judge(&s), ST_OK);
		assert_string_equal(s.report.checks.v[0].id, ids[i]);
		release(&s);
	}
}

/* Kernels that only one side has, of a rule for each of some kernels: whether the other side has
 * any kernel, and whether the kernels that only one side has take half of the time of all. A rule
 * that is skipped warns once. */
static void test_one_sided(void **state)
{
	(void)state;
	static const struct {
		const char *name, *only;
		struct activity of[NR_SIDES][3];
		bool mean;
		const char *want;
	} rows[] = {
		{ "the candidate has other kernels",
		  "gemm*",
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "gemm_b", 5, MS(50) } },
		    { { EVENT_KERNEL, "elem", 5, MS(50) } } },
		  false,
		  "k[gemm_a] pass, k[gemm_b] pass" },
		{ "the candidate has no kernels",
		  "gemm*",
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "gemm_b", 5, MS(50) } },
		    { { EVENT_MEMCPY, "copy", 5, MS(50) } } },
		  false,
		  "k[gemm_a] missing, k[gemm_b] missing" },
		{ "the baseline has other kernels",
		  "gemm*",
		  { { { EVENT_KERNEL, "elem", 5, MS(50) } },
		    { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "gemm_b", 5, MS(50) } } },
		  false,
		  "k[gemm_a] pass, k[gemm_b] pass" },
		{ "the baseline has no kernels",
		  "gemm*",
		  { { { EVENT_MEMCPY, "copy", 5, MS(50) } },
		    { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "gemm_b", 5, MS(50) } } },
		  false,
		  "k[gemm_a] skipped, k[gemm_b] skipped | 'k' is skipped: kernel.time of 'gemm_a' is "
		  "missing in the baseline, which has no kernel at all: 'gpugate approve' of a run that "
		  "has it renews the baseline" },
		{ "half of the time",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } },
		    { { EVENT_KERNEL, "conv", 15, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } } },
		  false,
		  "k[conv] pass, k[elem] pass, k[gemm_a] pass, k[all that is new or gone] pass" },
		{ "less than half in the baseline",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) - 5 }, { EVENT_KERNEL, "elem", 5, MS(50) } },
		    { { EVENT_KERNEL, "conv", 15, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } } },
		  false,
		  "k[conv] pass, k[elem] pass, k[gemm_a] pass" },
		{ "less than half in the candidate",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } },
		    { { EVENT_KERNEL, "conv", 15, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) + 5 } } },
		  false,
		  "k[elem] pass, k[conv] pass, k[gemm_a] pass" },
		{ "means of several kernels do not add up",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) } }, { { EVENT_KERNEL, "conv", 15, MS(50) } } },
		  true,
		  "k[all that is new or gone] missing, k[gemm_a] pass, k[conv] pass" },
		{ "one kernel is on both sides",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } },
		    { { EVENT_KERNEL, "conv", 15, MS(50) }, { EVENT_KERNEL, "elem", 5, MS(50) } } },
		  true,
		  "k[elem] pass, k[gemm_a] pass, k[conv] pass" },
		{ "means of the baseline alone",
		  NULL,
		  { { { EVENT_KERNEL, "gemm_a", 5, MS(50) } }, { { EVENT_MEMCPY, "copy", 5, MS(50) } } },
		  true,
		  "k[gemm_a] missing" },
		{ "means of the candidate alone",
		  NULL,
		  { { { EVENT_MEMCPY, "copy", 5, MS(50) } }, { { EVENT_KERNEL, "gemm_a", 5, MS(50) } } },
		  true,
		  "k[gemm_a] skipped | 'k' is skipped: kernel.mean of 'gemm_a' is missing in the baseline, "
		  "which has no kernel at all: 'gpugate approve' of a run that has it renews the "
		  "baseline" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct strbuf b = STRBUF_INIT;
		setup(&s, rows[i].of[SIDE_CANDIDATE], rows[i].of[SIDE_CANDIDATE][1].name ? 2 : 1);
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b =
		    fixture_digest(5, rows[i].of[SIDE_BASELINE], rows[i].of[SIDE_BASELINE][1].name ? 2 : 1);
		struct rule *r = add_rule(&s, "k", rows[i].mean ? METRIC_KERNEL_MEAN : METRIC_KERNEL_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "10%");
		r->query.kernel = rows[i].only;
		r->for_each = true;
		r->on_missing = ON_MISSING_SKIP;
		r->substitutes = SUBSTITUTES_NONE;
		assert_int_equal(run_judge(&s), ST_OK);
		for (size_t k = 0; k < s.report.checks.nr; k++)
			strbuf_addf(&b, "%s%s %s", k ? ", " : "", s.report.checks.v[k].id,
			            verdict_names[s.report.checks.v[k].verdict]);
		for (size_t k = 0; k < s.report.warnings.nr; k++)
			strbuf_addf(&b, " | %s", s.report.warnings.v[k]);
		if (strcmp(strbuf_str(&b), rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, strbuf_str(&b));
		strbuf_release(&b);
		release(&s);
	}
}

/* Says that an operator launched all kernels of a name. */
static void add_operator(struct digest *d, const char *op, const struct activity *a)
{
	vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
	                                       .module = SPAN("net"),
	                                       .place = SPAN(""),
	                                       .line = -1,
	                                       .op = span_of(op),
	                                       .kernel = code_kernel_key(span_of(a->name)),
	                                       .count = a->count,
	                                       .total_ns = a->total_ns });
	vec_sort(&d->code, code_stat_cmp);
}

/* The tree of GPU time that the page shows is made from both sides. */
static void test_tree(void **state)
{
	(void)state;
	struct bench_of_two s;
	setup(&s, usual, NR_OF(usual));
	for (int side = 0; side < NR_SIDES; side++)
		add_operator(side ? s.c : s.b, "aten::mm", &usual[0]);
	add_kernel_rule(&s);
	assert_int_equal(run_judge(&s), ST_OK);
	assert_int_not_equal(s.report.flame.nodes.nr, 0);
	release(&s);
}

/* Where times are whole microseconds, those of an operator of 20 us are known to 5 %, which is more
 * than its noise. A tick of up to 1 ns adds none. */
static void test_ticks(void **state)
{
	(void)state;
	static const struct {
		int64_t tick;
		bool more;
	} rows[] = { { 0, false }, { 1, false }, { 1000, true }, { 2000, true } };
	int64_t least = 0;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct activity of[] = { { EVENT_KERNEL, "gemm_a", 250, MS(5) },
			                           { EVENT_KERNEL, "elem", 5, MS(490) } };
		struct bench_of_two s;
		setup(&s, of, 2);
		digest_free(s.b);
		s.baseline.ranks.v[0] = s.b = fixture_digest(5, of, 2);
		for (int side = 0; side < NR_SIDES; side++) {
			struct digest *d = side ? s.c : s.b;
			add_operator(d, "aten::mm", &of[0]);
			add_operator(d, "aten::add", &of[1]);
			d->trust.tick_ns = rows[i].tick;
		}
		/* with a rule on the whole step, operators are compared with one another */
		struct rule *whole = add_rule(&s, "whole", METRIC_STEP_COMPUTE_TIME);
		fixture_limit(&whole->fail, COND_INCREASE, true, PERCENT(5), "5%");
		struct rule *r = add_rule(&s, "op", METRIC_OP_SELF_GPU_TIME);
		fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
		r->for_each = true;
		assert_int_equal(run_judge(&s), ST_OK);
		const struct check *k = check(&s, "op[aten::mm]");
		least = i ? least : k->evidence.noise;
		if (k->evidence.noise < least || (k->evidence.noise > least) != rows[i].more)
			fail_msg("row %zu: %lld", i, (long long)k->evidence.noise);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),      cmocka_unit_test(test_needs_baseline),
		cmocka_unit_test(test_ranks),       cmocka_unit_test(test_endings),
		cmocka_unit_test(test_named_rules), cmocka_unit_test(test_other_workload),
		cmocka_unit_test(test_waivers),     cmocka_unit_test(test_known_repeat),
		cmocka_unit_test(test_ids),         cmocka_unit_test(test_figure_ids),
		cmocka_unit_test(test_one_sided),   cmocka_unit_test(test_tree),
		cmocka_unit_test(test_ticks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
