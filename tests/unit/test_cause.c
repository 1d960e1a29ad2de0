#include "cause/cause.h"

#include <stdio.h>

#include "gate/judge.h"
#include "gate_fixture.h"

static const struct activity usual[] = {
	{ EVENT_KERNEL, "gemm_a", 50, MS(200) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
	{ EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
	{ EVENT_KERNEL, "elem", 500, MS(45) },   { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) },
};

#define WITH(...) ((struct activity[]){ __VA_ARGS__ }), NR_OF(((struct activity[]){ __VA_ARGS__ }))

struct cause_case {
	const struct activity *candidate;
	size_t nr;
	size_t findings;
	enum cause first;
	const char *title; ///< text that the title must contain
	size_t checks; ///< number of checks of the first finding
	bool unsure; ///< true if the checks of the finding are undecided; false if they failed
	/// place in the code that the first finding must name, levels joined by " > "; NULL: the case's
	/// kernels have no places
	const char *where;
	int64_t cost; ///< of the first finding, in ns per step; 0: any
};

static struct rule *add_rule(struct rules *rules, const char *id, enum metric_id metric)
{
	struct rule *r = vec_push_zero(&rules->rules);
	*r = fixture_rule(metric);
	r->id = id;
	return r;
}

static void add_rules(struct rules *rules)
{
	struct rule *r = add_rule(rules, "cuda", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(2), "2%");
	r = add_rule(rules, "top", METRIC_KERNEL_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "10%");
	r->for_each = true;
	r->on_new = SEVERITY_FAIL;
	r = add_rule(rules, "count", METRIC_STEP_KERNEL_COUNT);
	fixture_limit(&r->warn, COND_CHANGE, false, 0, "0");
}

/* Give the kernels origins in the code. The origins of the two GEMMs differ only in the module. */
static void put_code(struct digest *d, const struct activity *a, size_t nr)
{
	static const struct span modules[] = { SPAN("Net\nLinear"), SPAN("Net\nConv2d") };
	for (size_t i = 0; i < nr; i++)
		vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
		                                       .phase = PHASE_BACKWARD,
		                                       .module = modules[i % 2],
		                                       .place = SPAN("model.py:forward"),
		                                       .line = 7,
		                                       .op = SPAN("aten::mm"),
		                                       .kernel = code_kernel_key(span_of(a[i].name)),
		                                       .count = a[i].count,
		                                       .total_ns = a[i].total_ns });
}

/* Writes the names of the kinds of a finding's place, from phase to operator: "a > b > c". */
static void join_where(const struct finding *f, char *out, size_t size)
{
	*out = '\0';
	for (size_t i = 0; i < f->where.nr; i++)
		if (f->where.v[i].kind >= PLACE_PHASE && f->where.v[i].kind <= PLACE_OPERATOR)
			snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? " > " : "",
			         f->where.v[i].name);
}

/* Assert that each check that did not pass belongs to exactly one finding. */
static void assert_all_told(const struct report *r)
{
	size_t open = 0, told = 0;
	for (size_t i = 0; i < r->checks.nr; i++)
		open += r->checks.v[i].verdict == VERDICT_FAIL || r->checks.v[i].verdict == VERDICT_WARN ||
		        r->checks.v[i].verdict == VERDICT_UNDECIDED;
	for (size_t i = 0; i < r->findings.nr; i++)
		told += r->findings.v[i].checks.nr;
	assert_int_equal(open, told);
}

static void run_case(const struct cause_case *c)
{
	struct rules rules = fixture_rules();
	struct category_table categories;
	struct diag_log log;
	struct report report;
	fixture_categories(&categories);
	add_rules(&rules);
	struct run baseline = fixture_run(fixture_digest(5, usual, NR_OF(usual)));
	struct run candidate = fixture_run(fixture_digest(5, c->candidate, c->nr));
	if (c->where) {
		put_code(baseline.ranks.v[0], usual, NR_OF(usual));
		put_code(candidate.ranks.v[0], c->candidate, c->nr);
	}
	diag_init(&log);
	struct judge_input in = { .rules = &rules,
		                      .categories = &categories,
		                      .runs.candidates = &candidate,
		                      .runs.nr_candidates = 1,
		                      .runs.baseline = &baseline,
		                      .baseline_path = "b.json" };
	assert_int_equal(judge(&in, &report, &log), ST_OK);
	for (size_t i = 0; i < report.checks.nr && c->unsure; i++)
		if (report.checks.v[i].verdict == VERDICT_FAIL)
			report.checks.v[i].verdict = VERDICT_UNDECIDED;
	causes_find(&in.runs, (struct naming){ .categories = &categories }, 5, &report);
	assert_int_equal(report.findings.nr, c->findings);
	if (c->findings) {
		const struct finding *f = &report.findings.v[0];
		assert_string_equal(cause_names[f->cause], cause_names[c->first]);
		if (!strstr(f->title, c->title))
			fail_msg("'%s' lacks '%s'", f->title, c->title);
		/* the heading ends at the colon of the sentence, not at one in a name */
		const char *said = strstr(f->title, c->title) + strlen(c->title);
		if (strncmp(said, ": ", 2) == 0)
			assert_int_equal(f->head, said - f->title);
		assert_int_equal(f->checks.nr, c->checks);
		if (c->cost)
			assert_int_equal(f->cost, c->cost);
		char where[200];
		join_where(f, where, sizeof where);
		assert_string_equal(where, c->where ? c->where : "");
	}
	assert_all_told(&report);
	report_release(&report);
	run_release(&baseline);
	run_release(&candidate);
	rules_release(&rules);
	category_table_release(&categories);
	diag_release(&log);
}

