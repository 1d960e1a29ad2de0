#include "gate/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/past.h"
#include "gate/environment.h"
#include "gate/noise_math.h"
#include "gate/noise_model.h"
#include "noise_rig.h"

/* Asserts that two doubles are nearly equal; cmocka's own assertion compares floats. */
static void assert_near(double value, double want, double within)
{
	if (!(fabs(value - want) <= within))
		fail_msg("%.9g is not within %g of %.9g", value, within, want);
}

/* ---- statistics on plain numbers ---- */

static void test_center(void **state)
{
	(void)state;
	static const double v[] = { 9, 1, 2, 100, 3, 4, 5, 6, 7, 8 };
	assert_near(noise_center(v, 1), 9, 0);
	assert_near(noise_center(v, 2), 5, 0);
	assert_near(noise_center(v, 5), 3, 0); /* up to five values: the median */
	/* mean of the values without two at each end */
	assert_near(noise_center(v, 10), 33 / 6.0, 1e-12);
	assert_near(noise_center_variance(1), 1, 0);
	assert_near(noise_center_variance(3), 0.4487, 0);
	assert_near(noise_center_variance(10), 0.11, 1e-12);
}

static void test_variance(void **state)
{
	(void)state;
	double df, v[] = { 1, 2, 3, 4, 5 };
	const uint64_t same[5] = { 0 }, two[] = { 0, 0, 0, 1, 1 };
	assert_near(noise_variance(v, same, 5, &df), 2.5, 1e-12);
	assert_near(df, 4, 0);
	/* values are only compared with values of their own group */
	double w[] = { 1, 2, 3, 104, 105 };
	assert_near(noise_variance(w, two, 5, &df), 2.5 / 3, 1e-12);
	assert_near(df, 3, 0);
	/* an outlier counts as if it were 4 scaled MADs away */
	double far[] = { -1, 0, 1, -1, 1, 0, 1000 };
	const uint64_t seven[7] = { 0 };
	assert_true(noise_variance(far, seven, 7, &df) < 10);
	double one[] = { 7 };
	assert_near(noise_variance(one, same, 1, &df), 0, 0);
	assert_near(df, 0, 0);
	static const int64_t x[] = { 1, 2, 3, 4, 5 };
	assert_int_equal(scaled_mad(x, 5), 1);
}

/* Checks Student's t against tables and scipy.stats.t. */
static void test_student(void **state)
{
	(void)state;
	static const struct {
		double x, df, tail;
	} rows[] = {
		{ 0, 3, 0.5 },           { 1, 1, 0.25 },          { 2.353363, 3, 0.05 },
		{ 3.169273, 10, 0.005 }, { 2.946713, 15, 0.005 }, { 4.143700, 10, 0.001 },
		{ 1.644854, 1e7, 0.05 }, { -2.353363, 3, 0.95 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		assert_near(student_tail(rows[i].x, rows[i].df), rows[i].tail, 1e-6);
		if (rows[i].tail < 0.5)
			assert_near(student_quantile(rows[i].tail, rows[i].df), rows[i].x, 1e-4 * rows[i].x);
	}
	for (double df = 0.4; df < 300; df *= 1.7)
		for (double tail = 0.4; tail > 1e-9; tail /= 7) {
			double x = student_quantile(tail, df);
			assert_true(x >= 1e9 || fabs(student_tail(x, df) / tail - 1) < 1e-6);
		}
}

/* Similar variances are shrunk towards their mean, as limma does. */
static void test_prior(void **state)
{
	(void)state;
	static const double alike[] = { 1, 1.01, 0.99, 1, 1 }, apart[] = { 1e-4, 1, 1e4, 1, 1 };
	struct noise_prior p = noise_prior_of(alike, 5, 9);
	assert_near(p.df, 200, 0);
	assert_near(p.s2, 1, 0.15);
	assert_near(noise_prior_of(apart, 5, 9).df, 2, 0);
	assert_near(noise_moderated((struct noise_prior){ 2, 6 }, 4, 2), 2.5, 1e-12);
}

/* Checks p-values of Mann-Whitney against a direct count over all pairs. */
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

/* Checks p-values of Mann-Whitney: exact ones against a count over all orders, others against the
 * textbook's formula. */
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
	/* of all orders of 20 and 20 values, the number of ways to choose 20 of 40, two are this uneven
	 */
	int64_t low[20], high[20];
	for (int64_t i = 0; i < 20; i++)
		low[i] = i, high[i] = 20 + i;
	assert_near(mann_whitney(low, 20, high, 20) * 137846528820, 2, 1e-6);
}

