#include "diff/bench.h"

#include "diff/past.h"
#include "gate_fixture.h"

enum { MAX_RUNS = 8 };

/* Runs with one kernel "gemm" that takes the given ms in one step; 0 means a run with another
 * kernel instead. */
struct stage {
	struct category_table categories;
	struct rules rules;
	struct run pin, past[MAX_RUNS], candidate[MAX_RUNS];
	struct history history;
	struct arena arena;
	struct bench bench;
	struct entries entries;
};

static struct run run_of(int64_t ms)
{
	const struct activity a[] = { { EVENT_KERNEL, "gemm", 1, MS(ms) },
		                          { EVENT_KERNEL, "elem", 1, MS(1) } };
	return fixture_run(ms ? fixture_digest(1, a, 2) : fixture_digest(1, &a[1], 1));
}

static struct naming naming_of(struct stage *s)
{
	return (struct naming){ .categories = &s->categories };
}

/* Builds the runs and values to be judged for kernel.time. `recent` and `candidates` are lists of
 * ms that end with -1. */
static void begin(struct stage *s, int64_t pin, const int64_t *recent, const int64_t *candidates,
                  bool pin_is_recent)
{
	size_t nr = 0, nr_recent = 0;
	*s = (struct stage){ .arena = ARENA_INIT, .rules = fixture_rules() };
	fixture_categories(&s->categories);
	struct rule rule = fixture_rule(METRIC_KERNEL_TIME);
	fixture_add(&s->rules, rule);
	if (pin >= 0)
		s->pin = run_of(pin);
	for (; recent[nr_recent] >= 0; nr_recent++) {
		s->past[nr_recent] = run_of(recent[nr_recent]);
		past_run_of(&s->rules, naming_of(s), &s->past[nr_recent], &s->arena,
		            vec_push_zero(&s->history.runs));
	}
	if (pin_is_recent)
		s->history.runs.v[0].source_hash = past_source_hash(&s->pin);
	for (; candidates[nr] >= 0; nr++)
		s->candidate[nr] = run_of(candidates[nr]);
	bench_init(&s->bench,
	           &(struct bench_runs){ .baseline = pin >= 0 ? &s->pin : NULL,
	                                 .recent = &s->history,
	                                 .candidates = s->candidate,
	                                 .nr_candidates = nr },
	           naming_of(s));
	s->bench.min_runs = 3;
	bench_query(&s->bench, &rule.query, &s->entries);
}

static void end(struct stage *s)
{
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

static const struct entry *entry_of(const struct stage *s, const char *label)
{
	for (size_t i = 0; i < s->entries.list.nr; i++)
		if (span_eq(s->entries.list.v[i].label, span_of(label)))
			return &s->entries.list.v[i];
	return NULL;
}

static const struct row {
	int64_t pin, recent[MAX_RUNS], candidates[MAX_RUNS];
	bool twin;
	int64_t baseline_ms, baseline_runs, candidate_us, candidate_runs;
} rows[] = {
	/* the candidate's value is the median of those runs that have the kernel */
	{ 10, { -1 }, { 12, -1 }, false, 10, 1, 12000, 1 },
	{ 10, { -1 }, { 15, 11, 12, -1 }, false, 10, 1, 12000, 3 },
	{ 10, { -1 }, { 15, 12, -1 }, false, 10, 1, 13500, 2 },
	{ 10, { -1 }, { 15, 0, 12, 13, -1 }, false, 10, 1, 13000, 3 },
	/* the baseline's value is a median: of the pin and the recent runs if there are fewer than
	   min_runs recent runs, else of the recent runs only */
	{ 10, { 20, 30, -1 }, { 12, -1 }, false, 20, 3, 12000, 1 },
	{ 10, { 20, 30, 40, -1 }, { 12, -1 }, false, 30, 3, 12000, 1 },
	{ 10, { 20, 0, 40, -1 }, { 12, -1 }, false, 20, 3, 12000, 1 },
	/* a pin that is also a recent run counts once, with fewer runs than min_runs and with more */
	{ 10, { 10, 20, -1 }, { 12, -1 }, true, 15, 2, 12000, 1 },
	{ 10, { 10, 20, 30, 40, 50, -1 }, { 12, -1 }, true, 30, 5, 12000, 1 },
	/* the pin has no value, but a recent run has one */
	{ 0, { 20, -1 }, { 12, -1 }, false, 20, 1, 12000, 1 },
};

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct row *r = &rows[i];
		struct stage s;
		begin(&s, r->pin, r->recent, r->candidates, r->twin);
		const struct entry *e = entry_of(&s, "gemm");
		assert_non_null(e);
		if (e->value[SIDE_BASELINE] != MS(r->baseline_ms) ||
		    e->value[SIDE_CANDIDATE] != r->candidate_us * 1000)
			fail_msg("row %zu: %lld → %lld", i, (long long)e->value[SIDE_BASELINE],
			         (long long)e->value[SIDE_CANDIDATE]);
		assert_int_equal(e->nr_runs[SIDE_BASELINE], r->baseline_runs);
		assert_int_equal(e->nr_runs[SIDE_CANDIDATE], r->candidate_runs);
		assert_int_equal(e->has_pin, r->pin > 0);
		if (e->has_pin)
			assert_int_equal(e->pin, MS(r->pin));
		end(&s);
	}
}

