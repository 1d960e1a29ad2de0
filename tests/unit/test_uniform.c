/* Whether all operators changed alike, and which checks then warn instead of failing, or pass
 * instead of warning. */
#include "gate/noise.h"

#include <math.h>

#include "gate_fixture.h"

enum { OPS = 6, STEPS = 5 };

static struct run run_of_ops(const int64_t *ns)
{
	static const char *const ops[OPS] = { "aten::a", "aten::b", "aten::c",
		                                  "aten::d", "aten::e", "aten::f" };
	int64_t all = 0;
	for (size_t i = 0; i < OPS; i++)
		all += ns[i];
	const struct activity a = { EVENT_KERNEL, "gemm", STEPS, STEPS * all };
	struct run run = fixture_run(fixture_digest(STEPS, &a, 1));
	struct digest *d = run.ranks.v[0];
	for (size_t i = 0; i < OPS; i++)
		if (ns[i])
			vec_push(&d->code, (struct code_stat){ .kind = CODE_KERNEL,
			                                       .module = SPAN(""),
			                                       .place = SPAN(""),
			                                       .line = -1,
			                                       .op = span_of(ops[i]),
			                                       .kernel = i + 1,
			                                       .count = STEPS,
			                                       .total_ns = STEPS * ns[i] });
	vec_sort(&d->code, code_stat_cmp);
	return run;
}

struct stage {
	struct category_table categories;
	struct rules rules;
	struct run base, candidate;
	struct bench bench;
	struct noise_model model;
	struct report report;
};

static void begin(struct stage *s, const int64_t *base, const int64_t *candidate)
{
	*s = (struct stage){ .rules = fixture_rules() };
	fixture_categories(&s->categories);
	s->base = run_of_ops(base);
	s->candidate = run_of_ops(candidate);
	bench_init(&s->bench,
	           &(struct bench_runs){
	               .baseline = &s->base, .candidates = &s->candidate, .nr_candidates = 1 },
	           (struct naming){ .categories = &s->categories });
	noise_model_init(&s->model, &s->bench, &s->rules);
	s->model.alpha[FAMILY_OPERATORS] = 0; /* uniform.c then takes the noise of operators as 0 */
	s->model.has_machine = true;
	s->model.rest = 0;
}

static void end(struct stage *s)
{
	arena_release(&s->report.arena);
	vec_release(&s->report.checks);
	noise_model_release(&s->model);
	bench_release(&s->bench);
	run_release(&s->base);
	run_release(&s->candidate);
	rules_release(&s->rules);
	category_table_release(&s->categories);
}

static struct check *add(struct stage *s, enum metric_id id, enum verdict verdict, int64_t pct)
{
	vec_push(&s->report.checks, (struct check){ .id = "a",
	                                            .metric = &metric_table[id],
	                                            .worse = metric_table[id].worse,
	                                            .verdict = verdict,
	                                            .has_pct = true,
	                                            .change_pct = pct,
	                                            .message = "m" });
	return &s->report.checks.v[s->report.checks.nr - 1];
}

/* Operators changed alike if at least four did; they must have 70 % of the time, also if the
   largest operator is not counted. */
static void test_alike(void **state)
{
	(void)state;
	static const struct {
		int64_t base[OPS], candidate[OPS]; /* ns in each step */
		double shift;
		int64_t pct; /* change of the check that reports a common change of all operators */
		bool judged, found;
	} rows[] = {
		{ { 1000, 1000, 1000, 1000 }, { 1100, 1100, 1100, 1100 }, 0.1, PERCENT(10), true, true },
		{ { 1000, 1000, 1000 }, { 1100, 1100, 1100 }, 0.1, PERCENT(10), false, false },
		{ { 1000, 1000, 1000, 1000 }, { 1100, 1100, 1100, 1100 }, 0.01, PERCENT(1), true, true },
		{ { 1000, 1000, 1000, 1000 },
		  { 1100, 1100, 1100, 1100 },
		  0.00999,
		  PERCENT(1),
		  true,
		  false },
		{ { 1000, 1000, 1000, 1000 }, { 1100, 1100, 1100, 1100 }, 0.1, PERCENT(16), true, false },
		/* three of five operators are slower by 10 %, which is too few; then four of five */
		{ { 1000, 1000, 1000, 60, 60 },
		  { 1100, 1100, 1100, 54, 54 },
		  0.1,
		  PERCENT(10),
		  true,
		  false },
		{ { 1000, 1000, 1000, 60, 60 },
		  { 1100, 1100, 1100, 66, 54 },
		  0.1,
		  PERCENT(10),
		  true,
		  true },
		/* the operators that are slower by 10 % take exactly 70 % of the time, which is enough; in
		 * the second case they take less, which is not */
		{ { 3000, 2000, 2000, 1500, 1500 },
		  { 2500, 2200, 2200, 1650, 1650 },
		  0.1,
		  PERCENT(10),
		  true,
		  true },
		{ { 3001, 2000, 2000, 1500, 1499 },
		  { 2500, 2200, 2200, 1650, 1649 },
		  0.1,
		  PERCENT(10),
		  true,
		  false },
		/* the largest operator fell, all others are alike: they have 50 %, then 71 % of the time */
		{ { 4000, 1000, 1000, 1000, 1000 },
		  { 3000, 1100, 1100, 1100, 1100 },
		  0.1,
		  PERCENT(10),
		  true,
		  false },
		{ { 2000, 1250, 1250, 1250, 1250 },
		  { 1500, 1375, 1375, 1375, 1375 },
		  0.1,
		  PERCENT(10),
		  true,
		  true },
		/* the largest operator is slower by 10 %; of the time of the other operators, 85 %, then
		   70 %, then 69.9 % is in operators that are slower by 10 %, too */
		{ { 9000, 300, 200, 200, 150, 150 },
		  { 9900, 330, 220, 220, 165, 100 },
		  0.1,
		  PERCENT(10),
		  true,
		  true },
		{ { 9000, 300, 200, 200, 300 },
		  { 9900, 330, 220, 220, 200 },
		  0.1,
		  PERCENT(10),
		  true,
		  true },
		{ { 9000, 300, 200, 199, 301 },
		  { 9900, 330, 220, 219, 200 },
		  0.1,
		  PERCENT(10),
		  true,
		  false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, rows[i].base, rows[i].candidate);
		s.model.shift = rows[i].shift;
		add(&s, METRIC_STEP_CUDA_TIME, VERDICT_FAIL, rows[i].pct);
		uniform_settle(&s.model, &s.report);
		if (s.report.uniform.judged != rows[i].judged || s.report.uniform.found != rows[i].found)
			fail_msg("row %zu: %d %d", i, s.report.uniform.judged, s.report.uniform.found);
		end(&s);
	}
}

