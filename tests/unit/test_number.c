/* Exact numbers: parsing, rounding, statistics, formatting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

struct parse_row {
	const char *text;
	int digits;
	bool ok;
	int64_t value;
};

static const struct parse_row parse_rows[] = {
	{ "0", 0, true, 0 },
	{ "0", 6, true, 0 },
	{ "7", 0, true, 7 },
	{ "7", 3, true, 7000 },
	{ "-7", 6, true, -7000000 },
	{ "-0", 0, true, 0 },
	{ "-0", 3, true, 0 },
	{ "-0.0", 3, true, 0 },
	{ "0.0e5", 3, true, 0 },
	/* values that are exact here, but not in a double */
	{ "1682725898237042.123", 3, true, 1682725898237042123 },
	{ "0.1", 3, true, 100 },
	{ "0.001", 3, true, 1 },
	{ "12.345678", 6, true, 12345678 },
	{ "9007199254740993", 0, true, 9007199254740993 },
	/* digits below the last place are rounded half away from zero */
	{ "0.4", 0, true, 0 },
	{ "0.5", 0, true, 1 },
	{ "0.49999999999999999999999", 0, true, 0 },
	{ "1.5", 0, true, 2 },
	{ "2.5", 0, true, 3 },
	{ "-0.4", 0, true, 0 },
	{ "-0.5", 0, true, -1 },
	{ "-2.5", 0, true, -3 },
	{ "1.0004", 3, true, 1000 },
	{ "1.0005", 3, true, 1001 },
	{ "-1.0005", 3, true, -1001 },
	{ "1.9995", 3, true, 2000 },
	{ "99.9999995", 6, true, 100000000 },
	{ "0.0000005", 6, true, 1 },
	{ "0.00000049", 6, true, 0 },
	{ "0.05", 0, true, 0 },
	/* exponents move the decimal point */
	{ "1e3", 0, true, 1000 },
	{ "1E3", 0, true, 1000 },
	{ "1e+3", 0, true, 1000 },
	{ "1e-3", 3, true, 1 },
	{ "1.25e2", 0, true, 125 },
	{ "1.25e1", 0, true, 13 },
	{ "125e-2", 0, true, 1 },
	{ "150e-2", 0, true, 2 },
	{ "5e-1", 0, true, 1 },
	{ "5e-2", 0, true, 0 },
	{ "49e-2", 0, true, 0 },
	{ "0.05e1", 0, true, 1 },
	{ "1e-3", 0, true, 0 },
	{ "12e-4", 3, true, 1 },
	{ "-15e-4", 3, true, -2 },
	{ "1.6827258982370421e15", 3, true, 1682725898237042100 },
	{ "1e05", 0, true, 100000 },
	{ "1e-999", 3, true, 0 },
	{ "1e-99999999999999999999", 3, true, 0 },
	{ "0e999", 3, true, 0 },
	{ "0e99999999999999999999", 6, true, 0 },
	{ "0.000e99", 0, true, 0 },
	{ "1e999", 3, false, 0 },
	{ "-1e999", 0, false, 0 },
	{ "1e99999999999999999999", 0, false, 0 },
	/* values at the ends of int64 */
	{ "9223372036854775807", 0, true, INT64_MAX },
	{ "9223372036854775808", 0, false, 0 },
	{ "-9223372036854775808", 0, true, INT64_MIN },
	{ "-9223372036854775809", 0, false, 0 },
	{ "9223372036854775.807", 3, true, INT64_MAX },
	{ "9223372036854775.8074", 3, true, INT64_MAX },
	{ "9223372036854775.8075", 3, false, 0 },
	{ "9223372036854775.808", 3, false, 0 },
	{ "-9223372036854775.808", 3, true, INT64_MIN },
	{ "-9223372036854775.8084", 3, true, INT64_MIN },
	{ "-9223372036854775.8085", 3, false, 0 },
	{ "9223372036854.775807", 6, true, INT64_MAX },
	{ "9223372036854.775808", 6, false, 0 },
	{ "9.223372036854775807e18", 0, true, INT64_MAX },
	{ "92233720368547758070e-1", 0, true, INT64_MAX },
	{ "18446744073709551616", 0, false, 0 },
	/* texts that are not numbers in JSON */
	{ "", 0, false, 0 },
	{ "-", 0, false, 0 },
	{ "+1", 0, false, 0 },
	{ "01", 0, false, 0 },
	{ "-01", 0, false, 0 },
	{ "00", 0, false, 0 },
	{ "1.", 0, false, 0 },
	{ "-1.", 3, false, 0 },
	{ ".5", 0, false, 0 },
	{ "-.5", 0, false, 0 },
	{ ".", 0, false, 0 },
	{ "1.e3", 0, false, 0 },
	{ "1e", 0, false, 0 },
	{ "1e+", 0, false, 0 },
	{ "1e-", 0, false, 0 },
	{ "e3", 0, false, 0 },
	{ "1e3.5", 0, false, 0 },
	{ "1e3e3", 0, false, 0 },
	{ "1 ", 0, false, 0 },
	{ " 1", 0, false, 0 },
	{ "1a", 0, false, 0 },
	{ "0x10", 0, false, 0 },
	{ "1,5", 0, false, 0 },
	{ "1.2.3", 0, false, 0 },
	{ "--1", 0, false, 0 },
	{ "NaN", 0, false, 0 },
	{ "nan", 0, false, 0 },
	{ "Infinity", 0, false, 0 },
	{ "1_000", 0, false, 0 },
};

