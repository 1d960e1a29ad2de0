#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "metric/unit.h"

static void test_parse(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum decimal_fault fault;
		int64_t value, digits;
	} rows[] = {
		{ "0", DECIMAL_OK, 0, 0 },
		{ "-0.000", DECIMAL_OK, 0, 0 },
		{ "0e999999", DECIMAL_OK, 0, 0 },
		{ "2.2e-07", DECIMAL_OK, 22, 8 },
		{ "0.00000022", DECIMAL_OK, 22, 8 },
		{ "1500", DECIMAL_OK, 15, -2 },
		{ "-1500.00", DECIMAL_OK, -15, -2 },
		{ "10.05", DECIMAL_OK, 1005, 2 },
		{ "1e30", DECIMAL_OK, 1, -30 },
		{ "4.9406564584124654e-324", DECIMAL_OK, 49406564584124654, 340 },
		{ "1.7976931348623157e308", DECIMAL_OK, 17976931348623157, -292 },
		{ "123456789012345678", DECIMAL_OK, 123456789012345678, 0 },
		{ "123456789012345678000", DECIMAL_OK, 123456789012345678, -3 },
		{ "1234567890123456789", DECIMAL_OK, 1234567890123456789, 0 },
		{ "-9223372036854775808", DECIMAL_OK, INT64_MIN, 0 },
		{ "9223372036854775808", DECIMAL_TOO_LONG, 0, 0 },
		{ "0.12345678901234567890123", DECIMAL_TOO_LONG, 0, 0 },
		{ "1e999", DECIMAL_TOO_LONG, 0, 0 },
		{ "1e-999", DECIMAL_TOO_LONG, 0, 0 },
		{ "1e250000", DECIMAL_TOO_LONG, 0, 0 },
		{ "1.5e9999999", DECIMAL_TOO_LONG, 0, 0 },
		{ "-1e-9999999", DECIMAL_TOO_LONG, 0, 0 },
		{ "", DECIMAL_NO_NUMBER, 0, 0 },
		{ "1.", DECIMAL_NO_NUMBER, 0, 0 },
		{ "nan", DECIMAL_NO_NUMBER, 0, 0 },
		{ "01", DECIMAL_NO_NUMBER, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct decimal d = { 0, 0 };
		enum decimal_fault fault = decimal_parse(span_of(rows[i].text), &d);
		if (fault != rows[i].fault || d.value != rows[i].value || d.digits != rows[i].digits)
			fail_msg("%s: %d, %lld with %lld", rows[i].text, (int)fault, (long long)d.value,
			         (long long)d.digits);
	}
}

static void test_scaled(void **state)
{
	(void)state;
	static const struct {
		struct decimal d;
		int64_t digits, value;
	} rows[] = {
		{ { 22, 8 }, 8, 22 }, { { 22, 8 }, 10, 2200 },      { { 22, 8 }, 7, 2 },
		{ { 25, 8 }, 7, 3 },  { { -25, 8 }, 7, -3 },        { { 22, 8 }, 6, 0 },
		{ { 1, 400 }, 6, 0 }, { { 1, -30 }, 0, INT64_MAX }, { { -1, -30 }, 0, INT64_MIN },
		{ { 0, 0 }, 400, 0 }, { { 1, -30 }, -30, 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (decimal_scaled(rows[i].d, rows[i].digits) != rows[i].value)
			fail_msg("row %zu: %lld", i, (long long)decimal_scaled(rows[i].d, rows[i].digits));
}

static void test_times(void **state)
{
	(void)state;
	struct decimal out;
	assert_true(decimal_times((struct decimal){ 22, 8 }, (struct decimal){ 1, -3 }, &out));
	assert_int_equal(out.value, 22);
	assert_int_equal(out.digits, 5);
	assert_true(decimal_times((struct decimal){ 5, 0 }, (struct decimal){ 2, 0 }, &out));
	assert_int_equal(out.value, 1);
	assert_int_equal(out.digits, -1);
	assert_false(
	    decimal_times((struct decimal){ 999999999999999999, 0 }, (struct decimal){ 11, 0 }, &out));
}

/* Numbers are also compared if one has more decimal places than the other has room for. */
static void test_near(void **state)
{
	(void)state;
	const int64_t percent = MICRO;
	static const struct {
		struct decimal a, b;
		bool near;
	} rows[] = {
		{ { 1000, 0 }, { 1005, 0 }, true },
		{ { 1000, 0 }, { 1015, 0 }, false },
		{ { 1, -3 }, { INT64_MAX, 18 }, false },
		{ { INT64_MAX, 18 }, { 1, -3 }, false },
		{ { INT64_MAX, 18 }, { 922, 2 }, true },
		{ { -1, -3 }, { INT64_MIN, 18 }, false },
		{ { 1, -300 }, { 1, 300 }, false },
		{ { 1, -300 }, { 1005, -297 }, true },
		{ { 0, 0 }, { 1, 300 }, false },
		{ { 1, 300 }, { 0, 0 }, false },
		{ { 0, 0 }, { 0, 0 }, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (decimal_is_near(rows[i].a, rows[i].b, percent) != rows[i].near)
			fail_msg("row %zu", i);
}

static void test_shown(void **state)
{
	(void)state;
	static const struct {
		int64_t value;
		int digits;
		const char *text, *number;
	} rows[] = {
		{ 22, 8, "0.22 ns", "0.00000022" },
		{ 123456, 3, "123.5 ms", "123.456" },
		{ 500050, 2, "5,000.5 ms", "5000.5" },
		{ 15, -2, "1,500 ms", "15e2" },
		{ 1, -30, "1e30 ms", "1e30" },
		{ 49406564584124654, 340, "4.941e-318 ns", "49406564584124654e-340" },
		{ 0, 12, "0 ms", "0" },
		{ 1, 3, "0.001 ms", "0.001" },
		{ 9999, 7, "999.9 ns", "0.0009999" },
		{ 99999, 4, "10 ms", "9.9999" },
		{ 123456789, 12, "123.5 ns", "0.000123456789" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = ARENA_INIT;
		char buf[NUMBER_TEXT];
		enum unit unit = unit_of_figure(figure_unit_find(SPAN("ms")), rows[i].digits);
		assert_int_equal(unit_digits(unit), rows[i].digits);
		assert_string_equal(unit_name(unit), "ms");
		assert_string_equal(unit_text(&a, unit, rows[i].value), rows[i].text);
		assert_string_equal(number_format(rows[i].value, rows[i].digits, buf), rows[i].number);
		arena_release(&a);
	}
	assert_string_equal(unit_name(unit_of_figure(-1, 0)), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_scaled), cmocka_unit_test(test_times),
		cmocka_unit_test(test_near),  cmocka_unit_test(test_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
