#include "gate/confirm.h"

/* Number of pairs, or of runs of different jobs, that decide. */
enum { ENOUGH = 3 };

/* Figures of memory have no noise that could be estimated, but a library may choose a larger
   workspace in one run of ten. Counts are the same in every run. */
static bool is_of_memory(const struct metric *m)
{
	return m->exact && m->need == NEED_MEMORY && m->unit != UNIT_COUNT;
}

static size_t nr_pairs(const struct noise_model *m)
{
	const struct bench_runs *r = &m->bench->runs;
	return r->nr_controls < r->nr_candidates ? r->nr_controls : r->nr_candidates;
}

static bool are_enough(const struct noise_model *m)
{
	return nr_pairs(m) >= ENOUGH || (m->bench->runs.nr_candidates >= ENOUGH && m->shared == 0);
}

bool confirm_is_open(const struct noise_model *m, const struct comparison *c,
                     const struct decision *d, struct evidence *evidence)
{
	const struct rule *rule = c->rule;
	bool varies = !rule->metric->exact || is_of_memory(rule->metric);
	if (d->verdict != VERDICT_FAIL || !d->limit || !condition_has_noise(d->limit->condition) ||
	    !varies || rule->noise.k == 0 || rule->confirm == CONFIRM_NEVER || are_enough(m))
		return false;
	evidence->more_runs = 0;
	evidence->more_pairs = (int64_t)(ENOUGH - nr_pairs(m));
	return true;
}

bool confirm_is_refuted(const struct noise_model *m, const struct entry *e,
                        const struct comparison *c)
{
	const struct bench *b = m->bench;
	if (!is_of_memory(c->rule->metric) || c->rule->confirm == CONFIRM_NEVER || !are_enough(m))
		return false;
	for (size_t i = 0; i < b->nr_columns; i++) {
		bool of_base = b->columns[i].source == SOURCE_CONTROL;
		struct comparison one = *c;
		one.candidate = e->cells[i].value;
		if (b->columns[i].source >= SOURCE_SINGLE && e->cells[i].has &&
		    (compare(&one).verdict == VERDICT_FAIL) == of_base)
			return true;
	}
	return false;
}
