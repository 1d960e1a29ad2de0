#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "metric/file_figure.h"
#include "metric/metric.h"
#include "metric/unit.h"

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		assert_int_equal(m->id, i);
		assert_ptr_equal(metric_find(span_of(m->name)), m);
		assert_int_equal(m->per_step, strncmp(m->name, "step.", 5) == 0);
		/* step metrics have the first ids, because their samples are indexed by id */
		assert_int_equal(m->per_step, i < NR_STEP_METRICS);
		assert_true(m->head[0]);
		assert_int_equal(strncmp(m->name, "memory.", 7) == 0, m->label == LABEL_MEMORY);
		assert_true(m->meaning[0] && m->meaning[strlen(m->meaning) - 1] != '.');
	}
	assert_null(metric_find(SPAN("step.tim")));
	assert_null(metric_find(SPAN("")));
}

static bool is_sum(enum unit unit)
{
	return unit == UNIT_NS || unit == UNIT_NS_PER_STEP || unit == UNIT_BYTES ||
	       unit == UNIT_BYTES_PER_STEP || unit == UNIT_COUNT || unit == UNIT_COUNT_PER_STEP;
}

/* Columns of the table of metrics agree: some of their values follow from other columns. */
static void test_columns(void **state)
{
	(void)state;
	const unsigned origin = ON_TRACE | ON_STEP_NUMBERS | ON_MEMORY | ON_INPUT;
	for (size_t i = 0; i < NR_METRICS; i++) {
		const struct metric *m = &metric_table[i];
		unsigned s = m->rests_on, from = s & origin;
		if (m->need == NEED_MACHINE) {
			/* no trust finding makes figures of the machine itself unreliable */
			assert_int_equal(s, 0);
			continue;
		}
		assert_true(from && !(from & (from - 1)));
		assert_int_equal(from == ON_MEMORY, m->need == NEED_MEMORY);
		assert_int_equal(from == ON_INPUT, m->need == NEED_INPUT);
		assert_int_equal(!!(s & ON_MATCHES), m->need == NEED_MATCHED);
		if (m->need == NEED_COMM || m->need == NEED_FLOPS || m->need == NEED_MATCHED)
			assert_true(s & ON_GPU);
		if (m->per_step)
			assert_true((s & ON_STEPS) && (s & ON_PEERS));
		/* only sums of durations can count overlapping activities twice */
		if (s & ON_DURATIONS)
			assert_true((s & ON_GPU) && !m->exact);
		assert_int_equal(is_sum(m->unit), m->parts != PARTS_RATE && m->parts != PARTS_SHARE);
		if (m->group == GROUP_MEMORY || m->need == NEED_MEMORY)
			assert_true(m->group == GROUP_MEMORY && m->need == NEED_MEMORY);
	}
}

