#include "diff/units.h"

struct query unit_query(void)
{
	const struct metric *m = &metric_table[METRIC_CATEGORY_TIME];
	return (struct query){ .metric = m, .stat = STAT_MEDIAN, .reduce = m->reduce };
}

bool unit_is_compute(const struct naming *naming, struct span label)
{
	const struct category_table *t = naming->categories;
	for (size_t i = 0; i < t->rows.nr; i++)
		if (span_eq(label, span_of(t->rows.v[i].name)))
			return t->rows.v[i].cls == CLASS_COMPUTE;
	return true;
}
