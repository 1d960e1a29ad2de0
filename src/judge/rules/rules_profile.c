/* Profiles: named sets of values that replace values of the rules file. A profile is applied to the
 * document before rules are read. Its values are then checked like any others, and messages name
 * their lines in the file. */
#include "base/nearest.h"
#include "base/strbuf.h"
#include "rules/rules_internal.h"

/* Copy `base`, a map or the list of rules, with the values of `over` in place of its own. The
   recursion is at most five deep, because keys_check() refuses maps that are nested deeper. */
static struct node *overlay(struct document *d, const struct node *base, const struct node *over)
{
	struct node *out = node_copy(d, base), **tail = &out->first;
	bool list = base->kind == NODE_LIST;
	for (const struct node *n = base->first; n; n = n->next) {
		/* the value that `over` has for `n`, which is an entry of a map or a rule in the list of
		   rules; NULL if `over` does not change it */
		const struct node *o = node_get(over, list ? node_get(n, "id")->text.p : n->key->text.p);
		*tail = !o ? node_copy(d, n) : o->kind == NODE_MAP ? overlay(d, n, o) : node_copy(d, o);
		tail = &(*tail)->next;
	}
	for (const struct node *o = list ? NULL : over->first; o; o = o->next)
		if (!node_get(base, o->key->text.p)) {
			*tail = node_copy(d, o);
			tail = &(*tail)->next;
		}
	return out;
}

/* Check that the rule has each limit, and the `for_each`, that the profile changes: a profile
   cannot add them. */
static enum status check_limits(struct document *d, const struct node *rule,
                                const struct node *over)
{
	const char *id = node_get(rule, "id")->text.p;
	for (const struct node *o = over->first; o; o = o->next) {
		const struct node *base = node_get(rule, o->key->text.p);
		bool limits = node_is(o, "fail") || node_is(o, "warn");
		if (!base && (limits || node_is(o, "for_each")))
			return document_fail(d, o->key, "rule '%s' has no '%s' that a profile could change", id,
			                     o->key->text.p);
		for (const struct node *n = limits ? o->first : NULL; n; n = n->next)
			if (!node_get(base, n->key->text.p))
				return document_fail(d, n->key,
				                     "rule '%s' has no '%s' in '%s' that a profile could change",
				                     id, n->key->text.p, o->key->text.p);
	}
	return ST_OK;
}

static enum status check_rules(struct document *d, const struct node *rules,
                               const struct node *over)
{
	for (const struct node *o = node_first(over); o; o = o->next) {
		const struct node *rule = rule_entry(rules, o->key->text);
		struct nearest near = { .word = o->key->text };
		for (const struct node *n = rules->first; n && !rule; n = n->next)
			nearest_try(&near, node_get(n, "id")->text.p);
		if (!rule)
			return document_fail(d, o->key, "no rule has the id %s%s",
			                     document_quote(d, o->key->text),
			                     nearest_hint(&near, &d->arena, ':', ""));
		TRY(check_limits(d, rule, o));
	}
	return ST_OK;
}

enum status profile_apply(struct document *d, const struct node *p, const struct node **root)
{
	TRY(check_rules(d, node_get(d->root, "rules"), node_get(p, "rules")));
	*root = overlay(d, d->root, p);
	return ST_OK;
}

/* Append the changes that a map of a profile makes, as text. The recursion is at most five deep,
   because keys_check() refuses maps that are nested deeper. */
static void add_text(struct strbuf *b, const struct node *map, const char *path, struct arena *a)
{
	for (const struct node *n = map->first; n; n = n->next) {
		const char *key = n->key->text.p;
		bool rules = !*path && node_is(n, "rules");
		if (n->kind == NODE_MAP)
			add_text(b, n, rules ? "" : arena_printf(a, "%s%s.", path, key), a);
		else
			strbuf_addf(b, "%s%s%s %s", b->n ? ", " : "", path, key, n->text.p);
	}
}

struct profile profile_of(const struct node *p, struct arena *a)
{
	struct strbuf text = STRBUF_INIT, rules = STRBUF_INIT;
	add_text(&text, p, "", a);
	strbuf_addch(&rules, ' ');
	for (const struct node *n = node_first(node_get(p, "rules")); n; n = n->next)
		strbuf_addf(&rules, "%s ", n->key->text.p);
	return (struct profile){ arena_dup(a, p->key->text), arena_take(a, &text),
		                     arena_take(a, &rules) };
}
