#include "metric/file_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "metric/figure_name.h"

ORDERING(input_text_cmp, struct input_stat, BY_TEXT(name))

/* Derives from the name of each figure whether lower or higher is better. Does nothing if any
 * figure has a unit or a direction: then the file is not one of an early version, which stored only
 * numbers. */
static void settle_directions(struct input_stat *v, size_t nr)
{
	bool plain = ALL(i, nr, !v[i].unit && !v[i].better);
	for (size_t i = 0; i < nr && plain; i++) {
		struct span name = span_of(v[i].name + input_case(&v[i]).n);
		if (!figure_is_neither(name))
			v[i].better = figure_better(name, figure_unit_by_name(name));
	}
}

const char *input_name_settle(const char *name, struct arena *a)
{
	const char *slash = strrchr(name, '/');
	struct span said = { name, slash ? (size_t)(slash - name) : 0 };
	struct span plain = figure_case_settle(said, a);
	return span_eq(said, plain) ? name : arena_printf(a, "%.*s%s", (int)plain.n, plain.p, slash);
}

void input_settle(struct input_stat *v, size_t nr, struct arena *a)
{
	bool renamed = false;
	settle_directions(v, nr);
	for (size_t i = 0; i < nr; i++) {
		struct input_stat *s = &v[i];
		const char *name = input_name_settle(s->name, a);
		renamed = renamed || name != s->name;
		s->name = name;
		if (s->micro != INPUT_EXACT) {
			struct decimal own = decimal_of(s->micro, MICRO_DIGITS);
			s->value = own.value;
			s->digits = own.digits;
			s->micro = INPUT_EXACT;
		}
		if (s->spread >= 0 && s->value)
			s->spread_share = input_spread((double)s->spread / fabs((double)s->value));
		s->spread = -1;
	}
	if (renamed)
		sort_plain(v, nr, sizeof *v, input_text_cmp);
}

int64_t input_spread(double share)
{
	return share >= 0 && share < 9e9 ? (int64_t)(share * 1e9 + 0.5) : -1;
}

uint64_t input_hash(uint64_t h, const struct input_stat *s)
{
	struct decimal own = { s->value, s->digits };
	int64_t micro = decimal_scaled(own, MICRO_DIGITS);
	struct decimal back = decimal_of(micro, MICRO_DIGITS);
	bool exact = back.value == own.value && back.digits == own.digits;
	h = number_hash(h, (uint64_t)(exact ? micro : own.value));
	return exact ? h : number_hash(h, (uint64_t)own.digits);
}

/* number of decimal places beyond those of the values, since the mean of whole numbers may have
   decimals */
enum { SPARE_DIGITS = 3 };

static int unit_index(const struct input_stat *s)
{
	return s->unit ? figure_unit_find(span_of(s->unit)) : -1;
}

static bool same_dimension(int a, int b)
{
	return a == b ||
	       (a >= 0 && b >= 0 && strcmp(figure_units[a].dimension, figure_units[b].dimension) == 0);
}

struct decimal input_in(const struct input_stat *s, int unit)
{
	const __int128 room = (__int128)1 << 120;
	int own = unit_index(s);
	int64_t digits = s->digits;
	if (own < 0 || own == unit || !same_dimension(own, unit))
		return (struct decimal){ s->value, digits };
	__int128 num = (__int128)s->value * figure_units[own].size;
	__int128 size = num < 0 ? -num : num, den = figure_units[unit].size;
	int64_t limit = number_power_of_10(DECIMAL_SIGNIFICANT);
	for (; size && size < room / 10; digits++)
		size *= 10;
	__int128 q = size / den, rest = 0;
	for (; q >= limit; digits--) {
		rest = q % 10;
		q /= 10;
	}
	q += rest >= 5;
	return decimal_of(num < 0 ? -(int64_t)q : (int64_t)q, digits);
}

struct span input_case(const struct input_stat *s)
{
	const char *slash = strrchr(s->name, '/');
	size_t name = strlen(s->name), title = s->title ? strlen(s->title) : 0;
	if (title && title <= name && strcmp(s->name + name - title, s->title) == 0)
		return (struct span){ s->name, name > title ? name - title - 1 : 0 };
	return (struct span){ s->name, slash ? (size_t)(slash - s->name) : 0 };
}

int64_t input_place(bool headline, const char *unit, size_t order)
{
	enum { EACH = 1000000 };
	int at = unit ? figure_unit_find(span_of(unit)) : -1;
	bool rate = at >= 0 && strncmp(figure_units[at].dimension, "rate", strlen("rate")) == 0;
	return (int64_t)order + 1 + (headline ? 0 : rate ? EACH : 2 * EACH);
}

bool input_is_of(const struct metric *m, const struct input_stat *s)
{
	struct span of = input_case(s);
	char both[2 * INPUT_NAME_MAX + 2];
	if (metric_has_input(m, span_of(s->name)))
		return true;
	if (!s->title || of.n + strlen(s->title) + 2 > sizeof both)
		return false;
	snprintf(both, sizeof both, "%.*s%s%s", (int)of.n, of.p, of.n ? "/" : "", s->title);
	return metric_has_input(m, span_of(both));
}

