#include "gate/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/past.h"
#include "gate/noise_math.h"
#include "gate_fixture.h"

/* cmocka's own compares floats. */
static void assert_near(double value, double want, double within)
{
	if (!(fabs(value - want) <= within))
		fail_msg("%.9g is not within %g of %.9g", value, within, want);
}

/* ---- statistics ---- */

static void test_spread(void **state)
{
	(void)state;
	static const struct {
		int64_t v[8];
		size_t nr, kept;
		double s;
	} rows[] = {
		{ { 5 }, 1, 1, 0 },
		{ { 5, 7 }, 2, 2, 1.41421356 },
		{ { 1, 2, 3, 4, 5 }, 5, 5, 1.58113883 },
		{ { 1, 2, 3, 4, 5, 18 }, 6, 6, 6.28490254 }, /* 7.4 MADs of 2 reach from 4 to 18.8 */
		{ { 1, 2, 3, 4, 5, 19 }, 6, 5, 1.58113883 },
		{ { -12, 1, 2, 3, 4, 5 }, 6, 5, 1.58113883 },
		{ { 4, 4, 4, 4, 9 }, 5, 5, 2.23606798 }, /* most are equal: none is far */
		{ { 4, 4, 4 }, 3, 3, 0 },
		{ { INT64_MAX, INT64_MIN, 0 }, 3, 3, 9.22337204e18 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct spread s = spread_of(rows[i].v, rows[i].nr);
		assert_int_equal(s.kept, rows[i].kept);
		assert_near(s.s, rows[i].s, 1e-8 * fmax(1, rows[i].s));
		for (size_t k = 0; k < rows[i].nr; k++)
			assert_int_equal(spread_excludes(&s, rows[i].v[k]),
			                 rows[i].kept < rows[i].nr && labs(rows[i].v[k]) > 5);
	}
	static const int64_t v[] = { 1, 2, 3, 4, 5 };
	assert_int_equal(scaled_mad(v, 5), 1);
	static const int64_t w[] = { 1000, 2000, 3000, 4000, 5000 };
	assert_int_equal(scaled_mad(w, 5), 1483);
}

/* Integrals over order statistics; 1, 3, 5, … by Simpson's rule to four places. */
/* The same as all pairs say, one by one. */
static void test_mann_whitney_pairs(void **state)
{
	(void)state;
	uint32_t random = 1;
	for (int round = 0; round < 200; round++) {
		int64_t x[30], y[30];
		size_t nr_x = 5 + (size_t)round % 26, nr_y = 30 - (size_t)round % 20;
		double twice_u = 0, n = (double)(nr_x + nr_y), ties = 0;
		for (size_t i = 0; i < 30; i++) {
			random = random * 1664525 + 1013904223;
			x[i] = (random >> 8) % 12;
			y[i] = (random >> 16) % 14;
		}
		for (size_t i = 0; i < nr_x; i++)
			for (size_t k = 0; k < nr_y; k++)
				twice_u += x[i] > y[k] ? 2 : x[i] == y[k];
		for (int64_t v = 0; v < 14; v++) {
			double t = 0;
			for (size_t i = 0; i < 30; i++)
				t += (i < nr_x && x[i] == v) + (i < nr_y && y[i] == v);
			ties += t * t * t - t;
		}
		double pairs = (double)nr_x * (double)nr_y, low = fmin(twice_u, 2 * pairs - twice_u) / 2;
		double variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
		double want = erfc((pairs / 2 - low - 0.5) / sqrt(variance) / sqrt(2));
		assert_near(mann_whitney(x, nr_x, y, nr_y), fmin(want, 1), 1e-12);
	}
}

static void test_median_variance(void **state)
{
	(void)state;
	static const double exact[][2] = { { 1, 1 },       { 2, 0.5 },     { 3, 0.4487 },
		                               { 5, 0.2868 },  { 9, 0.1661 },  { 10, 0.1383 },
		                               { 11, 0.1372 }, { 15, 0.1017 }, { 21, 0.0733 },
		                               { 25, 0.0617 } };
	for (size_t i = 0; i < NR_OF(exact); i++)
		assert_near(median_variance((size_t)exact[i][0]), exact[i][1], 0.01 * exact[i][1]);
}

/* Against all orders counted one by one, and the textbook's formula. */
static void test_mann_whitney(void **state)
{
	(void)state;
	static const struct {
		int64_t x[6], y[6];
		size_t nr_x, nr_y;
		double p;
	} rows[] = {
		{ { 1, 2, 3, 4, 5 }, { 6, 7, 8, 9, 10 }, 5, 5, 0.007936508 },
		{ { 6, 7, 8, 9, 10 }, { 1, 2, 3, 4, 5 }, 5, 5, 0.007936508 },
		{ { 1, 3, 5, 7 }, { 2, 4, 6, 8, 10 }, 4, 5, 0.412698413 },
		{ { 1, 2, 9, 4, 5 }, { 6, 7, 8, 3, 10, 11 }, 5, 6, 0.125541126 },
		{ { 1, 2, 2, 3, 5 }, { 2, 4, 6, 6, 8 }, 5, 5, 0.089686022 },
		{ { 3, 3, 3, 3, 3 }, { 5, 5, 5, 5, 5 }, 5, 5, 0.003976752 },
		{ { 3, 3, 3, 3, 3 }, { 3, 3, 3, 3, 3 }, 5, 5, 1 },
		{ { 1 }, { 2 }, 1, 1, 1 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++)
		assert_near(mann_whitney(rows[i].x, rows[i].nr_x, rows[i].y, rows[i].nr_y), rows[i].p,
		            1e-8);
}

static void test_k(void **state)
{
	(void)state;
	assert_near(noise_k_of(3, 9, 1), 3, 0);
	assert_near(noise_k_of(3, 9, 20), 4.99128, 1e-4);
	assert_near(noise_k_of(3, 4, 20), 7.17595, 1e-4);
}

/* As measured below the limit, beyond it between limit and measured, at last as measured. */
static void test_threshold(void **state)
{
	(void)state;
	const struct threshold t = { .limit = 5, .per_s = 3 };
	double before = 0;
	assert_near(threshold_noise(&t, 1), 3, 0);
	assert_near(threshold_noise(&t, 5.0 / 3), 5, 1e-12);
	for (double s = 1.7; s < 100; s *= 1.1) {
		double noise = threshold_noise(&t, s);
		assert_true(noise > before && noise >= 5 && noise < 3 * s);
		before = noise;
	}
	assert_near(threshold_noise(&t, 100), 300, 1);
	const struct threshold none = { .limit = 0, .per_s = 3 };
	assert_near(threshold_noise(&none, 2), 6, 0);
}

/* Where noise alone decides the chance is Student's; where a limit alone does, the mean of
   the estimates over all s that may be seen is the chance itself. */
static void test_false_alarms(void **state)
{
	(void)state;
	const struct threshold noise = { .per_s = 3 }, far = { .limit = 100 }, shift = { 1, -1, 0 };
	assert_near(threshold_false_alarms(&noise, 1, 7, 9), 0.008535840, 1e-8);
	assert_near(threshold_false_alarms(&noise, 1, 7, 5), 0.019970981, 1e-8);
	assert_near(threshold_false_alarms(&far, 1, 7, 9), 0, 0);
	assert_near(threshold_false_alarms(&shift, 1, 7, 9), 0.5, 1e-9);
	const double nu = 9, step = 0.001;
	for (double limit = 1; limit < 4; limit += 0.5) {
		const struct threshold t = { .limit = limit };
		double mean = 0;
		for (double u = step / 2; u < 5; u += step) /* s over sigma */
			mean += step * threshold_false_alarms(&t, 1, u, 9) * 2 *
			        exp(nu / 2 * log(nu / 2) - lgamma(nu / 2) + (nu - 1) * log(u) - nu * u * u / 2);
		assert_near(mean / (0.5 * erfc(limit / sqrt(2))), 1, 0.001);
	}
}

/* ---- evidence ---- */

enum { MAX_RUNS = 16, STEPS = 6 };

struct stage {
	struct category_table categories;
	struct rules rules;
	struct run pin, past[MAX_RUNS], candidate[MAX_RUNS];
	struct history history;
	struct arena arena;
	struct bench bench;
	struct entries entries;
	struct comparison c;
	struct evidence out;
};

static struct run run_of(int64_t us)
{
	const struct activity a = { EVENT_KERNEL, "gemm", STEPS, STEPS * us * 1000 };
	struct run run = fixture_run(fixture_digest(STEPS, &a, 1));
	for (size_t i = 0; i < STEPS; i++) /* no two steps alike */
		run.ranks.v[0]->samples[METRIC_STEP_COMPUTE_TIME][i] += ((int64_t)i - STEPS / 2) * 7;
	return run;
}

static struct rule rule_of(enum metric_id id)
{
	struct rule r = fixture_rule(id);
	fixture_limit(&r.fail, COND_INCREASE, true, PERCENT(5), "5%");
	return r;
}

/* Evidence on `rule`; runs are µs of compute time, `recent` and `candidates` end with 0. */
static void begin(struct stage *s, struct rule rule, int64_t pin, const int64_t *recent,
                  const int64_t *candidates)
{
	size_t nr = 0;
	*s = (struct stage){ .arena = ARENA_INIT, .rules = fixture_rules() };
	fixture_categories(&s->categories);
	fixture_add(&s->rules, rule);
	struct naming naming = { .categories = &s->categories };
	s->pin = run_of(pin);
	for (size_t i = 0; recent[i]; i++) {
		s->past[i] = run_of(recent[i]);
		past_run_of(&s->rules, naming, &s->past[i], &s->arena, vec_push_zero(&s->history.runs));
	}
	for (; candidates[nr]; nr++)
		s->candidate[nr] = run_of(candidates[nr]);
	bench_init(&s->bench, &(struct bench_runs){ &s->pin, &s->history, s->candidate, nr }, naming);
	s->bench.min_runs = rule.noise.min_runs;
	bench_query(&s->bench, &rule.query, &s->entries);
	const struct entry *e = &s->entries.list.v[0];
	s->c = (struct comparison){ .rule = &s->rules.rules.v[0],
		                        .has_baseline = e->has[SIDE_BASELINE],
		                        .has_candidate = e->has[SIDE_CANDIDATE],
		                        .baseline = e->value[SIDE_BASELINE],
		                        .candidate = e->value[SIDE_CANDIDATE],
		                        .has_pin = e->has_pin,
		                        .pin = e->pin };
	noise_evidence(&s->bench, e, &s->c, &s->arena, &s->out);
}

static void end(struct stage *s)
{
	vec_release(&s->out.runs);
	vec_release(&s->entries.list);
	bench_release(&s->bench);
	run_release(&s->pin);
	for (size_t i = 0; i < MAX_RUNS; i++) {
		run_release(&s->past[i]);
		run_release(&s->candidate[i]);
	}
	history_release(&s->history);
	category_table_release(&s->categories);
	rules_release(&s->rules);
	arena_release(&s->arena);
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static const int64_t ten[] = {
	10200, 9800, 10100, 9900, 10300, 9700, 10000, 10000, 10150, 9850, 0
};
static const int64_t one[] = { 10400, 0 };

static void test_ten_runs(void **state)
{
	(void)state;
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, one);
	/* s = 190.03 µs: three of them times √1.157 are 613.2, beyond the limit of 500 */
	struct threshold t = { .limit = 500e3, .per_s = 3 * sqrt(1.157) };
	struct spread spread = spread_of(s.entries.list.v[0].runs[SIDE_BASELINE], 10);
	assert_near(spread.s, 190029.2, 0.1);
	assert_true(s.out.has_noise && s.out.has_detectable && s.out.has_false_alarms);
	assert_near((double)s.out.noise, threshold_noise(&t, spread.s), 1);
	assert_true(s.out.noise > 500000 && s.out.noise < 613200);
	assert_int_equal(s.out.detectable, s.out.noise + 1);
	assert_int_equal(s.out.baseline_runs, 10);
	assert_int_equal(s.out.candidate_runs, 1);
	assert_int_equal(s.out.runs.nr, 0); /* one run is its own median */
	assert_true(s.out.false_alarms > 1000 && s.out.false_alarms < 20000);
	assert_says(s.out.text, "10 runs of the baseline spread by 1.90 %, which makes the noise ±5");
	assert_says(s.out.text, "unchanged runs would fail");
	assert_says(s.out.noise_text, "±5");
	end(&s);
}

/* More runs of the candidate are less noise, and each is shown. */
static void test_candidates(void **state)
{
	(void)state;
	static const int64_t five[] = { 10400, 10600, 10500, 10300, 10450, 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, five);
	assert_int_equal(s.out.candidate_runs, 5);
	assert_int_equal(s.out.runs.nr, 5);
	assert_int_equal(s.out.runs.v[1], s.entries.list.v[0].runs[SIDE_CANDIDATE][1]);
	/* below the limit noise is as measured */
	struct spread spread = spread_of(s.entries.list.v[0].runs[SIDE_BASELINE], 10);
	assert_near((double)s.out.noise, 3 * sqrt(0.2868 + 0.157) * spread.s, 2);
	assert_int_equal(s.out.detectable, s.c.baseline / 20 + 1); /* the limit decides */
	end(&s);
}

static void test_few_runs(void **state)
{
	(void)state;
	static const int64_t none[] = { 0 }, two[] = { 10300, 9700, 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, two, one);
	assert_false(s.out.has_noise);
	assert_true(s.out.has_false_alarms);
	assert_says(s.out.text, "too few to know the noise (5 are needed): the limit alone decides");
	assert_says(s.out.text, "unchanged runs would fail");
	end(&s);
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, none, one);
	assert_false(s.out.has_noise || s.out.has_false_alarms);
	assert_int_equal(s.out.detectable, s.c.baseline / 20 + 1);
	assert_null(strstr(s.out.text, "runs")); /* said once, for the whole report */
	end(&s);
}

static void test_set_aside(void **state)
{
	(void)state;
	static const int64_t odd[] = { 10200, 9800, 10100, 9900, 13000, 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, odd, one);
	assert_says(s.out.text, "(set aside: 13.00 ms)");
	assert_true(s.out.noise < 1000000);
	/* one run in five was like that, and may be again */
	assert_true(s.out.false_alarms >= 200000);
	end(&s);
}

static void test_no_noise(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	rule.noise.k = 0;
	begin(&s, rule, 10000, ten, one);
	assert_false(s.out.has_noise);
	assert_true(s.out.has_false_alarms);
	end(&s);
	begin(&s, rule_of(METRIC_STEP_KERNEL_COUNT), 10000, ten, one); /* exact */
	assert_false(s.out.has_noise);
	assert_int_equal(s.out.false_alarms, 0);
	end(&s);
}

/* Noise is that of increase and decrease; the pin is one run. */
static void test_conditions(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	fixture_limit(&rule.fail, COND_INCREASE_SINCE_PIN, true, PERCENT(50), "50%");
	begin(&s, rule, 10000, ten, one);
	assert_true(s.out.pin_noise > s.out.noise);
	assert_int_equal(s.out.detectable, s.out.noise + 1); /* 5 % are below it */
	end(&s);
	rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	rule.fail.list.v[0].condition = COND_INCREASE_SINCE_PIN;
	rule.fail.list.v[0].value = PERCENT(50);
	begin(&s, rule, 8000, ten, one); /* what is shown is of the change since the pin */
	assert_int_equal(s.out.noise, s.out.pin_noise);
	assert_int_equal(s.out.detectable, s.c.pin / 2 + 1);
	assert_says(s.out.text, "; a change fails from 4.000 ms (50.00 %) on; over steps");
	end(&s);
	rule = fixture_rule(METRIC_STEP_COMPUTE_TIME);
	fixture_limit(&rule.fail, COND_MAX, false, 10000000, "10ms"); /* where the runs are */
	begin(&s, rule, 10000, ten, one);
	assert_false(s.out.has_detectable);
	assert_near((double)s.out.false_alarms, 500000, 20000);
	end(&s);
}

/* The items of for_each share the chance of one check. */
static void test_items(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_KERNEL_TIME);
	begin(&s, rule, 10000, ten, one);
	int64_t alone = s.out.noise;
	end(&s);
	rule = rule_of(METRIC_KERNEL_TIME);
	rule.for_each = true;
	begin(&s, rule, 10000, ten, one);
	assert_true(s.out.noise > alone);
	end(&s);
}

