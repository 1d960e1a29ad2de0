#include "diff/units.h"

struct query unit_query(void)
{
	const struct metric *m = &metric_table[METRIC_CATEGORY_TIME];
	return (struct query){ .metric = m, .stat = STAT_MEDIAN, .reduce = m->reduce, .cls = "compute" };
}