static void parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(parse_rows); i++) {
		const struct parse_row *r = &parse_rows[i];
		int64_t v = 4711;
		bool ok = number_parse(span_of(r->text), r->digits, &v);
		int64_t want = r->ok ? r->value : 4711; /* the result is unchanged on failure */
		if (ok != r->ok || v != want)
			fail_msg("'%s' at %d digits: %d %jd", r->text, r->digits, ok, (intmax_t)v);
	}
}

/* Numbers of 400 digits: 1 and 399 zeros exceed int64, but 399 zeros after the point do not. */
static void parse_400_digits(void **state)
{
	char big[400], small[402] = "1.";
	int64_t v;
	(void)state;
	memset(big, '0', sizeof big);
	big[0] = '1';
	assert_false(number_parse((struct span){ big, sizeof big }, 0, &v));
	memset(small + 2, '0', 400);
	assert_true(number_parse((struct span){ small, sizeof small }, 3, &v));
	assert_int_equal(v, 1000);
	memset(small + 2, '9', 400);
	assert_true(number_parse((struct span){ small, sizeof small }, 3, &v));
	assert_int_equal(v, 2000);
	/* with a negative exponent the number fits */
	char scaled[404];
	memset(scaled, '0', 400);
	scaled[0] = '7';
	memcpy(scaled + 400, "e-", 2);
	memcpy(scaled + 402, "99", 2);
	assert_false(number_parse((struct span){ scaled, sizeof scaled }, 0, &v));
	scaled[399] = 'e';
	memcpy(scaled + 400, "-398", 4);
	assert_true(number_parse((struct span){ scaled, sizeof scaled }, 0, &v));
	assert_int_equal(v, 7);
}

/* A byte after the span is not part of the number. */
static void parse_stops_at_the_span(void **state)
{
	int64_t v;
	uint64_t u;
	(void)state;
	assert_true(number_parse((struct span){ "123456", 3 }, 0, &v));
	assert_int_equal(v, 123);
	assert_false(number_parse((struct span){ "1.5", 2 }, 0, &v));
	assert_true(number_parse_u64((struct span){ "123456", 3 }, &u));
	assert_int_equal(u, 123);
	assert_false(number_parse((struct span){ "1\0002", 3 }, 0, &v));
}

static void parse_u64(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "00012", true, 12 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ "1.0", false, 0 },
		{ "1e3", false, 0 },
		{ " 1", false, 0 },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		uint64_t v = 4711;
		bool ok = number_parse_u64(span_of(rows[i].text), &v);
		if (ok != rows[i].ok || v != (ok ? rows[i].value : 4711))
			fail_msg("'%s': %d %ju", rows[i].text, ok, (uintmax_t)v);
	}
}