/* All operators are slower by one factor. The first failed check on the whole machine that the
   factor explains (worse by at most 1.45 times the factor's change) stays failed. The other checks
   that the factor explains become milder: a failed check warns, a warning about a kernel passes. */
static void test_taken_back(void **state)
{
	(void)state;
	static const int64_t base[OPS] = { 1000, 1000, 1000, 1000 },
	                     candidate[OPS] = { 1100, 1100, 1100, 1100 };
	static const struct {
		enum metric_id metric;
		enum verdict verdict, want;
		int64_t pct;
	} rows[] = {
		{ METRIC_KERNEL_TIME, VERDICT_FAIL, VERDICT_FAIL, PERCENT(10) },
		{ METRIC_STEP_CUDA_TIME, VERDICT_WARN, VERDICT_WARN, PERCENT(10) },
		{ METRIC_STEP_CUDA_TIME, VERDICT_FAIL, VERDICT_FAIL, 14500001 },
		{ METRIC_STEP_CUDA_TIME, VERDICT_FAIL, VERDICT_FAIL, 0 },
		/* the first failed check on the whole machine that the factor explains: it stays failed,
		   and the others refer to it */
		{ METRIC_STEP_CUDA_TIME, VERDICT_FAIL, VERDICT_FAIL, 14500000 },
		{ METRIC_STEP_CUDA_TIME, VERDICT_FAIL, VERDICT_WARN, 14500000 },
		{ METRIC_STEP_CUDA_TIME, VERDICT_FAIL, VERDICT_FAIL, 14500001 },
		{ METRIC_STEP_PERIOD, VERDICT_FAIL, VERDICT_WARN, PERCENT(10) },
		{ METRIC_STEP_PERIOD, VERDICT_WARN, VERDICT_WARN, PERCENT(10) },
		{ METRIC_STEP_KERNEL_COUNT, VERDICT_FAIL, VERDICT_FAIL, PERCENT(10) },
		{ METRIC_STEP_KERNEL_COUNT, VERDICT_WARN, VERDICT_WARN, PERCENT(10) },
		{ METRIC_GPU_UTILIZATION_PCT, VERDICT_FAIL, VERDICT_WARN, -PERCENT(10) },
		{ METRIC_GPU_UTILIZATION_PCT, VERDICT_FAIL, VERDICT_FAIL, PERCENT(10) },
		{ METRIC_KERNEL_TIME, VERDICT_WARN, VERDICT_PASS, PERCENT(10) },
		{ METRIC_KERNEL_TIME, VERDICT_WARN, VERDICT_PASS, 1 },
		{ METRIC_KERNEL_TIME, VERDICT_WARN, VERDICT_WARN, 0 },
		{ METRIC_KERNEL_TIME, VERDICT_WARN, VERDICT_WARN, -1 },
		{ METRIC_KERNEL_TIME, VERDICT_FAIL, VERDICT_FAIL, PERCENT(10) },
		{ METRIC_STEP_COMM_TIME, VERDICT_FAIL, VERDICT_FAIL, PERCENT(10) },
	};
	struct stage s;
	begin(&s, base, candidate);
	s.model.shift = log1p(0.1);
	for (size_t i = 0; i < NR_OF(rows); i++)
		add(&s, rows[i].metric, rows[i].verdict, rows[i].pct);
	s.report.checks.v[4].id = "speaker";
	add(&s, METRIC_STEP_PERIOD, VERDICT_FAIL, PERCENT(10))->has_pct = false;
	uniform_settle(&s.model, &s.report);
	assert_true(s.report.uniform.found);
	assert_int_equal(s.report.uniform.pct, PERCENT(10));
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct check *k = &s.report.checks.v[i];
		const char *said = rows[i].verdict == rows[i].want
		                       ? "m"
		                       : "m; not told again: all operators moved alike, see speaker";
		if (k->verdict != rows[i].want || strcmp(k->message, said) != 0)
			fail_msg("row %zu: %s, '%s'", i, verdict_names[k->verdict], k->message);
	}
	assert_int_equal(s.report.checks.v[NR_OF(rows)].verdict, VERDICT_FAIL);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_alike),
		                                cmocka_unit_test(test_taken_back) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
