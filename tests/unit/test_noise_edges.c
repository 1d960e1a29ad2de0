/* What a rule's limits mean for a figure: the smallest change that fails, the values next to it
   that fail, and how often noise alone would fail. */
#include <math.h>

#include "gate/noise.h"
#include "gate/noise_math.h"
#include "limits_rig.h"
#include "noise_rig.h"

static const int64_t one[] = { 10400, 0 }, none[] = { 0 };

/* Makes the evidence again, with other values of the two sides and the pin; -1: absent. */
static void again(struct stage *s, int64_t base, int64_t candidate, int64_t pin, int64_t step)
{
	s->model.alpha[FAMILY_MACHINE] = 0.001;
	s->c.baseline = base;
	s->c.candidate = candidate;
	s->c.has_pin = pin >= 0;
	s->c.pin = pin;
	s->c.has_step = step >= 0;
	s->c.step_ns = step;
	vec_release(&s->out.runs);
	noise_evidence(&s->model, &s->entries.list.v[0], &s->c, &s->arena, &s->out);
}

/* Without noise, the smallest change that fails, and the values that fail, follow from the limits.
 */
static void test_limits(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		int64_t base, pin, step;
		int64_t detectable, limit[2]; ///< smallest failing change; low and high limit; -1: absent
	} rows[] = {
		{ "i5%", 1000, 800, -1, 51, { -1, 1050 } },
		{ "i5", 1000, 800, -1, 6, { -1, 1005 } },
		{ "d5%", 1000, 800, -1, 51, { 950, -1 } },
		{ "d5", 1000, 800, -1, 6, { 995, -1 } },
		{ "c5%", 1000, 800, -1, 51, { 950, 1050 } },
		{ "i5% &20", 1000, 800, -1, 51, { -1, 1050 } },
		{ "i5% &70", 1000, 800, -1, 71, { -1, 1070 } },
		{ "d5% &70", 1000, 800, -1, 71, { 930, -1 } },
		{ "c5% &70", 1000, 800, -1, 51, { 950, 1050 } },
		{ "i5 &70", 1000, 800, -1, 6, { -1, 1005 } },
		{ "i5% &s1%", 1000, 800, 10000, 101, { -1, 1100 } },
		{ "i5% &s1%", 1000, 800, 1000, 51, { -1, 1050 } },
		{ "i5% &s1%", 1000, 800, -1, -1, { -1, -1 } },
		{ "i5 &s1%", 1000, 800, -1, 6, { -1, 1005 } },
		{ "M1200", 1000, 800, -1, -1, { -1, 1200 } },
		{ "m900", 1000, 800, -1, -1, { 900, -1 } },
		{ "m900 M1200", 1000, 800, -1, -1, { 900, 1200 } },
		{ "p5%", 1000, 800, -1, 41, { -1, 840 } },
		{ "p5% M1200", 1000, 800, -1, 41, { -1, 840 } },
		{ "p5%", 1000, -1, -1, -1, { -1, -1 } },
		{ "i5% p5%", 1000, 800, -1, 51, { -1, 840 } },
		{ "i5% p5%", 1000, 1100, -1, 51, { -1, 1050 } },
		{ "i5% p50%", 1000, -1, -1, 51, { -1, 1050 } },
		{ "i5% i3%", 1000, 800, -1, 31, { -1, 1030 } },
		{ "i3% i5%", 1000, 800, -1, 31, { -1, 1030 } },
		{ "d5% d3%", 1000, 800, -1, 31, { 970, -1 } },
		{ "d3% d5%", 1000, 800, -1, 31, { 970, -1 } },
		{ "i5% M1020", 1000, 800, -1, 51, { -1, 1020 } },
		{ "d5% m980", 1000, 800, -1, 51, { 980, -1 } },
		{ "c5% i3% d4%", 1000, 800, -1, 31, { 960, 1030 } },
		{ "i0%", 1000, 800, -1, 1, { -1, 1000 } },
		{ "i5%", 0, 800, -1, -1, { -1, -1 } },
		{ "i0%", 0, 800, -1, 1, { -1, 0 } },
		{ "i5% &20", 0, 800, -1, 21, { -1, 20 } },
		{ "i5", 0, 800, -1, 6, { -1, 5 } },
		{ "i5%", -1000, 800, -1, 51, { -1, -950 } },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, rule_of(METRIC_STEP_KERNEL_COUNT, rows[i].fail, ""), 10000, none, one);
		again(&s, rows[i].base, 1000, rows[i].pin, rows[i].step);
		assert_false(s.out.has_noise || s.out.has_false_alarms);
		if ((s.out.has_detectable ? s.out.detectable : -1) != rows[i].detectable)
			fail_msg("row %zu, %s: detectable %lld", i, rows[i].fail, (long long)s.out.detectable);
		for (int k = 0; k < 2; k++)
			if ((s.out.has_limit[k] ? s.out.limit[k] : -1) != rows[i].limit[k])
				fail_msg("row %zu, %s: limit[%d] %lld", i, rows[i].fail, k,
				         (long long)s.out.limit[k]);
		end(&s);
	}
}

