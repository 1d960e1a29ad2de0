/* Dates of the calendar as numbers of days. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/date.h"

static void test_days(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t days; /* expected days; < 0 if the text is refused */
	} rows[] = {
		{ "1970-01-01", 0 },
		{ "1970-12-31", 364 },
		{ "1972-02-29", 789 },
		{ "1972-03-01", 790 },
		{ "2000-02-29", 11016 },
		{ "2027-01-31", 20849 },
		{ "2100-03-01", 47541 },
		{ "9999-12-31", 2932896 },
		{ "2027-01-31T23:59:59Z", 20849 },
		{ "2027-01-31T", 20849 },
		{ "2027-01-31 12:00", -1 },
		{ "2027-1-31", -1 },
		{ "2027-02-29", -1 },
		{ "2100-02-29", -1 },
		{ "2027-13-01", -1 },
		{ "2027-00-01", -1 },
		{ "2027-01-00", -1 },
		{ "2027-04-31", -1 },
		{ "1969-12-31", -1 },
		{ "2027/01/31", -1 },
		{ "20270131", -1 },
		{ "", -1 },
		{ "2027-01-3", -1 },
		{ "+027-01-31", -1 },
		{ "2027-01-311", -1 },
		{ "2027-01-3\xD9\xA1", -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t days = -1;
		bool ok = date_parse(span_of(rows[i].text), &days);
		if (ok != (rows[i].days >= 0) || days != rows[i].days)
			fail_msg("'%s': %lld", rows[i].text, (long long)days);
	}
}

/* Every day of 800 years comes one day after the previous one. */
static void test_calendar(void **state)
{
	(void)state;
	int64_t want = 0;
	for (int year = 1970; year < 2770; year++)
		for (int month = 1; month <= 12; month++)
			for (int day = 1; day <= 31; day++) {
				char text[] = { (char)('0' + year / 1000),
					            (char)('0' + year / 100 % 10),
					            (char)('0' + year / 10 % 10),
					            (char)('0' + year % 10),
					            '-',
					            (char)('0' + month / 10),
					            (char)('0' + month % 10),
					            '-',
					            (char)('0' + day / 10),
					            (char)('0' + day % 10),
					            '\0' };
				int64_t days;
				if (!date_parse(span_of(text), &days))
					continue;
				if (days != want)
					fail_msg("%s: %lld", text, (long long)days);
				want++;
			}
	assert_int_equal(want, 146097 * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_calendar),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