static const char *unit_said(const struct input_stat *s)
{
	return strcmp(s->unit, UNIT_BARE) == 0 ? "no unit" : s->unit;
}

/* True if the unit of a figure may be wrong: for names such as "gb_s", earlier versions stored the
 * unit "s", "1/s" or none. */
static bool is_doubtful(const struct input_stat *s)
{
	return strcmp(s->unit, UNIT_BARE) == 0 || strcmp(s->unit, "s") == 0 ||
	       strcmp(s->unit, "1/s") == 0;
}

/* True if two figures of one name measure the same although their units differ, because an earlier
   version found units in fewer names. Either the unit of one is doubtful, and the other figure has
   the unit that the name means. Or one is a bare number, the other is in 1/s, and the name means a
   throughput. */
static bool is_told_by_name(const struct input_stat *a, const struct input_stat *b)
{
	const struct input_stat *other = is_doubtful(a) ? b : a;
	struct span name = span_of(a->name + input_case(a).n);
	const char *unit = figure_unit_by_name(name), *better = figure_better(name, NULL);
	if (is_doubtful(a) && is_doubtful(b))
		return strcmp(a->unit, "s") != 0 && strcmp(b->unit, "s") != 0 && better &&
		       strcmp(better, "higher") == 0;
	return is_doubtful(a) != is_doubtful(b) && unit && strcmp(unit, other->unit) == 0;
}

/* True if the figure is a percentile of fewer than 10 / (1 - q) samples: fewer than ten are beyond
 * it. A percentile that a tool has computed has no samples. */
static bool is_tail_of_few(const struct input_stat *s)
{
	size_t n = strlen(s->name);
	const char *end = n > 4 ? s->name + n - 4 : "";
	return s->samples && ((strcmp(end, ".p90") == 0 && s->samples < 100) ||
	                      (strcmp(end, ".p99") == 0 && s->samples < 1000));
}

/* The metric of the `nr` figures of one name, in the first known unit among them. */
static const struct metric *input_metric(const struct input_stat *const *v, size_t nr,
                                         struct arena *a)
{
	struct metric *m = arena_alloc(a, 1, sizeof *m);
	const struct input_stat *first = v[0], *titled = v[0];
	int64_t digits = MICRO_DIGITS, most = INT64_MAX;
	const char *better = NULL;
	*m = *metric_of_input(span_of(first->name), a);
	for (size_t i = 1; i < nr && !first->unit; i++)
		first = v[i];
	int unit = unit_index(first);
	for (size_t i = 0; i < nr; i++) {
		struct decimal own = input_in(v[i], unit);
		number_raise(&digits, own.digits + SPARE_DIGITS);
		number_lower(&most, decimal_digits_for(own, DECIMAL_SIGNIFICANT));
		better = better ? better : v[i]->better;
		titled = v[i]->title ? v[i] : titled;
		m->stake = is_tail_of_few(v[i]) ? STAKE_TAIL : m->stake;
		if (!m->mixed && v[i]->unit && !same_dimension(unit, unit_index(v[i])) &&
		    !is_told_by_name(first, v[i]))
			m->mixed = arena_printf(a, "%s and %s", unit_said(first), unit_said(v[i]));
	}
	number_lower(&digits, most);
	number_raise(&digits, -DECIMAL_DIGITS_MAX);
	number_lower(&digits, DECIMAL_DIGITS_MAX);
	m->unit = unit_of_figure(m->mixed ? -1 : unit, (int)digits);
	m->worse = worse_of(m->stake == STAKE_TAIL ? NULL : better);
	m->label = LABEL_INPUT;
	struct span of = input_case(titled);
	m->case_name = arena_dup(a, of);
	m->head = titled->title ? titled->title : first->name + (of.n ? of.n + 1 : 0);
	m->title = of.n ? arena_printf(a, "%s of %s", m->head, m->case_name) : m->head;
	m->place = titled->place ? titled->place
	                         : input_place(false, unit < 0 ? NULL : figure_units[unit].name, 0);
	return m;
}

ORDERING_POINTERS(input_name_cmp, struct input_stat, BY_TEXT(name))

size_t input_metrics(const struct input_stat **v, size_t nr, struct arena *a,
                     const struct metric **out)
{
	size_t nr_metrics = 0;
	if (nr)
		sort_plain(v, nr, sizeof *v, input_name_cmp);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && strcmp(v[end]->name, v[i]->name) == 0;)
			end++;
		out[nr_metrics++] = input_metric(v + i, end - i, a);
	}
	return nr_metrics;
}

struct metric *input_metric_copy(const struct metric *own, struct arena *a)
{
	struct metric *m = arena_alloc(a, 1, sizeof *m);
	*m = *own;
	const char **texts[] = { &m->name, &m->head, &m->title, &m->case_name, &m->mixed };
	for (size_t i = 0; i < NR_OF(texts); i++)
		if (*texts[i])
			*texts[i] = arena_dup(a, span_of(*texts[i]));
	/* `exact` is computed only for copies of a metric, since only metrics that are judged or shown
	   are copied */
	size_t of = strlen("input.") + (m->case_name ? strlen(m->case_name) : 0);
	m->exact = !m->mixed && figure_is_counted(span_of(m->name + of));
	return m;
}
