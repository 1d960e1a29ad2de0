#include "base/date.h"

static bool digits(const char *p, int nr, int *out)
{
	*out = 0;
	for (int i = 0; i < nr; i++) {
		if (p[i] < '0' || p[i] > '9')
			return false;
		*out = *out * 10 + (p[i] - '0');
	}
	return true;
}

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

bool date_parse(struct span text, int64_t *days)
{
	int year, month, day;
	if (text.n < 10 || (text.n > 10 && text.p[10] != 'T') || text.p[4] != '-' || text.p[7] != '-' ||
	    !digits(text.p, 4, &year) || !digits(text.p + 5, 2, &month) || !digits(text.p + 8, 2, &day))
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
		return false;
	int before = year - 1; /* number of full years from the year 1 to the year before `year` */
	int64_t sum = (int64_t)before * 365 + before / 4 - before / 100 + before / 400 - 719162;
	for (int m = 1; m < month; m++)
		sum += days_of_month(year, m);
	*days = sum + day - 1;
	return true;
}