/* The values of runs stay in order, since each is shown. */
static void test_order(void **state)
{
	(void)state;
	static const int64_t recent[] = { 30, 20, -1 }, candidates[] = { 15, 11, 12, -1 };
	struct stage s;
	begin(&s, 40, recent, candidates, false);
	const struct entry *e = entry_of(&s, "gemm");
	static const int64_t baseline[] = { 40, 30, 20 };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(e->runs[SIDE_BASELINE][i], MS(baseline[i]));
		assert_int_equal(e->runs[SIDE_CANDIDATE][i], MS(candidates[i]));
	}
	end(&s);
}

/* Past values of a renamed kernel are one series, under whichever of its names they were stored. */
static void test_renamed(void **state)
{
	(void)state;
	static const int64_t recent[] = { 20, 30, 40, -1 }, candidates[] = { 10, -1 };
	struct stage s;
	struct past_value *newest;
	begin(&s, 10, recent, candidates, false);
	vec_release(&s.entries.list);
	bench_release(&s.bench);
	s.candidate[0].ranks.v[0]->kernels.v[1].name = SPAN("gemm_v2");
	newest = s.history.runs.v[2].values.v;
	for (size_t i = 0; i < s.history.runs.v[2].values.nr; i++)
		if (span_eq(newest[i].label, SPAN("gemm")))
			newest[i].label = SPAN("gemm_v2");
	bench_init(&s.bench,
	           &(struct bench_runs){ .baseline = &s.pin,
	                                 .recent = &s.history,
	                                 .candidates = s.candidate,
	                                 .nr_candidates = 1 },
	           naming_of(&s));
	s.bench.min_runs = 3;
	struct query q = s.rules.rules.v[0].query;
	bench_query(&s.bench, &q, &s.entries);
	assert_null(entry_of(&s, "gemm"));
	const struct entry *e = entry_of(&s, "gemm_v2");
	assert_non_null(e);
	assert_true(span_eq(e->was, SPAN("gemm")));
	assert_int_equal(e->nr_runs[SIDE_BASELINE], 3);
	assert_int_equal(e->value[SIDE_BASELINE], MS(30));
	assert_int_equal(e->runs[SIDE_BASELINE][2], MS(40));
	assert_true(e->has_pin);
	assert_int_equal(e->pin, MS(10));
	vec_release(&s.entries.list);
	q.kernel = "gemm"; /* a candidate has no value for a kernel that the rule does not ask for */
	bench_query(&s.bench, &q, &s.entries);
	assert_int_equal(s.entries.list.nr, 1);
	assert_false(entry_of(&s, "gemm")->has[SIDE_CANDIDATE]);
	end(&s);
}

static void test_no_baseline(void **state)
{
	(void)state;
	static const int64_t none[] = { -1 }, candidates[] = { 15, -1 };
	struct stage s;
	begin(&s, -1, none, candidates, false);
	assert_int_equal(s.entries.list.nr, 2);
	for (size_t i = 0; i < s.entries.list.nr; i++) {
		assert_false(s.entries.list.v[i].has[SIDE_BASELINE]);
		assert_false(s.entries.list.v[i].has_pin);
		assert_true(s.entries.list.v[i].has[SIDE_CANDIDATE]);
	}
	assert_false(bench_has(&s.bench, SIDE_BASELINE, &metric_table[METRIC_KERNEL_TIME]));
	end(&s);
}

/* Activities of the candidate are means over all its runs. */
static void test_pairs(void **state)
{
	(void)state;
	static const int64_t none[] = { -1 }, candidates[] = { 15, 11, 13, -1 };
	struct stage s;
	begin(&s, 10, none, candidates, false);
	assert_int_equal(s.bench.pairs.steps[SIDE_CANDIDATE], 3);
	for (size_t i = 0; i < s.bench.pairs.list.nr; i++) {
		const struct activity_pair *p = &s.bench.pairs.list.v[i];
		assert_int_equal(p->count[SIDE_CANDIDATE], 3);
		if (span_eq(p->name, SPAN("gemm")))
			assert_int_equal(p->time_ns[SIDE_CANDIDATE], MS(13));
	}
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_renamed), cmocka_unit_test(test_values),
		cmocka_unit_test(test_order),   cmocka_unit_test(test_no_baseline),
		cmocka_unit_test(test_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