#define E18 ((__int128)1000000000000000000)

static void div_round(void **state)
{
	static const struct {
		__int128 num, den;
		int64_t value;
	} rows[] = {
		{ 0, 1, 0 },
		{ 7, 7, 1 },
		{ 1, 2, 1 },
		{ -1, 2, -1 },
		{ 1, 3, 0 },
		{ 2, 3, 1 },
		{ -2, 3, -1 },
		{ 5, 2, 3 },
		{ -5, 2, -3 },
		{ 49, 100, 0 },
		{ 50, 100, 1 },
		{ 51, 100, 1 },
		{ -49, 100, 0 },
		{ INT64_MAX, 1, INT64_MAX },
		{ INT64_MIN, 1, INT64_MIN },
		{ E18 * 10, 1, INT64_MAX },
		{ -E18 * 10, 1, INT64_MIN },
		{ (__int128)INT64_MAX + 1, 1, INT64_MAX },
		{ (__int128)INT64_MIN - 1, 1, INT64_MIN },
		{ (__int128)INT64_MAX * 2, 2, INT64_MAX },
		{ E18 * E18, E18, 1000000000000000000 },
		{ 1, E18 * E18, 0 },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		if (number_div_round(rows[i].num, rows[i].den) != rows[i].value)
			fail_msg("row %zu: %jd", i, (intmax_t)number_div_round(rows[i].num, rows[i].den));
}

static void pct(void **state)
{
	(void)state;
	assert_int_equal(number_pct(1, 0), 0);
	assert_int_equal(number_pct(0, 5), 0);
	assert_int_equal(number_pct(1, 1), 100000000);
	assert_int_equal(number_pct(1, 3), 33333333);
	assert_int_equal(number_pct(2, 3), 66666667);
	assert_int_equal(number_pct(-1, 3), -33333333);
	/* exactly half of the last place is rounded to the even neighbor */
	assert_int_equal(number_pct(1, 200000000), 0);
	assert_int_equal(number_pct(-1, 200000000), 0);
	assert_int_equal(number_pct(3, 200000000), 2);
	assert_int_equal(number_pct(-3, 200000000), -2);
	assert_int_equal(number_pct(5, 200000000), 2);
	assert_int_equal(number_pct(4096, 2097152), 195312); /* 0.1953125 */
	assert_int_equal(number_pct(12288, 2097152), 585938); /* 0.5859375 */
	assert_int_equal(number_pct(1, 200000001), 0);
	assert_int_equal(number_pct(INT64_MAX, INT64_MAX), 100000000);
	assert_int_equal(number_pct(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(number_pct(INT64_MIN, 1), INT64_MIN);
}

static void add(void **state)
{
	(void)state;
	assert_int_equal(number_add(1, 2), 3);
	assert_int_equal(number_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(number_add(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(number_add(INT64_MIN, INT64_MAX), -1);
	assert_int_equal(number_add(INT64_MAX, INT64_MAX), INT64_MAX);
	assert_int_equal(number_add(INT64_MIN, INT64_MIN), INT64_MIN);
}

static void median(void **state)
{
	static const struct {
		int64_t v[6];
		size_t nr;
		int64_t value;
	} rows[] = {
		{ { 5 }, 1, 5 },
		{ { 3, 1, 2 }, 3, 2 },
		{ { 4, 1, 3, 2 }, 4, 3 }, /* 2.5 */
		{ { 1, 2 }, 2, 2 }, /* 1.5 */
		{ { -1, -2 }, 2, -2 }, /* -1.5 */
		{ { -1, 2 }, 2, 1 }, /* 0.5 */
		{ { 1, -2 }, 2, -1 }, /* -0.5 */
		{ { 10, 20 }, 2, 15 },
		{ { 7, 7, 7, 7 }, 4, 7 },
		{ { 9, -9, 0, 3, -3 }, 5, 0 },
		{ { INT64_MAX, INT64_MAX }, 2, INT64_MAX },
		{ { INT64_MIN, INT64_MIN }, 2, INT64_MIN },
		{ { INT64_MIN, INT64_MAX }, 2, -1 },
		{ { INT64_MAX, INT64_MIN, 1 }, 3, 1 },
		{ { INT64_MAX, INT64_MAX - 1 }, 2, INT64_MAX },
		{ { 6, 5, 4, 3, 2, 1 }, 6, 4 }, /* 3.5 */
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		int64_t v[6];
		memcpy(v, rows[i].v, sizeof v);
		int64_t got = number_median(v, rows[i].nr);
		if (got != rows[i].value)
			fail_msg("row %zu: %jd", i, (intmax_t)got);
	}
}

/* Compares the median with that of a sorted copy, for equal, rising, falling and random values. */
static void median_as_sorted(void **state)
{
	enum { MOST = 300 };
	uint64_t x = 1;
	(void)state;
	for (size_t nr = 1; nr <= MOST; nr++)
		for (int form = 0; form < 4; form++) {
			int64_t v[MOST], sorted[MOST];
			for (size_t i = 0; i < nr; i++) {
				x = x * 6364136223846793005u + 1442695040888963407u;
				int64_t random = (int64_t)(x >> 33);
				v[i] = form == 0   ? random
				       : form == 1 ? random % 3
				       : form == 2 ? (int64_t)i
				                   : -(int64_t)i;
			}
			memcpy(sorted, v, nr * sizeof *v);
			qsort(sorted, nr, sizeof *sorted, number_cmp_i64);
			int64_t want = nr % 2
			                   ? sorted[nr / 2]
			                   : number_div_round((__int128)sorted[nr / 2 - 1] + sorted[nr / 2], 2);
			assert_int_equal(number_median(v, nr), want);
			/* number_median() may reorder the values, but must not change them */
			qsort(v, nr, sizeof *v, number_cmp_i64);
			assert_memory_equal(v, sorted, nr * sizeof *v);
		}
}

/* Compares percentiles with numpy.percentile(v, p), rounded half away from zero. */
static void percentile(void **state)
{
	static const struct {
		int64_t v[10];
		size_t nr;
		int pct;
		int64_t value;
	} rows[] = {
		{ { 42 }, 1, 0, 42 },
		{ { 42 }, 1, 99, 42 },
		{ { 10, 20 }, 2, 0, 10 },
		{ { 10, 20 }, 2, 50, 15 },
		{ { 10, 20 }, 2, 90, 19 },
		{ { 10, 20 }, 2, 100, 20 },
		{ { 10, 20 }, 2, 95, 20 }, /* 19.5 */
		{ { 10, 20 }, 2, 94, 19 }, /* 19.4 */
		{ { -20, -10 }, 2, 5, -20 }, /* -19.5 */
		{ { 1, 2, 3, 4 }, 4, 25, 2 }, /* 1.75 */
		{ { 1, 2, 3, 4 }, 4, 50, 3 }, /* 2.5 */
		{ { 1, 2, 3, 4 }, 4, 90, 4 }, /* 3.7 */
		{ { 1, 2, 3, 4, 5 }, 5, 50, 3 },
		{ { 15, 20, 35, 40, 50 }, 5, 40, 29 },
		{ { 15, 20, 35, 40, 50 }, 5, 90, 46 },
		{ { 0, 100, 200, 300, 400, 500, 600, 700, 800, 900 }, 10, 90, 810 },
		{ { 0, 100, 200, 300, 400, 500, 600, 700, 800, 900 }, 10, 95, 855 },
		{ { 0, 100, 200, 300, 400, 500, 600, 700, 800, 900 }, 10, 99, 891 },
		{ { 0, 100, 200, 300, 400, 500, 600, 700, 800, 900 }, 10, 1, 9 },
		{ { INT64_MIN, INT64_MAX }, 2, 50, -1 }, /* -0.5 */
		{ { INT64_MIN, INT64_MAX }, 2, 100, INT64_MAX },
		{ { INT64_MAX, INT64_MAX }, 2, 99, INT64_MAX },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		/* a block of exactly the values' size, so that reads past its end are detected */
		int64_t *v = malloc(rows[i].nr * sizeof *v);
		assert_non_null(v);
		memcpy(v, rows[i].v, rows[i].nr * sizeof *v);
		int64_t got = number_percentile(v, rows[i].nr, rows[i].pct);
		free(v);
		if (got != rows[i].value)
			fail_msg("row %zu: %jd", i, (intmax_t)got);
	}
}

static void cmp_i64(void **state)
{
	int64_t a = INT64_MIN, b = INT64_MAX;
	(void)state;
	assert_true(number_cmp_i64(&a, &b) < 0);
	assert_true(number_cmp_i64(&b, &a) > 0);
	assert_int_equal(number_cmp_i64(&a, &a), 0);
}

static void format(void **state)
{
	static const struct {
		int64_t value;
		int digits;
		const char *text;
	} rows[] = {
		{ 0, 0, "0" },
		{ 0, 6, "0" },
		{ 3, 0, "3" },
		{ -3, 0, "-3" },
		{ 12500, 3, "12.5" },
		{ 12000, 3, "12" },
		{ -1, 6, "-0.000001" },
		{ 1, 3, "0.001" },
		{ 100, 3, "0.1" },
		{ 1050, 3, "1.05" },
		{ 100, 0, "100" }, /* without a decimal point, final zeros are kept */
		{ 12287712, 6, "12.287712" },
		{ INT64_MAX, 0, "9223372036854775807" },
		{ INT64_MIN, 0, "-9223372036854775808" },
		{ INT64_MIN, 3, "-9223372036854775.808" },
		{ INT64_MAX, 6, "9223372036854.775807" },
		{ INT64_MAX, 18, "9.223372036854775807" },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		char buf[NUMBER_TEXT];
		int64_t back;
		assert_ptr_equal(number_format(rows[i].value, rows[i].digits, buf), buf);
		assert_string_equal(buf, rows[i].text);
		assert_true(number_parse(span_of(buf), rows[i].digits, &back));
		assert_true(back == rows[i].value);
	}
}

static void theil_sen(void **state)
{
	(void)state;
	static const struct {
		int64_t x[4], y[4];
		size_t nr;
		int64_t want;
	} rows[] = {
		{ { 0, 1 }, { 5, 5 }, 2, 0 },
		{ { 0, 2 }, { 0, 1 }, 2, 1 },
		{ { 0, 2 }, { 1, 0 }, 2, -1 },
		{ { 0, 3 }, { 0, 1 }, 2, 0 },
		/* slopes 10, 1 and 5.5: the median 5.5 is rounded to 6 */
		{ { 0, 1, 2 }, { 0, 10, 11 }, 3, 6 },
		/* slopes 1, 1, 1, 333.3, 499.5 and 998: the median is 167.2 */
		{ { 0, 1, 2, 3 }, { 0, 1, 2, 1000 }, 4, 167 },
		{ { 0, 1, 2, 10 }, { 0, 4, 8, 40 }, 4, 4 },
		{ { 0, 1, 2 }, { 0, INT64_MAX, 0 }, 3, 0 },
		{ { 0, 1 }, { INT64_MAX, 0 }, 2, -INT64_MAX },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(number_theil_sen(rows[i].x, rows[i].y, rows[i].nr), rows[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),
		cmocka_unit_test(parse_400_digits),
		cmocka_unit_test(parse_u64),
		cmocka_unit_test(parse_stops_at_the_span),
		cmocka_unit_test(div_round),
		cmocka_unit_test(pct),
		cmocka_unit_test(add),
		cmocka_unit_test(median),
		cmocka_unit_test(median_as_sorted),
		cmocka_unit_test(percentile),
		cmocka_unit_test(cmp_i64),
		cmocka_unit_test(format),
		cmocka_unit_test(theil_sen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
