#include "metric/file_figure.h"

#include <stdlib.h>
#include <string.h>

void input_settle(struct input_stat *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct input_stat *s = &v[i];
		if (s->micro == INPUT_EXACT)
			continue;
		struct decimal own = decimal_of(s->micro, MICRO_DIGITS);
		s->value = own.value;
		s->digits = own.digits;
		s->micro = INPUT_EXACT;
	}
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

/* decimal places beyond those of the values, since the mean of whole numbers may have decimals */
enum { SPARE_DIGITS = 3 };

struct input_unit {
	const char *name, *unit, *better;
	int64_t digits, most; ///< number of decimal places that the values need, and the largest such
	                      ///< number with which all values fit into int64
};

static void add_input_unit(struct input_unit *out, const struct input_stat *s)
{
	int64_t most = decimal_digits_for((struct decimal){ s->value, s->digits }, DECIMAL_SIGNIFICANT);
	if (!out->name)
		*out = (struct input_unit){ s->name, s->unit, s->better, MICRO_DIGITS, most };
	number_raise(&out->digits, s->digits + SPARE_DIGITS);
	number_lower(&out->most, most);
	if (!s->unit || !out->unit || strcmp(s->unit, out->unit) != 0)
		out->unit = NULL; /* files give different units: the figure is a bare number, for which
		                     gate/figure_rule.c refuses limits with a unit */
	out->better = out->better ? out->better : s->better;
}

static const struct metric *input_metric(const struct input_unit *u, struct arena *a)
{
	struct metric *m = arena_alloc(a, 1, sizeof *m);
	int64_t digits = u->digits < u->most ? u->digits : u->most;
	number_raise(&digits, -DECIMAL_DIGITS_MAX);
	number_lower(&digits, DECIMAL_DIGITS_MAX);
	*m = *metric_of_input(span_of(u->name), a);
	m->unit = unit_of_figure(u->unit ? figure_unit_find(span_of(u->unit)) : -1, (int)digits);
	m->worse = worse_of(u->better);
	m->label = LABEL_INPUT;
	return m;
}

static int input_name_cmp(const void *a, const void *b)
{
	return strcmp((*(const struct input_stat *const *)a)->name,
	              (*(const struct input_stat *const *)b)->name);
}

size_t input_metrics(const struct input_stat **v, size_t nr, struct arena *a,
                     const struct metric **out)
{
	size_t nr_metrics = 0;
	if (nr)
		qsort(v, nr, sizeof *v, input_name_cmp);
	for (size_t i = 0, end; i < nr; i = end) {
		struct input_unit unit = { 0 };
		for (end = i; end < nr && strcmp(v[end]->name, v[i]->name) == 0; end++)
			add_input_unit(&unit, v[end]);
		out[nr_metrics++] = input_metric(&unit, a);
	}
	return nr_metrics;
}
