#include "gate/compare.h"

#include <stdlib.h>

#include "gate_fixture.h"

/* Limits in short form: "i5%" increase 5 %, "d3" decrease 3, "c0" change 0,
   "M30" max, "m10" min, several separated by a space; "&2" is `and`, "&s1%"
   an `and` of the step. */
static void set_limits(struct limits *l, const char *text)
{
	static const struct {
		char letter;
		enum condition condition;
	} letters[] = { { 'i', COND_INCREASE },
		            { 'd', COND_DECREASE },
		            { 'c', COND_CHANGE },
		            { 'M', COND_MAX },
		            { 'm', COND_MIN } };
	for (const char *p = text; *p; p += *p == ' ') {
		char letter = *p++;
		bool of_step = letter == '&' && *p == 's';
		char *end;
		int64_t value = strtoll(p + of_step, &end, 10);
		bool relative = *end == '%';
		p = end + relative;
		if (relative)
			value *= 1000000;
		if (letter == '&') {
			l->has_and = true;
			l->and_of_step = of_step;
			l->and_value = value;
			l->and_text = "x";
			continue;
		}
		for (size_t i = 0; i < NR_OF(letters); i++)
			if (letters[i].letter == letter)
				fixture_limit(l, letters[i].condition, relative, value, "x");
	}
}

struct row {
	const char *fail, *warn;
	int64_t b, c;
	enum verdict verdict;
	enum reason reason;
};

static const struct row rows[] = {
	/* strictly greater, exactly */
	{ "i5%", "", 100, 105, VERDICT_PASS, REASON_WITHIN },
	{ "i5%", "", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "i5%", "", 1000000000000000003, 1050000000000000003, VERDICT_PASS, REASON_WITHIN },
	{ "i5%", "", 1000000000000000003, 1050000000000000004, VERDICT_FAIL, REASON_LIMIT },
	{ "i5%", "", INT64_MAX / 2, INT64_MAX, VERDICT_FAIL, REASON_LIMIT },
	{ "i5", "", INT64_MIN, INT64_MAX, VERDICT_FAIL, REASON_LIMIT },
	{ "i10", "", 100, 110, VERDICT_PASS, REASON_WITHIN },
	{ "i10", "", 100, 111, VERDICT_FAIL, REASON_LIMIT },
	{ "d10", "", 100, 90, VERDICT_PASS, REASON_WITHIN },
	{ "d10", "", 100, 89, VERDICT_FAIL, REASON_LIMIT },
	{ "d10%", "", 100, 89, VERDICT_FAIL, REASON_LIMIT },
	{ "i0%", "", 100, 101, VERDICT_FAIL, REASON_LIMIT },
	{ "i5%", "", -100, -94, VERDICT_FAIL, REASON_LIMIT },
	/* change: both directions */
	{ "c0", "", 7, 7, VERDICT_PASS, REASON_WITHIN },
	{ "c0", "", 7, 8, VERDICT_FAIL, REASON_LIMIT },
	{ "c0", "", 7, 6, VERDICT_FAIL, REASON_LIMIT },
	{ "c5%", "", 100, 94, VERDICT_FAIL, REASON_LIMIT },
	{ "c5%", "", 100, 95, VERDICT_PASS, REASON_WITHIN },
	/* max and min look at the candidate alone */
	{ "M30", "", 50, 30, VERDICT_PASS, REASON_WITHIN },
	{ "M30", "", 10, 31, VERDICT_FAIL, REASON_LIMIT },
	{ "m30", "", 50, 29, VERDICT_FAIL, REASON_LIMIT },
	{ "m30", "", 50, 30, VERDICT_PASS, REASON_WITHIN },
	/* and: both must be exceeded; alternatives: one is enough */
	{ "i5% &20", "", 100, 110, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 120, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 121, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% &20", "", 1000, 1030, VERDICT_PASS, REASON_WITHIN },
	{ "i5% M110 &20", "", 100, 111, VERDICT_FAIL, REASON_LIMIT },
	{ "c5% &20", "", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "i5 &20", "", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "M30 i5", "", 10, 16, VERDICT_FAIL, REASON_LIMIT },
	/* the step is 1000 */
	{ "i5% &s2%", "", 100, 120, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &s2%", "", 100, 121, VERDICT_FAIL, REASON_LIMIT },
	/* from 0 */
	{ "i5%", "", 0, 0, VERDICT_PASS, REASON_WITHIN },
	{ "c5%", "", 0, 0, VERDICT_PASS, REASON_WITHIN },
	{ "i5%", "", 0, 1, VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "c5%", "", 0, 1, VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "i5% &20", "", 0, 20, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 0, 21, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% i10", "", 0, 11, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% M10", "", 0, 11, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% M10", "", 0, 9, VERDICT_PASS, REASON_WITHIN },
	{ "M10", "i5%", 0, 9, VERDICT_WARN, REASON_UNFORMED },
	{ "", "i5%", 0, 9, VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "M10", "i5%", 0, 11, VERDICT_FAIL, REASON_LIMIT },
	/* warn, after fail; before improved */
	{ "i5%", "i2%", 100, 103, VERDICT_WARN, REASON_LIMIT },
	{ "i5%", "i2%", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "i5%", "c0", 100, 90, VERDICT_WARN, REASON_LIMIT },
	/* improved: the mirror of a fail, never of max or change */
	{ "i5%", "", 100, 94, VERDICT_IMPROVED, REASON_LIMIT },
	{ "i5%", "", 100, 95, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 90, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 79, VERDICT_IMPROVED, REASON_LIMIT },
	{ "d5%", "", 100, 110, VERDICT_PASS, REASON_WITHIN },
	{ "M200", "", 100, 1, VERDICT_PASS, REASON_WITHIN },
	{ "", "i5%", 100, 1, VERDICT_PASS, REASON_WITHIN },
};

static struct rule rule_of(enum metric_id id, const char *fail, const char *warn)
{
	struct rule r = fixture_rule(id);
	set_limits(&r.fail, fail);
	set_limits(&r.warn, warn);
	return r;
}

static void release(struct rule *r)
{
	vec_release(&r->fail.list);
	vec_release(&r->warn.list);
}

static struct comparison both(const struct rule *r, int64_t b, int64_t c)
{
	return (struct comparison){ .rule = r,
		                        .has_baseline = true,
		                        .has_candidate = true,
		                        .baseline = b,
		                        .candidate = c,
		                        .has_step = true,
		                        .step_ns = 1000 };
}

static void test_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, rows[i].fail, rows[i].warn);
		struct comparison c = both(&r, rows[i].b, rows[i].c);
		struct decision d = compare(&c);
		if (d.verdict != rows[i].verdict || d.reason != rows[i].reason)
			fail_msg("row %zu (fail '%s' warn '%s' %lld → %lld): %s, reason %d", i, rows[i].fail,
			         rows[i].warn, (long long)rows[i].b, (long long)rows[i].c,
			         verdict_name(d.verdict), (int)d.reason);
		assert_true((d.limit != NULL) == (d.reason == REASON_LIMIT));
		release(&r);
	}
}

