/* Figures as readable text: integer arithmetic only, independent of the locale. */
#include "metric/unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"

struct scale {
	const char *name;
	uint64_t size;
};

static void add_grouped(struct strbuf *out, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

/* Appends v / size, rounded to `decimals` places and written with all of them. */
static void add_quotient(struct strbuf *out, uint64_t v, uint64_t size, int decimals)
{
	uint64_t p = (uint64_t)number_power_of_10(decimals);
	unsigned __int128 q = ((unsigned __int128)v * p + size / 2) / size;
	add_grouped(out, (uint64_t)(q / p));
	if (decimals)
		strbuf_addf(out, ".%0*" PRIu64, decimals, (uint64_t)(q % p));
}

/* A value `v` to be written, and the value `like` that decides in which unit `v` is written. */
struct value {
	uint64_t v, like;
};

/* Appends a value in the largest unit in which `like` is at least 1, or would be rounded up to 1.
   The text has two decimals, or three if the number is below 10 and `fine` is true, but no decimals
   in the smallest unit. */
static void add_scaled(struct strbuf *out, struct value value, const struct scale *scale, int nr,
                       bool fine)
{
	int i = 0;
	uint64_t v = value.v, like = value.like;
	while (i + 1 < nr && like >= scale[i + 1].size - (i ? scale[i].size / 200 : 0))
		i++;
	int decimals = i == 0 ? 0 : fine && v < 10 * scale[i].size ? 3 : 2;
	add_quotient(out, v, scale[i].size, decimals);
	strbuf_addf(out, " %s", scale[i].name);
}

static void add_time(struct strbuf *out, struct value ns)
{
	static const struct scale scale[] = {
		{ "ns", 1 },
		{ "µs", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
	};
	add_scaled(out, ns, scale, 4, true);
}

static void add_bytes(struct strbuf *out, struct value bytes)
{
	static const struct scale scale[] = {
		{ "B", 1 },
		{ "KiB", 1 << 10 },
		{ "MiB", 1 << 20 },
		{ "GiB", 1 << 30 },
	};
	add_scaled(out, bytes, scale, 4, false);
}

static void add_flops(struct strbuf *out, struct value flops)
{
	static const struct scale scale[] = {
		{ "FLOP", 1 },           { "kFLOP", 1000 },          { "MFLOP", 1000000 },
		{ "GFLOP", 1000000000 }, { "TFLOP", 1000000000000 },
	};
	add_scaled(out, flops, scale, 5, true);
}

enum { DIGITS_BIAS = 512, WORD_SHIFT = 10, LARGE = 15, SMALL = -8 };

enum unit unit_of_figure(int word, int digits)
{
	return (enum unit)(UNIT_FIGURES + ((word + 1) << WORD_SHIFT) + digits + DIGITS_BIAS);
}

int unit_figure(enum unit unit)
{
	return (((int)unit - UNIT_FIGURES) >> WORD_SHIFT) - 1;
}

/* Number of digits of v / 10^digits before the decimal point; for a value below 1, minus the number
   of zeros after the decimal point: -2 for 0.005. */
static int place_of(uint64_t v, int digits)
{
	for (; v; v /= 10)
		digits--;
	return -digits;
}

/* Appends at least four significant digits of v / 10^digits, without trailing zeros. Numbers with
   more than LARGE digits before the decimal point, or more than -SMALL zeros behind it, are written
   in the exponent form. */
static void add_figure(struct strbuf *out, uint64_t v, int digits)
{
	enum { SIGNIFICANT = 4 };
	int place = place_of(v, digits); /* number of digits before the decimal point */
	if (v && (place > LARGE || place < SMALL)) {
		int more = place + digits - SIGNIFICANT;
		uint64_t step = more > 0 ? (uint64_t)number_power_of_10(more) : 1;
		v = (v + step / 2) / step * step; /* 9999.9 becomes 10000, which has a digit more */
		place = place_of(v, digits);
		add_figure(out, v, place + digits - 1);
		strbuf_addf(out, "e%d", place - 1);
		return;
	}
	int decimals = place > 2 ? 1 : 4 - place;
	for (; digits < 0; digits++)
		v *= 10;
	if (digits > decimals) {
		uint64_t step = (uint64_t)number_power_of_10(digits - decimals);
		v = (v + step / 2) / step;
		digits = decimals;
	}
	for (; digits > 0 && v % 10 == 0; digits--)
		v /= 10;
	add_quotient(out, v, (uint64_t)number_power_of_10(digits), digits);
}

/* n if the unit `word` is 10^n times the smaller unit `other` of the same dimension; else 0. */
static int power_of_unit(int word, int other)
{
	int power = 0;
	int64_t size = figure_units[word].size;
	if (strcmp(figure_units[word].dimension, figure_units[other].dimension) != 0)
		return 0;
	for (; size > figure_units[other].size && size % 10 == 0; size /= 10)
		power++;
	return size == figure_units[other].size ? power : 0;
}

/* Appends v / 10^digits of the unit `word`. If `like` is below a thousandth, takes the largest of
 * the smaller units in which `like` is at least 1, or else the smallest unit: 220.2 ns, not
 * 0.0000002202 s. */
static void add_figure_of(struct strbuf *out, struct value v, int word, int digits)
{
	int best = word, power = 0;
	for (int i = 0; word >= 0 && v.like && place_of(v.like, digits) < -2 && figure_units[i].name;
	     i++) {
		int by = power_of_unit(word, i);
		bool reaches = place_of(v.like, digits - power) > 0;
		if (by && (reaches ? by < power && place_of(v.like, digits - by) > 0 : by > power)) {
			best = i;
			power = by;
		}
	}
	add_figure(out, v.v, digits - power);
	if (best >= 0)
		strbuf_addf(out, " %s", figure_units[best].name);
}

/* Appends v / 10^6 without trailing zeros. Numbers from 1 have at least four significant digits,
 * smaller ones four decimals, those below 0.0001 six decimals. */
static void add_micro(struct strbuf *out, struct value micro)
{
	const uint64_t one = MICRO, v = micro.v;
	int decimals = v >= 100 * one ? 1 : v >= 10 * one ? 2 : v >= one ? 3 : v >= 100 ? 4 : 6;
	uint64_t step = (uint64_t)number_power_of_10(6 - decimals);
	uint64_t rounded = (v + step / 2) / step;
	while (decimals > 0 && rounded % 10 == 0) {
		rounded /= 10;
		decimals--;
	}
	add_quotient(out, rounded, (uint64_t)number_power_of_10(decimals), decimals);
}

static void add_count(struct strbuf *out, struct value count)
{
	add_grouped(out, count.v);
}

static void add_percent(struct strbuf *out, struct value micro)
{
	if (micro.v && micro.v < MICRO / 200)
		add_micro(out, micro);
	else
		add_quotient(out, micro.v, MICRO, 2);
}

static void add_frequency(struct strbuf *out, struct value hz)
{
	add_scaled(out, hz, (const struct scale[]){ { "Hz", 1 }, { "MHz", 1000000 } }, 2, false);
}

static void add_power(struct strbuf *out, struct value mw)
{
	add_quotient(out, mw.v, 1000, 1);
}

static void add_energy(struct strbuf *out, struct value uj)
{
	bool small = uj.v < MICRO;
	add_quotient(out, uj.v, small ? 1000 : MICRO, small ? 1 : 2);
	strbuf_adds(out, small ? " mJ" : " J");
}

/* The units except those of unit_of_figure(): their names in JSON, the decimal places of the
   integers that hold their values, and how a value becomes readable text. */
static const struct form {
	const char *name;
	int digits;
	void (*add)(struct strbuf *out, struct value v);
	const char *after;
} forms[NR_UNITS] = {
	[UNIT_NS] = { "ns", 0, add_time, "" },
	[UNIT_BYTES] = { "B", 0, add_bytes, "" },
	[UNIT_COUNT] = { "1", 0, add_count, "" },
	[UNIT_PCT] = { "%", 6, add_percent, " %" },
	[UNIT_PER_S] = { "1/s", 6, add_micro, " /s" },
	[UNIT_BYTES_PER_S] = { "B/s", 0, add_bytes, "/s" },
	[UNIT_NS_PER_STEP] = { "ns/step", 0, add_time, "" },
	[UNIT_COUNT_PER_STEP] = { "1/step", 6, add_micro, "" },
	[UNIT_BYTES_PER_STEP] = { "B/step", 0, add_bytes, "" },
	[UNIT_FLOPS] = { "FLOP", 0, add_flops, "" },
	[UNIT_FLOPS_PER_S] = { "FLOP/s", 0, add_flops, "/s" },
	[UNIT_NUMBER] = { "1", 6, add_micro, "" },
	[UNIT_HZ] = { "Hz", 0, add_frequency, "" },
	[UNIT_MILLIWATT] = { "mW", 0, add_power, " W" },
	[UNIT_MICROJOULE] = { "uJ", 0, add_energy, "" },
	[UNIT_CELSIUS] = { "C", 0, add_count, " °C" },
};

static void format_like(struct strbuf *out, enum unit unit, int64_t value, int64_t like, bool sign)
{
	struct value v = { number_size(value), number_size(like) };
	if (value < 0)
		strbuf_addch(out, '-');
	else if (sign && value > 0)
		strbuf_addch(out, '+');
	if (unit >= UNIT_FIGURES) {
		add_figure_of(out, v, unit_figure(unit), unit_digits(unit));
		return;
	}
	forms[unit].add(out, v);
	strbuf_adds(out, forms[unit].after);
}

void unit_format(struct strbuf *out, enum unit unit, int64_t value, bool sign)
{
	format_like(out, unit, value, value, sign);
}

int unit_digits(enum unit unit)
{
	if (unit >= UNIT_FIGURES)
		return (((int)unit - UNIT_FIGURES) & ((1 << WORD_SHIFT) - 1)) - DIGITS_BIAS;
	return forms[unit].digits;
}

const char *unit_name(enum unit unit)
{
	if (unit < UNIT_FIGURES)
		return forms[unit].name;
	return unit_figure(unit) < 0 ? forms[UNIT_NUMBER].name : figure_units[unit_figure(unit)].name;
}

const char *unit_text(struct arena *a, enum unit unit, int64_t value)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, unit, value, false);
	return arena_take(a, &b);
}

