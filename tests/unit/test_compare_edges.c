/* Decisions of the gate that hang on a single one of its conditions. */
#include "limits_rig.h"

/* With `on_missing: skip`, a figure that the candidate lacks is skipped if it is about an item,
 * such as a kernel; any other figure is missing. */
static void test_items(void **state)
{
	(void)state;
	static const enum label_kind items[] = { LABEL_KERNEL,   LABEL_CATEGORY,  LABEL_OP,
		                                     LABEL_FUNCTION, LABEL_DIRECTION, LABEL_COLLECTIVE,
		                                     LABEL_THREAD };
	for (size_t i = 0; i < NR_METRICS; i++) {
		struct rule r = rule_of((enum metric_id)i, "i5%", "");
		bool item = false;
		for (size_t k = 0; k < NR_OF(items); k++)
			item = item || r.metric->label == items[k];
		r.on_missing = ON_MISSING_SKIP;
		struct comparison c = both(&r, 10, 0);
		c.has_candidate = false;
		enum verdict want = item ? VERDICT_SKIPPED : VERDICT_MISSING;
		if (compare(&c).verdict != want)
			fail_msg("%s: %s", r.metric->name, verdict_names[compare(&c).verdict]);
		release(&r);
	}
}

/* A baseline may lack a figure because it is older than the metric; a candidate may not. */
static void test_older_baseline(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_PERIOD, "i5%", "");
	struct comparison c = both(&r, 10, 10);
	c.predates = true;
	c.has_candidate = false;
	assert_int_equal(compare(&c).verdict, VERDICT_MISSING);
	release(&r);
}

/* A fall to 0 is inconclusive only if all limits are in percent. An `and` adds an absolute amount
   to limits of 'increase' and 'decrease', but not to those of 'change'. */
static void test_zero_and(void **state)
{
	(void)state;
	static const struct {
		const char *fail, *warn;
		enum verdict verdict;
	} rows[] = {
		{ "i5% &20", "", VERDICT_IMPROVED },
		{ "", "i5% &20", VERDICT_PASS },
		{ "", "c5% &20", VERDICT_INCONCLUSIVE },
		{ "", "m10 c5%", VERDICT_WARN },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_STEP_COMPUTE_TIME, rows[i].fail, rows[i].warn);
		struct comparison c = both(&r, 100, 0);
		if (compare(&c).verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
		release(&r);
	}
}

/* If all operators changed together, a check beyond a limit on increases passes; beyond a limit on
 * decreases, `max` or a limit since the approved run it fails as usual. */
static void test_of_all(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		int64_t candidate;
		enum verdict verdict;
		enum reason reason;
	} rows[] = {
		{ "i5%", 110, VERDICT_PASS, REASON_OF_ALL }, { "i5%", 105, VERDICT_PASS, REASON_WITHIN },
		{ "d5%", 90, VERDICT_FAIL, REASON_LIMIT },   { "M105", 110, VERDICT_FAIL, REASON_LIMIT },
		{ "p5%", 110, VERDICT_FAIL, REASON_LIMIT },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, rows[i].fail, "");
		struct comparison c = both(&r, 100, rows[i].candidate);
		c.has_pin = c.pin_sure = c.of_all = true;
		c.pin = 100;
		struct decision d = compare(&c);
		if (d.verdict != rows[i].verdict || d.reason != rows[i].reason)
			fail_msg("row %zu: %s, reason %d", i, verdict_names[d.verdict], (int)d.reason);
		release(&r);
	}
}

/* Without a baseline, a check passes if its only absolute limit only warns and is not exceeded. */
static void test_bootstrap_warns(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_CUDA_TIME, "i5%", "M10");
	struct comparison c = both(&r, 0, 9);
	c.has_baseline = false;
	c.bootstrap = true;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	release(&r);
}

