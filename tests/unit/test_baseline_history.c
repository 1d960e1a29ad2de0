/* Recent runs of a baseline: the figures that are kept of them, and their stored form. */
#include "gate_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "diff/past.h"
#include "io/source.h"
#include "store/digest_json.h"
#include "text_rig.h"

static struct baseline toy(size_t nr)
{
	struct baseline b = { .workload = "toy", .provenance = { "", "", "", "", "" } };
	static const struct activity gemm = { EVENT_KERNEL, "gemm", 6, 600 };
	vec_push(&b.pin.ranks, fixture_digest(3, &gemm, 1));
	for (size_t i = 0; i < nr; i++) {
		struct past_run *run = vec_push_zero(&b.recent.runs);
		run->provenance =
		    (struct provenance){ "abc", "2026-01-02T03:04:05Z", "t", "\xff", "", NULL };
		run->source_hash = i;
		run->ranks = 1;
		run->steps = 3;
		vec_push(&run->values, (struct past_value){ "a", SPAN(""), -1, -5, MICRO_DIGITS });
		vec_push(&run->values,
		         (struct past_value){ "a", SPAN("k\xff"), -1, INT64_MIN, MICRO_DIGITS });
		vec_push(&run->values,
		         (struct past_value){ "a", SPAN("k\xff"), 3, INT64_MAX, MICRO_DIGITS });
	}
	return b;
}

static char *text_of(const struct baseline *b)
{
	struct sink *s = sink_open_memory();
	baseline_write(b, s);
	return taken(s, NULL);
}

/* Reads `text`, which must be refused with `message`, or accepted if `message` is NULL. */
static void read_text(const char *text, const char *message, struct baseline *out)
{
	struct diag_log log;
	struct source *src = source_memory("b.json", text, strlen(text), NULL);
	diag_init(&log);
	enum status st = baseline_parse(src, out, &log);
	const char *error = diag_first_error(&log);
	if (st != (message ? ST_BASELINE : ST_OK) || (message && !strstr(error, message)))
		fail_msg("'%s' instead of '%s'", error ? error : "no error", message ? message : "none");
	source_close(src);
	diag_release(&log);
}

static void test_round_trip(void **state)
{
	(void)state;
	static const size_t numbers[] = { 0, 1, BASELINE_RECENT };
	for (size_t i = 0; i < NR_OF(numbers); i++) {
		struct baseline b = toy(numbers[i]), r;
		char *text = text_of(&b);
		read_text(text, NULL, &r);
		char *again = text_of(&r);
		assert_string_equal(text, again);
		assert_int_equal(r.recent.runs.nr, numbers[i]);
		for (size_t k = 0; k < r.recent.runs.nr; k++) {
			const struct past_run *run = &r.recent.runs.v[k];
			assert_string_equal(run->provenance.who, "\xff");
			assert_int_equal(run->source_hash, k);
			assert_int_equal(run->values.nr, 3);
			assert_int_equal(run->values.v[0].rank, -1);
			assert_true(span_eq(run->values.v[2].label, SPAN("k\xff")));
			assert_int_equal(run->values.v[2].rank, 3);
			assert_true(run->values.v[1].value == INT64_MIN);
		}
		baseline_release(&r);
		baseline_release(&b);
		free(again);
		free(text);
	}
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} rows[] = {
		{ "\"steps\": 3,\n\"cut\"", "\"cut\"", "'recent[0].steps' is missing" },
		{ "\"cut\": 0", "\"cut\": -1", "'recent[0].cut' is negative" },
		{ "\"cut\": 0", "\"cut\": 0, \"mood\": 1", "'recent[0].mood' is not known" },
		{ "\"source_hash\": \"0000000000000000\"", "\"source_hash\": 0",
		  "'recent[0].source_hash' is not a string" },
		{ "\"query\":\"a\"", "\"query\":\"b\"", "'recent[0].values[1]' does not come after" },
		{ "\"value\":-5", "\"value\":-5.5", "'recent[0].values[0].value' is not a whole number" },
		{ "\"rank\":3", "\"rank\":-3", "'recent[0].values[2].rank' is negative" },
		{ "\"values\": [", "\"values\": [null,", "'recent[0].values[0]' is not an object" },
	};
	struct baseline b = toy(1), r;
	char *text = text_of(&b);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		char *bad = edited(text, rows[i].old, rows[i].new);
		read_text(bad, rows[i].message, &r);
		baseline_release(&r);
		free(bad);
	}
	baseline_release(&b);
	free(text);
	b = toy(BASELINE_RECENT + 1);
	text = text_of(&b);
	read_text(text, "'recent[20]' is one run too many", &r);
	baseline_release(&r);
	baseline_release(&b);
	free(text);
}