/* A check without a cause heads the report with its message, but without the runs that would
   decide it. */
static void test_plan(void **state)
{
	static const char *const messages[][2] = { { "a: b rose, but within the noise of ±1",
		                                         ": 3 pairs" },
		                                       { "a: b rose, but ", "3 pairs" },
		                                       { "a: b rose", "" } };
	(void)state;
	for (size_t i = 0; i < NR_OF(messages); i++) {
		struct report report;
		struct run run = fixture_run(fixture_digest(5, usual, NR_OF(usual)));
		struct bench_runs runs = { .candidates = &run, .nr_candidates = 1, .baseline = &run };
		struct category_table categories;
		fixture_categories(&categories);
		report_init(&report);
		struct check *c = vec_push_zero(&report.checks);
		c->metric = &metric_table[METRIC_STEP_TIME];
		c->verdict = VERDICT_UNDECIDED;
		c->rule = c->id = c->limit = c->item = "";
		c->evidence.plan_text = messages[i][1][0] ? "3 pairs" : "";
		c->message = arena_printf(&report.arena, "%s%s", messages[i][0], messages[i][1]);
		causes_find(&runs, (struct naming){ .categories = &categories }, 5, &report);
		assert_int_equal(report.findings.nr, 1);
		assert_int_equal(report.findings.v[0].head, i ? 0 : strlen(messages[i][0]));
		report_release(&report);
		run_release(&run);
		category_table_release(&categories);
	}
}

static void test_kernels(void **state)
{
	(void)state;
	const struct cause_case cases[] = {
		{ usual, NR_OF(usual), 0, CAUSE_OTHER, "", 0, false, NULL, 0 },
		/* the check on the sum and the check on the kernel give one finding */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_KERNEL, "gemm_a is slower", 2, false, NULL, 0 },
		/* undecided checks have a cause, too */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_KERNEL, "gemm_a is slower", 2, true, NULL, 0 },
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(200) }, { EVENT_KERNEL, "gemm_b", 50, MS(200) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_LAUNCHES, "gemm_b is launched more often: 5 → 10 launches per step", 3, false,
		  NULL, 0 },
		/* more launches of a short kernel, while all kernels take 0.5 % longer */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(201) }, { EVENT_KERNEL, "gemm_b", 25, MS(201) / 2 },
		       { EVENT_KERNEL, "softmax", 50, MS(603) / 10 },
		       { EVENT_KERNEL, "norm", 50, MS(201) / 4 }, { EVENT_KERNEL, "elem", 510, MS(46) },
		       { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_LAUNCHES, "elem is launched more often: 100 → 102 launches per step", 1, false,
		  NULL, 0 },
		/* the new kernel and the one that it replaces are on one line */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(200) }, { EVENT_KERNEL, "gemm_c", 25, MS(150) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_SUBSTITUTION, "gemm_c runs in place of gemm_b: 4.000 ms → 6.000 ms", 2, false,
		  NULL, 0 },
		/* a colon in the name of a kernel */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(200) },
		       { EVENT_KERNEL, "fused: gemm_c", 25, MS(150) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_SUBSTITUTION, "fused: gemm_c runs in place of gemm_b", 2, false, NULL, 0 },
		/* all kernels slower by a fifth: one finding, with the check on their sum only */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(120) },
		       { EVENT_KERNEL, "softmax", 50, MS(72) }, { EVENT_KERNEL, "norm", 50, MS(60) },
		       { EVENT_KERNEL, "elem", 500, MS(54) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_UNIFORM, "every kernel is slower by 20.00 %", 1, false, NULL, 0 },
		/* the cost leaves out what a new kernel takes */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(120) },
		       { EVENT_KERNEL, "softmax", 50, MS(72) }, { EVENT_KERNEL, "norm", 50, MS(60) },
		       { EVENT_KERNEL, "elem", 500, MS(54) }, { EVENT_KERNEL, "tanh", 50, MS(60) },
		       { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  2, CAUSE_UNIFORM, "every kernel is slower by 20.00 %", 1, false, NULL, MS(91) / 5 },
		/* two kernels changed for different reasons: the larger change comes first */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(200) }, { EVENT_KERNEL, "gemm_b", 25, MS(150) },
		       { EVENT_KERNEL, "softmax", 100, MS(80) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  2, CAUSE_KERNEL, "gemm_b is slower", 2, false, NULL, 0 },
		/* a finding on one kernel has its place; on several, their common module, and all lines and
		   operators */
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(100) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_KERNEL, "gemm_a is slower", 2, false,
		  "backward > Linear > model.py:forward, line 7 > aten::mm", 0 },
		{ WITH({ EVENT_KERNEL, "gemm_a", 50, MS(240) }, { EVENT_KERNEL, "gemm_b", 25, MS(120) },
		       { EVENT_KERNEL, "softmax", 50, MS(60) }, { EVENT_KERNEL, "norm", 50, MS(50) },
		       { EVENT_KERNEL, "elem", 500, MS(45) }, { EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) }),
		  1, CAUSE_KERNEL, "2 kernels (GEMM) are slower", 3, false,
		  "backward > model.py:forward, line 7 > aten::mm", 0 },
	};
	for (size_t i = 0; i < NR_OF(cases); i++)
		run_case(&cases[i]);
}

/* Names of causes are ids in result.json: each exists, and they are unique. */
static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CAUSES; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(cause_names[i], cause_names[k]);
	for (int i = 0; i < NR_PLACE_KINDS; i++)
		assert_non_null(place_kind_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
