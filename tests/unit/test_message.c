/* The sentence on a check, for every reason, and the limits of result files in the unit of their
   figure. */
#include "gate/message.h"

#include "gate/checks.h"
#include "limits_rig.h"
#include "metric/unit.h"

static void test_limit_texts(void **state)
{
	(void)state;
	static const struct {
		const char *map, *text;
	} rows[] = {
		{ "", "" },
		{ "i5%", "increase x" },
		{ "i5% &2", "increase x and x" },
		{ "i5 &2", "increase x" },
		{ "c5% &2", "change x" },
		{ "p5% &2", "increase_since_pin x and x" },
		{ "d5% M9 &2", "decrease x and x or max x" },
		{ "m1 i5% c1", "min x or increase x or change x" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct arena a = ARENA_INIT;
		struct rule r = rule_of(METRIC_STEP_CUDA_TIME, rows[i].map, "");
		assert_string_equal(message_limits(&a, &r.fail, NULL), rows[i].text);
		if (r.fail.list.nr == 1)
			assert_string_equal(message_limit(&a, &r.fail, &r.fail.list.v[0], NULL), rows[i].text);
		arena_release(&a);
		release(&r);
	}
}

/* A number of spreads is said in percent of the baseline, rounded up, where it is what counts. */
static void test_spreads(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct rule r = rule_of(METRIC_STEP_CUDA_TIME, "i5% &x2", "");
	struct comparison c = both(&r, 300, 300);
	assert_string_equal(message_limits(&a, &r.fail, NULL), "increase x and x");
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase 6.67% (x)");
	c.baseline = -300;
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase 6.67% (x)");
	c.baseline = 400; /* the spreads are exactly as much as the limit itself */
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase x");
	c.baseline = 1000;
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase x");
	c.baseline = 0;
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase x and x");
	c.baseline = 300;
	c.spread = 0;
	assert_string_equal(message_limits(&a, &r.fail, &c), "increase x and x");
	arena_release(&a);
	release(&r);
}

/* A row of the table. Each letter in `flags` sets a member of struct comparison: b has_baseline =
   false, c has_candidate = false, p pin = 90, s spoiled, t told, h hidden, n has_noise, o
   bootstrap, S has_step = false, w waived, u waived_up_to = 1 %, m of_main, a of_all, P in_part,
   r unrecorded, f folded_baseline, F folded_candidate; or a key of the rule: e for_each, k
   on_missing: skip. */
struct row {
	const char *fail, *warn, *flags;
	int64_t baseline, candidate;
	const char *message;
};

static const struct row rows[] = {
	{ "i5%", "", "", 100, 100, "is unchanged at 100 ns, within the limit of increase x" },
	{ "", "", "", 100, 100, "is unchanged at 100 ns" },
	{ "i5%", "", "", 100, 105,
	  "rose from 100 ns to 105 ns (+5 ns, +5.00 %), within the limit of increase x" },
	{ "i5%", "", "", 100, 99,
	  "fell from 100 ns to 99 ns (-1 ns, -1.00 %), within the limit of increase x" },
	{ "i5%", "", "", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x" },
	{ "i5%", "i1%", "", 100, 102,
	  "rose from 100 ns to 102 ns (+2 ns, +2.00 %), beyond the warning limit of increase x" },
	{ "i5%", "", "", 100, 90,
	  "fell from 100 ns to 90 ns (-10 ns, -10.00 %), better by more than the limit of increase x" },
	{ "i5%", "", "n", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x but within the "
	  "noise of N: P" },
	{ "i5%", "", "a", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x, as all "
	  "operators together" },
	{ "p5%", "", "p", 100, 106,
	  "rose from 90 ns in the approved run to 106 ns (+16 ns, +17.78 %), beyond the limit of "
	  "increase_since_pin x" },
	{ "i5%", "", "", 0, 1,
	  "rose from 0 ns to 1 ns (+1 ns): a change from 0 has no percentage; give an absolute limit "
	  "or "
	  "'and'" },
	{ "p5%", "", "", 100, 100,
	  "is unchanged at 100 ns: the approved run has no such figure to change from" },
	{ "i5% &s1%", "", "S", 100, 110,
	  "rose from 100 ns to 110 ns (+10 ns, +10.00 %): the baseline has no step.cuda_time for the "
	  "limit in % of step" },
	{ "i5%", "", "", 100, 0,
	  "fell from 100 ns to 0 ns (-100 ns, -100.00 %): better, or not measured, which limits in % "
	  "cannot tell: give an absolute limit or 'and'" },
	{ "i5%", "", "t", 100, 106, "is not judged: step.time says the same" },
	{ "i5%", "", "s", 100, 106, "cannot be judged: S" },
	{ "i5%", "", "bc", 0, 0, "was recorded on neither side" },
	{ "i5%", "", "bck", 0, 0, "was recorded on neither side: not applicable" },
	{ "i5%", "", "c", 100, 0, "is missing in the candidate, the baseline has 100 ns" },
	{ "i5%", "", "b", 0, 100,
	  "is missing in the baseline, the candidate has 100 ns: 'gpugate approve' of a run "
	  "that has it renews the baseline" },
	{ "i5%", "", "be", 0, 100, "is new at 100 ns: the baseline lacks it" },
	{ "i5%", "", "ce", 100, 0, "is gone: the baseline had 100 ns" },
	{ "i5%", "", "beh", 0, 100,
	  "is too small to tell: the baseline may have it among its small kernels" },
	{ "i5%", "", "ceh", 100, 0,
	  "is too small to tell: the candidate may have it among its small kernels" },
	{ "i5%", "", "bo", 0, 100, "is 100 ns: there is no baseline yet to compare with" },
	{ "i5% M200", "", "bo", 0, 100,
	  "is 100 ns, within its absolute limits: the others need a baseline" },
	{ "i5%", "", "bcok", 0, 0, "was recorded on neither side: not applicable" },
	{ "M90", "", "bo", 0, 100, "is 100 ns, beyond the limit of max x" },
	{ "i5%", "", "w", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x; waived W" },
	{ "i5%", "", "wu", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x; the waiver is "
	  "exceeded: it holds up to 1%" },
	{ "i5", "", "wu", 0, 6,
	  "rose from 0 ns to 6 ns (+6 ns), beyond the limit of increase x; the waiver up to 1% does "
	  "not "
	  "hold: there is no change in % of a baseline" },
	{ "i5%", "", "wum", 100, 106,
	  "rose from 100 ns to 106 ns (+6 ns, +6.00 %), beyond the limit of increase x; only a part of "
	  "it is not of this change, M" },
	{ "i5%", "", "P", 100, 100,
	  "is missing in a part of the candidate, but not of the baseline: 3 of 8 ranks" },
	{ "i5%", "", "cF", 100, 0,
	  "is not known: the candidate is a folded run, which has it only of the ranks that it keeps "
	  "whole; merge its digests without --fold" },
	{ "i5%", "", "bcfF", 0, 0,
	  "is not known: the candidate is a folded run, which has it only of the ranks that it keeps "
	  "whole; merge its digests without --fold" },
	{ "i5%", "", "bf", 0, 100,
	  "is not known: the baseline is of a folded run, which did not keep the ranks whole, or was "
	  "approved under other rules; 'gpugate approve' of a run merged without --fold renews it" },
	{ "i5%", "", "cr", 100, 0,
	  "is missing in the candidate, which has no kernel at all: the baseline has 100 ns" },
	{ "i5%", "", "br", 0, 100,
	  "is missing in the baseline, which has no kernel at all: 'gpugate approve' of a run that has "
	  "it renews the baseline" },
	{ "i5%", "", "bcr", 0, 0, "was recorded on neither side" },
	{ "p5% &s1%", "", "", 100, 100,
	  "is unchanged at 100 ns: the approved run has no such figure to change from" },
};

static bool has(const struct row *r, char letter)
{
	return strchr(r->flags, letter);
}

static struct comparison comparison_of(const struct row *row, struct rule *r)
{
	struct comparison c = both(r, row->baseline, row->candidate);
	r->unless = &metric_table[METRIC_STEP_TIME];
	r->for_each = has(row, 'e');
	r->on_missing = has(row, 'k') ? ON_MISSING_SKIP : ON_MISSING_FAIL;
	c.has_baseline = !has(row, 'b');
	c.has_candidate = !has(row, 'c');
	c.has_pin = has(row, 'p');
	c.pin_sure = true;
	c.pin = 90;
	c.spoiled = has(row, 's');
	c.told = has(row, 't') ? "step.time says the same" : NULL;
	c.hidden = has(row, 'h');
	c.has_noise = has(row, 'n');
	c.bootstrap = has(row, 'o');
	c.has_step = !has(row, 'S');
	c.waived = has(row, 'w');
	c.waived_up_to = has(row, 'u') ? PERCENT(1) : 0;
	c.of_main = has(row, 'm') ? "M" : NULL;
	c.of_all = has(row, 'a');
	c.in_some = has(row, 'P') ? "3 of 8 ranks" : NULL;
	c.unrecorded = has(row, 'r');
	c.folded_baseline = has(row, 'f');
	c.folded_candidate = has(row, 'F');
	return c;
}

/* The check of a comparison, whose figures are times in ns. */
static struct check check_of(const struct comparison *c, const struct decision *d, struct arena *a)
{
	int64_t base = d->since_pin ? c->pin : c->baseline;
	struct check k = { .metric = c->rule->metric,
		               .item = "",
		               .has_baseline = d->since_pin || c->has_baseline,
		               .has_candidate = c->has_candidate,
		               .baseline = base,
		               .candidate = c->candidate,
		               .change = c->candidate - base,
		               .has_pct = base > 0,
		               .pct_text = "",
		               .waiver = "W",
		               .evidence = { .noise_text = "N", .plan_text = "P" } };
	k.baseline_text = unit_text(a, UNIT_NS, base);
	k.candidate_text = unit_text(a, UNIT_NS, c->candidate);
	k.change_text = unit_change(a, UNIT_NS, k.change);
	if (k.has_pct)
		k.pct_text = unit_relative(a, k.change * 100000000 / base);
	k.limit =
	    d->limit ? message_limit(a, d->map, d->limit, c) : message_limits(a, &c->rule->fail, c);
	return k;
}

static void test_sentences(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct arena a = ARENA_INIT;
		bool item = has(&rows[i], 'r'); /* only items, such as kernels, may all be unrecorded */
		struct rule r =
		    rule_of(item ? METRIC_KERNEL_TIME : METRIC_STEP_PERIOD, rows[i].fail, rows[i].warn);
		struct comparison c = comparison_of(&rows[i], &r);
		struct decision d = compare(&c);
		struct check k = check_of(&c, &d, &a);
		const char *said = message_of(&a, &c, &d, &k, "S");
		const char *want =
		    arena_printf(&a, "%s %s", item ? "kernel.time" : "median step.period", rows[i].message);
		if (strcmp(said, want) != 0)
			fail_msg("row %zu:\n'%s' instead of\n'%s'", i, said, want);
		arena_release(&a);
		release(&r);
	}
}

/* Sentences whose decision or metric compare() does not make of a table's row alone. */
static void test_other_sentences(void **state)
{
	(void)state;
	static const struct {
		const char *fail;
		enum reason reason;
		enum verdict verdict;
		bool has_baseline;
		int64_t baseline;
		const char *message;
	} cases[] = {
		{ "i5%", REASON_UNCONFIRMED, VERDICT_WARN, true, 100,
		  "input.* rose from 100 ns to 110 ns (+10 ns, +10.00 %), beyond the limit of increase x, "
		  "but not in all runs of the change, or in one of its base too" },
		{ "i5%", REASON_SHOWN, VERDICT_UNDECIDED, true, 100,
		  "input.* rose from 100 ns to 110 ns (+10 ns, +10.00 %), beyond the limit of increase x, "
		  "but P" },
		{ "i5%", REASON_NET, VERDICT_UNDECIDED, true, 100,
		  "input.* rose from 100 ns to 110 ns (+10 ns, +10.00 %), beyond the limit of increase x, "
		  "but P" },
		{ "i5%", REASON_SUBSTITUTE, VERDICT_WARN, true, 100,
		  "input.* rose from 100 ns to 110 ns (+10 ns, +10.00 %), beyond the limit of increase x, "
		  "but not what takes its place" },
		{ "i5%", REASON_MIXED, VERDICT_INCONCLUSIVE, true, 100,
		  "input.* cannot be judged: its units, ms and MB, measure different things on the two "
		  "sides" },
		{ "i5%", REASON_UNFORMED, VERDICT_INCONCLUSIVE, true, 0,
		  "input.* rose from 0 ns to 110 ns (+110 ns): a change from 0 has no percentage; limit "
		  "it: --limit 'input.loss:max=LIMIT'" },
		{ "i5%", REASON_UNFORMED, VERDICT_INCONCLUSIVE, false, 0,
		  "input.* is 110 ns: it has no baseline of its own to change from, give 'max' or 'min'" },
		{ "i5% &s1%", REASON_UNFORMED, VERDICT_INCONCLUSIVE, true, 100,
		  "input.* rose from 100 ns to 110 ns (+10 ns, +10.00 %): the approved run has no such "
		  "figure to change from" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct arena a = ARENA_INIT;
		struct rule r = rule_of(METRIC_INPUT, cases[i].fail, "");
		struct metric own = *r.metric;
		own.mixed = "ms and MB";
		r.metric = &own;
		struct comparison c = both(&r, cases[i].baseline, 110);
		c.has_baseline = cases[i].has_baseline;
		struct decision d = { cases[i].verdict, cases[i].reason, &r.fail, &r.fail.list.v[0],
			                  false };
		struct check k = check_of(&c, &d, &a);
		k.item = "loss";
		assert_string_equal(message_of(&a, &c, &d, &k, NULL), cases[i].message);
		arena_release(&a);
		release(&r);
	}
}

/* A message names the item of the check, except the item of a figure of result files. */
static void test_subjects(void **state)
{
	(void)state;
	static const struct {
		enum metric_id id;
		const char *item, *begin;
	} cases[] = {
		{ METRIC_KERNEL_TIME, "gemm", "kernel.time of 'gemm' is unchanged" },
		{ METRIC_KERNEL_TIME, "", "kernel.time is unchanged" },
		{ METRIC_INPUT, "loss", "input.* is unchanged" },
		{ METRIC_STEP_PERIOD, "rank 1", "median step.period of 'rank 1' is unchanged" },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct arena a = ARENA_INIT;
		struct rule r = rule_of(cases[i].id, "i5%", "");
		struct comparison c = both(&r, 9, 9);
		struct decision d = compare(&c);
		struct check k = check_of(&c, &d, &a);
		k.item = cases[i].item;
		const char *said = message_of(&a, &c, &d, &k, NULL);
		if (strncmp(said, cases[i].begin, strlen(cases[i].begin)) != 0)
			fail_msg("'%s' instead of '%s'", said, cases[i].begin);
		arena_release(&a);
		release(&r);
	}
}

/* ---- limits on figures of result files ---- */

static struct metric figure_of(const char *unit, int digits, enum worse worse)
{
	struct metric m = metric_table[METRIC_INPUT];
	m.name = "input.p99";
	m.unit = unit_of_figure(unit ? figure_unit_find(span_of(unit)) : -1, digits);
	m.worse = worse;
	return m;
}

static void test_units(void **state)
{
	(void)state;
	static const struct {
		const char *of_figure;
		int digits;
		struct decimal limit;
		const char *of_limit;
		enum condition condition;
		int64_t want; ///< limit in the figure's stored unit; -1: refused, as the units do not fit
	} cases[] = {
		{ "ms", 3, { 5, 0 }, "ms", COND_MAX, 5000 },
		{ "ms", 3, { 5, 0 }, "", COND_MAX, 5000 },
		{ "ms", 3, { 2, 0 }, "s", COND_MAX, 2000000 },
		{ "ms", 3, { 1500, 0 }, "us", COND_MAX, 1500 },
		{ "ms", 0, { 1, 0 }, "ns", COND_MAX, 0 },
		{ "ms", 0, { 1, 0 }, "ns", COND_MIN, 1 },
		{ "ms", 0, { 0, 0 }, "ns", COND_MIN, 0 },
		{ "ms", 0, { 1000000, 0 }, "ns", COND_MIN, 1 },
		{ "ms", 0, { 1000001, 0 }, "ns", COND_MIN, 2 },
		{ "ms", 0, { 1999999, 0 }, "ns", COND_MAX, 1 },
		{ "ms", 3, { 5, 0 }, "GiB", COND_MAX, -1 },
		{ "ms", 3, { 5, 0 }, "%", COND_MAX, -1 },
		{ "ns", 0, { 5, 0 }, "%", COND_MAX, -1 }, /* "ns": the first unit of the table */
		{ NULL, 3, { 5, 0 }, "", COND_MAX, 5000 },
		{ NULL, 3, { 5, 0 }, "ms", COND_MAX, -1 },
		{ "MB", 0, { 3, 0 }, "MB", COND_MAX, 3 },
		{ "tok/s", 0, { 5, 0 }, "ms", COND_MAX, -1 },
		{ "ms", 0, { 5, 0 }, "foo", COND_MAX, -1 },
		{ "ms", 3, { INT64_MAX / 1000000, 0 }, "s", COND_MAX, INT64_MAX / 1000000 * 1000000 },
		{ "ms", 3, { INT64_MAX / 1000000 + 1, 0 }, "s", COND_MAX, INT64_MAX },
	};
	for (size_t i = 0; i < NR_OF(cases); i++)
		for (int as_and = 0; as_and < 2; as_and++) {
			struct arena a = ARENA_INIT;
			struct diag_log log;
			const struct rule *out;
			struct metric own = figure_of(cases[i].of_figure, cases[i].digits, WORSE_UP);
			struct file_limit limit = { cases[i].limit, cases[i].of_limit };
			struct rule r = rule_of(METRIC_INPUT, "", "");
			fixture_limit(&r.fail, as_and ? COND_INCREASE : cases[i].condition, as_and, 7, "5x");
			r.fail.list.v[0].exact = r.fail.and_exact = limit;
			r.fail.has_and = as_and;
			r.fail.and_text = "5x";
			diag_init(&log);
			enum status st = figure_rule(&r, &own, "rules.yaml", &a, &out, &log);
			int64_t value = as_and ? out->fail.and_value : out->fail.list.v[0].value;
			if (st != (cases[i].want < 0 ? ST_USAGE : ST_OK))
				fail_msg("row %zu: status %d", i, (int)st);
			if (st == ST_OK && value != cases[i].want &&
			    !(as_and && cases[i].condition == COND_MIN))
				fail_msg("row %zu, %d: %lld", i, as_and, (long long)value);
			if (st == ST_OK && as_and)
				assert_int_equal(out->fail.list.v[0].value, 7); /* the limit in % does not change */
			const char *is = cases[i].of_figure ? arena_printf(&a, "is in %s", cases[i].of_figure)
			                                    : "has no unit: write a bare number";
			if (st != ST_OK)
				assert_string_equal(diag_first_error(&log),
				                    arena_printf(&a,
				                                 "rules.yaml:3:5: rule 'rule': '5x' does not fit "
				                                 "'input.p99', which %s",
				                                 is));
			diag_release(&log);
			arena_release(&a);
			release(&r);
		}
}

/* A limit under the key 'worse' becomes a limit on changes in the figure's worse direction. If
 * neither direction of the figure is worse, the limit is left out. */
static void test_worse(void **state)
{
	(void)state;
	static const struct {
		enum worse of_rule, of_figure;
		size_t nr;
		enum condition condition;
	} cases[] = {
		{ WORSE_EITHER, WORSE_UP, 2, COND_INCREASE },
		{ WORSE_EITHER, WORSE_DOWN, 2, COND_DECREASE },
		{ WORSE_EITHER, WORSE_EITHER, 1, COND_CHANGE },
		{ WORSE_UP, WORSE_DOWN, 2, COND_INCREASE },
		{ WORSE_DOWN, WORSE_EITHER, 2, COND_DECREASE },
	};
	for (size_t i = 0; i < NR_OF(cases); i++)
		for (int warn = 0; warn < 2; warn++) {
			struct arena a = ARENA_INIT;
			struct diag_log log;
			const struct rule *out;
			struct metric own = figure_of("ms", 0, cases[i].of_figure);
			struct rule r = rule_of(METRIC_INPUT, "", "");
			struct limits *map = warn ? &r.warn : &r.fail;
			fixture_limit(map, COND_WORSE, true, PERCENT(5), "5%");
			fixture_limit(map, COND_CHANGE, true, PERCENT(9), "9%");
			r.worse = cases[i].of_rule;
			diag_init(&log);
			assert_int_equal(figure_rule(&r, &own, "rules.yaml", &a, &out, &log), ST_OK);
			const struct limits *got = warn ? &out->warn : &out->fail;
			assert_int_equal(got->list.nr, cases[i].nr);
			assert_int_equal(got->list.v[0].condition, cases[i].condition);
			assert_int_equal(got->list.v[got->list.nr - 1].condition, COND_CHANGE);
			assert_string_equal(out->metric->name, "input.p99");
			assert_int_equal(out->metric->worse, cases[i].of_figure);
			diag_release(&log);
			arena_release(&a);
			release(&r);
		}
}

/* What a built-in rule says of 'worse' allows no change at all of figures that are counted, such as
 * recompilations; a rule of the user allows what it says. An `and` of spreads has no unit.
 */
static void test_counted(void **state)
{
	(void)state;
	for (int built_in = 0; built_in < 2; built_in++)
		for (int exact = 0; exact < 2; exact++) {
			struct arena a = ARENA_INIT;
			struct diag_log log;
			const struct rule *out;
			struct metric own = figure_of("ms", 0, WORSE_UP);
			struct rule r = rule_of(METRIC_INPUT, "", "");
			fixture_limit(&r.fail, COND_WORSE, true, PERCENT(5), "5%");
			fixture_limit(&r.fail, COND_INCREASE, true, PERCENT(9), "9%");
			r.fail.has_and = true;
			r.fail.and_of = AND_OF_SPREAD;
			r.fail.and_value = 7;
			r.fail.and_exact.unit = "foo";
			own.exact = exact;
			own.name = exact ? "input.recompiles" : "input.p99";
			r.built_in = built_in;
			diag_init(&log);
			assert_int_equal(figure_rule(&r, &own, "rules.yaml", &a, &out, &log), ST_OK);
			const struct limit *l = &out->fail.list.v[0];
			bool none = built_in && exact;
			assert_int_equal(l->condition, COND_INCREASE);
			assert_int_equal(l->relative, !none);
			assert_int_equal(l->value, none ? 0 : PERCENT(5));
			assert_string_equal(l->text, none ? "0" : "5%");
			assert_int_equal(out->fail.list.v[1].value, PERCENT(9));
			assert_int_equal(out->fail.and_value, 7);
			diag_release(&log);
			arena_release(&a);
			release(&r);
		}
}

/* If the units of the two sides measure different things, no limit fits, and none is refused. */
static void test_mixed_units(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	const struct rule *out;
	struct metric own = figure_of(NULL, 0, WORSE_UP);
	struct rule r = rule_of(METRIC_INPUT, "", "");
	fixture_limit(&r.fail, COND_MAX, false, 7, "5ms");
	r.fail.list.v[0].exact.unit = "ms";
	r.worse = WORSE_EITHER;
	own.mixed = "ms and MB";
	assert_int_equal(figure_rule(&r, &own, "rules.yaml", &a, &out, NULL), ST_OK);
	assert_string_equal(out->metric->mixed, "ms and MB");
	assert_int_equal(out->metric->label, LABEL_INPUT);
	assert_int_equal(out->fail.list.v[0].value, 7);
	arena_release(&a);
	release(&r);
}

/* figure_rule() returns the rule itself, without a copy, if the rule is on another metric or on
   exactly this figure. */
static void test_own_rule(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct metric own = figure_of("ms", 0, WORSE_UP);
	const struct rule *out = NULL;
	struct rule r = rule_of(METRIC_STEP_PERIOD, "i5", "");
	assert_int_equal(figure_rule(&r, &own, "rules.yaml", &a, &out, NULL), ST_OK);
	assert_ptr_equal(out, &r);
	r.metric = &own;
	out = NULL;
	assert_int_equal(figure_rule(&r, &own, "rules.yaml", &a, &out, NULL), ST_OK);
	assert_ptr_equal(out, &r);
	arena_release(&a);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit_texts),     cmocka_unit_test(test_spreads),
		cmocka_unit_test(test_sentences),       cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_other_sentences), cmocka_unit_test(test_units),
		cmocka_unit_test(test_worse),           cmocka_unit_test(test_own_rule),
		cmocka_unit_test(test_counted),         cmocka_unit_test(test_mixed_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
