/* Checks on figures of result files, whose direction and unit each file tells. */
#include "judge_rig.h"

static void add_figure(struct digest *d, const char *name, int64_t value, const char *unit,
                       const char *better)
{
	vec_push(&d->inputs, (struct input_stat){ .name = name,
	                                          .value = value,
	                                          .unit = unit,
	                                          .better = better,
	                                          .spread = -1,
	                                          .micro = INPUT_EXACT });
}

static struct rule *add_file_rule(struct bench_of_two *s, enum condition condition)
{
	struct rule *r = add_rule(s, "own", METRIC_INPUT);
	fixture_limit(&r->fail, condition, true, PERCENT(5), "5%");
	r->worse = WORSE_EITHER;
	r->noise.k = 0;
	return r;
}

static void assert_checks(size_t row, const struct report *r, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < r->checks.nr; i++)
		strbuf_addf(&b, "%s%s %s", i ? ", " : "", r->checks.v[i].id,
		            verdict_names[r->checks.v[i].verdict]);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("row %zu: '%s'", row, strbuf_str(&b));
	strbuf_release(&b);
}

/* 'worse' checks only figures for which a direction is better; a warning names the others. If no
 * figure has one, the rule is skipped. */
static void test_worse(void **state)
{
	(void)state;
	static const struct {
		const char *better[2]; ///< direction that is better for figures "a" and "b", which rise by
		                       ///< 10 %; NULL: not given
		enum condition condition;
		const char *checks;
		size_t warnings;
	} rows[] = {
		{ { "lower", "higher" }, COND_WORSE, "own[a] fail, own[b] improved", 0 },
		{ { "higher", NULL }, COND_WORSE, "own[a] improved", 1 },
		{ { NULL, "lower" }, COND_WORSE, "own[b] fail", 1 },
		{ { NULL, NULL }, COND_WORSE, "own skipped", 1 },
		{ { NULL, NULL }, COND_INCREASE, "own[a] fail, own[b] fail", 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_file_rule(&s, rows[i].condition);
		for (int side = 0; side < 2; side++)
			for (int k = 0; k < 2; k++)
				add_figure(side ? s.c : s.b, k ? "b" : "a", side ? 110 : 100, NULL,
				           rows[i].better[k]);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_checks(i, &s.report, rows[i].checks);
		assert_int_equal(s.report.warnings.nr, rows[i].warnings);
		if (rows[i].warnings)
			assert_non_null(strstr(s.report.warnings.v[0], "as no better direction is given"));
		release(&s);
	}
}

/* The warning names up to three figures without a direction, and proposes a rule for the first one
 * for which a direction is better at all: neither is for a spread. All are listed in a note. */
static void test_unjudged(void **state)
{
	(void)state;
	static const struct {
		const char *names[6];
		const char *warning, *note; ///< NULL: none
	} rows[] = {
		{ { "a" },
		  "not judged, as no better direction is given: a; a rule that gives it: - {id: own, "
		  "metric: input.a, better: lower or higher, fail: {worse: 10%}}",
		  "figures that are not judged: a" },
		{ { "a", "b", "c" },
		  "not judged, as no better direction is given: a, b, c; a rule that gives it: - {id: own, "
		  "metric: input.a, better: lower or higher, fail: {worse: 10%}}",
		  "figures that are not judged: a, b, c" },
		{ { "a", "b", "c", "d", "e" },
		  "not judged, as no better direction is given: a, b, c and 2 more; a rule that gives it: "
		  "- "
		  "{id: own, metric: input.a, better: lower or higher, fail: {worse: 10%}}",
		  "figures that are not judged: a, b, c, d, e" },
		{ { "a.count", "a.n", "b" },
		  "not judged, as no better direction is given: b; a rule that gives it: - {id: own, "
		  "metric: input.b, better: lower or higher, fail: {worse: 10%}}",
		  "figures that are not judged: a.count, a.n, b" },
		{ { "a.count" }, NULL, "figures that are not judged: a.count" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		add_file_rule(&s, COND_WORSE);
		for (int side = 0; side < 2; side++) {
			for (int k = 0; rows[i].names[k]; k++)
				add_figure(side ? s.c : s.b, rows[i].names[k], 100, NULL, NULL);
			add_figure(side ? s.c : s.b, "z", 100, NULL, "lower");
		}
		assert_int_equal(run_judge(&s), ST_OK);
		const char *warning = s.report.warnings.nr ? s.report.warnings.v[0] : NULL;
		const struct span *note = &s.report.candidate.notes.v[s.report.candidate.notes.nr - 1];
		if (!warning != !rows[i].warning || (warning && strcmp(warning, rows[i].warning) != 0) ||
		    strncmp(note->p, rows[i].note, note->n) != 0 || note->n != strlen(rows[i].note))
			fail_msg("row %zu: '%s' '%.*s'", i, warning ? warning : "", (int)note->n, note->p);
		assert_true((s.report.unjudged != NULL) == (warning != NULL));
		release(&s);
	}
}

/* A rule that only holds a figure against becoming better lets any loss pass: a warning names the
 * first such figure. */
static void test_backwards(void **state)
{
	(void)state;
	static const struct {
		const char *better;
		enum condition condition, other; ///< of 'fail' and, unless it is the same, of 'warn'
		const char *warning;
	} rows[] = {
		{ "higher", COND_INCREASE, COND_INCREASE,
		  "rule 'own' lets 'a' become worse by any amount, as it is better higher: write "
		  "'decrease', or 'change' for either direction" },
		{ "lower", COND_DECREASE, COND_DECREASE,
		  "rule 'own' lets 'a' become worse by any amount, as it is better lower: write "
		  "'increase', or 'change' for either direction" },
		{ "higher", COND_DECREASE, COND_DECREASE, NULL },
		{ "lower", COND_INCREASE, COND_INCREASE, NULL },
		{ "higher", COND_INCREASE, COND_DECREASE, NULL },
		{ "higher", COND_INCREASE, COND_MIN, NULL },
		{ "higher", COND_CHANGE, COND_CHANGE, NULL },
		{ NULL, COND_INCREASE, COND_INCREASE, NULL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_file_rule(&s, rows[i].condition);
		fixture_limit(&r->warn, rows[i].other, rows[i].other != COND_MIN, PERCENT(5), "5%");
		r->warn.list.v[0].exact.unit = "";
		for (int side = 0; side < 2; side++)
			for (int k = 0; k < 2; k++)
				add_figure(side ? s.c : s.b, k ? "b" : "a", 100, NULL, rows[i].better);
		assert_int_equal(run_judge(&s), ST_OK);
		assert_int_equal(s.report.warnings.nr, rows[i].warning != NULL);
		if (rows[i].warning)
			assert_string_equal(s.report.warnings.v[0], rows[i].warning);
		release(&s);
	}
}

/* If the unit of a limit fits one of its figures, but not another, the gate ends with an error and
 * without any check, in whatever order the figures are. */
static void test_unfit(void **state)
{
	(void)state;
	static const char *const units[][2] = { { "ms", "ms" }, { "B", "ms" }, { "ms", "B" } };
	for (size_t i = 0; i < NR_OF(units); i++) {
		struct bench_of_two s;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_file_rule(&s, COND_INCREASE);
		r->fail.list.v[0].relative = false;
		r->fail.list.v[0].exact = (struct file_limit){ { 3, 0 }, "ms" };
		add_rule(&s, "next", METRIC_STEP_CUDA_TIME);
		for (int side = 0; side < 2; side++)
			for (int k = 0; k < 2; k++)
				add_figure(side ? s.c : s.b, k ? "b" : "a", 100, units[i][k], NULL);
		assert_int_equal(run_judge(&s), i ? ST_USAGE : ST_OK);
		assert_int_equal(s.report.checks.nr, i ? 0 : 3);
		if (i)
			assert_non_null(strstr(s.report.error, i == 1 ? "'input.a'" : "'input.b'"));
		release(&s);
	}
}

/* If no file has the figure that a rule names, the message suggests a similar name. */
static void test_near(void **state)
{
	(void)state;
	for (int named = 0; named < 2; named++) {
		struct bench_of_two s;
		struct arena a = ARENA_INIT;
		setup(&s, usual, NR_OF(usual));
		struct rule *r = add_file_rule(&s, COND_INCREASE);
		r->metric = r->query.metric =
		    metric_of_input(named ? SPAN("latency") : SPAN("latenzy"), &a);
		add_figure(s.b, "latency", 100, "ms", NULL);
		add_figure(s.c, "latency", 100, "ms", NULL);
		assert_int_equal(run_judge(&s), ST_OK);
		const char *said = strstr(s.report.checks.v[0].message, "did you mean");
		if (named)
			assert_null(said);
		else
			assert_string_equal(said, "did you mean 'input.latency'?");
		release(&s);
		arena_release(&a);
	}
}

/* Built-in rules leave to a rule of the user what it compares with the baseline. A rule that only
   gives a `max` replaces them for a figure that rose from 0, since such a rise has no percentage.
 */
static void test_own(void **state)
{
	(void)state;
	static const struct {
		enum condition condition; ///< of the rule of the user, whose value is 5 % or 200
		bool from_zero; ///< figure "a" was 0; else it rises from 100 to 110, as "b" does
		bool built_in; ///< the rule on "a" is a built-in one, too
		const char *metric, *checks;
	} rows[] = {
		{ COND_INCREASE, false, false, "a", "figures[b] fail, own fail" },
		{ COND_INCREASE, false, true, "a", "figures[a] fail, figures[b] fail, own fail" },
		{ COND_INCREASE, false, false, "*", "own[a] fail, own[b] fail" },
		{ COND_INCREASE, false, false, "c", "figures[a] fail, figures[b] fail, own missing" },
		{ COND_MAX, false, false, "a", "figures[a] fail, figures[b] fail, own pass" },
		{ COND_MAX, true, false, "a", "figures[b] fail, own pass" },
		{ COND_MAX, true, false, "b", "figures[b] fail, figures[a] inconclusive, own pass" },
		{ COND_MIN, true, false, "a", "figures[b] fail, own fail, figures[a] inconclusive" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct arena a = ARENA_INIT;
		setup(&s, usual, NR_OF(usual));
		struct rule *figures = add_file_rule(&s, COND_INCREASE);
		figures->id = "figures";
		figures->built_in = true;
		struct rule *own = add_file_rule(&s, rows[i].condition);
		own->metric = own->query.metric = metric_of_input(span_of(rows[i].metric), &a);
		own->built_in = rows[i].built_in;
		if (rows[i].condition != COND_INCREASE) {
			own->fail.list.v[0].relative = false;
			own->fail.list.v[0].exact = (struct file_limit){ { 200, 0 }, "" };
		}
		for (int side = 0; side < 2; side++) {
			add_figure(side ? s.c : s.b, "a", side ? 110 : rows[i].from_zero ? 0 : 100, NULL, NULL);
			add_figure(side ? s.c : s.b, "b", side ? 110 : 100, NULL, NULL);
		}
		assert_int_equal(run_judge(&s), ST_OK);
		assert_checks(i, &s.report, rows[i].checks);
		release(&s);
		arena_release(&a);
	}
}

/* A rule of the user on a single figure takes it from another one on a pattern, but only if both
 * compare with the newest runs: what fails by the pattern must not pass by another kind of limit.
 */
static void test_own_of_both(void **state)
{
	(void)state;
	static const struct {
		const char *of_all; ///< metric of the rule on several figures
		const char *metric, *rank; ///< of the rule on a single figure
		enum condition all, one; ///< conditions of both; values are 5 % or 200
		const char *checks;
	} rows[] = {
		{ "*", "a", NULL, COND_INCREASE, COND_INCREASE, "figures[b] fail, own fail" },
		{ "*", "a", "0", COND_INCREASE, COND_INCREASE,
		  "figures[a] fail, figures[b] fail, own fail" },
		{ "*", "*", NULL, COND_INCREASE, COND_INCREASE,
		  "figures[a] fail, figures[b] fail, own[a] fail, own[b] fail" },
		{ "b", "a", NULL, COND_INCREASE, COND_INCREASE, "figures fail, own fail" },
		{ "a", "a", NULL, COND_INCREASE, COND_INCREASE, "figures fail, own fail" },
		{ "*", "a", NULL, COND_MAX, COND_INCREASE, "own fail, figures[a] pass, figures[b] pass" },
		{ "*", "a", NULL, COND_INCREASE, COND_MAX, "figures[a] fail, figures[b] fail, own pass" },
		{ "*", "a", NULL, COND_INCREASE, COND_INCREASE_SINCE_PIN,
		  "figures[a] fail, figures[b] fail, own fail" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct bench_of_two s;
		struct arena a = ARENA_INIT;
		setup(&s, usual, NR_OF(usual));
		for (int k = 0; k < 2; k++) {
			enum condition condition = k ? rows[i].one : rows[i].all;
			struct rule *r = add_file_rule(&s, condition);
			r->id = k ? "own" : "figures";
			r->metric = r->query.metric =
			    metric_of_input(span_of(k ? rows[i].metric : rows[i].of_all), &a);
			r->query.rank = k ? rows[i].rank : NULL;
			if (condition == COND_MAX) {
				r->fail.list.v[0].relative = false;
				r->fail.list.v[0].exact = (struct file_limit){ { 200, 0 }, "" };
				r->fail.list.v[0].value = 200;
			}
		}
		for (int side = 0; side < 2; side++) {
			(side ? s.c : s.b)->rank = 0;
			add_figure(side ? s.c : s.b, "a", side ? 110 : 100, NULL, NULL);
			add_figure(side ? s.c : s.b, "b", side ? 110 : 100, NULL, NULL);
		}
		assert_int_equal(run_judge(&s), ST_OK);
		assert_checks(i, &s.report, rows[i].checks);
		release(&s);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worse),       cmocka_unit_test(test_unjudged),
		cmocka_unit_test(test_backwards),   cmocka_unit_test(test_unfit),
		cmocka_unit_test(test_near),        cmocka_unit_test(test_own),
		cmocka_unit_test(test_own_of_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
