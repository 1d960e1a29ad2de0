#include "rules/rules_internal.h"

/* All patterns of one rule, in the order in which they are tried. */
struct patterns {
	VEC(const struct node *) list;
};

/* Add the patterns in `n`, which is one pattern, a list of patterns, or NULL. A pattern that occurs
   twice is an error: only its first occurrence would have an effect. */
static enum status add_patterns(struct document *d, const struct node *n, struct patterns *all)
{
	bool one = n && n->kind == NODE_SCALAR;
	for (const struct node *p = one ? n : node_first(n); p; p = one ? NULL : p->next) {
		for (size_t i = 0; i < all->list.nr; i++)
			if (span_eq(all->list.v[i]->text, p->text))
				return document_fail(d, p,
				                     "%s is in 'except' or 'overrides' of the rule already, in "
				                     "line %u",
				                     document_quote(d, p->text), all->list.v[i]->line);
		if (all->list.nr == MAX_ITEMS)
			return document_fail(d, p, "'except' and 'overrides' have more than %d patterns",
			                     MAX_ITEMS);
		vec_push(&all->list, p);
	}
	return ST_OK;
}

static enum status check_patterns(struct document *d, const struct node *map)
{
	struct patterns all = { 0 };
	enum status st = add_patterns(d, node_get(map, "except"), &all);
	for (const struct node *n = node_first(node_get(map, "overrides")); n && st == ST_OK;
	     n = n->next)
		st = add_patterns(d, node_get(n, "match"), &all);
	vec_release(&all.list);
	return st;
}

enum status overrides_read(struct document *d, struct arena *a, const struct node *map,
                           struct rule *r)
{
	TRY(check_patterns(d, map));
	for (const struct node *n = node_first(node_get(map, "overrides")); n; n = n->next) {
		struct rule_override *o = vec_push_zero(&r->overrides);
		keys_fill(&override_map, n, a, o);
		TRY(limits_read(d, a, r, node_get(n, "fail"), &o->fail));
		TRY(limits_read(d, a, r, node_get(n, "warn"), &o->warn));
	}
	return ST_OK;
}