static void test_steps(void **state)
{
	(void)state;
	static const int64_t none[] = { 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, none, one);
	assert_true(s.out.has_steps);
	assert_int_equal(s.out.steps[SIDE_BASELINE], STEPS);
	assert_int_equal(s.out.steps[SIDE_CANDIDATE], STEPS);
	assert_int_equal(s.out.median[SIDE_CANDIDATE], s.c.candidate);
	assert_int_equal(s.out.p, 2165); /* 2 of the 924 orders */
	assert_says(s.out.text, "over steps (median ± scaled MAD), 6 of 10.000 ms ± ");
	assert_says(s.out.text, " against 6 of 10.40 ms ± ");
	assert_says(s.out.text, ": Mann-Whitney p = 0.002165");
	end(&s);
	begin(&s, rule_of(METRIC_KERNEL_TIME), 10000, none, one);
	assert_false(s.out.has_steps); /* a sum over the steps */
	end(&s);
}

/* Values at the ends of int64 and none at all end in figures. */
static void test_extremes(void **state)
{
	(void)state;
	static const int64_t ends[] = { 0, 1, INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < NR_OF(ends); i++)
		for (size_t k = 0; k < NR_OF(ends); k++) {
			static const int64_t none[] = { 0 };
			struct stage s;
			begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, none, one);
			struct entry e = s.entries.list.v[0];
			const int64_t runs[] = { ends[i], ends[k], ends[i], ends[k], 5, 6 };
			e.runs[SIDE_BASELINE] = runs;
			e.nr_runs[SIDE_BASELINE] = NR_OF(runs);
			s.c.baseline = ends[i];
			s.c.candidate = ends[k];
			vec_release(&s.out.runs);
			noise_evidence(&s.bench, &e, &s.c, &s.arena, &s.out);
			assert_true(s.out.false_alarms >= 0 && s.out.false_alarms <= 1000000);
			assert_true(s.out.noise >= 0);
			end(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_median_variance),
		cmocka_unit_test(test_mann_whitney),
		cmocka_unit_test(test_mann_whitney_pairs),
		cmocka_unit_test(test_k),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_ten_runs),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_few_runs),
		cmocka_unit_test(test_set_aside),
		cmocka_unit_test(test_no_noise),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