/* ---- how certain the change of one check is ---- */

static struct rule rule_of(enum metric_id id)
{
	struct rule r = fixture_rule(id);
	fixture_limit(&r.fail, COND_INCREASE, true, PERCENT(5), "5%");
	return r;
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

/* Ten runs that spread by 2 %, one of which is 4 % away. */
static void test_ten_runs(void **state)
{
	(void)state;
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, one);
	assert_true(s.out.has_noise && s.out.has_detectable && s.out.has_false_alarms);
	assert_true(s.out.noise > 300000 && s.out.noise < 1500000);
	assert_true(s.out.detectable > s.out.noise);
	assert_int_equal(s.out.baseline_runs, 10);
	assert_int_equal(s.out.past_runs, 11);
	assert_int_equal(s.out.candidate_runs, 1);
	assert_int_equal(s.out.runs.nr, 0); /* values are listed only if there are several runs */
	assert_true(s.out.false_alarms > 500 && s.out.false_alarms <= 6000);
	assert_true(s.c.has_noise && !s.c.sure[0] && !s.c.sure[1]);
	assert_says(s.out.text, "(measured, 11 past runs): noise of ±");
	assert_says(s.out.text, "unchanged runs would fail");
	end(&s);
	static const int64_t far[] = { 11500, 0 };
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, far);
	assert_true(s.c.sure[0] && !s.c.sure[1]);
	end(&s);
}

/* More runs of the candidate reduce the noise, and the value of each run is shown. */
static void test_candidates(void **state)
{
	(void)state;
	static const int64_t five[] = { 10400, 10600, 10500, 10300, 10450, 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, one);
	int64_t noise = s.out.noise;
	end(&s);
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, ten, five);
	assert_int_equal(s.out.candidate_runs, 5);
	assert_int_equal(s.out.runs.nr, 5);
	assert_int_equal(s.out.runs.v[1], s.entries.list.v[0].runs[SIDE_CANDIDATE][1]);
	assert_true(s.out.noise < noise);
	end(&s);
}

/* A single run measures no noise: the assumed noise decides, and small changes stay undecided. */
static void test_few_runs(void **state)
{
	(void)state;
	static const int64_t none[] = { 0 }, six[] = { 10600, 0 }, thirty[] = { 13000, 0 };
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, none, six);
	assert_true(s.out.has_noise && !s.out.has_false_alarms && !s.c.sure[0]);
	assert_says(s.out.text, "mostly assumed, 1 past run");
	assert_true(s.out.more_runs > 0 || s.out.more_pairs > 0);
	assert_says(s.out.plan_text, "would decide");
	end(&s);
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME), 10000, none, thirty);
	assert_true(s.c.sure[0]);
	end(&s);
}

static void test_no_noise(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	rule.noise.k = 0;
	begin(&s, rule, 10000, ten, one);
	assert_false(s.out.has_noise || s.c.has_noise);
	assert_near(s.model.alpha[FAMILY_MACHINE], 0, 0); /* it takes nothing of the budget */
	end(&s);
	begin(&s, rule_of(METRIC_STEP_KERNEL_COUNT), 10000, ten, one); /* an exact metric: no noise */
	assert_false(s.out.has_noise || s.c.has_noise);
	assert_int_equal(s.out.false_alarms, 0);
	end(&s);
}

