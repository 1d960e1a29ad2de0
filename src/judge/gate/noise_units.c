#include "gate/noise_model.h"

/* Operators count only if they take at least this share of the compute time. Smaller operators are
   so noisy that they would hide the noise of the machine. */
static const double least_share = 0.005;

/* Fill m->units with the operators or categories that both sides have, except those with little
   time. False if these have less than half of the compute time of a side; the ones with little time
   count here. */
static bool find_units(struct noise_model *m, enum unit_kind kind, const double compute[NR_SIDES])
{
	struct query q = unit_query(kind);
	double total[NR_SIDES] = { 0 };
	size_t nr = 0;
	bench_query(m->bench, &q, &m->units);
	struct entry *v = m->units.list.v;
	for (size_t i = 0; i < m->units.list.nr; i++)
		if (v[i].value[0] > 0 && v[i].value[1] > 0) {
			v[nr++] = v[i];
			for (int s = 0; s < NR_SIDES; s++)
				total[s] += (double)v[nr - 1].value[s];
		}
	m->units.list.nr = nr;
	nr = 0;
	for (size_t i = 0; i < m->units.list.nr; i++)
		if ((double)v[i].value[0] >= least_share * total[0] ||
		    (double)v[i].value[1] >= least_share * total[1])
			v[nr++] = v[i];
	m->units.list.nr = nr;
	m->kind = kind;
	return nr && 2 * total[0] >= compute[0] && 2 * total[1] >= compute[1];
}

void noise_units_find(struct noise_model *m)
{
	const struct metric *metric = &metric_table[METRIC_STEP_COMPUTE_TIME];
	struct query q = { .metric = metric, .stat = STAT_MEDIAN, .reduce = metric->reduce };
	double compute[NR_SIDES] = { 0 };
	struct entries all;
	bench_query(m->bench, &q, &all);
	for (int s = 0; s < NR_SIDES && all.list.nr; s++)
		compute[s] = (double)all.list.v[0].value[s];
	vec_release(&all.list);
	if (find_units(m, UNITS_OPERATORS, compute))
		return;
	vec_release(&m->units.list);
	m->units = (struct entries){ 0 };
	find_units(m, UNITS_CATEGORIES, compute);
}

const struct entry *noise_unit(const struct noise_model *m, struct span label)
{
	return FIND(i, m->units.list.v, m->units.list.nr, span_eq(m->units.list.v[i].label, label));
}

/* In many traces, times are whole microseconds: if a kernel changed from 6 to 7 µs, it has not
   necessarily become 17 % slower. */
double noise_unit_tick(const struct noise_model *m, const struct entry *e)
{
	double mean =
	    m->tick > 1 ? unit_mean_launch(&m->bench->view[SIDE_BASELINE], m->kind, e->label) : 0;
	return mean > 0 ? (double)m->tick / mean : 0;
}
