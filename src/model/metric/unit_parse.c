/* Numbers with units as people write them: "5%", "2ms", "1.5 GiB". */
#include <string.h>

#include "base/number.h"
#include "base/vec.h"
#include "metric/unit.h"

const struct unit_word unit_words[] = {
	{ "", FAMILY_BARE, 1 },           { "ns", FAMILY_TIME, 1 },
	{ "us", FAMILY_TIME, 1000 },      { "ms", FAMILY_TIME, 1000000 },
	{ "s", FAMILY_TIME, 1000000000 }, { "B", FAMILY_BYTES, 1 },
	{ "KiB", FAMILY_BYTES, 1 << 10 }, { "MiB", FAMILY_BYTES, 1 << 20 },
	{ "GiB", FAMILY_BYTES, 1 << 30 }, { "kB", FAMILY_BYTES, 1000 },
	{ "MB", FAMILY_BYTES, 1000000 },  { "GB", FAMILY_BYTES, 1000000000 },
	{ "%", FAMILY_PERCENT, 1 },       { "pp", FAMILY_POINTS, 1 },
	{ "% of step", FAMILY_STEP, 1 },  { "spreads", FAMILY_SPREAD, 1 },
	{ NULL, FAMILY_BARE, 0 },
};

/* figures.inc has the rows of rules/figures.yaml, such as a UNIT() for each unit */
#define UNIT(name, dimension, size, others) { name, dimension, size, others },
const struct figure_unit figure_units[] = {
#include "metric/figures.inc"
	{ NULL, NULL, 0, NULL },
};
#define UNIT(name, ...) name,
const char *const figure_unit_names[] = {
#include "metric/figures.inc"
	NULL,
};

int figure_unit_find(struct span name)
{
	return span_find(name, figure_unit_names);
}

#define DIMENSION(name, better, ...) { name, better },
const char *figure_unit_better(int unit)
{
	static const char *const dimensions[][2] = {
#include "metric/figures.inc"
	};
	for (size_t i = 0; unit >= 0 && i < NR_OF(dimensions); i++)
		if (strcmp(dimensions[i][0], figure_units[unit].dimension) == 0)
			return dimensions[i][1];
	return NULL;
}

bool figure_unit_is_amount(int unit)
{
	return unit >= 0 && strcmp(figure_units[unit].dimension, "ratio") != 0 &&
	       strcmp(figure_units[unit].dimension, "temperature") != 0;
}

const struct unit_word *unit_word_find(struct span name)
{
	return FIND(i, unit_words, NR_OF(unit_words) - 1, span_eq(name, span_of(unit_words[i].name)));
}

struct span unit_number_take(struct span *s)
{
	struct span number = { s->p, 0 };
	while (number.n < s->n && (is_digit(s->p[number.n]) || s->p[number.n] == '.'))
		number.n++;
	s->p += number.n;
	s->n -= number.n;
	while (s->n && *s->p == ' ')
		s->p++, s->n--;
	return number;
}

bool unit_number_is_too_fine(struct span number)
{
	const char *point = memchr(number.p, '.', number.n);
	return point && number.p + number.n - point - 1 > UNIT_DECIMALS;
}

bool bytes_parse(struct span text, int64_t *out)
{
	int64_t scaled;
	struct span number = unit_number_take(&text);
	const struct unit_word *unit = unit_word_find(text);
	if (!unit || (unit->family != FAMILY_BYTES && unit->family != FAMILY_BARE) ||
	    unit_number_is_too_fine(number) || !number_parse(number, UNIT_DECIMALS, &scaled))
		return false;
	__int128 v = (__int128)scaled * unit->factor / MICRO;
	if (v <= 0 || v > INT64_MAX)
		return false;
	*out = (int64_t)v;
	return true;
}
