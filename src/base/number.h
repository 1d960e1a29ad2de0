/// Exact numbers: parsing decimal text to scaled integers, rounding, statistics.
#ifndef GG_BASE_NUMBER_H
#define GG_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/// Parses decimal text (the grammar of JSON numbers, with exponents and without a leading '+') and
/// stores its value × 10^`digits`, rounded half away from zero. False if the text is not a number
/// or the result exceeds int64.
bool number_parse(struct span text, int digits, int64_t *out);

/// Parses a plain unsigned decimal integer; false on anything else or overflow.
bool number_parse_u64(struct span text, uint64_t *out);

/// `num` / `den` rounded half away from zero, saturated to int64; den > 0.
int64_t number_div_round(__int128 num, __int128 den);

/// 100 · num / den in 1e-6 percent, ties to even, as in Python's round(); 0 if den is 0. den must
/// not be negative.
int64_t number_pct(__int128 num, __int128 den);

/// The number 1 in millionths, the unit in which figures such as counts per step are stored.
#define MICRO INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/// a + b, saturated at the ends of int64.
int64_t number_add(int64_t a, int64_t b);

/// a − b, saturated at the ends of int64.
int64_t number_sub(int64_t a, int64_t b);

/// The greatest common divisor of `a` > 0 and `b`.
static inline int64_t number_gcd(int64_t a, int64_t b)
{
	while (a > 1 && b % a) {
		int64_t rest = b % a;
		b = a;
		a = rest < 0 ? -rest : rest;
	}
	return a;
}

/// 10^n, for 0 ≤ n ≤ 18.
int64_t number_power_of_10(int64_t n);

/// |value|, which is 2^63 at most.
static inline uint64_t number_size(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/// |a − b|, saturated at the end of int64.
int64_t number_distance(int64_t a, int64_t b);

/// Extends `hash`, the hash of a sequence of numbers, by the next number `more`, and returns the
/// new hash: FNV-1a over words of 64 bits.
static inline uint64_t number_hash(uint64_t hash, uint64_t more)
{
	return (hash ^ more) * 1099511628211u;
}

/// number_raise() raises `*v` to at least `limit`; number_lower() lowers it to at most `limit`.
static inline void number_raise(int64_t *v, int64_t limit)
{
	*v = limit > *v ? limit : *v;
}
static inline void number_lower(int64_t *v, int64_t limit)
{
	*v = limit < *v ? limit : *v;
}

/// Median of `nr` > 0 values; `v` is reordered. For an even `nr` the mean of the two middle values
/// is rounded half away from zero.
int64_t number_median(int64_t *v, size_t nr);

/// Median absolute deviation of `nr` > 0 values from their median, which is stored in `*median`;
/// `v` is overwritten.
int64_t number_mad(int64_t *v, size_t nr, int64_t *median);

/// 1.4826 × number_mad(): the standard deviation, if the values have a normal distribution.
int64_t number_spread(int64_t *v, size_t nr, int64_t *median);

/// Percentile `pct` (0–100) of `nr` > 0 sorted values, interpolated linearly between neighboring
/// values (NumPy's default), rounded half away from zero.
int64_t number_percentile(const int64_t *sorted, size_t nr, int pct);

/// Theil–Sen: the median of the slopes (y[j] − y[i]) / (x[j] − x[i]) of all pairs of `nr` > 1
/// points, exact until it is rounded half away from zero. `x` must rise strictly, and differences
/// must fit int64. Needs up to 12 · nr² temporary bytes.
int64_t number_theil_sen(const int64_t *x, const int64_t *y, size_t nr);

/// Compares two int64_t, for sorting.
int number_cmp_i64(const void *a, const void *b);

/// Size of a buffer for any text of number_format().
#define NUMBER_TEXT 64

/// Writes `value` / 10^`digits` into `buf` as decimal text without trailing zeros ("12.5",
/// "-0.000001", "3"); with an exponent if `digits` is below 0 or too large. Returns `buf`.
const char *number_format(int64_t value, int digits, char buf[NUMBER_TEXT]);

#endif
