#include "gate/compare.h"

#include "limits_rig.h"

struct row {
	const char *fail, *warn;
	int64_t b, c;
	enum verdict verdict;
	enum reason reason;
};

static const struct row rows[] = {
	/* a limit is exceeded only by a strictly greater change, computed exactly */
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
	{ "i5%", "", -100, -95, VERDICT_PASS, REASON_WITHIN },
	/* 'change' limits both directions */
	{ "c0", "", 7, 7, VERDICT_PASS, REASON_WITHIN },
	{ "c0", "", 7, 8, VERDICT_FAIL, REASON_LIMIT },
	{ "c0", "", 7, 6, VERDICT_FAIL, REASON_LIMIT },
	{ "c5%", "", 100, 94, VERDICT_FAIL, REASON_LIMIT },
	{ "c5%", "", 100, 95, VERDICT_PASS, REASON_WITHIN },
	/* max and min depend only on the candidate */
	{ "M30", "", 50, 30, VERDICT_PASS, REASON_WITHIN },
	{ "M30", "", 10, 31, VERDICT_FAIL, REASON_LIMIT },
	{ "m30", "", 50, 29, VERDICT_FAIL, REASON_LIMIT },
	{ "m30", "", 50, 30, VERDICT_PASS, REASON_WITHIN },
	/* a change must exceed the limit and also its 'and'; of several limits, one is enough */
	{ "i5% &20", "", 100, 110, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 120, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 121, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% &20", "", 1000, 1030, VERDICT_PASS, REASON_WITHIN },
	{ "i5% M110 &20", "", 100, 111, VERDICT_FAIL, REASON_LIMIT },
	{ "c5% &20", "", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "i5 &20", "", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "M30 i5", "", 10, 16, VERDICT_FAIL, REASON_LIMIT },
	/* a step takes 1000 ns, so that 2 % of the step are 20 ns */
	{ "i5% &s2%", "", 100, 120, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &s2%", "", 100, 121, VERDICT_FAIL, REASON_LIMIT },
	/* single runs spread by 10 */
	{ "i5% &x2", "", 100, 120, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &x2", "", 100, 121, VERDICT_FAIL, REASON_LIMIT },
	{ "i5% &x2", "", 1000, 1050, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &x2", "", 1000, 1051, VERDICT_FAIL, REASON_LIMIT },
	/* changes from a baseline of 0 */
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
	/* warn is decided after fail, and before improved */
	{ "i5%", "i2%", 100, 103, VERDICT_WARN, REASON_LIMIT },
	{ "i5%", "i2%", 100, 106, VERDICT_FAIL, REASON_LIMIT },
	{ "i5%", "c0", 100, 90, VERDICT_WARN, REASON_LIMIT },
	/* improved: a fall by more than the limit on rises; max and warn have no such counterpart */
	{ "i5%", "", 100, 94, VERDICT_IMPROVED, REASON_LIMIT },
	{ "i5%", "", 100, 95, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 90, VERDICT_PASS, REASON_WITHIN },
	{ "i5% &20", "", 100, 79, VERDICT_IMPROVED, REASON_LIMIT },
	{ "d5%", "", 100, 110, VERDICT_PASS, REASON_WITHIN },
	{ "M200", "", 100, 1, VERDICT_PASS, REASON_WITHIN },
	{ "M30", "", 100, 10, VERDICT_PASS, REASON_WITHIN },
	{ "", "i5%", 100, 1, VERDICT_PASS, REASON_WITHIN },
};

/* Makes changes of up to `noise` count as noise; if it is below 0, no change is noise. */
static void set_noise(struct comparison *c, int64_t noise, int64_t pin_noise)
{
	c->has_noise = noise >= 0;
	c->sure[0] = c->candidate - c->baseline > noise;
	c->sure[1] = c->baseline - c->candidate > noise;
	c->pin_sure = c->candidate - c->pin > pin_noise;
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
			         verdict_names[d.verdict], (int)d.reason);
		assert_true((d.limit != NULL) == (d.reason == REASON_LIMIT));
		release(&r);
	}
}

/* The table "Verdicts" of rules.md from top to bottom: in each case, all rows below the deciding
   one would apply too. */
struct full {
	const char *what, *fail, *warn;
	int64_t b, c, pin, noise; ///< values of baseline, candidate, pin and noise; below 0 if absent

	/// Letters: s the metric is spoiled, w waived, b bootstrap, e the rule has for_each; f or W:
	/// its on_new and on_gone are fail or warn; k: its on_missing is skip.
	char flags[8];
	enum verdict verdict;
	enum reason reason;
};

static const struct full table[] = {
	{ "spoiled before all", "i5%", "i1%", 100, 200, 100, 3, "sw", VERDICT_INCONCLUSIVE,
	  REASON_SPOILED },
	{ "spoiled and absent", "i5%", "", -1, -1, -1, -1, "s", VERDICT_INCONCLUSIVE, REASON_SPOILED },
	{ "spoiled under bootstrap", "i5%", "", -1, 9, -1, -1, "sb", VERDICT_INCONCLUSIVE,
	  REASON_SPOILED },
	{ "from 0, waived", "i5%", "", 0, 9, 0, -1, "w", VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "from a pin of 0", "p5%", "", 9, 9, 0, -1, "", VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "no pin", "p5%", "", 9, 9, -1, -1, "", VERDICT_INCONCLUSIVE, REASON_UNFORMED },
	{ "no pin, absolute holds", "p5% M10", "", 9, 9, -1, -1, "", VERDICT_PASS, REASON_WITHIN },
	{ "no pin, absolute broken", "p5% M8", "", 9, 9, -1, -1, "", VERDICT_FAIL, REASON_LIMIT },
	{ "no pin of an item", "p5%", "", 9, 9, -1, -1, "e", VERDICT_PASS, REASON_WITHIN },
	{ "0 to 0", "i5% p5%", "", 0, 0, 0, -1, "", VERDICT_PASS, REASON_WITHIN },
	{ "missing, waived", "i5%", "", 100, -1, 100, -1, "w", VERDICT_MISSING, REASON_ABSENT },
	{ "missing both, skip", "i5%", "", -1, -1, -1, -1, "k", VERDICT_SKIPPED, REASON_ABSENT },
	{ "waived", "i5%", "i1%", 100, 106, 100, -1, "w", VERDICT_WAIVED, REASON_LIMIT },
	{ "waived: max", "M100", "", 100, 106, 100, -1, "w", VERDICT_WAIVED, REASON_LIMIT },
	{ "waived: new", "i5%", "", -1, 9, -1, -1, "wef", VERDICT_WAIVED, REASON_NEW },
	{ "waived: gone", "i5%", "", 9, -1, 9, -1, "wef", VERDICT_WAIVED, REASON_GONE },
	{ "only a failure is waived: warn", "i5%", "i1%", 100, 103, 100, -1, "w", VERDICT_WARN,
	  REASON_LIMIT },
	{ "waived: what noise may have caused", "i5%", "", 100, 106, 100, 6, "w", VERDICT_WAIVED,
	  REASON_NOISE },
	{ "only a failure is waived: better", "i5%", "", 100, 90, 100, -1, "w", VERDICT_IMPROVED,
	  REASON_LIMIT },
	{ "only a failure is waived: pass", "i5%", "", 100, 101, 100, -1, "w", VERDICT_PASS,
	  REASON_WITHIN },
	/* a change that is equal to the noise is undecided; only a greater change fails */
	{ "in the noise", "i5%", "", 100, 110, 100, 10, "", VERDICT_UNDECIDED, REASON_NOISE },
	{ "beyond the noise", "i5%", "", 100, 110, 100, 9, "", VERDICT_FAIL, REASON_LIMIT },
	{ "noise of a decrease", "d5%", "", 100, 90, 100, 10, "", VERDICT_UNDECIDED, REASON_NOISE },
	{ "beyond it", "d5%", "", 100, 89, 100, 10, "", VERDICT_FAIL, REASON_LIMIT },
	{ "noise of an absolute increase", "i5", "", 100, 110, 100, 10, "", VERDICT_UNDECIDED,
	  REASON_NOISE },
	{ "noise without a limit broken", "i5%", "", 100, 104, 100, 10, "", VERDICT_PASS,
	  REASON_WITHIN },
	{ "no noise of max", "M105", "", 100, 106, 100, 50, "", VERDICT_FAIL, REASON_LIMIT },
	{ "no noise of min", "m95", "", 100, 94, 100, 50, "", VERDICT_FAIL, REASON_LIMIT },
	{ "no noise of change", "c5%", "", 100, 106, 100, 50, "", VERDICT_FAIL, REASON_LIMIT },
	{ "max beside noise", "i5% M105", "", 100, 106, 100, 50, "", VERDICT_FAIL, REASON_LIMIT },
	{ "max before noise", "M105 i5%", "", 100, 106, 100, 50, "", VERDICT_FAIL, REASON_LIMIT },
	{ "noise before the warn limit", "i5%", "i1%", 100, 106, 100, 50, "", VERDICT_UNDECIDED,
	  REASON_NOISE },
	{ "no noise of a warn limit", "", "i5%", 100, 106, 100, 50, "", VERDICT_WARN, REASON_LIMIT },
	{ "no pin, else noise", "i5% p5", "", 100, 106, -1, 50, "", VERDICT_INCONCLUSIVE,
	  REASON_UNFORMED },
	{ "from 0, else noise", "i5% i2", "", 0, 9, 0, 50, "", VERDICT_UNDECIDED, REASON_NOISE },
	/* changes since the pin; their noise is here twice the noise given in the row */
	{ "crept", "i5% p10%", "", 108, 111, 100, -1, "", VERDICT_FAIL, REASON_LIMIT },
	{ "not crept", "i5% p10%", "", 108, 110, 100, -1, "", VERDICT_PASS, REASON_WITHIN },
	{ "crept in the noise", "p10%", "", 108, 111, 100, 6, "", VERDICT_UNDECIDED, REASON_NOISE },
	{ "crept beyond it", "p10%", "", 108, 111, 100, 5, "", VERDICT_FAIL, REASON_LIMIT },
	{ "and binds to it", "p10% &11", "", 108, 111, 100, -1, "", VERDICT_PASS, REASON_WITHIN },
	{ "and is broken too", "p10% &10", "", 108, 111, 100, -1, "", VERDICT_FAIL, REASON_LIMIT },
	{ "absolute since the pin", "p10", "", 108, 111, 100, -1, "", VERDICT_FAIL, REASON_LIMIT },
	{ "better than the pin is not news", "p5%", "", 50, 50, 100, -1, "", VERDICT_PASS,
	  REASON_WITHIN },
	{ "nor is it where the baseline is the pin", "p5%", "", 100, 50, 100, -1, "", VERDICT_PASS,
	  REASON_WITHIN },
	/* an improvement is the opposite of a failure: its change must exceed the noise, too */
	{ "improved", "i5%", "", 100, 90, 100, 9, "", VERDICT_IMPROVED, REASON_LIMIT },
	{ "improved in the noise", "i5%", "", 100, 90, 100, 10, "", VERDICT_PASS, REASON_WITHIN },
	{ "warn before improved", "i5%", "c0", 100, 90, 100, 3, "", VERDICT_WARN, REASON_LIMIT },
	{ "new: warn", "i5%", "", -1, 9, -1, -1, "eW", VERDICT_WARN, REASON_NEW },
	{ "new: its level before a warning", "i5%", "M8", -1, 9, -1, -1, "ef", VERDICT_FAIL,
	  REASON_NEW },
	{ "absent, and max broken all the same", "i5% M8", "", -1, 9, -1, -1, "k", VERDICT_FAIL,
	  REASON_LIMIT },
	{ "absent, and max kept", "i5% M9", "", -1, 9, -1, -1, "", VERDICT_MISSING, REASON_ABSENT },
	{ "new: note", "i5%", "", -1, 9, -1, -1, "e", VERDICT_PASS, REASON_NEW },
	{ "new: max before its level", "i5% M8", "", -1, 9, -1, -1, "eW", VERDICT_FAIL, REASON_LIMIT },
	{ "gone: fail", "i5%", "", 9, -1, 9, -1, "ef", VERDICT_FAIL, REASON_GONE },
	/* decisions without a baseline (--bootstrap) */
	{ "bootstrap", "i5%", "i1%", -1, 9, -1, -1, "b", VERDICT_SKIPPED, REASON_BOOTSTRAP },
	{ "bootstrap: since the pin", "p5%", "", -1, 9, -1, -1, "b", VERDICT_SKIPPED,
	  REASON_BOOTSTRAP },
	{ "bootstrap: change", "c0", "", -1, 9, -1, -1, "b", VERDICT_SKIPPED, REASON_BOOTSTRAP },
	{ "bootstrap: max broken", "i5% M8", "", -1, 9, -1, -1, "b", VERDICT_FAIL, REASON_LIMIT },
	{ "bootstrap: max kept", "i5% M9", "", -1, 9, -1, -1, "b", VERDICT_PASS, REASON_BOOTSTRAP },
	{ "bootstrap: warned", "i5%", "M8", -1, 9, -1, -1, "b", VERDICT_WARN, REASON_LIMIT },
	{ "bootstrap: waived", "M8", "", -1, 9, -1, -1, "bw", VERDICT_WAIVED, REASON_LIMIT },
	{ "bootstrap: all is new", "i5%", "", -1, 9, -1, -1, "bef", VERDICT_SKIPPED, REASON_BOOTSTRAP },
	{ "bootstrap: missing", "i5%", "", -1, -1, -1, -1, "b", VERDICT_MISSING, REASON_ABSENT },
	{ "bootstrap: not applicable", "i5%", "", -1, -1, -1, -1, "bk", VERDICT_SKIPPED,
	  REASON_ABSENT },
};

static struct comparison comparison_of(const struct full *row, struct rule *r)
{
	struct rule plain = fixture_rule(METRIC_STEP_CUDA_TIME);
	*r = plain;
	set_limits(&r->fail, row->fail);
	set_limits(&r->warn, row->warn);
	r->for_each = strchr(row->flags, 'e');
	r->on_missing = strchr(row->flags, 'k') ? ON_MISSING_SKIP : ON_MISSING_FAIL;
	if (strpbrk(row->flags, "fW"))
		r->on_new = r->on_gone = strchr(row->flags, 'f') ? SEVERITY_FAIL : SEVERITY_WARN;
	struct comparison c = { .rule = r,
		                    .has_baseline = row->b >= 0,
		                    .has_candidate = row->c >= 0,
		                    .baseline = row->b,
		                    .candidate = row->c,
		                    .has_step = true,
		                    .step_ns = 1000,
		                    .spoiled = strchr(row->flags, 's'),
		                    .waived = strchr(row->flags, 'w'),
		                    .bootstrap = strchr(row->flags, 'b'),
		                    .has_pin = row->pin >= 0,
		                    .pin = row->pin };
	set_noise(&c, row->noise, 2 * row->noise);
	return c;
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(table); i++) {
		struct rule r;
		struct comparison c = comparison_of(&table[i], &r);
		struct decision d = compare(&c);
		if (d.verdict != table[i].verdict || d.reason != table[i].reason)
			fail_msg("%s: %s, reason %d", table[i].what, verdict_names[d.verdict], (int)d.reason);
		bool has_limit = d.reason == REASON_LIMIT || d.reason == REASON_NOISE;
		if ((d.limit != NULL) != has_limit || (d.map != NULL) != has_limit)
			fail_msg("%s: limit", table[i].what);
		release(&r);
	}
}

/* Which limit decided the verdict (if several are exceeded within the noise, the first of them),
   and whether the decisive change is the change since the pin. */
static void test_what_decided(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		int64_t c, noise;
		size_t limit; ///< index of the limit that decided the verdict; 9 if no limit did
		bool since_pin;
	} cases[] = {
		{ "i5% i6%", 107, 50, 0, false },  { "i5% i8%", 109, -1, 0, false },
		{ "i9% p5%", 107, -1, 1, true },   { "i5% p5%", 107, -1, 0, false },
		{ "i9% p20%", 101, -1, 9, false }, { "p20%", 101, -1, 9, true },
		{ "p20% M200", 101, -1, 9, true }, { "p20% M100", 101, -1, 1, false },
		{ "M200", 101, -1, 9, false },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, cases[i].fail, "");
		struct comparison c = both(&r, 100, cases[i].c);
		c.has_pin = true;
		c.pin = 100;
		set_noise(&c, cases[i].noise, cases[i].noise);
		struct decision d = compare(&c);
		if (d.limit != (cases[i].limit == 9 ? NULL : &r.fail.list.v[cases[i].limit]) ||
		    d.since_pin != cases[i].since_pin)
			fail_msg("row %zu", i);
		c.has_pin = false;
		assert_false(compare(&c).since_pin);
		release(&r);
	}
}