/* A limit means what it says on every metric; only "improved" asks which way is worse. */
static void test_direction(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		int64_t b, c;
		enum worse worse;
		enum verdict verdict;
	} cases[] = {
		{ "d5%", 100, 94, WORSE_DOWN, VERDICT_FAIL },
		{ "d5%", 100, 106, WORSE_DOWN, VERDICT_IMPROVED },
		{ "i5%", 100, 106, WORSE_DOWN, VERDICT_FAIL },
		{ "i5%", 100, 94, WORSE_DOWN, VERDICT_PASS },
		{ "i5%", 100, 94, WORSE_EITHER, VERDICT_PASS },
		{ "i5%", 100, 106, WORSE_EITHER, VERDICT_FAIL },
		{ "d5%", 100, 94, WORSE_EITHER, VERDICT_FAIL },
		{ "d5%", 100, 94, WORSE_UP, VERDICT_FAIL },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_GPU_UTILIZATION_PCT, cases[i].fail, "");
		r.worse = cases[i].worse;
		struct comparison c = both(&r, cases[i].b, cases[i].c);
		if (compare(&c).verdict != cases[i].verdict)
			fail_msg("row %zu: %s", i, verdict_name(compare(&c).verdict));
		release(&r);
	}
}

static void test_absent(void **state)
{
	(void)state;
	static const struct {
		enum on_missing on;
		enum verdict verdict;
	} cases[] = { { ON_MISSING_FAIL, VERDICT_MISSING },
		          { ON_MISSING_WARN, VERDICT_WARN },
		          { ON_MISSING_SKIP, VERDICT_SKIPPED } };
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_MEMORY_PEAK_ALLOCATED, "i5% M100", "");
		r.on_missing = cases[i].on;
		for (int sides = 0; sides < 3; sides++) {
			struct comparison c = both(&r, 10, 10);
			c.has_baseline = sides == 1;
			c.has_candidate = sides == 2;
			assert_int_equal(compare(&c).verdict, cases[i].verdict);
			assert_int_equal(compare(&c).reason, REASON_ABSENT);
		}
		release(&r);
	}
}