/* Number of bytes that `run` takes in a baseline's file as the only recent run. */
static size_t size_of_recent(const struct past_run *run)
{
	struct baseline b = toy(0);
	char *without = text_of(&b);
	vec_push(&b.recent.runs, *run);
	char *with = text_of(&b);
	size_t n = strlen(with) - strlen(without);
	b.recent.runs.nr = 0;
	baseline_release(&b);
	free(with);
	free(without);
	return n;
}

static void test_fit(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT;
	struct past_run run = { .provenance = { "", "", "", "", "" }, .ranks = 1 };
	vec_push(&run.values, (struct past_value){ "a scalar", SPAN(""), -1, 1, MICRO_DIGITS });
	for (int i = 0; i < 1000; i++)
		vec_push(&run.values, (struct past_value){ "kernel.time ranks=median",
		                                           span_of(arena_printf(&a, "kernel %04d", i)), -1,
		                                           i % 2 ? -1000 * i : 1000 * i, MICRO_DIGITS });
	vec_push(&run.values, (struct past_value){ "last scalar", SPAN(""), -1, 0, MICRO_DIGITS });
	struct past_run small = run;
	small.values.v = NULL;
	small.values.nr = small.values.cap = 0;
	vec_push(&small.values, run.values.v[0]);
	past_run_fit(&small);
	assert_int_equal(small.cut, 0);
	past_run_fit(&run);
	assert_in_range(size_of_recent(&run), BASELINE_RECENT_BYTES * 9 / 10,
	                BASELINE_RECENT_BYTES + 3);
	assert_int_equal(run.cut + (int64_t)run.values.nr, 1002);
	assert_string_equal(run.values.v[0].query, "a scalar");
	assert_string_equal(run.values.v[run.values.nr - 1].query, "last scalar");
	assert_true(span_eq(run.values.v[run.values.nr - 2].label, SPAN("kernel 0999")));
	/* only the values nearest to 0 are dropped */
	for (size_t i = 2; i < run.values.nr - 1; i++)
		assert_true(labs(run.values.v[i].value) == labs(run.values.v[i - 1].value) + 1000);
	vec_release(&small.values);
	vec_release(&run.values);
	arena_release(&a);
}

/* ---- figures that are kept of a run ---- */

static const int64_t *value_of(const struct past_run *run, const char *query, const char *label)
{
	size_t nr;
	const struct past_value *v = past_query(run, query, &nr);
	for (size_t i = 0; i < nr; i++)
		if (span_eq(v[i].label, span_of(label)))
			return &v[i].value;
	return NULL;
}

static void test_past_run(void **state)
{
	(void)state;
	static const struct activity activities[] = {
		{ EVENT_KERNEL, "gemm_1", 3, 900 },
		{ EVENT_KERNEL, "gemm_2", 3, 600 },
		{ EVENT_KERNEL, "elem", 3, 300 },
	};
	struct category_table categories;
	fixture_categories(&categories);
	struct naming naming = { .categories = &categories };
	struct rules rules = fixture_rules();
	struct rule step = fixture_rule(METRIC_STEP_COMPUTE_TIME),
	            top = fixture_rule(METRIC_KERNEL_TIME),
	            pair = fixture_rule(METRIC_KERNEL_DRIFT_PCT),
	            again = fixture_rule(METRIC_STEP_COMPUTE_TIME),
	            absent = fixture_rule(METRIC_MEMORY_PEAK_ALLOCATED);
	top.for_each = true;
	top.top = 1; /* the history keeps twice as many items as the rule checks */
	step.fail.and_of = AND_OF_STEP;
	vec_push(&rules.rules, step);
	vec_push(&rules.rules, top);
	vec_push(&rules.rules, pair);
	vec_push(&rules.rules, again);
	vec_push(&rules.rules, absent);
	struct run run = { 0 };
	vec_push(&run.ranks, fixture_digest(3, activities, NR_OF(activities)));
	struct past_run past;
	struct arena a = ARENA_INIT;
	past_run_of(&rules, naming, &run, &a, &past);
	assert_int_equal(past.ranks, 1);
	assert_int_equal(past.steps, 3);
	assert_int_equal(past.values.nr, 6);
	assert_int_equal(*value_of(&past, "step.compute_time stat=median ranks=median", ""), 600);
	assert_int_equal(*value_of(&past, "step.cuda_time stat=median ranks=median", ""), 600);
	assert_int_equal(*value_of(&past, "kernel.time ranks=median", "gemm_1"), 300);
	assert_int_equal(*value_of(&past, "kernel.time ranks=median", "gemm_2"), 200);
	assert_null(value_of(&past, "kernel.time ranks=median", "elem"));
	vec_release(&past.values);
	arena_release(&a);
	run_release(&run);
	vec_release(&rules.rules);
	category_table_release(&categories);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_past_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