/* A count is exact: a rise beyond the limit fails, even if it is smaller than the given noise. */
static void test_exact_has_no_noise(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_KERNEL_COUNT, "i5%", "");
	struct comparison c = both(&r, 100, 106);
	set_noise(&c, 50, 50);
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	release(&r);
}

/* A change that may be noise is undecided, or gives only a warning if the rule says so. */
static void test_unsure(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_STEP_PERIOD, "i5%", "");
	struct comparison c = both(&r, 100, 106);
	set_noise(&c, 50, 50);
	assert_int_equal(compare(&c).verdict, VERDICT_UNDECIDED);
	r.unsure = UNSURE_WARN;
	assert_int_equal(compare(&c).verdict, VERDICT_WARN);
	assert_int_equal(compare(&c).reason, REASON_NOISE);
	c.of_all = true;
	assert_int_equal(compare(&c).reason, REASON_OF_ALL);
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	release(&r);
}

/* A kernel beyond its limit gives only a warning if its net change is within the limit. */
static void test_substitutes(void **state)
{
	(void)state;
	static const struct {
		int64_t net;
		bool sure;
		enum reason of_unit;
		enum verdict want;
		enum reason reason;
	} cases[] = {
		{ 100, true, REASON_LIMIT, VERDICT_WARN, REASON_SUBSTITUTE },
		{ 105, true, REASON_LIMIT, VERDICT_WARN, REASON_SUBSTITUTE },
		{ 106, true, REASON_LIMIT, VERDICT_FAIL, REASON_LIMIT },
		{ 106, false, REASON_LIMIT, VERDICT_UNDECIDED, REASON_NOISE },
		{ 150, true, REASON_LIMIT, VERDICT_FAIL, REASON_LIMIT },
		{ 150, true, REASON_OF_ALL, VERDICT_WARN, REASON_OF_ALL },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "");
		struct comparison c = both(&r, 100, 150);
		struct decision unit = { .verdict = VERDICT_PASS, .reason = cases[i].of_unit };
		c.unit = &unit;
		c.has_noise = true;
		c.sure[0] = true;
		c.net = cases[i].net;
		c.net_sure = cases[i].sure;
		assert_int_equal(compare(&c).verdict, cases[i].want);
		assert_int_equal(compare(&c).reason, cases[i].reason);
		release(&r);
	}
}