/* Text of the smallest change that fails, also in percent of the baseline if that is above 0. */
static void test_detectable_text(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		const char *fail;
		int64_t base;
		const char *text;
	} rows[] = {
		{ METRIC_STEP_KERNEL_COUNT, "i5%", 1000, "51 (5.10 %)" },
		{ METRIC_STEP_KERNEL_COUNT, "i5", 1, "6 (600.00 %)" },
		{ METRIC_STEP_KERNEL_COUNT, "i5", 0, "6" },
		{ METRIC_STEP_KERNEL_COUNT, "i5", -100, "6" },
		{ METRIC_STEP_KERNEL_COUNT, "M5", 100, "" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct stage s;
		begin(&s, rule_of(rows[i].metric, rows[i].fail, ""), 10000, none, one);
		again(&s, rows[i].base, 1000, -1, -1);
		assert_string_equal(s.out.detectable_text, rows[i].text);
		end(&s);
	}
}

/* What is shown as the smallest change that fails is where the verdict turns, upwards and, for
   figures that should be high, downwards. */
static void test_border(void **state)
{
	(void)state;
	static const int64_t few[] = { 10900, 9200, 0 };
	static const int64_t *const pasts[] = { none, few };
	enum { BASE = 10000 }; /* in µs */
	for (size_t i = 0; i < 2 * NR_OF(pasts); i++) {
		bool down = i % 2;
		int64_t far = 0;
		for (int step = 0; step < 3; step++) { /* the border, a change below it, one above it */
			struct stage s;
			int64_t by = step == 0 ? BASE / 10 : far / 1000 + (step == 1 ? -1 : 1);
			const int64_t candidate[] = { BASE + (down ? -by : by), 0 };
			struct rule rule = rule_of(METRIC_STEP_COMPUTE_TIME, down ? "d1%" : "i1%", "");
			rule.worse = down ? WORSE_DOWN : WORSE_UP;
			begin(&s, rule, BASE, pasts[i / 2], candidate);
			far = s.out.detectable;
			assert_true(far > BASE * 10 && s.out.noise < far);
			if (step)
				assert_int_equal(compare(&s.c).verdict,
				                 step == 1 ? VERDICT_UNDECIDED : VERDICT_FAIL);
			end(&s);
		}
	}
}

/* ---- how often noise alone would fail ---- */

/* Probability that noise alone moves a figure by more than `far`, a difference of logarithms. */
static double odds(const struct estimate *x, double far)
{
	return student_tail(far / x->se, x->df);
}

static double sure_from(const struct stage *s, const struct estimate *x)
{
	return student_quantile(s->model.alpha[FAMILY_MACHINE], x->df) * x->se;
}

/* How often noise breaks a limit: for `max` and `min`, noise beyond the limit is enough; for a
   limit on a change, the noise must also be so large that the change counts as sure. */