/* Noise applies to increases and decreases; the pin counts as one run. */
static void test_conditions(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	begin(&s, rule, 10000, ten, one);
	int64_t noise = s.out.noise;
	end(&s);
	rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	rule.fail.list.v[0].condition = COND_INCREASE_SINCE_PIN;
	rule.fail.list.v[0].value = PERCENT(50);
	/* the noise that is shown is that of the change since the pin */
	begin(&s, rule, 8000, ten, one);
	assert_true(s.out.noise > noise);
	assert_int_equal(s.out.detectable, s.c.pin / 2 + 1);
	assert_says(s.out.text, "; a change fails from 4.000 ms (50.00 %) on; over steps");
	end(&s);
}

/* With noise.k = 20, only a change beyond 20 standard errors is certain. */
static void test_k(void **state)
{
	(void)state;
	struct stage s;
	struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME);
	rule.noise.k = 20000000;
	static const int64_t far[] = { 11500, 0 };
	begin(&s, rule, 10000, ten, far);
	assert_false(s.c.sure[0]);
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
	assert_int_equal(s.out.p, 2165); /* 2 of the 924 possible orders are as extreme */
	assert_says(s.out.text, "over steps (median ± spread), 6 of 10.000 ms ± ");
	assert_says(s.out.text, " against 6 of 10.40 ms ± ");
	assert_says(s.out.text, ": as far apart by chance with probability 0.002165");
	end(&s);
	begin(&s, rule_of(METRIC_KERNEL_TIME), 10000, none, one);
	assert_false(s.out.has_steps); /* the figure is a sum over the steps, so it has no samples */
	end(&s);
}

/* ---- figures from which the speed of the machine is computed ---- */

/* A run whose kernel takes `compute` ns of each step, launched by operators that take the given ns.
 */
static struct run run_of_ops(const int64_t *ns, int64_t compute)
{
	static const char *const ops[] = { "aten::a", "aten::b", "aten::c" };
	const struct activity a = { EVENT_KERNEL, "gemm", STEPS, STEPS * compute };
	struct run run = fixture_run(fixture_digest(STEPS, &a, 1));
	struct digest *d = run.ranks.v[0];
	for (size_t i = 0; i < NR_OF(ops); i++)
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

/* Figures used to compare the machines: operators if they make up half of what both sides compute,
 * else categories. Not used: figures that only one side has, or that are below 0.5 % on both. */
static void test_units(void **state)
{
	(void)state;
	static const struct {
		int64_t ns[NR_SIDES][3];
		enum unit_kind kind;
		const char *units;
		int64_t compute; /* compute time in ns */
	} rows[] = {
		{ { { 1, 1, 0 }, { 1, 1, 0 } }, UNITS_OPERATORS, "aten::a aten::b", 2 },
		{ { { 3000, 2000, 0 }, { 2500, 2500, 0 } }, UNITS_OPERATORS, "aten::a aten::b", 10000 },
		{ { { 3000, 1999, 0 }, { 2500, 2500, 0 } }, UNITS_CATEGORIES, "GEMM", 10000 },
		{ { { 3000, 2000, 0 }, { 2500, 2499, 0 } }, UNITS_CATEGORIES, "GEMM", 10000 },
		{ { { 6000, 4000, 0 }, { 6000, 0, 4000 } }, UNITS_OPERATORS, "aten::a", 10000 },
		{ { { 4000, 6000, 0 }, { 4000, 0, 6000 } }, UNITS_CATEGORIES, "GEMM", 10000 },
		{ { { 0, 0, 0 }, { 9000, 0, 0 } }, UNITS_CATEGORIES, "GEMM", 10000 },
		{ { { 9000, 950, 50 }, { 9000, 960, 40 } },
		  UNITS_OPERATORS,
		  "aten::a aten::b aten::c",
		  10000 },
		{ { { 9000, 960, 40 }, { 9000, 950, 50 } },
		  UNITS_OPERATORS,
		  "aten::a aten::b aten::c",
		  10000 },
		{ { { 9000, 951, 49 }, { 9000, 951, 49 } }, UNITS_OPERATORS, "aten::a aten::b", 10000 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct noise_model m;
		struct bench bench;
		struct rules rules = fixture_rules();
		struct strbuf b = STRBUF_INIT;
		fixture_categories(&categories);
		struct run base = run_of_ops(rows[i].ns[0], rows[i].compute),
		           candidate = run_of_ops(rows[i].ns[1], rows[i].compute);
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &base, .candidates = &candidate, .nr_candidates = 1 },
		    (struct naming){ .categories = &categories });
		noise_model_init(&m, &bench, &rules);
		for (size_t k = 0; k < m.units.list.nr; k++)
			strbuf_addf(&b, "%s%.*s", k ? " " : "", (int)m.units.list.v[k].label.n,
			            m.units.list.v[k].label.p);
		if (m.kind != rows[i].kind || strcmp(strbuf_str(&b), rows[i].units) != 0)
			fail_msg("row %zu: %d, '%s'", i, (int)m.kind, strbuf_str(&b));
		assert_int_equal(noise_unit(&m, m.units.list.v[0].label) == &m.units.list.v[0], true);
		assert_null(noise_unit(&m, SPAN("aten::d")));
		strbuf_release(&b);
		noise_model_release(&m);
		bench_release(&bench);
		run_release(&base);
		run_release(&candidate);
		rules_release(&rules);
		category_table_release(&categories);
	}
}