static void test_bootstrap_pair(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_DRIFT_PCT, "M10", "");
	struct comparison c = { .rule = &r, .bootstrap = true };
	assert_int_equal(compare(&c).verdict, VERDICT_SKIPPED);
	assert_int_equal(compare(&c).reason, REASON_BOOTSTRAP);
	release(&r);
}

/* A limit on increases means a rise, and one on decreases a fall, whatever the metric. But a change
   the other way is "improved" only if the metric is worse in the direction of the limit. */
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
		{ "d5%", 100, 106, WORSE_EITHER, VERDICT_PASS },
		{ "d5%", 100, 94, WORSE_UP, VERDICT_FAIL },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_GPU_UTILIZATION_PCT, cases[i].fail, "");
		r.worse = cases[i].worse;
		struct comparison c = both(&r, cases[i].b, cases[i].c);
		if (compare(&c).verdict != cases[i].verdict)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
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
		enum verdict gone = /* skip does not apply to a figure that the baseline has */
		    cases[i].on == ON_MISSING_SKIP ? VERDICT_MISSING : cases[i].verdict;
		r.on_missing = cases[i].on;
		for (int sides = 0; sides < 3; sides++) {
			struct comparison c = both(&r, 10, 10);
			c.has_baseline = sides == 1;
			c.has_candidate = sides == 2;
			assert_int_equal(compare(&c).verdict, sides == 1 ? gone : cases[i].verdict);
			assert_int_equal(compare(&c).reason, REASON_ABSENT);
			c.predates = true;
			if (sides == 2)
				assert_int_equal(compare(&c).verdict, VERDICT_SKIPPED);
		}
		release(&r);
	}
}