/* An absolute limit is about the kernel itself, whatever its operator does. */
static void test_absolute_of_kernel(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_TIME, "M100", "");
	struct comparison c = both(&r, 100, 101);
	struct decision unit = { .verdict = VERDICT_PASS };
	c.unit = &unit;
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	release(&r);
}

/* A new kernel fails or is undecided as its operator is, if the kernel takes more than half of the
   time by which the operator grew. */
static void test_new_in_operator(void **state)
{
	(void)state;
	static const struct {
		int64_t unit_change, candidate;
		enum verdict unit;
		enum severity on_new;
		enum verdict verdict;
	} rows[] = {
		{ 20, 11, VERDICT_FAIL, SEVERITY_NOTE, VERDICT_FAIL },
		{ 20, 10, VERDICT_FAIL, SEVERITY_NOTE, VERDICT_PASS },
		{ 1, 10, VERDICT_FAIL, SEVERITY_NOTE, VERDICT_FAIL },
		{ 0, 10, VERDICT_FAIL, SEVERITY_NOTE, VERDICT_PASS },
		{ -1, 10, VERDICT_FAIL, SEVERITY_NOTE, VERDICT_PASS },
		{ 20, 11, VERDICT_UNDECIDED, SEVERITY_NOTE, VERDICT_UNDECIDED },
		{ 20, 11, VERDICT_UNDECIDED, SEVERITY_FAIL, VERDICT_FAIL },
		{ 20, 11, VERDICT_WARN, SEVERITY_NOTE, VERDICT_PASS },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "");
		struct comparison c = both(&r, 0, rows[i].candidate);
		struct decision unit = { .verdict = rows[i].unit };
		r.for_each = true;
		r.on_new = rows[i].on_new;
		c.has_baseline = false;
		c.unit = &unit;
		c.unit_change = rows[i].unit_change;
		if (compare(&c).verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
		release(&r);
	}
	struct rule r = rule_of(METRIC_KERNEL_TIME, "M8", "");
	struct comparison c = both(&r, 0, 9);
	r.for_each = true;
	r.on_new = SEVERITY_FAIL;
	c.has_baseline = false;
	assert_int_equal(compare(&c).reason, REASON_LIMIT); /* both the limit and `on_new` fail: the
	                                                     * limit is the reason given */
	release(&r);
}

/* A waiver with a size excuses changes up to it, measured in the direction of the broken limit. */
static void test_waiver_size(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		int64_t base, pin, candidate; ///< `base` and `pin` -1: there is no such value
		bool waived; ///< true if a waiver of up to 10 % excuses the change
	} rows[] = {
		{ "i5%", 100, -1, 110, true },   { "i5%", 100, -1, 111, false },
		{ "d5%", 100, -1, 90, true },    { "d5%", 100, -1, 89, false },
		{ "c5%", 100, -1, 90, true },    { "c5%", 100, -1, 89, false },
		{ "c5%", 100, -1, 110, true },   { "c5%", 100, -1, 111, false },
		{ "m99", 100, -1, 90, true },    { "m99", 100, -1, 89, false },
		{ "M101", 100, -1, 110, true },  { "M101", 100, -1, 111, false },
		{ "i5%", -100, -1, -90, true },  { "i5%", -100, -1, -89, false },
		{ "p5%", 100, 50, 55, true },    { "p5%", 100, 50, 56, false },
		{ "i5% M10", 0, -1, 11, false }, { "M10", -1, -1, 11, false },
		{ "m10", -1, -1, 5, false },     { "p5% M101", 100, -1, 111, false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, rows[i].fail, "");
		struct comparison c = both(&r, rows[i].base, rows[i].candidate);
		c.has_baseline = rows[i].base != -1;
		c.has_pin = rows[i].pin >= 0;
		c.pin = rows[i].pin;
		c.waived = true;
		c.waived_up_to = PERCENT(10);
		enum verdict want = rows[i].waived ? VERDICT_WAIVED : VERDICT_FAIL;
		if (compare(&c).verdict != want)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
		c.waived = false;
		assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
		release(&r);
	}
	struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "");
	struct comparison c = both(&r, 9, 9);
	r.for_each = true;
	r.on_gone = SEVERITY_FAIL;
	c.has_candidate = false;
	c.waived = true;
	c.waived_up_to = PERCENT(10);
	/* a gone kernel has no change in percent: a waiver up to 10 % does not cover the check */
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	c.waived_up_to = 0;
	assert_int_equal(compare(&c).verdict, VERDICT_WAIVED);
	release(&r);
}

