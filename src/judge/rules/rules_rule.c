#include "model/phases.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

/* Labels of metrics whose items (such as kernels) can come and go. Rules on such metrics can have
   for_each. */
#define ITEM_LABELS                                                                        \
	(1u << LABEL_KERNEL | 1u << LABEL_CATEGORY | 1u << LABEL_OP | 1u << LABEL_COLLECTIVE | \
	 1u << LABEL_FUNCTION | 1u << LABEL_MODULE | 1u << LABEL_RANGE | 1u << LABEL_PLACE)

/* Check that the keys for_each, `top` and `min_share` fit the metric, and that keys on items occur
   only together with for_each. */
static enum status check_items(struct document *d, const struct node *map, const struct rule *r)
{
	const struct node *for_each = node_get(map, "for_each"), *top = node_get(map, "top");
	const struct node *share = node_get(for_each, "min_share");
	enum label_kind label = r->metric->label;
	if (for_each && !(1u << label & ITEM_LABELS))
		return document_fail(d, for_each->key,
		                     "'%s' has no kernels, categories, operators, collectives, functions, "
		                     "modules, annotations or places for 'for_each'",
		                     r->metric->name);
	if (top && label != LABEL_PAIR)
		return document_fail(
		    d, top->key, "'top' is for metrics of both sides, such as kernel.drift_pct:%s",
		    for_each ? " write it inside 'for_each'" : " use 'for_each: {top: N}'");
	bool of_gpu = r->metric->parts == PARTS_CODE && r->metric->unit == UNIT_NS_PER_STEP &&
	              r->metric->id != METRIC_PLACE_SYNC_TIME;
	if (share && label != LABEL_KERNEL && label != LABEL_CATEGORY && !of_gpu)
		return document_fail(
		    d, share->key,
		    "'min_share' is a share of kernel time: only kernels, categories and GPU "
		    "time by operator, module, annotation or place have one");
	static const char *const of_items[] = { "on_new", "on_gone", "except", "overrides" };
	for (size_t i = 0; i < NR_OF(of_items) && !for_each; i++) {
		const struct node *n = node_get(map, of_items[i]);
		if (n)
			return document_fail(
			    d, n->key, "'%s' needs 'for_each': only then there are several items", of_items[i]);
	}
	return ST_OK;
}

/* Check that `noise` can have an effect: the metric has noise, and the rule or an override has an
   increase or decrease in `fail`. */
static enum status check_noise(struct document *d, const struct node *noise, const struct rule *r)
{
	if (r->metric->exact)
		return document_fail(d, noise->key, "'%s' is exact: there is no noise in it",
		                     r->metric->name);
	if (rule_asks_noise(r))
		return ST_OK;
	return document_fail(d, noise->key,
	                     "'noise' belongs to an increase or decrease in 'fail', and there is none");
}

/* Check that the pattern `phase` matches a phase for which the metric has figures. There are only a
   few phases: a pattern that matches none of them is a mistake. */
static enum status check_phase(struct document *d, const struct node *phase, const struct metric *m)
{
	struct strbuf list = STRBUF_INIT;
	bool fits = !phase;
	for (int p = PHASE_FORWARD; p < NR_PHASES; p++)
		if (phase_has_metric((enum phase)p, m) || m->parts == PARTS_CODE) {
			fits = fits || span_glob(phase->text, span_of(phase_names[p]));
			strbuf_addf(&list, "%s%s", list.n ? ", " : "", phase_names[p]);
		}
	if (!fits)
		document_error(d, phase, "'%s' has no phase %s: it has %s", m->name,
		               document_quote(d, phase->text), strbuf_str(&list));
	strbuf_release(&list);
	return fits ? ST_OK : ST_USAGE;
}

/* Read `unless`, which names another metric. A check of the rule is skipped where that metric is
 * known, too, and differs from the rule's figure by at most `within`. Both must be figures of the
 * whole run. */
