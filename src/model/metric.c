#include "model/metric.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"

enum { NOISY, EXACT };

const struct metric metric_table[NR_METRICS] = {
#define X(id, name, unit, worse, reduce, exact, label, need, meaning)          \
	{ METRIC_##id, name,          UNIT_##unit, WORSE_##worse, REDUCE_##reduce, \
	  exact,       LABEL_##label, NEED_##need, meaning,       0 },
#include "model/metrics.def"
#undef X
};

const struct metric *metric_find(struct span name)
{
	for (size_t i = 0; i < NR_METRICS; i++)
		if (span_eq(span_of(metric_table[i].name), name))
			return &metric_table[i];
	return NULL;
}

/* What is before the name of a figure of a metrics file. */
static const char of_inputs[] = "input.";

bool input_name_is_valid(struct span name, bool glob)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i], lower = c | 0x20;
		bool word = is_digit((char)c) || (lower >= 'a' && lower <= 'z') || c == '_';
		if (!word && c != '-' && c != '.' && c != '/' && !(glob && (c == '*' || c == '?')))
			return false;
	}
	return name.n > 0 && name.n <= INPUT_NAME_MAX;
}

const struct metric *metric_named(struct span name, struct arena *a)
{
	const struct metric *row = metric_find(name);
	size_t n = strlen(of_inputs);
	if (row || !span_starts(name, span_of(of_inputs)) ||
	    !input_name_is_valid((struct span){ name.p + n, name.n - n }, true))
		return row;
	struct metric *m = arena_alloc(a, 1, sizeof *m);
	*m = metric_table[METRIC_INPUT];
	m->name = arena_dup(a, name);
	if (!strpbrk(m->name, "*?"))
		m->label = LABEL_NONE;
	return m;
}

const struct metric *metric_of_input(struct span name, struct arena *a)
{
	const char *full = arena_printf(a, "%s%.*s", of_inputs, (int)name.n, name.p);
	return metric_named(span_of(full), a);
}

bool metric_has_input(const struct metric *m, struct span name)
{
	return span_glob(span_of(m->name + strlen(of_inputs)), name);
}

const char *metric_suggest(struct span name)
{
	struct nearest n = { .word = name };
	for (size_t i = 0; i < NR_METRICS; i++)
		nearest_try(&n, metric_table[i].name);
	return n.best;
}

const char *label_name(enum label_kind kind)
{
	static const char *const names[] = {
		[LABEL_NONE] = "",
		[LABEL_DEVICE] = "device",
		[LABEL_KERNEL] = "kernel",
		[LABEL_CATEGORY] = "category",
		[LABEL_OP] = "op",
		[LABEL_THREAD] = "thread",
		[LABEL_MEMORY] = "memory",
		[LABEL_DIRECTION] = "direction",
		[LABEL_COLLECTIVE] = "collective",
		[LABEL_FUNCTION] = "function",
		[LABEL_INPUT] = "",
		[LABEL_COUNTER] = "counter",
		[LABEL_PAIR] = "",
	};
	return names[kind];
}
