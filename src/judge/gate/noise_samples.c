#include "gate/noise_model.h"

#include <math.h>
#include <string.h>

static const struct input_stat *figure_of(const struct run_view *v, struct span name)
{
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		const struct digest *d = v->run->ranks.v[i];
		for (size_t k = 0; k < d->inputs.nr; k++)
			if (span_eq(span_of(d->inputs.v[k].name), name))
				return &d->inputs.v[k];
	}
	return NULL;
}

/* Number of usable steps of the run in column `i`, taken from its first rank; for a past run, the
   stored number of the rank with the most steps. */
static double steps_of(const struct bench *b, size_t i)
{
	const struct past_run *past = b->columns[i].past;
	if (past)
		return (double)past->steps;
	return (double)b->view[b->columns[i].view].run->ranks.v[0]->usable_steps;
}

double noise_of_share(const struct bench *b, const struct entry *e, const struct metric *metric)
{
	double slow = 1, steps = 2, own = 0;
	for (size_t i = 0; i < b->nr_columns && metric->id == METRIC_SLOW_STEPS_PCT; i++) {
		double nr = e->cells[i].has ? steps_of(b, i) : 0;
		if (b->columns[i].source == SOURCE_SINGLE || b->columns[i].source == SOURCE_CANDIDATE) {
			own = fmax(own, nr);
		} else {
			slow += nr * (double)e->cells[i].value / 1e8;
			steps += nr;
		}
	}
	return own > 0 ? slow / steps * (1 - slow / steps) / own : 0;
}

double noise_of_samples(const struct bench *b, const struct metric *metric, struct span label)
{
	double sum = 0, nr = 0;
	size_t runs = 1 + b->runs.nr_candidates + b->runs.nr_controls;
	if (metric->need != NEED_INPUT)
		return 0;
	struct span name = label.n ? label : span_of(metric->name + strlen("input."));
	for (size_t i = 0; i < runs; i++) {
		const struct input_stat *s = figure_of(&b->view[i], name);
		if (s && s->samples > 1 && s->spread_share > 0 && s->value) {
			/* variance of the median of the samples, which is π/2 times that of their mean */
			double share = (double)s->spread_share / 1e9;
			sum += M_PI_2 * share * share / (double)s->samples;
			nr++;
		}
	}
	return nr > 0 ? sum / nr : 0;
}