static enum status unless_read(struct document *d, const struct node *unless, struct rule *r)
{
	const struct node *metric = node_get(unless, "metric");
	const struct metric *other = metric_find(metric->text);
	if (!other || other->label != LABEL_NONE || r->metric->label != LABEL_NONE ||
	    other->unit != r->metric->unit || other->id == r->metric->id)
		return document_fail(d, metric,
		                     "'unless' compares '%s' with another figure of the same unit and "
		                     "without labels, which '%s' is not",
		                     r->metric->name, metric->text.p);
	r->unless = other;
	return ST_OK;
}

enum status unless_settle(struct document *d, struct rules *rules)
{
	bool ruled[NR_METRICS] = { 0 }; /* metrics with a rule */
	bool judged[NR_METRICS] = { 0 }; /* metrics with a rule that has no `unless`, or whose `unless`
	                                    names a metric that is judged */
	for (size_t i = 0; i < rules->rules.nr; i++)
		ruled[rules->rules.v[i].metric->id] = true;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		struct rule *r = &rules->rules.v[i];
		if (r->unless && !ruled[r->unless->id])
			r->unless = NULL;
	}
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < rules->rules.nr; i++) {
			const struct rule *r = &rules->rules.v[i];
			if (judged[r->metric->id] || (r->unless && !judged[r->unless->id]))
				continue;
			judged[r->metric->id] = more = true;
		}
	}
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *r = &rules->rules.v[i];
		if (r->unless && !judged[r->unless->id])
			return diag_fail(d->log, ST_USAGE,
			                 "%s:%u:%u: rule '%s' leaves its figure to '%s' ('unless'), whose "
			                 "rules leave theirs in a circle, so that none is judged: remove one "
			                 "'unless' of them",
			                 d->shown, r->line, r->column, r->id, r->unless->name);
	}
	return ST_OK;
}

struct rule rule_default(const struct metric *m)
{
	struct rule r = { .metric = m };
	keys_default(&rule_map, &r);
	r.worse = m->worse;
	r.reduce = m->reduce;
	r.query = (struct query){ .metric = m, .stat = r.stat, .reduce = r.reduce };
	return r;
}

enum status rule_read(struct document *d, const struct node *map, struct rules *out)
{
	const struct node *id = node_get(map, "id"), *select = node_get(map, "select"),
	                  *noise = node_get(map, "noise");
	const struct metric *m = metric_named(node_get(map, "metric")->text, &out->arena);
	struct rule *r = vec_push_zero(&out->rules);
	*r = rule_default(m);
	r->on_missing = out->on_missing;
	r->noise = out->noise;
	r->line = id->line;
	r->column = id->column;
	r->built_in = d->built_in;
	for (const struct node *n = map->first; n; n = n->next) {
		r->built_in = r->built_in || n->built_in;
		r->own = r->own || (!d->built_in && !n->built_in);
	}
	keys_fill(&rule_map, map, &out->arena, r);
	select_bare(&r->query);
	r->query.stat = r->stat;
	r->query.reduce = r->reduce;
	if (node_get(map, "better"))
		r->query.better = arena_dup(&out->arena, node_get(map, "better")->text);
	for (const struct rule *other = out->rules.v; other < r; other++)
		if (strcmp(other->id, r->id) == 0)
			return document_fail(d, id, "two rules are called '%s': the other is in line %u", r->id,
			                     other->line);
	if (r->stat != STAT_MEDIAN && !m->per_step)
		return document_fail(d, node_get(map, "stat"),
		                     "'stat' is for step.* metrics: '%s' is one figure per run", m->name);
	if (node_get(map, "unless"))
		TRY(unless_read(d, node_get(map, "unless"), r));
	TRY(check_items(d, map, r));
	TRY(select_check(d, select, m->name, select_labels(m)));
	TRY(check_phase(d, node_get(select, "phase"), m));
	TRY(limits_read(d, &out->arena, r, node_get(map, "fail"), &r->fail));
	TRY(limits_read(d, &out->arena, r, node_get(map, "warn"), &r->warn));
	TRY(overrides_read(d, &out->arena, map, r));
	return noise ? check_noise(d, noise, r) : ST_OK;
}
