#include "model/metric.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

enum { NOISY, EXACT };

const struct metric metric_table[NR_METRICS] = {
#define X(id, name, unit, worse, reduce, exact, label, need, meaning)          \
	{ METRIC_##id, name,          UNIT_##unit, WORSE_##worse, REDUCE_##reduce, \
	  exact,       LABEL_##label, NEED_##need, meaning },
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
	const char *best = NULL;
	size_t limit = name.n / 3;
	for (size_t i = 0; i < NR_METRICS; i++) {
		size_t d = edit_distance(name, span_of(metric_table[i].name), limit);
		if (d > limit)
			continue;
		best = metric_table[i].name;
		if (d == 0)
			break;
		limit = d - 1; /* only a nearer one replaces it */
	}
	return best;
}

int unit_digits(enum unit unit)
{
	return unit == UNIT_PCT || unit == UNIT_PER_S || unit == UNIT_COUNT_PER_STEP ||
	               unit == UNIT_NUMBER
	           ? 6
	           : 0;
}

const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NS] = "ns",
		[UNIT_BYTES] = "B",
		[UNIT_COUNT] = "1",
		[UNIT_PCT] = "%",
		[UNIT_PER_S] = "1/s",
		[UNIT_BYTES_PER_S] = "B/s",
		[UNIT_NS_PER_STEP] = "ns/step",
		[UNIT_COUNT_PER_STEP] = "1/step",
		[UNIT_BYTES_PER_STEP] = "B/step",
		[UNIT_FLOPS] = "FLOP",
		[UNIT_FLOPS_PER_S] = "FLOP/s",
		[UNIT_NUMBER] = "1",
	};
	return names[unit];
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

const char *stat_name(enum statistic stat)
{
	static const char *const names[] = {
		[STAT_MEDIAN] = "median", [STAT_MEAN] = "mean", [STAT_MIN] = "min", [STAT_MAX] = "max",
		[STAT_P90] = "p90",       [STAT_P95] = "p95",   [STAT_P99] = "p99", [STAT_TOTAL] = "total",
	};
	return names[stat];
}

const char *reduce_name(enum reduce reduce)
{
	static const char *const names[] = {
		[REDUCE_MAX] = "max",   [REDUCE_MIN] = "min",   [REDUCE_MEDIAN] = "median",
		[REDUCE_MEAN] = "mean", [REDUCE_EACH] = "each",
	};
	return names[reduce];
}

static __int128 sum_of(const int64_t *v, size_t nr)
{
	__int128 sum = 0;
	for (size_t i = 0; i < nr; i++)
		sum += v[i];
	return sum;
}

static int64_t percentile_of(const int64_t *samples, size_t nr, int pct)
{
	int64_t *sorted = mem_calloc(nr, sizeof *sorted);
	memcpy(sorted, samples, nr * sizeof *sorted);
	sort_plain(sorted, nr, sizeof *sorted, number_cmp_i64);
	int64_t value = number_percentile(sorted, nr, pct);
	free(sorted);
	return value;
}

static int64_t extreme_of(const int64_t *v, size_t nr, bool largest)
{
	int64_t best = v[0];
	for (size_t i = 1; i < nr; i++)
		if (largest ? v[i] > best : v[i] < best)
			best = v[i];
	return best;
}

int64_t stat_of(enum statistic stat, const int64_t *samples, size_t nr)
{
	switch (stat) {
	case STAT_MEAN:
		return number_div_round(sum_of(samples, nr), (__int128)nr);
	case STAT_TOTAL:
		return number_div_round(sum_of(samples, nr), 1);
	case STAT_MIN:
	case STAT_MAX:
		return extreme_of(samples, nr, stat == STAT_MAX);
	case STAT_P90:
		return percentile_of(samples, nr, 90);
	case STAT_P95:
		return percentile_of(samples, nr, 95);
	case STAT_P99:
		return percentile_of(samples, nr, 99);
	case STAT_MEDIAN:
		break;
	}
	return percentile_of(samples, nr, 50);
}

int64_t reduce_of(enum reduce reduce, int64_t *values, size_t nr)
{
	switch (reduce) {
	case REDUCE_MAX:
	case REDUCE_MIN:
		return extreme_of(values, nr, reduce == REDUCE_MAX);
	case REDUCE_MEAN:
		return stat_of(STAT_MEAN, values, nr);
	case REDUCE_MEDIAN:
	case REDUCE_EACH:
		break;
	}
	return number_median(values, nr);
}

size_t edit_distance(struct span a, struct span b, size_t limit)
{
	if (a.n > b.n ? a.n - b.n > limit : b.n - a.n > limit)
		return limit + 1;
	size_t width = b.n + 1;
	size_t *rows = mem_calloc(3, width * sizeof *rows);
	size_t *before = rows, *last = rows + width, *now = last + width;
	for (size_t j = 0; j < width; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t best = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		size_t *free_row = before;
		before = last;
		last = now;
		now = free_row;
	}
	size_t distance = last[b.n];
	free(rows);
	return distance <= limit ? distance : limit + 1;
}
