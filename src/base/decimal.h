/// Decimal numbers with all their digits, as written in files: "2.2e-07", "1048576".
#ifndef GG_BASE_DECIMAL_H
#define GG_BASE_DECIMAL_H

#include "base/number.h"

/// The number `value` · 10^-`digits`. In canonical form `value` does not end in a zero (0 has 0
/// digits), so that equal numbers have equal members.
struct decimal {
	int64_t value;
	int64_t digits; ///< below 0 for numbers that end in zeros: 1e30 has value 1 and digits -30
};

/// Numbers with DECIMAL_SIGNIFICANT (18) significant digits always fit, some with 19 digits do too;
/// a double needs 17.
enum { DECIMAL_SIGNIFICANT = 18, DECIMAL_DIGITS_MAX = 400 };

/// Number of decimal places of figures that are stored in millionths.
enum { MICRO_DIGITS = 6 };

/// Outcome of decimal_parse().
enum decimal_fault { DECIMAL_OK, DECIMAL_NO_NUMBER, DECIMAL_TOO_LONG };

/// Parses decimal text (JSON number grammar) exactly, into canonical form. DECIMAL_TOO_LONG if its
/// digits do not fit or the exponent is beyond DECIMAL_DIGITS_MAX.
enum decimal_fault decimal_parse(struct span text, struct decimal *out);

/// The canonical form of `value` · 10^-`digits`.
struct decimal decimal_of(int64_t value, int64_t digits);

/// `d` · 10^`digits` as an integer, rounded half away from zero; saturated to int64.
int64_t decimal_scaled(struct decimal d, int64_t digits);

/// The number of decimal places with which `d` is written in `significant` significant digits; if
/// `d` has more digits than these, the number of decimal places that it has.
int64_t decimal_digits_for(struct decimal d, int significant);

/// `a` · `b`, exactly; false if the product has too many digits.
bool decimal_times(struct decimal a, struct decimal b, struct decimal *out);

/// True if `a` differs from `b` by at most `share` · 1e-8 of `b` (a share in 1e-6 percent).
bool decimal_is_near(struct decimal a, struct decimal b, int64_t share);

#endif