/* With control runs, the difference in speed of the machine is the mean over all pairs of a
 * candidate's run and a control run; a run of the candidate before these does not count. The
 * variance of a pair is that of the prior, which a single pair shows, and of the pairs around their
 * mean, each weighted by its degrees of freedom. */
static void test_pairs(void **state)
{
	(void)state;
	static const struct {
		int64_t candidates[2], controls[2]; /* compute times in µs */
		size_t nr;
		bool stored; /* true if there is a baseline besides the first control run */
		double factor;
	} rows[] = {
		{ { 11000 }, { 10500 }, 1, true, 11000 / 10500.0 },
		{ { 11000, 12100 }, { 10000, 11000 }, 2, true, 1.1 },
		{ { 11000, 12100 }, { 10000, 11000 }, 2, false, 1.1 },
		{ { 11000, 12100 }, { 10000 }, 1, true, 1.21 },
		{ { 11000, 11000 }, { 10000, 12100 }, 2, true, 1 },
		{ { 11000, 11000 }, { 10000, 12100 }, 2, false, 1 },
	};
	struct estimate prior = { 0 };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct noise_model m;
		struct bench bench;
		struct rules rules = fixture_rules();
		fixture_categories(&categories);
		struct run base = run_of(10000), candidates[2], controls[2];
		for (int k = 0; k < 2; k++) {
			candidates[k] = run_of(rows[i].candidates[k]);
			controls[k] = run_of(rows[i].controls[k]);
		}
		bench_init(&bench,
		           &(struct bench_runs){ .baseline = rows[i].stored ? &base : controls,
		                                 .candidates = candidates,
		                                 .nr_candidates = rows[i].candidates[1] ? 2 : 1,
		                                 .controls = controls,
		                                 .nr_controls = rows[i].nr },
		           (struct naming){ .categories = &categories });
		noise_model_init(&m, &bench, &rules);
		assert_near(m.shift, log(rows[i].factor), 1e-6);
		const struct metric *compute = &metric_table[METRIC_STEP_COMPUTE_TIME];
		struct entries entries;
		bench_query(&bench, &(struct query){ .metric = compute, .stat = STAT_MEDIAN }, &entries);
		struct estimate x = noise_estimate(&m, &entries.list.v[0], compute, false);
		double nr = (double)rows[i].nr, squares = 0;
		const int64_t *paired = &rows[i].candidates[bench.runs.nr_candidates - rows[i].nr];
		prior = i == 0 ? x : prior;
		for (size_t k = 0; k < rows[i].nr; k++)
			squares +=
			    pow(log((double)paired[k] / (double)rows[i].controls[k] / rows[i].factor), 2);
		assert_near(x.by, log(rows[i].factor), 1e-6);
		assert_near(x.df, prior.df + nr - 1, 1e-12);
		assert_near(x.pair, (prior.df * prior.pair + squares) / x.df, 1e-7);
		assert_near(x.se, sqrt(x.pair / nr), 1e-12);
		vec_release(&entries.list);
		noise_model_release(&m);
		bench_release(&bench);
		run_release(&base);
		for (int k = 0; k < 2; k++) {
			run_release(&candidates[k]);
			run_release(&controls[k]);
		}
		rules_release(&rules);
		category_table_release(&categories);
	}
}

