#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Parses an exponent. Digits after the first six are ignored: with such an exponent every result
   is 0 or too large. */
static bool parse_exponent(const char *p, const char *end, int *out)
{
	bool neg = false;
	int e = 0;
	if (p < end && (*p == '+' || *p == '-'))
		neg = *p++ == '-';
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (!is_digit(*p))
			return false;
		if (e < 100000)
			e = e * 10 + (*p - '0');
	}
	*out = neg ? -e : e;
	return true;
}

bool number_parse(struct span text, int digits, int64_t *out)
{
	const char *p = text.p, *end = text.p + text.n;
	bool neg = p < end && *p == '-';
	if (neg)
		p++;
	const char *ip = p;
	while (p < end && is_digit(*p))
		p++;
	size_t ni = (size_t)(p - ip), nf = 0;
	const char *fp = p;
	if (ni == 0 || (ni > 1 && *ip == '0'))
		return false;
	if (p < end && *p == '.') {
		fp = ++p;
		while (p < end && is_digit(*p))
			p++;
		nf = (size_t)(p - fp);
		if (nf == 0)
			return false;
	}
	int e = 0;
	if (p < end && (*p == 'e' || *p == 'E')) {
		if (!parse_exponent(p + 1, end, &e))
			return false;
		p = end;
	}
	if (p != end)
		return false;

	/* keep: how many of the ni + nf digits are not rounded away */
	long long keep = (long long)ni + e + digits;
	uint64_t v = 0;
	const uint64_t limit = (uint64_t)INT64_MAX + (neg ? 1u : 0u);
	size_t total = ni + nf;
	for (long long i = 0; i < keep; i++) {
		unsigned d = 0;
		if ((unsigned long long)i < total)
			d = (unsigned)((size_t)i < ni ? ip[i] : fp[(size_t)i - ni]) - '0';
		else if (v == 0)
			break; /* the value is zero whatever the exponent is */
		if (v > (limit - d) / 10)
			return false;
		v = v * 10 + d;
	}
	if (keep >= 0 && (unsigned long long)keep < total) {
		char d = (size_t)keep < ni ? ip[keep] : fp[(size_t)keep - ni];
		if (d >= '5') {
			if (v >= limit)
				return false;
			v++;
		}
	}
	*out = neg ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool number_parse_u64(struct span text, uint64_t *out)
{
	uint64_t v = 0;
	if (text.n == 0)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (!is_digit(text.p[i]))
			return false;
		unsigned d = (unsigned)(text.p[i] - '0');
		if (v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

int64_t number_div_round(__int128 num, __int128 den)
{
	bool neg = num < 0;
	unsigned __int128 a = neg ? -(unsigned __int128)num : (unsigned __int128)num;
	unsigned __int128 d = (unsigned __int128)den;
	unsigned __int128 q = a / d, r = a % d;
	if (r >= d - r)
		q++;
	if (q > (unsigned __int128)INT64_MAX)
		return neg ? INT64_MIN : INT64_MAX;
	return neg ? -(int64_t)q : (int64_t)q;
}

int64_t number_pct(__int128 num, __int128 den)
{
	if (den == 0)
		return 0;
	__int128 parts = num * 100000000, rest = parts % den;
	if (rest * 2 == den || rest * 2 == -den) /* a tie is rounded to the even neighbor */
		parts -= parts / den % 2 ? -rest : rest;
	return number_div_round(parts, den);
}

int64_t number_power_of_10(int64_t n)
{
	int64_t p = 1;
	while (n-- > 0)
		p *= 10;
	return p;
}

int64_t number_add(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_add_overflow(a, b, &r))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

int64_t number_sub(int64_t a, int64_t b)
{
	int64_t r;
	if (__builtin_sub_overflow(a, b, &r))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

int64_t number_distance(int64_t a, int64_t b)
{
	return a > b ? number_sub(a, b) : number_sub(b, a);
}

ORDERING_SHARED(number_cmp_i64, int64_t, THEN(COMPARE(*x, *y)))

/* Moves the k-th smallest value to v[k], smaller or equal values before it, larger or equal values
 * after it (Hoare's selection). Sorts the remaining range once it is short, or after 100 rounds. */
static void select_nth(int64_t *v, size_t nr, size_t k)
{
	size_t lo = 0, hi = nr; /* the k-th smallest value is in [lo, hi) */
	for (int rounds = 0; hi - lo > 1; rounds++) {
		int64_t a = v[lo], b = v[lo + (hi - lo) / 2], c = v[hi - 1];
		int64_t low = a < b ? a : b, high = a < b ? b : a;
		int64_t pivot = c < low ? low : c < high ? c : high;
		size_t i = lo, j = hi - 1;
		if (rounds == 100 || hi - lo < 4) {
			sort_plain(v + lo, hi - lo, sizeof *v, number_cmp_i64);
			return;
		}
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			int64_t swapped = v[i];
			v[i++] = v[j];
			v[j--] = swapped;
		}
		/* [lo, i) ≤ pivot ≤ [i, hi); both are shorter than [lo, hi) */
		if (k < i)
			hi = i;
		else
			lo = i;
	}
}

int64_t number_median(int64_t *v, size_t nr)
{
	size_t mid = nr / 2;
	select_nth(v, nr, mid);
	if (nr % 2)
		return v[mid];
	int64_t below = v[0];
	for (size_t i = 1; i < mid; i++)
		below = v[i] > below ? v[i] : below;
	return number_div_round((__int128)below + v[mid], 2);
}

int64_t number_mad(int64_t *v, size_t nr, int64_t *median)
{
	*median = number_median(v, nr);
	for (size_t i = 0; i < nr; i++)
		v[i] = number_distance(v[i], *median);
	return number_median(v, nr);
}

int64_t number_spread(int64_t *v, size_t nr, int64_t *median)
{
	return number_div_round((__int128)number_mad(v, nr, median) * 14826, 10000);
}

int64_t number_percentile(const int64_t *sorted, size_t nr, int pct)
{
	/* position in the sorted values, in hundredths */
	unsigned __int128 pos = (unsigned __int128)(nr - 1) * (unsigned)pct;
	size_t lo = (size_t)(pos / 100), frac = (size_t)(pos % 100);
	if (frac == 0)
		return sorted[lo];
	__int128 num =
	    (__int128)sorted[lo] * (__int128)(100 - frac) + (__int128)sorted[lo + 1] * (__int128)frac;
	return number_div_round(num, 100);
}

/* A slope as a fraction that is not reduced; den > 0. */
struct slope {
	int64_t num, den;
};

ORDERING(slope_cmp, struct slope,
         THEN(COMPARE((__int128)x->num * y->den, (__int128)y->num * x->den)))

int64_t number_theil_sen(const int64_t *x, const int64_t *y, size_t nr)
{
	size_t nr_slopes = 0;
	struct slope *v = mem_calloc(nr * (nr - 1) / 2, sizeof *v);
	for (size_t i = 0; i < nr; i++)
		for (size_t k = i + 1; k < nr; k++)
			v[nr_slopes++] = (struct slope){ y[k] - y[i], x[k] - x[i] };
	sort_plain(v, nr_slopes, sizeof *v, slope_cmp);
	struct slope a = v[(nr_slopes - 1) / 2], b = v[nr_slopes / 2];
	free(v);
	return number_div_round((__int128)a.num * b.den + (__int128)b.num * a.den,
	                        (__int128)2 * a.den * b.den);
}

const char *number_format(int64_t value, int digits, char buf[NUMBER_TEXT])
{
	enum { PLAIN = 36 }; /* number of decimal places that fit into the buffer */
	static const char zeros[PLAIN + 1] = "000000000000000000000000000000000000";
	char text[24];
	uint64_t a = number_size(value);
	for (; a && a % 10 == 0 && digits > 0; digits--)
		a /= 10;
	digits = a ? digits : 0;
	int n = snprintf(text, sizeof text, "%" PRIu64, a), whole = n - digits;
	const char *sign = value < 0 ? "-" : "";
	if (digits == 0)
		snprintf(buf, NUMBER_TEXT, "%s%s", sign, text);
	else if (digits < 0 || digits > PLAIN)
		snprintf(buf, NUMBER_TEXT, "%s%.20se%d", sign, text, -digits);
	else if (whole > 0)
		snprintf(buf, NUMBER_TEXT, "%s%.*s.%.20s", sign, whole, text, text + whole);
	else
		snprintf(buf, NUMBER_TEXT, "%s0.%.*s%.20s", sign, -whole, zeros, text);
	return buf;
}