static const char *in_points(struct arena *a, enum unit unit, int64_t change, bool sign)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, unit, change, sign);
	if (unit == UNIT_PCT && b.n && b.p[b.n - 1] == '%') {
		strbuf_setlen(&b, b.n - 1);
		strbuf_adds(&b, "pp");
	}
	return arena_take(a, &b);
}

const char *unit_change(struct arena *a, enum unit unit, int64_t change)
{
	return in_points(a, unit, change, true);
}

void unit_pair(struct arena *a, enum unit unit, int64_t from, int64_t to, const char *texts[2])
{
	uint64_t x = number_size(from), y = number_size(to);
	bool apart = x / 2 > y || y / 2 > x;
	int64_t values[2] = { from, to }, smaller = x < y ? from : to;
	for (int i = 0; i < 2; i++) {
		struct strbuf b = STRBUF_INIT;
		format_like(&b, unit, values[i], apart ? values[i] : smaller, false);
		texts[i] = arena_take(a, &b);
	}
}

const char *unit_movement(struct arena *a, enum unit unit, int64_t from, int64_t to)
{
	const char *texts[2];
	unit_pair(a, unit, from, to, texts);
	return arena_printf(a, "%s → %s", texts[0], texts[1]);
}

const char *unit_amount(struct arena *a, enum unit unit, int64_t amount)
{
	return in_points(a, unit, amount, false);
}

const char *unit_change_word(enum unit unit, bool up)
{
	if (unit_is_time(unit))
		return up ? "longer" : "shorter";
	if (unit == UNIT_BYTES || unit == UNIT_COUNT || unit == UNIT_BYTES_PER_STEP ||
	    unit == UNIT_COUNT_PER_STEP)
		return up ? "more" : "less";
	return up ? "higher" : "lower";
}

const char *unit_relative(struct arena *a, int64_t pct)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, UNIT_PCT, pct, true);
	return arena_take(a, &b);
}
