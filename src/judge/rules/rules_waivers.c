#include "base/nearest.h"
#include "rules/rules_internal.h"

/* Set `*out` to the labels, as bits 1 << enum label_kind, of the metrics of those rules whose ids
   match the pattern `rule`. ST_USAGE if no id matches. */
static enum status labels_of(struct document *d, const struct node *rule, const struct rules *rules,
                             unsigned *out)
{
	struct nearest near = { .word = rule->text };
	*out = 0;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *r = &rules->rules.v[i];
		if (span_glob(rule->text, span_of(r->id)))
			*out |= select_labels(r->metric);
		nearest_try(&near, r->id);
	}
	if (*out)
		return ST_OK;
	return document_fail(d, rule, "a waiver for %s, and no rule has this id%s",
	                     document_quote(d, rule->text), nearest_hint(&near, &d->arena, ':', ""));
}

enum status waiver_read(struct document *d, const struct node *map, struct rules *out)
{
	const struct node *rule = node_get(map, "rule");
	struct waiver *w = vec_push_zero(&out->waivers);
	unsigned labels;
	keys_fill(&waiver_map, map, &out->arena, w);
	select_bare(&w->select);
	w->line = rule->line;
	w->column = rule->column;
	w->until_text = arena_dup(&out->arena, node_get(map, "until")->text);
	TRY(labels_of(d, rule, out, &labels));
	const struct node *up_to = node_get(map, "up_to");
	if (up_to && !w->up_to)
		return document_fail(d, up_to, "'up_to' must be above 0%%: nothing would be waived");
	if (up_to && labels == 1u << LABEL_PAIR)
		return document_fail(d, up_to->key,
		                     "'%s' compares both sides already: it has no change that 'up_to' "
		                     "could be a share of",
		                     w->rule);
	return select_check(d, node_get(map, "select"), w->rule, labels);
}

/* The value in an entry of `allow` that says what may grow; NULL unless there is exactly one. */
static const struct node *allowed_thing(const struct node *map)
{
	static const char *const keys[] = { "kernel", "op", "module", "memory" };
	const struct node *found = NULL;
	size_t nr = 0;
	for (size_t i = 0; i < NR_OF(keys); i++)
		if (node_get(map, keys[i])) {
			found = node_get(map, keys[i]);
			nr++;
		}
	return nr == 1 ? found : NULL;
}

enum status allow_read(struct document *d, const struct node *map, struct rules *out)
{
	struct waiver *w = vec_push_zero(&out->waivers);
	const struct node *thing = allowed_thing(map), *up_to = node_get(map, "up_to");
	keys_fill(&allow_map, map, &out->arena, w);
	w->allows = true;
	w->rule = "*";
	w->until_text = arena_dup(&out->arena, node_get(map, "until")->text);
	if (!thing)
		return document_fail(d, map,
		                     "an entry of 'allow' names one of kernel, op, module and memory");
	w->line = thing->line;
	w->column = thing->column;
	if (node_is(thing, "memory")) {
		const struct metric *m = w->select.metric = metric_find(thing->text);
		if (!m || m->group != GROUP_MEMORY || m->unit != UNIT_BYTES || m->worse != WORSE_UP)
			return document_fail(
			    d, thing,
			    "'memory' takes bytes of which more is worse, such as "
			    "memory.peak_allocated: of %s, no share of what it was can be told",
			    document_quote(d, thing->text));
	}
	if (!w->up_to)
		return document_fail(d, up_to, "'up_to' must be above 0%%: nothing would be allowed");
	return ST_OK;
}