/* What a folded run does not have is absent, and neither new nor gone; if the baseline has it, it
   is missing, although a kernel may vanish. */
static void test_folded(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "");
	r.on_missing = ON_MISSING_SKIP;
	r.on_gone = r.on_new = SEVERITY_WARN;
	for (int each = 0; each < 2; each++) {
		struct comparison c = both(&r, 10, 10);
		r.for_each = each;
		c.has_candidate = false;
		assert_int_equal(compare(&c).reason, each ? REASON_GONE : REASON_ABSENT);
		assert_int_equal(compare(&c).verdict, each ? VERDICT_WARN : VERDICT_SKIPPED);
		c.folded_candidate = true;
		assert_int_equal(compare(&c).reason, REASON_ABSENT);
		assert_int_equal(compare(&c).verdict, VERDICT_MISSING);
		c.has_baseline = false;
		assert_int_equal(compare(&c).verdict, VERDICT_SKIPPED);
		c = both(&r, 10, 10);
		c.has_baseline = false;
		c.folded_baseline = true;
		assert_int_equal(compare(&c).reason, REASON_ABSENT);
		assert_int_equal(compare(&c).verdict, VERDICT_SKIPPED);
	}
	release(&r);
}

/* A fall to 0 is either better or was not measured: limits in percent cannot tell which. */
static void test_zero(void **state)
{
	(void)state;
	static const struct {
		const char *fail, *warn;
		int64_t b;
		enum verdict verdict;
	} cases[] = {
		{ "i5%", "", 100, VERDICT_INCONCLUSIVE },
		{ "i5%", "i2%", 100, VERDICT_INCONCLUSIVE },
		{ "", "i2%", 100, VERDICT_INCONCLUSIVE },
		{ "i5%", "", 0, VERDICT_PASS },
		{ "i5% M200", "", 100, VERDICT_INCONCLUSIVE },
		{ "M200", "", 100, VERDICT_PASS },
		{ "i5%", "c0", 100, VERDICT_WARN },
		{ "i5", "", 100, VERDICT_IMPROVED },
		{ "d5%", "", 100, VERDICT_FAIL },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct rule r = rule_of(METRIC_STEP_COMPUTE_TIME, cases[i].fail, cases[i].warn);
		struct comparison c = both(&r, cases[i].b, 0);
		if (compare(&c).verdict != cases[i].verdict)
			fail_msg("row %zu: %s", i, verdict_names[compare(&c).verdict]);
		release(&r);
	}
}

