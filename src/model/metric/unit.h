/// Units of figures, and figures as people read them.
#ifndef GG_METRIC_UNIT_H
#define GG_METRIC_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

/// The unit of a figure, which is stored as an integer. Values of unit_of_figure() lie between
/// UNIT_FIGURES and UNIT_LAST.
enum unit {
	UNIT_NS,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PCT, ///< percentages, stored in millionths of a percent
	UNIT_PER_S, ///< numbers of things per second, stored in millionths
	UNIT_BYTES_PER_S,
	UNIT_NS_PER_STEP,
	UNIT_COUNT_PER_STEP, ///< numbers per step, stored in millionths
	UNIT_BYTES_PER_STEP,
	UNIT_FLOPS,
	UNIT_FLOPS_PER_S,
	UNIT_NUMBER, ///< numbers whose meaning depends on the metric, stored in millionths
	UNIT_HZ,
	UNIT_MILLIWATT,
	UNIT_MICROJOULE,
	UNIT_CELSIUS,
	NR_UNITS,
	UNIT_FIGURES = 1 << 8, ///< first value of the units that unit_of_figure() makes
	UNIT_LAST = 1 << 24
};

/// Text that is shown if the baseline or the candidate has no figure.
#define UNIT_ABSENT "–"

/// True for times, also for those per step.
static inline bool unit_is_time(enum unit unit)
{
	return unit == UNIT_NS || unit == UNIT_NS_PER_STEP;
}

/// The word for a change of a figure: "longer", "less", "higher", …; static.
const char *unit_change_word(enum unit unit, bool up);

/// Decimal places of the integers that hold values of `unit`: 6 for UNIT_PCT, UNIT_PER_S,
/// UNIT_COUNT_PER_STEP and UNIT_NUMBER, else 0. A unit of unit_of_figure() has the number of places
/// that was given to that function, which may be below 0.
int unit_digits(enum unit unit);

/// The unit of a figure of a result file: a value of 1 means 10^-`digits` (−400 to 400) of unit
/// number `word` in figure_units. If `word` is -1, the figure is a number without a unit.
enum unit unit_of_figure(int word, int digits);

/// Index of the unit `name` in figure_units, or -1.
int figure_unit_find(struct span name);

/// Better direction of the unit of this index in figure_units, "lower" or "higher"; NULL if it does
/// not follow from the unit, or for index -1.
const char *figure_unit_better(int unit);

/// True if a value of the unit of this index cannot be below 0: a time, a size, a rate, a count.
bool figure_unit_is_amount(int unit);

/// Index in figure_units of a unit that unit_of_figure() made, or -1.
int unit_figure(enum unit unit);

/// Name of a unit in JSON: "ns", "B", "1", "%", "1/s", "B/s", "ns/step", …
const char *unit_name(enum unit unit);

/// Appends a value as readable text: "151.0 ms", "4.23 GiB", "12.3 %", "1,219". An exponent is
/// written only for figures of result files, if they are 10^15 or more, or below 10^-9. If `sign`,
/// positive values begin with a '+'.
void unit_format(struct strbuf *out, enum unit unit, int64_t value, bool sign);

/// Like unit_format(), but returns a string owned by `a`, without a '+'.
const char *unit_text(struct arena *a, enum unit unit, int64_t value);

/// A change of a figure with its sign, in percentage points for percentages ("+1.20 pp").
const char *unit_change(struct arena *a, enum unit unit, int64_t change);

/// The size of a change without its sign, in percentage points for percentages ("1.20 pp").
const char *unit_amount(struct arena *a, enum unit unit, int64_t amount);

/// Both values of a comparison as texts. They have the same unit if neither is more than twice the
/// other: "1,018.33 MiB" and "1,168.65 MiB".
void unit_pair(struct arena *a, enum unit unit, int64_t from, int64_t to, const char *texts[2]);

/// A change from one value to another: "1.00 MiB → 1.50 MiB".
const char *unit_movement(struct arena *a, enum unit unit, int64_t from, int64_t to);

/// A relative change ("+12.29 %"), `pct` in 1e-6 percent.
const char *unit_relative(struct arena *a, int64_t pct);

/// The kind of quantity that a unit in rules measures. Counts and rates have no unit (FAMILY_BARE).
enum unit_family {
	FAMILY_BARE,
	FAMILY_TIME,
	FAMILY_BYTES,
	FAMILY_PERCENT,
	FAMILY_POINTS,
	FAMILY_STEP,
	FAMILY_SPREAD ///< multiples of the standard deviation of single runs
};

/// Units that figures of result files may have, ended by a row without a name; static.
extern const struct figure_unit {
	const char *name;
	const char *dimension; ///< what the unit measures, "time" or "rate-of-tokens": units of one
	                       ///< dimension can be converted
	int64_t size; ///< size of the unit in the smallest unit of its dimension
	const char *others; ///< other spellings of the unit, separated by blanks
} figure_units[];
extern const char *const figure_unit_names[]; ///< names of figure_units, ended by NULL

/// A unit as people write it in rules.
struct unit_word {
	const char *name;
	enum unit_family family;
	int64_t factor; ///< size of the unit in ns or bytes
};

/// All units that rules may use, ended by a row without a name; static.
extern const struct unit_word unit_words[];

/// The unit of this name, or NULL.
const struct unit_word *unit_word_find(struct span name);

/// Largest number of decimals in a number with a unit.
enum { UNIT_DECIMALS = 6 };

/// Removes the number at the beginning of `s` (digits and points), and the blanks after it, from
/// `s`. Returns the number.
struct span unit_number_take(struct span *s);

/// True if `number` has more decimals than UNIT_DECIMALS.
bool unit_number_is_too_fine(struct span number);

/// Reads a size above 0 as rules write it, "80GiB"; a bare number is in bytes. False if the text is
/// not a size, or if the size exceeds int64.
bool bytes_parse(struct span text, int64_t *out);

#endif