/* The machine's part of a run is known from half of the figures on, but not if the run has none. */
static void test_half(void **state)
{
	(void)state;
	static const int64_t both[] = { 3000, 2000, 0 }, half[] = { 3000, 0, 0 }, no[] = { 0, 0, 0 };
	struct category_table categories;
	struct noise_model m;
	struct bench bench;
	struct rules rules = fixture_rules();
	fixture_categories(&categories);
	struct run base = run_of_ops(both, 5000), candidate = run_of_ops(both, 5000),
	           controls[2] = { run_of_ops(half, 5000), run_of_ops(no, 5000) };
	bench_init(&bench,
	           &(struct bench_runs){ .baseline = &base,
	                                 .candidates = &candidate,
	                                 .nr_candidates = 1,
	                                 .controls = controls,
	                                 .nr_controls = 2 },
	           (struct naming){ .categories = &categories });
	noise_model_init(&m, &bench, &rules);
	assert_int_equal(m.units.list.nr, 2);
	assert_int_equal(bench.nr_columns, 4);
	assert_false(isnan(m.machine[2]));
	assert_true(isnan(m.machine[3]));
	noise_model_release(&m);
	bench_release(&bench);
	run_release(&base);
	run_release(&candidate);
	run_release(&controls[0]);
	run_release(&controls[1]);
	rules_release(&rules);
	category_table_release(&categories);
}

/* Runs count as made together if host, boot and job, as far as both runs record them, are equal. */
static void test_together(void **state)
{
	(void)state;
	static const struct {
		const char *a[3], *b[3]; /* host, boot and job of two recordings */
		enum together together;
	} rows[] = {
		{ { NULL, NULL, NULL }, { NULL, NULL, NULL }, TOGETHER_UNKNOWN },
		{ { "h", NULL, "1" }, { NULL, "x", NULL }, TOGETHER_UNKNOWN },
		{ { "h", NULL, NULL }, { "h", NULL, NULL }, TOGETHER },
		{ { "h", NULL, NULL }, { "i", NULL, NULL }, APART },
		{ { "h", "x", NULL }, { "h", "y", NULL }, APART },
		{ { "h", "x", "1" }, { "h", "x", "2" }, APART },
		{ { NULL, NULL, "1" }, { "h", "x", "1" }, TOGETHER },
		{ { "h", "x", "1" }, { "h", "x", "1" }, TOGETHER },
	};
	static const char *const keys[] = { "host", "boot", "job" };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run a = run_of(10), b = run_of(10);
		for (size_t k = 0; k < NR_OF(keys); k++) {
			if (rows[i].a[k])
				digest_set_env(a.ranks.v[0], span_of(keys[k]), span_of(rows[i].a[k]));
			if (rows[i].b[k])
				digest_set_env(b.ranks.v[0], span_of(keys[k]), span_of(rows[i].b[k]));
		}
		assert_int_equal(environment_together(&a, &b), rows[i].together);
		assert_int_equal(environment_together(&b, &a), rows[i].together);
		run_release(&a);
		run_release(&b);
	}
}