static void test_odds(void **state)
{
	(void)state;
	static const int64_t ten[] = { 10200, 9800,  10100, 9900, 10300, 9700,
		                           10000, 10000, 10150, 9850, 0 };
	static const char *const limits[] = {
		"i5%",  "d5%",      "c5%",      "M11000000", "m9000000",  "i1%",           "i500000",
		"i20%", "i1% i20%", "i20% c1%", "M9000000",  "m11000000", "i20% m9000000", "d20%",
		"d99%", "d100%",    "m0",       "M0",        "M-1",       "i5 &s5%"
	};
	for (size_t i = 0; i < NR_OF(limits); i++) {
		struct stage s;
		begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, limits[i], ""), 10000, ten, one);
		again(&s, 10000000, 10400000, -1, -1);
		struct estimate x = noise_estimate(&s.model, &s.entries.list.v[0], s.c.rule->metric, false);
		assert_true(x.known && s.out.has_noise && s.out.has_false_alarms);
		double sure = sure_from(&s, &x), most = 0;
		for (size_t k = 0; k < s.c.rule->fail.list.nr; k++) {
			const struct limit *l = &s.c.rule->fail.list.v[k];
			double share = l->relative ? (double)l->value / 1e8 : (double)l->value / 1e7;
			double p;
			switch (l->condition) {
			case COND_MAX:
				p = odds(&x, share > 0 ? log(share) : -INFINITY); /* any value is beyond it */
				break;
			case COND_MIN:
				p = odds(&x, -log(share));
				break;
			case COND_DECREASE:
				p = odds(&x, fmax(-log1p(-share), sure));
				break;
			case COND_CHANGE:
				p = 2 * odds(&x, fmax(log1p(share), sure));
				break;
			default:
				p = odds(&x, fmax(log1p(share), sure));
			}
			most = fmax(most, p);
		}
		if (s.out.false_alarms != llround(1e6 * fmin(most, 1)))
			fail_msg("%s: %lld instead of %g", limits[i], (long long)s.out.false_alarms,
			         1e6 * most);
		/* the noise that is shown is the smallest sure change, whatever the limits are */
		int64_t noise = llround(10000000 * expm1(sure));
		assert_in_range(s.out.noise, noise - 1, noise + 1);
		end(&s);
	}
}

/* A kernel whose operator is judged has no false alarms of its own; a rule without fail limits has
   none at all, and nobody knows them before five runs. */
static void test_no_odds(void **state)
{
	(void)state;
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "", "i5%"), 10000, none, one);
	again(&s, 10000000, 10400000, -1, -1);
	assert_true(s.out.has_noise && !s.out.has_false_alarms && !s.out.has_detectable);
	end(&s);
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "i5%", ""), 10000, none, one);
	assert_true(s.out.has_noise && !s.out.has_false_alarms && s.out.has_detectable);
	end(&s);
	/* limits that cannot be computed are never broken: of a run or a step that is not known */
	static const int64_t six[] = { 10100, 9900, 10050, 10000, 9950, 10020, 0 };
	static const char *const unknown[] = { "p1%", "i1% &s1%" };
	for (size_t i = 0; i < NR_OF(unknown); i++) {
		begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, unknown[i], ""), 10000, six, one);
		again(&s, 10000000, 10400000, 10000000, 10000000);
		assert_true(s.out.has_false_alarms && s.out.false_alarms > 0);
		again(&s, 10000000, 10400000, -1, -1);
		assert_true(s.out.has_false_alarms);
		assert_int_equal(s.out.false_alarms, 0);
		end(&s);
	}
	static const int64_t four[] = { 10100, 9900, 10050, 10000, 0 };
	for (int past = 4; past <= 5; past++) {
		begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "i5%", ""), 10000, four + 5 - past, one);
		assert_int_equal(s.out.past_runs, past);
		assert_int_equal(s.out.has_false_alarms, past == 5);
		end(&s);
	}
}

/* ---- how many runs would decide ---- */

/* The plan by its definition: how many further runs (the candidate then has at most twelve) or how
   many pairs of runs (at most twelve) would make the same change sure. Further runs are chosen if
   they are at most four, or not more than the pairs. */
