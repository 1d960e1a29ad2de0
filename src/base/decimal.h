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

/// Numbers of up to DECIMAL_SIGNIFICANT digits always fit into `value` (a double needs 17 digits).
/// DECIMAL_DIGITS_MAX is the limit of |digits| for numbers that decimal_parse() accepts.
enum { DECIMAL_SIGNIFICANT = 18, DECIMAL_DIGITS_MAX = 400 };

/// Number of decimal places of figures that are stored in millionths.
enum { MICRO_DIGITS = 6 };

/// Outcome of decimal_parse().
enum decimal_fault { DECIMAL_OK, DECIMAL_NO_NUMBER, DECIMAL_TOO_LONG };

/// Parses decimal text (JSON number grammar) exactly, into canonical form. DECIMAL_TOO_LONG if
/// `value` or `digits` would be too large.
enum decimal_fault decimal_parse(struct span text, struct decimal *out);

/// The canonical form of `value` · 10^-`digits`.
struct decimal decimal_of(int64_t value, int64_t digits);

/// `d` · 10^`digits` as an integer, rounded half away from zero; saturated to int64.
int64_t decimal_scaled(struct decimal d, int64_t digits);

/// The least number of decimal places (below 0 for round numbers) that shows all digits of `d`, and
/// at least `significant` digits: 3 for 1.5 if `significant` is 4 (1.500).
int64_t decimal_digits_for(struct decimal d, int significant);

/// The number of decimal places at which decimal_scaled() saturates neither: that of the longer
/// one, or fewer if the other is so large that the places behind them do not count.
int64_t decimal_digits_of_both(struct decimal a, struct decimal b);

/// `a` · `b`, exactly; false if the product has too many digits.
bool decimal_times(struct decimal a, struct decimal b, struct decimal *out);

/// True if |`a` − `b`| is at most `share` of |`b`|; `share` is in 1e-6 percent.
bool decimal_is_near(struct decimal a, struct decimal b, int64_t share);

#endif
