/// Decimal numbers with all their digits, as files write them: "2.2e-07", "1048576".
#ifndef GG_BASE_DECIMAL_H
#define GG_BASE_DECIMAL_H

#include "base/number.h"

/// `value` · 10^-`digits`. In canonical form `value` ends in no zero (0 has 0 digits), so that
/// equal numbers have equal members.
struct decimal {
	int64_t value;
	int64_t digits; ///< below 0 for numbers that end in zeros: 1e30 is 1 with -30
};

/// Numbers with this many significant digits always fit, some with 19 do: a double needs 17.
enum { DECIMAL_SIGNIFICANT = 18, DECIMAL_DIGITS_MAX = 400 };

/// Decimal places of figures that are stored in millionths.
enum { MICRO_DIGITS = 6 };

/// Outcome of decimal_parse().
enum decimal_fault { DECIMAL_OK, DECIMAL_NO_NUMBER, DECIMAL_TOO_LONG };

/// Decimal text (JSON number grammar), exact and canonical. DECIMAL_TOO_LONG where its
/// digits do not fit or the exponent is beyond DECIMAL_DIGITS_MAX.
enum decimal_fault decimal_parse(struct span text, struct decimal *out);

/// The canonical form of `value` · 10^-`digits`.
struct decimal decimal_of(int64_t value, int64_t digits);

/// `d` · 10^`digits` as an integer, rounded half away from zero; saturated to int64.
int64_t decimal_scaled(struct decimal d, int64_t digits);

/// The digits at which `d` is a whole number with `significant` digits, or that it has where it is
/// longer.
int64_t decimal_digits_for(struct decimal d, int significant);

/// `a` · `b`, exact; false where that has too many digits.
bool decimal_times(struct decimal a, struct decimal b, struct decimal *out);

#endif