static void plan_of(const struct stage *s, const struct estimate *x, int64_t has, int64_t out[2])
{
	double alpha = s->model.alpha[FAMILY_MACHINE];
	int64_t runs = has, pairs = 1;
	for (; runs <= 12; runs++) {
		double of_center = x->shared + (1 - x->shared) * noise_center_variance((size_t)runs);
		double se = sqrt(x->variance * (of_center + x->baseline));
		if (fabs(x->own) > student_quantile(alpha, x->df) * se)
			break;
	}
	for (; pairs <= 12; pairs++)
		if (fabs(x->own) >
		    student_quantile(alpha, x->df + (double)pairs) * sqrt(x->pair / (double)pairs))
			break;
	bool by_runs = runs > has && runs <= 12 && (runs - has <= 4 || runs - has <= pairs);
	out[0] = by_runs ? runs - has : 0;
	out[1] = by_runs || pairs > 12 ? 0 : pairs;
}

static void test_plans(void **state)
{
	(void)state;
	static const int64_t three[] = { 10200, 9800, 10100, 0 };
	size_t seen[2] = { 0 }; /* number of plans that ask for runs, and for pairs */
	for (int64_t us = 10110; us < 11500; us += 7)
		for (int repeats = 1; repeats <= 2; repeats++) {
			const int64_t candidates[] = { us, repeats > 1 ? us : 0, 0 };
			struct stage s;
			begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "i1%", ""), 10000, us % 2 ? none : three,
			      candidates);
			struct estimate x =
			    noise_estimate(&s.model, &s.entries.list.v[0], s.c.rule->metric, false);
			int64_t want[2] = { 0, 0 };
			if (compare(&s.c).reason == REASON_NOISE)
				plan_of(&s, &x, repeats, want);
			if (s.out.more_runs != want[0] || s.out.more_pairs != want[1])
				fail_msg("%lld, %d: %lld runs, %lld pairs", (long long)us, repeats,
				         (long long)s.out.more_runs, (long long)s.out.more_pairs);
			if (compare(&s.c).reason == REASON_NOISE)
				seen[want[0] == 0]++;
			end(&s);
		}
	assert_true(seen[0] > 1 && seen[1] > 5);
}

/* The spread of runs is told in percent of the figure, and in its unit if that is 0. */
static void test_spread_of_nothing(void **state)
{
	(void)state;
	struct stage s;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "i1%", ""), 10000, none, one);
	assert_non_null(strstr(s.out.text, "runs spread by 2.02 % ("));
	again(&s, 0, 10400, -1, -1);
	assert_non_null(strstr(s.out.text, "runs spread by 0 ns ("));
	end(&s);
}

/* ---- samples of steps, combined over several ranks ---- */

/* A run of ranks, each with samples of its steps in µs, ended by 0. */
static struct run run_of_ranks(const int64_t us[2][8])
{
	struct run run = { .label = "run" };
	for (int64_t r = 0; r < 2 && us[r][0]; r++) {
		size_t nr = 0;
		while (us[r][nr])
			nr++;
		const struct activity a = { EVENT_KERNEL, "gemm", 7, 7000 };
		struct digest *d = fixture_digest(nr, &a, 1);
		d->rank = r;
		for (size_t i = 0; i < nr; i++)
			d->samples[METRIC_STEP_COMPUTE_TIME][i] = 1000 * us[r][i];
		vec_push(&run.ranks, d);
	}
	return run;
}

/* The samples of a side are its steps, in each of which the ranks' values are reduced as the rule
   says. Each side needs five steps, and its ranks must have equally many. */