static void test_new_and_gone(void **state)
{
	(void)state;
	static const enum verdict of_level[] = {
		[LEVEL_NOTE] = VERDICT_PASS, [LEVEL_WARN] = VERDICT_WARN, [LEVEL_FAIL] = VERDICT_FAIL
	};
	for (int level = LEVEL_NOTE; level <= LEVEL_FAIL; level++) {
		struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "i1%");
		r.for_each = true;
		r.on_new = (enum level)level;
		struct comparison c = both(&r, 0, 10);
		c.has_baseline = false;
		assert_int_equal(compare(&c).verdict, of_level[level]);
		assert_int_equal(compare(&c).reason, REASON_NEW);
		r.on_gone = (enum level)level;
		r.on_new = LEVEL_NOTE;
		c.has_baseline = true;
		c.has_candidate = false;
		assert_int_equal(compare(&c).verdict, of_level[level]);
		assert_int_equal(compare(&c).reason, REASON_GONE);
		release(&r);
	}
}

/* A limit that needs no baseline holds for a new kernel too. */
static void test_new_beyond_max(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_TIME, "i5% M9", "");
	r.for_each = true;
	struct comparison c = both(&r, 0, 10);
	c.has_baseline = false;
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	assert_int_equal(compare(&c).reason, REASON_LIMIT);
	c.candidate = 9;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	release(&r);
	r = rule_of(METRIC_KERNEL_TIME, "i5%", "M8");
	r.for_each = true;
	assert_int_equal(compare(&c).verdict, VERDICT_WARN);
	release(&r);
}

/* Figures of both sides together have no baseline of their own. */
static void test_pair(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_DRIFT_PCT, "M10", "");
	struct comparison c = both(&r, 0, 11);
	c.has_baseline = false;
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	c.candidate = 10;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	release(&r);
	r = rule_of(METRIC_KERNEL_DRIFT_PCT, "i10%", "");
	c.rule = &r;
	assert_int_equal(compare(&c).verdict, VERDICT_INCONCLUSIVE);
	release(&r);
}

static void test_spoiled_comes_first(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_CUDA_TIME, "i5%", "");
	struct comparison c = both(&r, 100, 200);
	c.spoiled = true;
	assert_int_equal(compare(&c).verdict, VERDICT_INCONCLUSIVE);
	c.has_candidate = false;
	assert_int_equal(compare(&c).verdict, VERDICT_INCONCLUSIVE);
	release(&r);
}

/* A share of the step needs the step, unless the other half has decided. */
static void test_without_step(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_TIME, "i5% &s2%", "");
	struct comparison c = both(&r, 100, 200);
	c.has_step = false;
	assert_int_equal(compare(&c).verdict, VERDICT_INCONCLUSIVE);
	c.candidate = 101;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	release(&r);
}

/* Worse never turns fail into anything else. */
static void test_monotone(void **state)
{
	(void)state;
	static const char *const maps[] = {
		"i5%", "i5% &7", "i12", "M110", "i5% M120 &40", "i5% &s1%"
	};
	for (size_t i = 0; i < NR_OF(maps); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, maps[i], "");
		for (int64_t b = 0; b < 130; b += 13) {
			bool failed = false;
			for (int64_t v = 0; v < 300; v++) {
				struct comparison c = both(&r, b, v);
				bool now = compare(&c).verdict == VERDICT_FAIL;
				assert_false(failed && !now);
				failed = now;
			}
		}
		release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_new_and_gone),
		cmocka_unit_test(test_new_beyond_max),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_spoiled_comes_first),
		cmocka_unit_test(test_without_step),
		cmocka_unit_test(test_monotone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