/* A difference of one clock tick per launch, in either direction, is not a change; a difference
   larger by one nanosecond is a change. */
static void test_floor(void **state)
{
	(void)state;
	struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "i1%");
	struct comparison c = both(&r, 6000, 7000);
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	c.floor = 1000;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	c.candidate = 5000;
	assert_int_equal(compare(&c).verdict, VERDICT_PASS);
	c.candidate = 7001;
	assert_int_equal(compare(&c).verdict, VERDICT_FAIL);
	c.told = "step.period says the same";
	assert_int_equal(compare(&c).verdict, VERDICT_SKIPPED);
	release(&r);
}

static void test_new_and_gone(void **state)
{
	(void)state;
	static const enum verdict of_severity[] = { [SEVERITY_NOTE] = VERDICT_PASS,
		                                        [SEVERITY_WARN] = VERDICT_WARN,
		                                        [SEVERITY_FAIL] = VERDICT_FAIL };
	for (int severity = SEVERITY_NOTE; severity <= SEVERITY_FAIL; severity++) {
		struct rule r = rule_of(METRIC_KERNEL_TIME, "i5%", "i1%");
		r.for_each = true;
		r.on_new = (enum severity)severity;
		struct comparison c = both(&r, 0, 10);
		c.has_baseline = false;
		assert_int_equal(compare(&c).verdict, of_severity[severity]);
		assert_int_equal(compare(&c).reason, REASON_NEW);
		r.on_gone = (enum severity)severity;
		r.on_new = SEVERITY_NOTE;
		c.has_baseline = true;
		c.has_candidate = false;
		assert_int_equal(compare(&c).verdict, of_severity[severity]);
		assert_int_equal(compare(&c).reason, REASON_GONE);
		release(&r);
	}
}