static void test_steps_of_ranks(void **state)
{
	(void)state;
	static const struct {
		int64_t us[2][8];
		enum reduce reduce;
		const char *rank; ///< glob; NULL: all
		int64_t of_rank; ///< rank of the entry that is looked at; -1: the entry of all ranks
		                 ///< together
		int64_t steps, median; ///< the candidate's number of steps and their median in ns; 0: too
		                       ///< few steps
	} rows[] = {
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_MAX, NULL, -1, 5, 7000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_MIN, NULL, -1, 5, 3000 },
		{ { { 1, 2, 30, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_MEAN, NULL, -1, 5, 5000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_MAX, "0", -1, 5, 3000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_MAX, "1", -1, 5, 7000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_EACH, NULL, 0, 5, 3000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6, 5 } }, REDUCE_EACH, NULL, 1, 5, 7000 },
		{ { { 1, 2, 3, 4, 5 }, { 9, 8, 7, 6 } }, REDUCE_MAX, NULL, -1, 0, 0 },
		{ { { 1, 2, 3, 4 }, { 9, 8, 7, 6 } }, REDUCE_MAX, NULL, -1, 0, 0 },
		{ { { 1, 2, 3, 4, 5 } }, REDUCE_MAX, NULL, -1, 5, 3000 },
		{ { { 1, 2, 3, 4, 5, 6 }, { 9, 8, 7, 6, 5, 4 } }, REDUCE_MAX, NULL, -1, 6, 6500 },
	};
	static const int64_t base_us[2][8] = { { 1, 1, 1, 1, 1, 1 }, { 2, 2, 2, 2, 2, 2 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct run base = run_of_ranks(base_us), candidate = run_of_ranks(rows[i].us);
		struct bench bench;
		struct evidence out = { 0 };
		fixture_categories(&categories);
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &base, .candidates = &candidate, .nr_candidates = 1 },
		    (struct naming){ .categories = &categories });
		struct query q = { .metric = &metric_table[METRIC_STEP_COMPUTE_TIME],
			               .reduce = rows[i].reduce,
			               .rank = rows[i].rank };
		struct entry e = { .label = SPAN(""), .rank = rows[i].of_rank };
		noise_steps(&bench, &e, &q, &out);
		if (out.has_steps != (rows[i].steps > 0) || out.steps[SIDE_CANDIDATE] != rows[i].steps ||
		    out.median[SIDE_CANDIDATE] != rows[i].median)
			fail_msg("row %zu: %lld of %lld", i, (long long)out.steps[SIDE_CANDIDATE],
			         (long long)out.median[SIDE_CANDIDATE]);
		bench_release(&bench);
		run_release(&base);
		run_release(&candidate);
		category_table_release(&categories);
	}
}

/* ---- runs made one after the other ---- */

/* Asks for the values again with another number of runs that make the approved run superfluous. */
static void query_with(struct stage *s, int64_t min_runs)
{
	s->bench.min_runs = min_runs;
	vec_release(&s->entries.list);
	bench_query(&s->bench, &s->c.rule->query, &s->entries);
}

/* All runs of one group count as a single run, whose value is their mean. A run without a group
   counts by itself. */
static void test_groups(void **state)
{
	(void)state;
	static const int64_t grouped[] = { 10000, 10000, 10300, 10300, 9700, 9900, 0 },
	                     single[] = { 10000, 10300, 9700, 9900, 0 };
	static const char *const names[] = { "g", "g", "h", "h", "i", NULL };
	struct stage s, t;
	begin(&s, rule_of(METRIC_STEP_COMPUTE_TIME, "i5%", ""), 10000, grouped, one);
	begin(&t, rule_of(METRIC_STEP_COMPUTE_TIME, "i5%", ""), 10000, single, one);
	for (size_t i = 0; i < NR_OF(names); i++)
		s.history.runs.v[i].together = names[i];
	/* the history has fewer than `min_runs` runs, so the approved run is in the reference, too */
	query_with(&s, 100);
	query_with(&t, 100);
	struct estimate x = noise_estimate(&s.model, &s.entries.list.v[0], s.c.rule->metric, false);
	struct estimate y = noise_estimate(&t.model, &t.entries.list.v[0], t.c.rule->metric, false);
	assert_true(x.known && x.df == y.df);
	assert_true(fabs(x.by - y.by) < 1e-12 && fabs(x.baseline - y.baseline) < 1e-12);
	end(&s);
	end(&t);
}

static struct run run_of_two(int64_t gemm_us, int64_t elem_us)
{
	const struct activity a[] = { { EVENT_KERNEL, "gemm", STEPS, STEPS * gemm_us * 1000 },
		                          { EVENT_KERNEL, "elem", STEPS, STEPS * elem_us * 1000 } };
	return fixture_run(fixture_digest(STEPS, a, 2));
}

