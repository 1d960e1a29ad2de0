#include "base/decimal.h"

enum { INT64_DIGITS = 18 }; /* any number with this many digits fits into int64 */

struct decimal decimal_of(int64_t value, int64_t digits)
{
	if (value == 0)
		return (struct decimal){ 0, 0 };
	while (value % 10 == 0) {
		value /= 10;
		digits--;
	}
	return (struct decimal){ value, digits };
}

/* Copies the significant digits of a number, without leading and trailing zeros, to `buf`, as many
   as fit. Returns the number of all significant digits; `*point` becomes the number of decimal
   places up to the last significant digit: 1 for 12.5, -2 for 300. */
static size_t significant(struct span text, char *buf, size_t size, int64_t *point)
{
	size_t nr = 0, kept = 0;
	int64_t whole = 0, last = 0, at = 0;
	bool fraction = false;
	for (size_t i = 0; i < text.n && (text.p[i] | 0x20) != 'e'; i++) {
		char c = text.p[i];
		fraction = fraction || c == '.';
		if (!is_digit(c))
			continue;
		whole += !fraction;
		at++;
		if (c == '0' && nr == 0)
			continue;
		if (nr < size)
			buf[nr] = c;
		nr++;
		if (c != '0') {
			kept = nr;
			last = at;
		}
	}
	*point = last - whole;
	return kept;
}

/* The exponent of a number in text form. Digits after the first six are ignored, since such an
   exponent is out of range anyway. */
static int64_t exponent(struct span text)
{
	size_t at = 0;
	int64_t e = 0;
	while (at < text.n && (text.p[at] | 0x20) != 'e')
		at++;
	bool negative = at + 1 < text.n && text.p[at + 1] == '-';
	for (size_t i = at + 1; i < text.n; i++)
		if (is_digit(text.p[i]) && e < 100000)
			e = e * 10 + (text.p[i] - '0');
	return negative ? -e : e;
}

enum decimal_fault decimal_parse(struct span text, struct decimal *out)
{
	char digits[DECIMAL_SIGNIFICANT + 1];
	int64_t point, nothing, value = 0;
	/* only checks the syntax: this number of digits scales the value down to 0, which fits */
	if (!number_parse(text, -2000000 - (int)text.n, &nothing))
		return DECIMAL_NO_NUMBER;
	size_t nr = significant(text, digits, sizeof digits, &point);
	if (nr > sizeof digits)
		return DECIMAL_TOO_LONG;
	for (size_t i = 0; i < nr; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, digits[i] - '0', &value))
			return DECIMAL_TOO_LONG;
	bool negative = text.p[0] == '-';
	if (!negative && value == INT64_MIN)
		return DECIMAL_TOO_LONG;
	int64_t places = point - exponent(text);
	if (value && (places > DECIMAL_DIGITS_MAX || places < -DECIMAL_DIGITS_MAX))
		return DECIMAL_TOO_LONG;
	*out = decimal_of(negative ? value : -value, places);
	return DECIMAL_OK;
}

int64_t decimal_scaled(struct decimal d, int64_t digits)
{
	int64_t places = digits - d.digits;
	if (places < -INT64_DIGITS)
		return 0;
	if (places < 0)
		return number_div_round(d.value, number_power_of_10(-places));
	__int128 v = d.value;
	for (; places > 0 && v && v <= INT64_MAX && v >= INT64_MIN; places--)
		v *= 10;
	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

static int length(int64_t value)
{
	int n = 0;
	for (; value; value /= 10)
		n++;
	return n;
}

int64_t decimal_digits_for(struct decimal d, int significant)
{
	int more = significant - length(d.value);
	return d.digits + (more > 0 ? more : 0);
}

bool decimal_times(struct decimal a, struct decimal b, struct decimal *out)
{
	__int128 v = (__int128)a.value * b.value;
	int64_t digits = a.digits + b.digits;
	while (v && v % 10 == 0) {
		v /= 10;
		digits--;
	}
	if (v > number_power_of_10(INT64_DIGITS) || v < -number_power_of_10(INT64_DIGITS) ||
	    digits > DECIMAL_DIGITS_MAX || digits < -DECIMAL_DIGITS_MAX)
		return false;
	*out = decimal_of((int64_t)v, digits);
	return true;
}

int64_t decimal_digits_of_both(struct decimal a, struct decimal b)
{
	int64_t digits = a.digits > b.digits ? a.digits : b.digits;
	if (a.value)
		number_lower(&digits, decimal_digits_for(a, INT64_DIGITS));
	if (b.value)
		number_lower(&digits, decimal_digits_for(b, INT64_DIGITS));
	return digits;
}

bool decimal_is_near(struct decimal a, struct decimal b, int64_t share)
{
	int64_t digits = decimal_digits_of_both(a, b);
	__int128 y = decimal_scaled(b, digits), apart = decimal_scaled(a, digits) - y;
	return (apart < 0 ? -apart : apart) * 100 * MICRO <= share * (y < 0 ? -y : y);
}