static struct run run_of_figure(int64_t value, int64_t samples, int64_t spread)
{
	struct run run = run_of(10);
	vec_push(&run.ranks.v[0]->inputs,
	         (struct input_stat){
	             .name = "other", .value = 1, .samples = 9, .spread_share = 9000000000 });
	vec_push(&run.ranks.v[0]->inputs,
	         (struct input_stat){
	             .name = "speed",
	             .value = value,
	             .samples = samples,
	             .spread_share = value ? input_spread((double)spread / fabs((double)value)) : -1 });
	return run;
}

/* The expected variance is the mean of π/2 · (spread / value)² / samples over the runs that have
 * samples. */
static void test_samples(void **state)
{
	(void)state;
	static const struct {
		/* value, number of samples and spread of each run */
		int64_t base[3], candidate[3], control[3];
		double variance; /* expected variance divided by π/2 */
	} rows[] = {
		{ { 1000, 4, 20 }, { 1000, 4, 20 }, { 1000, 4, 20 }, 1e-4 },
		{ { 1000, 4, 20 }, { 1000, 4, 40 }, { -1000, 2, 20 }, (1e-4 + 4e-4 + 2e-4) / 3 },
		{ { 1000, 4, 20 }, { 1000, 1, 40 }, { 1000, 4, 0 }, 1e-4 },
		{ { 0, 4, 20 }, { 1000, 2, 20 }, { 1000, 4, -1 }, 2e-4 },
		{ { 0, 4, 20 }, { 1000, 1, 20 }, { 1000, 4, -1 }, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct arena a = ARENA_INIT;
		struct bench b;
		fixture_categories(&categories);
		struct run base = run_of_figure(rows[i].base[0], rows[i].base[1], rows[i].base[2]);
		struct run candidate =
		    run_of_figure(rows[i].candidate[0], rows[i].candidate[1], rows[i].candidate[2]);
		struct run control =
		    run_of_figure(rows[i].control[0], rows[i].control[1], rows[i].control[2]);
		bench_init(&b,
		           &(struct bench_runs){ .baseline = &base,
		                                 .candidates = &candidate,
		                                 .nr_candidates = 1,
		                                 .controls = &control,
		                                 .nr_controls = 1 },
		           (struct naming){ .categories = &categories });
		const struct metric *any = &metric_table[METRIC_INPUT],
		                    *own = metric_of_input(SPAN("speed"), &a);
		double want = rows[i].variance * acos(0);
		assert_near(noise_of_samples(&b, any, SPAN("speed")), want, 1e-15);
		assert_near(noise_of_samples(&b, own, SPAN("")), want, 1e-15);
		assert_near(noise_of_samples(&b, any, SPAN("spee")), 0, 0);
		assert_near(noise_of_samples(&b, &metric_table[METRIC_STEP_TIME], SPAN("speed")), 0, 0);
		bench_release(&b);
		run_release(&base);
		run_release(&candidate);
		run_release(&control);
		category_table_release(&categories);
		arena_release(&a);
	}
}

/* The variance of a pair's difference is at least twice the one that follows from the samples
 * within a run. */
static void test_samples_of_pairs(void **state)
{
	(void)state;
	struct category_table categories;
	struct rules rules = fixture_rules();
	struct bench b;
	struct noise_model m;
	struct entries entries;
	fixture_categories(&categories);
	struct run base = run_of_figure(1000, 4, 0), candidates[2], controls[2];
	for (int i = 0; i < 2; i++) {
		candidates[i] = run_of_figure(1000, 4, 800);
		controls[i] = run_of_figure(1000, 4, 800);
	}
	bench_init(&b,
	           &(struct bench_runs){ .baseline = &base,
	                                 .candidates = candidates,
	                                 .nr_candidates = 2,
	                                 .controls = controls,
	                                 .nr_controls = 2 },
	           (struct naming){ .categories = &categories });
	noise_model_init(&m, &b, &rules);
	const struct metric *any = &metric_table[METRIC_INPUT];
	bench_query(&b, &(struct query){ .metric = any }, &entries);
	const struct entry *e = &entries.list.v[1];
	assert_true(span_eq(e->label, SPAN("speed")));
	struct estimate x = noise_estimate(&m, e, any, false);
	assert_near(x.pair, 2 * noise_of_samples(&b, any, e->label), 1e-15);
	assert_near(x.se * x.se, x.pair / 2, 1e-12);
	vec_release(&entries.list);
	noise_model_release(&m);
	bench_release(&b);
	run_release(&base);
	for (int i = 0; i < 2; i++) {
		run_release(&candidates[i]);
		run_release(&controls[i]);
	}
	rules_release(&rules);
	category_table_release(&categories);
}

/* Values at the ends of int64, and no values at all, give valid figures. */
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
			const struct cell cells[] = { { true, ends[i], 0, false },
				                          { true, ends[k], 0, false } };
			e.cells = cells;
			s.c.baseline = ends[i];
			s.c.candidate = ends[k];
			vec_release(&s.out.runs);
			noise_evidence(&s.model, &e, &s.c, &s.arena, &s.out);
			assert_true(s.out.false_alarms >= 0 && s.out.false_alarms <= 1000000);
			assert_true(s.out.noise >= 0);
			end(&s);
		}
}