/* The variance of operators is estimated from past runs if there are three or more (the approved
   run included), which leave two degrees of freedom. With fewer, it is estimated from today's two
   sides and an assumption. */
static void test_enough_runs(void **state)
{
	(void)state;
	double df[5];
	for (size_t past = 0; past < NR_OF(df); past++) {
		struct category_table categories;
		struct rules rules = fixture_rules();
		struct arena a = ARENA_INIT;
		struct history history = { VEC_INIT };
		struct noise_model m;
		struct bench bench;
		struct run base = run_of_two(9000, 3000), candidate = run_of_two(9100, 2900),
		           runs[NR_OF(df)];
		fixture_categories(&categories);
		for (size_t i = 0; i < past; i++) {
			runs[i] = run_of_two(9000 + 40 * (int64_t)i, 3000 - 30 * (int64_t)i);
			past_run_of(&rules, (struct naming){ .categories = &categories }, &runs[i], &a,
			            vec_push_zero(&history.runs));
			history.runs.v[i].source_hash = 1000 + i;
		}
		bench_init(&bench,
		           &(struct bench_runs){ .baseline = &base,
		                                 .recent = &history,
		                                 .candidates = &candidate,
		                                 .nr_candidates = 1 },
		           (struct naming){ .categories = &categories });
		noise_model_init(&m, &bench, &rules);
		assert_int_equal(m.units.list.nr, 2);
		df[past] = m.own.df;
		noise_model_release(&m);
		bench_release(&bench);
		run_release(&base);
		run_release(&candidate);
		for (size_t i = 0; i < past; i++)
			run_release(&runs[i]);
		history_release(&history);
		rules_release(&rules);
		category_table_release(&categories);
		arena_release(&a);
	}
	assert_true(df[0] == df[1] && df[1] != df[2]);
}

/* The speed of the machine in a run is known if the run has at least half of the operators or
   categories. */
static void test_speed_of_a_run(void **state)
{
	(void)state;
	static const struct {
		int64_t past_us[4]; /* of GEMM, elementwise and two other kernels; 0: not in the past run */
		bool known;
	} rows[] = {
		{ { 20, 20, 20, 20 }, true },
		{ { 20, 20, 0, 0 }, true },
		{ { 20, 0, 0, 0 }, false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct activity a[] = { { EVENT_KERNEL, "gemm", STEPS, STEPS * 10000 },
			                    { EVENT_KERNEL, "elem", STEPS, STEPS * 10000 },
			                    { EVENT_KERNEL, "norm", STEPS, STEPS * 10000 },
			                    { EVENT_KERNEL, "soft", STEPS, STEPS * 10000 } },
		                past[NR_OF(a)];
		struct stage s = { .arena = ARENA_INIT, .rules = fixture_rules() };
		size_t nr = 0;
		fixture_categories(&s.categories);
		for (size_t k = 2; k < 4; k++) {
			struct category *c = vec_push_zero(&s.categories.rows);
			*c = (struct category){ .name = a[k].name, .cls = CLASS_COMPUTE };
			vec_push(&c->match, span_of(a[k].name));
		}
		for (size_t k = 0; k < NR_OF(a); k++)
			if (rows[i].past_us[k]) {
				past[nr] = a[k];
				past[nr++].total_ns = STEPS * rows[i].past_us[k] * 1000;
			}
		s.pin = fixture_run(fixture_digest(STEPS, a, NR_OF(a)));
		s.candidate[0] = fixture_run(fixture_digest(STEPS, a, NR_OF(a)));
		s.past[0] = fixture_run(fixture_digest(STEPS, past, nr));
		past_run_of(&s.rules, (struct naming){ .categories = &s.categories }, &s.past[0], &s.arena,
		            vec_push_zero(&s.history.runs));
		bench_init(&s.bench,
		           &(struct bench_runs){ .baseline = &s.pin,
		                                 .recent = &s.history,
		                                 .candidates = s.candidate,
		                                 .nr_candidates = 1 },
		           (struct naming){ .categories = &s.categories });
		noise_model_init(&s.model, &s.bench, &s.rules);
		assert_int_equal(s.model.units.list.nr, 4);
		assert_int_equal(s.bench.columns[1].source, SOURCE_RECENT);
		if (isnan(s.model.machine[1]) == rows[i].known)
			fail_msg("row %zu: %g", i, s.model.machine[1]);
		end(&s);
	}
}

/* The share of the machine's noise that repeats have in common: all of it if they ran on one host,
   nothing if each had a host of its own, a part if some shared a host or hosts are unknown. */
static void test_shared(void **state)
{
	(void)state;
	static const struct {
		const char *hosts[3];
		double shared;
	} rows[] = {
		{ { "h", "h", "h" }, 1 },     { { "h", "i", "j" }, 0 },    { { "h", "i", "h" }, 0.3 },
		{ { "h", NULL, "h" }, 0.3 },  { { "h", NULL, "i" }, 0.3 }, { { NULL, NULL, NULL }, 0.3 },
		{ { "h", NULL, NULL }, 0.3 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct rules rules = fixture_rules();
		struct noise_model m;
		struct bench bench;
		struct run base = run_of(10), candidates[3] = { run_of(10), run_of(11), run_of(12) };
		fixture_categories(&categories);
		for (size_t k = 0; k < 3; k++)
			if (rows[i].hosts[k])
				digest_set_env(candidates[k].ranks.v[0], SPAN("host"), span_of(rows[i].hosts[k]));
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &base, .candidates = candidates, .nr_candidates = 3 },
		    (struct naming){ .categories = &categories });
		noise_model_init(&m, &bench, &rules);
		if (fabs(m.shared - rows[i].shared) > 1e-12)
			fail_msg("row %zu: %g", i, m.shared);
		noise_model_release(&m);
		bench_release(&bench);
		run_release(&base);
		for (size_t k = 0; k < 3; k++)
			run_release(&candidates[k]);
		rules_release(&rules);
		category_table_release(&categories);
	}
}