/* An undecided check is waived if main already shows the change (`of_main`); a waiver that a person
 * wrote only excuses failures. */
static void test_of_main(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_CUDA_TIME, "i5%", "i1%");
	struct comparison c = both(&r, 100, 110);
	c.has_noise = true;
	assert_int_equal(compare(&c).verdict, VERDICT_UNDECIDED);
	c.waived = true;
	c.of_main = "as main is there already";
	assert_int_equal(compare(&c).verdict, VERDICT_WAIVED);
	c.candidate = 103;
	assert_int_equal(compare(&c).verdict, VERDICT_WARN);
	release(&r);
}

/* Figures of files whose units measure different things on the two sides are never compared, not
 * even with a `max`; if neither side has the figure, it is just absent. */
static void test_mixed_units(void **state)
{
	(void)state;
	for (int sides = 0; sides < 4; sides++) {
		struct rule r = rule_of(METRIC_INPUT, "i5% M8", "");
		struct metric own = *r.metric;
		own.mixed = "ms and MB";
		r.metric = &own;
		r.on_missing = ON_MISSING_FAIL;
		struct comparison c = both(&r, 9, 9);
		c.has_baseline = sides & 1;
		c.has_candidate = sides & 2;
		struct decision d = compare(&c);
		assert_int_equal(d.reason, sides ? REASON_MIXED : REASON_ABSENT);
		assert_int_equal(d.verdict, sides ? VERDICT_INCONCLUSIVE : VERDICT_MISSING);
		release(&r);
	}
}

/* What only some ranks of the candidate have is missing, whatever its value on these ranks is. Only
 * `on_missing: warn` makes it a warning. */
static void test_in_part(void **state)
{
	(void)state;
	static const struct {
		enum on_missing on_missing;
		enum verdict verdict;
	} rows[] = { { ON_MISSING_FAIL, VERDICT_MISSING },
		         { ON_MISSING_SKIP, VERDICT_MISSING },
		         { ON_MISSING_WARN, VERDICT_WARN } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, "i5%", "");
		struct comparison c = both(&r, 100, 200);
		r.on_missing = rows[i].on_missing;
		c.in_some = "3 of 8 ranks";
		assert_int_equal(compare(&c).verdict, rows[i].verdict);
		assert_int_equal(compare(&c).reason, REASON_ABSENT);
		release(&r);
	}
}

/* With `on_missing: skip`, a kernel that the candidate lacks is missing only if the candidate has
 * no kernels at all, or is folded and did not keep it. Without a baseline, a figure is expected if
 * a limit applies to it by itself. */
static void test_wanted(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		bool has_baseline, bootstrap, unrecorded, folded;
		enum verdict verdict;
	} rows[] = {
		{ "i5%", true, false, false, false, VERDICT_SKIPPED },
		{ "i5%", true, false, true, false, VERDICT_MISSING },
		{ "i5%", true, false, false, true, VERDICT_MISSING },
		{ "i5%", false, false, true, false, VERDICT_SKIPPED },
		{ "i5%", false, false, false, true, VERDICT_SKIPPED },
		{ "M9", false, false, false, false, VERDICT_SKIPPED },
		{ "i5%", false, true, false, false, VERDICT_SKIPPED },
		{ "M9", false, true, false, false, VERDICT_MISSING },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(METRIC_KERNEL_TIME, rows[i].fail, "");
		struct comparison c = both(&r, 10, 0);
		r.on_missing = ON_MISSING_SKIP;
		c.has_candidate = false;
		c.has_baseline = rows[i].has_baseline;
		c.bootstrap = rows[i].bootstrap;
		c.unrecorded = rows[i].unrecorded;
		c.folded_candidate = rows[i].folded;
		if (compare(&c).verdict != rows[i].verdict)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
		release(&r);
	}
}

