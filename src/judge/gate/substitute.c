#include "gate/checks_beside.h"

#include <math.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "diff/drift.h"
#include "diff/pairs.h"
#include "diff/units.h"
#include "gate/noise.h"
#include "metric/unit.h"
#include "model/code.h"

/* The operator that launches the kernel or, if the noise model is made of categories, the kernel's
   category. Empty if no run has it, or if the rule asks for categories but the model is made of
   operators. */
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

/* A copy of the rule that fits the operator or category of the kernel: its metric is `unit`, and it
   keeps only the fail limits. If the kernel's metric is not kernel.time, it keeps only limits in
   percent: a limit for one launch has no meaning for a sum of kernels. */
static struct rule rule_of_unit(const struct rule *rule, const struct metric *unit, struct arena *a)
{
	struct rule r = *rule;
	bool time = rule->metric->id == METRIC_KERNEL_TIME;
	r.metric = unit;
	r.warn = (struct limits){ 0 };
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

/* Time per step of one kernel within an operator or category, on both sides. */
struct launched {
	struct span name; ///< name by which rules match the kernel; empty for sums of small kernels
	int64_t ns[NR_SIDES];
};
struct launches {
	VEC(struct launched) list; ///< sorted by name; each name once
};

ORDERING(launched_cmp, struct launched, BY_SPAN(name))

/* The name of a renamed kernel in the candidate; for other kernels, `name`. */
static struct span name_now(const struct activity_pairs *pairs, struct span name)
{
	const struct activity_pair *a = name.n ? drift_find(pairs, name) : NULL;
	return a && a->partner && a->count[SIDE_CANDIDATE] <= 0 ? a->partner->name : name;
}

/* Add the kernels that the operator `op` launches on one side. Times are sums over all runs and
   steps. */
static void launched_by(struct launches *p, const struct bench *b, int side, struct span op)
{
	size_t first = side == SIDE_BASELINE ? 0 : 1;
	size_t end = side == SIDE_BASELINE ? 1 : 1 + b->runs.nr_candidates;
	for (size_t v = first; v < end; v++)
		for (size_t r = 0; r < b->view[v].run->ranks.nr; r++) {
			const struct digest *d = b->view[v].run->ranks.v[r];
			for (size_t i = 0; i < d->code.nr; i++) {
				const struct code_stat *c = &d->code.v[i];
				if (c->kind != CODE_KERNEL || !span_eq(code_path_last(c->op), op))
					continue;
				struct activity_name k = rank_view_activity(&b->view[v].ranks[r], c->kernel);
				struct launched one = { name_now(&b->pairs, k.match), { 0 } };
				one.ns[side] = c->total_ns;
				vec_push(&p->list, one);
			}
		}
}

/* Add the kernels of a category on both sides. Times are sums over all runs and steps. */
static void launched_of(struct launches *p, const struct bench *b, struct span category)
{
	for (size_t i = 0; i < b->pairs.list.nr; i++) {
		const struct activity_pair *a = &b->pairs.list.v[i];
		const char *own = category_name(b->naming.categories, a->category);
		if (a->kind == EVENT_KERNEL && span_eq(span_of(own), category))
			vec_push(&p->list, (struct launched){
			                       a->small ? SPAN("") : name_now(&b->pairs, a->name),
			                       { a->total_ns[SIDE_BASELINE], a->total_ns[SIDE_CANDIDATE] } });
	}
}

static struct launches launches_of(const struct noise_model *m, struct span unit)
{
	struct launches p = { 0 };
	const int64_t *steps = m->bench->pairs.steps;
	size_t nr = 0;
	for (int s = 0; s < NR_SIDES && m->kind == UNITS_OPERATORS; s++)
		launched_by(&p, m->bench, s, unit);
	if (m->kind == UNITS_CATEGORIES)
		launched_of(&p, m->bench, unit);
	vec_sort(&p.list, launched_cmp);
	for (size_t i = 0; i < p.list.nr; i++) {
		struct launched one = p.list.v[i];
		for (int s = 0; s < NR_SIDES; s++)
			one.ns[s] = number_div_round(one.ns[s], steps[s] > 0 ? steps[s] : 1);
		if (!nr || launched_cmp(&p.list.v[nr - 1], &one) != 0)
			p.list.v[nr++] = one;
		else
			for (int s = 0; s < NR_SIDES; s++)
				p.list.v[nr - 1].ns[s] = number_add(p.list.v[nr - 1].ns[s], one.ns[s]);
	}
	p.list.nr = nr;
	return p;
}

/* The time in ns per step that the kernel `name` took over from other kernels of the operator or
   category: its share of the time that these lost. */
static double share_of(const struct launches *p, struct span name)
{
	double falls = 0, rises = 0, own = 0;
	for (size_t i = 0; i < p->list.nr; i++) {
		double by =
		    (double)p->list.v[i].ns[SIDE_CANDIDATE] - (double)p->list.v[i].ns[SIDE_BASELINE];
		falls += fmax(-by, 0);
		rises += fmax(by, 0);
		own += span_eq(p->list.v[i].name, name) ? fmax(by, 0) : 0;
	}
	return own > 0 ? own * fmin(falls / rises, 1) : 0;
}

void substitute_find(const struct noise_model *m, const struct rule *rule, const struct entry *e,
                     const struct comparison *c, struct arena *a, struct substitute *out)
{
	*out = (struct substitute){ 0 };
	if (rule->metric->label != LABEL_KERNEL || rule->substitutes == SUBSTITUTES_NONE ||
	    metric_family(rule->metric) != FAMILY_OPERATORS || rule->metric->worse != rule->worse)
		return;
	const struct entry *unit = noise_unit(m, unit_of(m, rule, e->label));
	if (!unit)
		return;
	const struct metric *metric = unit_query(m->kind).metric;
	/* the copy lives in the arena, since the decision keeps a pointer to its limits */
	struct rule *r = arena_alloc(a, 1, sizeof *r);
	*r = rule_of_unit(rule, metric, a);
	struct comparison of_unit = { .rule = r,
		                          .has_baseline = true,
		                          .has_candidate = true,
		                          .baseline = unit->value[SIDE_BASELINE],
		                          .candidate = unit->value[SIDE_CANDIDATE],
		                          .has_step = c->has_step,
		                          .step_ns = c->step_ns,
		                          .plans = true };
	noise_evidence(m, unit, &of_unit, a, &out->evidence);
	vec_release(&out->evidence.runs);
	out->found = true;
	out->decision = compare(&of_unit);
	out->change = number_sub(of_unit.candidate, of_unit.baseline);
	struct launches launches = launches_of(m, unit->label);
	/* the kernel's rise in ns per step; the kernel may have another name in the baseline */
	const struct activity_pair *now = drift_find(&m->bench->pairs, e->label);
	const struct activity_pair *was = now && now->partner ? now->partner : now;
	double rise =
	    now ? (double)now->time_ns[SIDE_CANDIDATE] - (double)was->time_ns[SIDE_BASELINE] : 0;
	double share = share_of(&launches, e->label);
	vec_release(&launches.list);
	out->net = c->candidate;
	double by = (double)c->candidate - (double)c->baseline;
	if (share > 0 && by > 0)
		out->net = c->baseline + (rise > share ? (int64_t)round(by * (rise - share) / rise) : 0);
	/* other kernels always fall a little by noise: a small share excuses nothing */
	out->net_sure = c->sure[0] && (10 * share < rise || of_unit.sure[0]);
	out->text = arena_printf(a, "%s %s changed by %s", label_names[metric->label],
	                         text_quote(a, unit->label),
	                         unit_relative(a, number_pct(out->change, of_unit.baseline)));
}
