#include "gate/substitute.h"

#include "base/text.h"
#include "diff/units.h"
#include "gate/noise.h"
#include "metric/unit.h"

/* The operator that launches the kernel or, if the model has categories, the kernel's category; on
   a side that has the kernel. Empty if the rule asks for categories but the model has operators. */
static struct span unit_of(const struct noise_model *m, const struct rule *rule, struct span kernel)
{
	const struct bench *b = m->bench;
	struct span unit = SPAN("");
	if (rule->substitutes == SUBSTITUTES_CATEGORY && m->kind != UNITS_CATEGORIES)
		return unit;
	for (size_t i = b->runs.nr_candidates + 1; i-- > 0 && !unit.n;)
		unit = unit_of_kernel(&b->view[i], m->kind, kernel);
	return unit;
}

/* A copy of the rule with its fail limits, for the figure `unit` of the operator or category in
   place of the kernel. Except for kernel.time, only relative limits remain: a limit per launch has
   no meaning for a sum of kernels. */
static struct rule rule_of_unit(const struct rule *rule, const struct metric *unit, struct arena *a)
{
	struct rule r = *rule;
	bool time = rule->metric->id == METRIC_KERNEL_TIME;
	r.metric = unit;
	r.warn = (struct limits){ 0 };
	r.for_each = false;
	if (time)
		return r;
	size_t nr = 0;
	struct limit *list = arena_alloc(a, rule->fail.list.nr, sizeof *list);
	for (size_t i = 0; i < rule->fail.list.nr; i++)
		if (rule->fail.list.v[i].relative)
			list[nr++] = rule->fail.list.v[i];
	r.fail = (struct limits){ 0 };
	r.fail.list.v = list;
	r.fail.list.nr = nr;
	return r;
}

static bool is_kernel_rule(const struct rule *rule)
{
	return rule->metric->label == LABEL_KERNEL && rule->substitutes != SUBSTITUTES_NONE &&
	       metric_family(rule->metric) == FAMILY_OPERATORS && rule->metric->worse == rule->worse;
}

void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out)
{
	*out = (struct substitute){ 0 };
	if (!is_kernel_rule(rule))
		return;
	const struct entry *unit = noise_unit(m, unit_of(m, rule, e->label));
	if (!unit)
		return;
	const struct metric *metric = unit_query(m->kind).metric;
	/* The copy of the rule is on the arena, since the decision keeps a pointer to its limits. */
	struct rule *r = arena_alloc(a, 1, sizeof *r);
	*r = rule_of_unit(rule, metric, a);
	struct comparison of_unit = { .rule = r,
		                          .has_baseline = true,
		                          .has_candidate = true,
		                          .baseline = unit->value[SIDE_BASELINE],
		                          .candidate = unit->value[SIDE_CANDIDATE],
		                          .has_step = c->has_step,
		                          .step_ns = c->step_ns };
	struct evidence evidence;
	noise_evidence(m, unit, &of_unit, a, &evidence);
	vec_release(&evidence.runs);
	out->found = true;
	out->decision = compare(&of_unit);
	out->change = number_sub(of_unit.candidate, of_unit.baseline);
	out->text = arena_printf(a, "%s %s changed by %s", label_name(metric->label),
	                         text_quote(a, unit->label),
	                         unit_relative(a, number_pct(out->change, of_unit.baseline)));
}
