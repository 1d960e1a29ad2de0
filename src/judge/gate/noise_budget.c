#include "gate/noise_model.h"

/* Divides the budget of false alarms among those families of metrics that have checks. Part of it
   is kept back: until noise has been measured it is assumed, and the assumed noise may be too
   small. */
void noise_budget(struct noise_model *m, const struct rules *rules)
{
	const double spent = 0.4;
	static const double weights[NR_FAMILIES] = { [FAMILY_MACHINE] = 0.3,
		                                         [FAMILY_OPERATORS] = 0.4,
		                                         [FAMILY_WALL] = 0.2,
		                                         [FAMILY_COMMUNICATION] = 0.1 };
	bool has[NR_FAMILIES] = { false };
	double all = 0;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		if (rule->noise.k != 0 && rule_asks_noise(rule) &&
		    bench_has(m->bench, SIDE_BASELINE, rule->metric) &&
		    bench_has(m->bench, SIDE_CANDIDATE, rule->metric))
			has[metric_family(rule->metric)] = true;
	}
	for (int f = 0; f < NR_FAMILIES; f++)
		all += has[f] ? weights[f] : 0;
	for (int f = 0; f < NR_FAMILIES && all > 0; f++)
		m->alpha[f] = spent * (double)rules->noise.budget / 1e8 * weights[f] / all;
	if (m->units.list.nr)
		m->alpha[FAMILY_OPERATORS] /= (double)m->units.list.nr;
	m->has_machine = has[FAMILY_MACHINE];
}