/* ---- the number of checks that noise alone would fail, over all checks ---- */

static void test_summary(void **state)
{
	(void)state;
	static const struct {
		int64_t of[2]; ///< false alarms of two checks, in millionths; -1: not known
		const char *text; ///< expected sentence; NULL if none is written
	} rows[] = {
		{ { -1, -1 }, NULL },
		{ { 0, -1 }, "in 1,000 runs of unchanged code fewer than 0.01 checks would fail" },
		{ { 4, -1 }, "in 1,000 runs of unchanged code fewer than 0.01 checks would fail" },
		{ { 5, -1 }, "in 1,000 runs of unchanged code about 0.01 checks would fail" },
		{ { -1, 14 }, "in 1,000 runs of unchanged code about 0.01 checks would fail" },
		{ { 10, 5 }, "in 1,000 runs of unchanged code about 0.02 checks would fail" },
		{ { 1000, 1000 }, "in 1,000 runs of unchanged code about 2 checks would fail" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		report_init(&r);
		for (int k = 0; k < 2; k++) {
			struct check *c = vec_push_zero(&r.checks);
			c->evidence.has_false_alarms = rows[i].of[k] >= 0;
			c->evidence.false_alarms = rows[i].of[k] >= 0 ? rows[i].of[k] : 0;
		}
		noise_summary(&r);
		assert_int_equal(r.has_false_alarms, rows[i].text != NULL);
		if (rows[i].text)
			assert_string_equal(r.false_alarms_text, rows[i].text);
		report_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),         cmocka_unit_test(test_detectable_text),
		cmocka_unit_test(test_border),         cmocka_unit_test(test_odds),
		cmocka_unit_test(test_no_odds),        cmocka_unit_test(test_summary),
		cmocka_unit_test(test_steps_of_ranks), cmocka_unit_test(test_plans),
		cmocka_unit_test(test_enough_runs),    cmocka_unit_test(test_groups),
		cmocka_unit_test(test_shared),         cmocka_unit_test(test_spread_of_nothing),
		cmocka_unit_test(test_speed_of_a_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
