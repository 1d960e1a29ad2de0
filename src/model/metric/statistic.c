#include "metric/statistic.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

const char *const stat_names[] = { STATISTICS(ENUM_WORD) NULL };
const char *const reduce_names[] = { REDUCES(ENUM_WORD) NULL };

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