/* A limit that needs no baseline also applies to a new kernel. */
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

/* Metrics that are computed from both sides together have no baseline. */
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

/* A limit in percent of the step needs the time of the step, unless the limit and its `and` give
   the same verdict whatever that time is. */
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

static int badness(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_WAIVED              ? 3
	       : v == VERDICT_INCONCLUSIVE || v == VERDICT_UNDECIDED ? 2
	       : v == VERDICT_WARN                                   ? 1
	                                                             : 0;
}

/* A worse value never gets a better verdict: with noise, waivers and a pin at any distance, and
   without them. */
static void test_monotone(void **state)
{
	(void)state;
	static const char *const maps[] = { "i5%",          "i5% &7",   "i12",       "M110",
		                                "i5% M120 &40", "i5% &s1%", "i5% p10%",  "p10% &7",
		                                "p3",           "i2 p4%",   "M120 p10%", "i5% i3" };
	static const int64_t noises[] = { -1, 0, 7, 40 };
	for (size_t i = 0; i < NR_OF(maps) * NR_OF(noises) * 4; i++) {
		struct rule r =
		    rule_of(METRIC_STEP_CUDA_TIME, maps[i % NR_OF(maps)], i & 1 ? "i2%" : "M130");
		int64_t noise = noises[i / NR_OF(maps) % NR_OF(noises)];
		for (int64_t b = 0; b < 130; b += 13) {
			int last = 0;
			for (int64_t v = 1; v < 300; v++) { /* not 0, which may mean "not measured" */
				struct comparison c = both(&r, b, v);
				c.has_pin = true;
				c.pin = i & 2 ? b : 80;
				set_noise(&c, noise, noise * 3 / 2);
				c.waived = i & 4;
				int now = badness(compare(&c).verdict);
				if (now < last)
					fail_msg("%s, noise %lld: %lld → %lld gets better", maps[i % NR_OF(maps)],
					         (long long)noise, (long long)b, (long long)v);
				last = now;
			}
		}
		release(&r);
	}
}

/* An unchanged value never fails, whatever the noise is. */
static void test_same(void **state)
{
	(void)state;
	static const char *const maps[] = { "i0%", "i5% &7", "c0", "d1%", "p0%", "p0% i0 &0" };
	for (size_t i = 0; i < NR_OF(maps); i++)
		for (int64_t v = 0; v < 300; v += 7) {
			struct rule r = rule_of(METRIC_STEP_CUDA_TIME, maps[i], "c0");
			struct comparison c = both(&r, v, v);
			c.has_pin = true;
			c.pin = v;
			set_noise(&c, v & 1 ? v / 9 : -1, v / 9);
			assert_int_equal(compare(&c).verdict, VERDICT_PASS);
			release(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsure),
		cmocka_unit_test(test_substitutes),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_what_decided),
		cmocka_unit_test(test_exact_has_no_noise),
		cmocka_unit_test(test_bootstrap_pair),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_new_and_gone),
		cmocka_unit_test(test_new_beyond_max),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_spoiled_comes_first),
		cmocka_unit_test(test_without_step),
		cmocka_unit_test(test_monotone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