/* A share of steps is as uncertain as a drawn one: the share of all runs of main, as far as these
   are many, and the number of steps of the candidate. */
static void test_share(void **state)
{
	(void)state;
	struct run run = run_of(100); /* of STEPS steps */
	struct run_view view = { .run = &run };
	struct past_run past[] = { { .steps = 38 }, { .steps = 60 }, { .steps = 1 } };
	struct bench_column columns[] = { { .source = SOURCE_PIN, .past = &past[0] },
		                              { .source = SOURCE_CONTROL, .past = &past[1] },
		                              { .source = SOURCE_SINGLE, .past = &past[2] },
		                              { .source = SOURCE_CANDIDATE } };
	struct cell cells[] = { { true, PERCENT(10), 0, true },
		                    { true, PERCENT(5), 0, true },
		                    { true, PERCENT(90), 0, false },
		                    { true, PERCENT(90), 0, false } };
	const struct bench b = { .view = &view, .columns = columns, .nr_columns = NR_OF(columns) };
	const struct entry e = { .cells = cells };
	const struct metric *m = &metric_table[METRIC_SLOW_STEPS_PCT];
	const double share = (1 + 3.8 + 3) / 100;
	assert_near(noise_of_share(&b, &e, m), share * (1 - share) / STEPS, 1e-12);
	cells[3].has = false;
	assert_near(noise_of_share(&b, &e, m), share * (1 - share), 1e-12);
	cells[2].has = false;
	assert_near(noise_of_share(&b, &e, m), 0, 0);
	cells[3].has = true;
	cells[0].has = cells[1].has = false;
	assert_near(noise_of_share(&b, &e, m), 0.25 / STEPS, 1e-12);
	assert_near(noise_of_share(&b, &e, &metric_table[METRIC_STEP_TIME]), 0, 0);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_center),
		cmocka_unit_test(test_variance),
		cmocka_unit_test(test_student),
		cmocka_unit_test(test_prior),
		cmocka_unit_test(test_mann_whitney_pairs),
		cmocka_unit_test(test_mann_whitney),
		cmocka_unit_test(test_ten_runs),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_few_runs),
		cmocka_unit_test(test_no_noise),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_k),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_samples_of_pairs),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