static void test_suggest(void **state)
{
	(void)state;
	static const struct {
		const char *name, *suggestion;
	} rows[] = {
		{ "step.cuda_tiem", "step.cuda_time" },
		{ "step.cudatime", "step.cuda_time" },
		{ "kernel.times", "kernel.time" },
		{ "memory.peak_alocated", "memory.peak_allocated" },
		/* of several equally near names, the first is suggested */
		{ "step.memzzz_time", "step.memcpy_time" },
		{ "MFU", NULL },
		{ "", NULL },
		{ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxx", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *s = metric_suggest(span_of(rows[i].name), NULL);
		if (rows[i].suggestion)
			assert_string_equal(s, rows[i].suggestion);
		else
			assert_null(s);
	}
}

static void test_edit_distance(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		size_t limit, distance;
	} rows[] = {
		{ "", "", 0, 0 },
		{ "abc", "abc", 0, 0 },
		{ "abc", "acb", 5, 1 },
		{ "kitten", "sitting", 5, 3 },
		{ "abc", "", 5, 3 },
		{ "", "abc", 5, 3 },
		{ "kitten", "sitting", 2, 3 },
		{ "abcdef", "a", 2, 3 },
		{ "abcd", "efgh", 3, 4 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(edit_distance(span_of(rows[i].a), span_of(rows[i].b), rows[i].limit),
		                 rows[i].distance);
}

static void test_statistics(void **state)
{
	(void)state;
	static const int64_t odd[] = { 9, 1, 5, 3, 7 }, even[] = { 4, 1 }, below[] = { -4, -1 },
	                     big[] = { INT64_MAX, INT64_MAX, 1 }, small[] = { INT64_MIN, INT64_MIN };
	static const struct {
		enum statistic stat;
		const int64_t *v;
		size_t nr;
		int64_t value;
	} rows[] = {
		{ STAT_MEDIAN, odd, 5, 5 },
		{ STAT_MEDIAN, even, 2, 3 },
		{ STAT_MEDIAN, below, 2, -3 },
		{ STAT_MEAN, odd, 5, 5 },
		{ STAT_MEAN, even, 2, 3 },
		{ STAT_MEAN, below, 2, -3 },
		{ STAT_MEAN, big, 2, INT64_MAX },
		{ STAT_MEAN, small, 2, INT64_MIN },
		{ STAT_MIN, odd, 5, 1 },
		{ STAT_MAX, odd, 5, 9 },
		{ STAT_TOTAL, odd, 5, 25 },
		{ STAT_TOTAL, big, 3, INT64_MAX },
		{ STAT_TOTAL, small, 2, INT64_MIN },
		{ STAT_P90, odd, 5, 8 },
		{ STAT_P95, odd, 5, 9 },
		{ STAT_P99, odd, 5, 9 },
		{ STAT_P90, even, 2, 4 },
		{ STAT_P90, even, 1, 4 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (stat_of(rows[i].stat, rows[i].v, rows[i].nr) != rows[i].value)
			fail_msg("row %zu (%s)", i, stat_names[rows[i].stat]);
	assert_int_equal(odd[0], 9);
	int64_t v[] = { 5, 1, 9 };
	assert_int_equal(reduce_of(REDUCE_MAX, v, 3), 9);
	assert_int_equal(reduce_of(REDUCE_MIN, v, 3), 1);
	assert_int_equal(reduce_of(REDUCE_MEAN, v, 3), 5);
	assert_int_equal(reduce_of(REDUCE_MEDIAN, v, 3), 5);
}

static void test_format(void **state)
{
	(void)state;
	static const struct {
		enum unit unit;
		int64_t value;
		bool sign;
		const char *text;
	} rows[] = {
		{ UNIT_NS, 0, true, "0 ns" },
		{ UNIT_NS, 950, false, "950 ns" },
		{ UNIT_NS, 999, true, "+999 ns" },
		{ UNIT_NS, 1000, false, "1.000 µs" },
		{ UNIT_NS, 1234567, false, "1.235 ms" },
		{ UNIT_NS, 86404500, false, "86.40 ms" },
		{ UNIT_NS, 150992500, false, "150.99 ms" },
		{ UNIT_NS, 999994, false, "999.99 µs" },
		{ UNIT_NS, 999995, false, "1.000 ms" },
		{ UNIT_NS, 999995000, true, "+1.000 s" },
		{ UNIT_NS, 1234000000, false, "1.234 s" },
		{ UNIT_NS, -9000000, true, "-9.000 ms" },
		{ UNIT_NS, INT64_MAX, false, "9,223,372,036.85 s" },
		{ UNIT_NS, INT64_MIN, false, "-9,223,372,036.85 s" },
		{ UNIT_NS_PER_STEP, 1500, false, "1.500 µs" },
		{ UNIT_BYTES, 1023, false, "1,023 B" },
		{ UNIT_BYTES, 1024, false, "1.00 KiB" },
		{ UNIT_BYTES, 1048570, false, "1,023.99 KiB" },
		{ UNIT_BYTES, 1048571, false, "1.00 MiB" },
		{ UNIT_BYTES, 4541928079, false, "4.23 GiB" },
		{ UNIT_BYTES, -512, false, "-512 B" },
		{ UNIT_BYTES, (int64_t)1 << 50, false, "1,048,576.00 GiB" },
		{ UNIT_BYTES_PER_S, 1610612736, false, "1.50 GiB/s" },
		{ UNIT_BYTES_PER_STEP, 2048, true, "+2.00 KiB" },
		{ UNIT_COUNT, 1219, false, "1,219" },
		{ UNIT_COUNT, 12, true, "+12" },
		{ UNIT_COUNT, INT64_MAX, false, "9,223,372,036,854,775,807" },
		{ UNIT_COUNT_PER_STEP, 1219000000, false, "1,219" },
		{ UNIT_COUNT_PER_STEP, 1219400000, false, "1,219.4" },
		{ UNIT_COUNT_PER_STEP, 1219960000, false, "1,220" },
		{ UNIT_COUNT_PER_STEP, 333333, false, "0.3333" },
		{ UNIT_COUNT_PER_STEP, 12345678, false, "12.35" },
		{ UNIT_COUNT_PER_STEP, 1500000, false, "1.5" },
		{ UNIT_COUNT_PER_STEP, 3, false, "0.000003" },
		{ UNIT_COUNT_PER_STEP, 0, false, "0" },
		{ UNIT_PER_S, 5000000, false, "5 /s" },
		{ UNIT_FLOPS, 999, false, "999 FLOP" },
		{ UNIT_FLOPS, 35776, false, "35.78 kFLOP" },
		{ UNIT_FLOPS, -6006026832832, false, "-6.006 TFLOP" },
		{ UNIT_FLOPS, INT64_MAX, true, "+9,223,372.04 TFLOP" },
		{ UNIT_FLOPS_PER_S, 989500000000000, false, "989.50 TFLOP/s" },
		{ UNIT_PER_S, 1234567890, false, "1,234.6 /s" },
		{ UNIT_PCT, 12287712, true, "+12.29 %" },
		{ UNIT_PCT, 0, false, "0.00 %" },
		{ UNIT_PCT, 100000000, false, "100.00 %" },
		{ UNIT_PCT, 240000, false, "0.24 %" },
		{ UNIT_PCT, 5000, false, "0.01 %" },
		{ UNIT_PCT, -4999, false, "-0.005 %" },
		{ UNIT_PCT, 1, false, "0.000001 %" },
		{ UNIT_PCT, INT64_MIN, false, "-9,223,372,036,854.78 %" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct strbuf b = STRBUF_INIT;
		unit_format(&b, rows[i].unit, rows[i].value, rows[i].sign);
		assert_string_equal(strbuf_str(&b), rows[i].text);
		strbuf_release(&b);
	}
}

/* Both values of a pair have one unit unless one is more than twice the other. */
static void test_pairs(void **state)
{
	(void)state;
	static const struct {
		const char *unit;
		int digits;
		int64_t from, to;
		const char *text;
	} rows[] = {
		{ "s", 6, 1200, 800, "1,200 us → 800 us" }, { "s", 6, 800, 1200, "800 us → 1,200 us" },
		{ "s", 6, 1200, 400, "0.0012 s → 400 us" }, { "s", 6, 0, 800, "0 s → 800 us" },
		{ "GB/s", 0, 12, 10, "12 GB/s → 10 GB/s" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = ARENA_INIT;
		enum unit unit = unit_of_figure(figure_unit_find(span_of(rows[i].unit)), rows[i].digits);
		assert_string_equal(unit_movement(&a, unit, rows[i].from, rows[i].to), rows[i].text);
		arena_release(&a);
	}
}

/* A figure is exact if its own name says so, not that of its case. */
static void test_exact(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool exact;
	} rows[] = { { "ooms/latency_ms", false }, { "a/ooms", true }, { "ooms", true } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = ARENA_INIT;
		struct input_stat s = { .name = rows[i].name, .unit = UNIT_BARE, .micro = INPUT_EXACT };
		const struct input_stat *all = &s;
		const struct metric *m;
		assert_int_equal(input_metrics(&all, 1, &a, &m), 1);
		assert_int_equal(input_metric_copy(m, &a)->exact, rows[i].exact);
		arena_release(&a);
	}
}

static void test_names(void **state)
{
	(void)state;
	static const char *const units[] = { "ns",  "B",       "1",      "%",     "1/s",
		                                 "B/s", "ns/step", "1/step", "B/step" };
	static const int digits[] = { 0, 0, 0, 6, 6, 0, 0, 6, 0 };
	for (int u = UNIT_NS; u <= UNIT_BYTES_PER_STEP; u++) {
		assert_string_equal(unit_name(u), units[u]);
		assert_int_equal(unit_digits(u), digits[u]);
	}
	assert_string_equal(stat_names[STAT_P99], "p99");
	assert_string_equal(reduce_names[REDUCE_EACH], "each");
	assert_string_equal(label_names[LABEL_DIRECTION], "direction");
	assert_string_equal(label_names[LABEL_PAIR], "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),      cmocka_unit_test(test_columns),
		cmocka_unit_test(test_suggest),    cmocka_unit_test(test_edit_distance),
		cmocka_unit_test(test_statistics), cmocka_unit_test(test_format),
		cmocka_unit_test(test_pairs),      cmocka_unit_test(test_exact),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