/* A kernel of one side only is new or gone, but not if the other side has no kernels at all, or was
 * folded without it: `on_gone: fail` would then blame the change for what was not recorded. */
static void test_not_gone(void **state)
{
	(void)state;
	for (int gone = 0; gone < 2; gone++)
		for (int why = 0; why < 4; why++) {
			struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "");
			struct comparison c = both(&r, 10, 10);
			r.for_each = true;
			c.has_candidate = !gone;
			c.has_baseline = gone;
			c.unrecorded = why == 1;
			c.folded_baseline = why == 2;
			c.folded_candidate = why == 3;
			enum reason reason = why ? REASON_ABSENT : gone ? REASON_GONE : REASON_NEW;
			if (compare(&c).reason != reason)
				fail_msg("%d %d: reason %d", gone, why, (int)compare(&c).reason);
			release(&r);
		}
}

/* Which falls to 0 or below cannot be told from a figure that was not measured. Only figures of
 * result files are below 0, where many programs write -1 for what they could not measure. */
static void test_fell_to_zero(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		const char *fail, *warn;
		int64_t base, pin, candidate;
		enum reason reason;
	} rows[] = {
		{ METRIC_INPUT, "i5%", "", 100, -1, 0, REASON_ZERO },
		{ METRIC_INPUT, "i5%", "", 100, -1, -1, REASON_ZERO },
		{ METRIC_INPUT, "i5%", "", 100, -1, 1, REASON_LIMIT },
		{ METRIC_STEP_CUDA_TIME, "i5%", "", 100, -1, -1, REASON_LIMIT },
		{ METRIC_INPUT, "i5%", "", -100, -1, -200, REASON_LIMIT },
		{ METRIC_INPUT, "i5%", "", 1, -1, 0, REASON_ZERO },
		{ METRIC_STEP_CUDA_TIME, "p5%", "", 0, 1, 0, REASON_ZERO },
		{ METRIC_STEP_CUDA_TIME, "p5%", "", 100, 0, 0, REASON_WITHIN },
		{ METRIC_STEP_CUDA_TIME, "i5% p5%", "", 0, 100, 0, REASON_WITHIN },
		{ METRIC_STEP_CUDA_TIME, "M9", "", 100, -1, 0, REASON_WITHIN },
		{ METRIC_STEP_CUDA_TIME, "M9", "i5%", 100, -1, 0, REASON_ZERO },
		{ METRIC_STEP_CUDA_TIME, "m-9", "i5%", 100, -1, 0, REASON_WITHIN },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = rule_of(rows[i].metric, rows[i].fail, rows[i].warn);
		struct comparison c = both(&r, rows[i].base, rows[i].candidate);
		r.worse = WORSE_UP;
		c.has_pin = c.pin_sure = rows[i].pin >= 0;
		c.pin = rows[i].pin;
		if (compare(&c).reason != rows[i].reason)
			fail_msg("row %zu: reason %d", i, (int)compare(&c).reason);
		release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items),           cmocka_unit_test(test_older_baseline),
		cmocka_unit_test(test_zero_and),        cmocka_unit_test(test_of_all),
		cmocka_unit_test(test_bootstrap_warns), cmocka_unit_test(test_absolute_of_kernel),
		cmocka_unit_test(test_new_in_operator), cmocka_unit_test(test_waiver_size),
		cmocka_unit_test(test_of_main),         cmocka_unit_test(test_mixed_units),
		cmocka_unit_test(test_in_part),         cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_not_gone),        cmocka_unit_test(test_fell_to_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
