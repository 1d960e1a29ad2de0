/* Rules as differences (`version: 2`). The file is combined with the built-in rules before rules
 * are read. The result is then checked like any rules file, and messages name the lines of the
 * user's file. */
#include "base/nearest.h"
#include "rules/rules_internal.h"

/* Copy a node of the built-in rules. The copy has the position of `at` in the user's file. */
static struct node *copy_at(struct document *d, const struct node *n, const struct node *at)
{
	struct node *copy = arena_alloc(&d->arena, 1, sizeof *copy), **tail = &copy->first;
	*copy = (struct node){ .kind = n->kind,
		                   .built_in = true,
		                   .plain = n->plain,
		                   .line = at->line,
		                   .column = at->column,
		                   .text = { arena_dup(&d->arena, n->text), n->text.n },
		                   .key = n->key ? copy_at(d, n->key, at) : NULL };
	for (const struct node *c = n->first; c; c = c->next, tail = &(*tail)->next)
		*tail = copy_at(d, c, at);
	return copy;
}

static struct node *append(struct node ***tail, struct node *n)
{
	**tail = n;
	*tail = &n->next;
	return n;
}

static bool is_off(const struct node *n)
{
	return n->kind == NODE_SCALAR && n->plain && span_eq(n->text, SPAN("off"));
}

static enum status check_twice(struct document *d, const struct node *map)
{
	size_t nr = 0;
	for (const struct node *n = map->first; n; n = n->next) {
		if (nr++ == MAX_ITEMS)
			return document_fail(d, n, "a map has at most %d entries", MAX_ITEMS);
		TRY(keys_check_once(d, map, n));
	}
	return ST_OK;
}

/* Set `*out` to the map `base` with the entries of the map `over` in place of its own. In a rule
   (`rule` is true), the value `off` removes an entry, and `fail` and `warn` are replaced as a
   whole. The recursion is as deep as `base`, at most four deep. */
static enum status lay(struct document *d, const struct node *base, const struct node *over,
                       bool rule, struct node **out)
{
	struct node **tail;
	TRY(check_twice(d, over));
	*out = node_copy(d, over);
	(*out)->first = NULL;
	tail = &(*out)->first;
	for (const struct node *b = base->first; b; b = b->next) {
		const struct node *o = node_get(over, b->key->text.p);
		bool whole = rule && (node_is(b, "fail") || node_is(b, "warn"));
		struct node *laid;
		if (!o) {
			append(&tail, copy_at(d, b, over));
		} else if (b->kind == NODE_MAP && o->kind == NODE_MAP && !whole) {
			TRY(lay(d, b, o, rule, &laid));
			append(&tail, laid);
		} else if (!rule || !is_off(o)) {
			append(&tail, node_copy(d, o));
		}
	}
	for (const struct node *o = over->first; o; o = o->next)
		if (!node_get(base, o->key->text.p))
			append(&tail, node_copy(d, o));
	return ST_OK;
}

/* The id of an entry of `rules`: the entry's key if `rules` is a map, else the value of the entry's
   own key `id`; NULL if there is no id. */
static const struct node *id_of(const struct node *n)
{
	return n->key ? n->key : n->kind == NODE_MAP ? node_get(n, "id") : NULL;
}

const struct node *rule_entry(const struct node *rules, struct span id)
{
	for (const struct node *n = node_first(rules); n; n = n->next) {
		const struct node *own = id_of(n);
		if (own && span_eq(own->text, id))
			return n;
	}
	return NULL;
}

/* Insert an entry `key: value`, with the position of `at`, as the first one of a map. */
static struct node *put_first(struct document *d, struct node *map, struct span key,
                              struct span value, const struct node *at)
{
	struct node *entry = node_copy(d, at);
	*entry = (struct node){ .kind = NODE_SCALAR,
		                    .plain = true,
		                    .line = at->line,
		                    .column = at->column,
		                    .text = value,
		                    .key = node_copy(d, at),
		                    .next = map->first };
	entry->key->text = key;
	map->first = entry;
	return entry;
}

/* Append a rule that changes no built-in rule: only the user's file has its id, or the file has
 * `only: true`. It gets `on_missing: fail`, unless the rule or `defaults` of the file has this key
 * (`skips`: true if `defaults` has it). The value of the built-in rules, which are made for all
 * recordings, would be to skip a missing figure. */
static enum status add_own(struct document *d, const struct node *base, const struct node *n,
                           bool skips, struct node ***tail)
{
	const struct node *id = id_of(n);
	struct nearest near = { .word = id ? id->text : SPAN("") };
	if (id && (is_off(n) || (n->kind == NODE_MAP && !node_get(n, "metric")))) {
		if (rule_entry(base, id->text))
			return document_fail(d, id,
			                     "'only: true' leaves the built-in rule %s out: give it a "
			                     "'metric', or take 'only' away",
			                     document_quote(d, id->text));
		for (const struct node *b = base->first; b; b = b->next)
			nearest_try(&near, node_get(b, "id")->text.p);
		return document_fail(d, id, "no built-in rule is called %s%s", document_quote(d, id->text),
		                     nearest_hint(&near, &d->arena, ':',
		                                  is_off(n) ? "" : "; a rule of one's own has a 'metric'"));
	}
	struct node *own = append(tail, node_copy(d, n));
	if (n->kind != NODE_MAP)
		return ST_OK;
	if (!skips && !node_get(n, "on_missing"))
		put_first(d, own, SPAN("on_missing"), SPAN("fail"), id ? id : n)->line = 0;
	/* in a map, the key is the rule's id; in a list, `id` is an entry of the rule */
	if (n->key)
		put_first(d, own, SPAN("id"), n->key->text, n->key);
	own->key = NULL;
	return ST_OK;
}

/* True if the rule `entry` has a limit that is not in percentage points ("pp"). NULL has none. */
static bool has_other_limits(const struct node *entry)
{
	static const char *const keys[] = { "warn", "fail" };
	bool has = false;
	for (size_t i = 0; i < NR_OF(keys); i++) {
		const struct node *limits = entry ? node_get(entry, keys[i]) : NULL;
		for (const struct node *n = limits ? node_first(limits) : NULL; n; n = n->next)
			has = has || (n->kind == NODE_SCALAR &&
			              (n->text.n < 2 || memcmp(n->text.p + n->text.n - 2, "pp", 2) != 0));
	}
	return has;
}

/* Until version 0.3, the built-in rule 'slow-steps' judged the p95 of step.period. The user's entry
   `o` for 'slow-steps' (it may be NULL) was written for that rule if it has a statistic, or if it
   or a profile has limits that are not in percentage points, unless it names another metric. Such
   an entry gets those keys that it lacks and the rule had then. Returns the entry to use. */
static const struct node *of_slow_steps(struct document *d, const struct node *o,
                                        const struct node *at)
{
	static const struct {
		const char *key, *value, *limit;
	} was[] = { { "warn", "", "10%" },
		        { "fail", "", "25%" },
		        { "stat", "p95", NULL },
		        { "metric", "step.period", NULL },
		        { "unsure", "undecided", NULL } };
	const struct node *profiles = node_get(d->root, "profiles");
	bool old = has_other_limits(o) || (o && node_get(o, "stat"));
	for (const struct node *p = profiles ? node_first(profiles) : NULL; p && !old; p = p->next) {
		const struct node *rules = p->kind == NODE_MAP ? node_get(p, "rules") : NULL;
		old = rules && has_other_limits(rule_entry(rules, SPAN("slow-steps")));
	}
	const struct node *metric = o ? node_get(o, "metric") : NULL;
	if (!old || (metric && !span_eq(metric->text, SPAN("step.period"))))
		return o;
	struct node empty = { .kind = NODE_MAP, .line = at->line, .column = at->column };
	struct node *laid = node_copy(d, o ? o : &empty);
	for (size_t i = 0; i < NR_OF(was); i++) {
		if (o && node_get(o, was[i].key))
			continue;
		struct node *n = put_first(d, laid, span_of(was[i].key), span_of(was[i].value), o ? o : at);
		if (was[i].limit) {
			n->kind = NODE_MAP;
			put_first(d, n, SPAN("increase"), span_of(was[i].limit), o ? o : at);
		}
	}
	return laid;
}

static enum status lay_rules(struct document *d, const struct node *base, const struct node *rules,
                             bool only, bool skips, const struct node *at, struct node **out)
{
	struct node *list = arena_alloc(&d->arena, 1, sizeof *list), **tail = &list->first;
	*list = (struct node){ .kind = NODE_LIST, .line = at->line, .column = at->column };
	list->key = copy_at(d, base->key, at);
	*out = list;
	if (rules && rules->kind == NODE_MAP)
		TRY(check_twice(d, rules));
	for (const struct node *b = only ? NULL : base->first; b; b = b->next) {
		const struct node *o = rule_entry(rules, node_get(b, "id")->text);
		if (o && o->key && o->kind == NODE_MAP && node_get(o, "id"))
			return document_fail(d, node_get(o, "id"), "'id' stands before the rule already");
		if (span_eq(node_get(b, "id")->text, SPAN("slow-steps")) && (!o || o->kind == NODE_MAP))
			o = of_slow_steps(d, o, at);
		if (!o) {
			append(&tail, copy_at(d, b, at));
		} else if (o->kind == NODE_MAP) {
			struct node *laid;
			TRY(lay(d, b, o, true, &laid));
			laid->key = NULL;
			append(&tail, laid);
		} else if (!o->key || !is_off(o)) {
			return document_fail(d, o, "a rule is a map of keys, or off");
		}
	}
	for (const struct node *n = node_first(rules); n; n = n->next) {
		const struct node *id = id_of(n);
		const struct node *first = id ? rule_entry(rules, id->text) : n;
		if (first != n)
			return document_fail(d, id, "two rules are called '%s': the other is in line %u",
			                     id->text.p, first->line);
		if (only || !id || !rule_entry(base, id->text))
			TRY(add_own(d, base, n, skips, &tail));
	}
	return ST_OK;
}

/* Replace the differences in the document `ctx` by whole rules: its root becomes a copy of the
   built-in rules (`base`) with these differences. */
static enum status lay_over(struct document *base, void *ctx)
{
	struct document *d = ctx;
	const struct node *user = d->root, *only = node_get(user, "only");
	const struct node *rules = node_get(user, "rules");
	struct node *root;
	if (only && !span_eq(only->text, SPAN("true")) && !span_eq(only->text, SPAN("false")))
		return document_fail(d, only, "'only' is true or false");
	if (rules && rules->kind == NODE_SCALAR)
		return document_fail(d, rules, "'rules' must be a map or a list, not text");
	TRY(lay(d, base->root, user, false, &root));
	const struct node *defaults = node_get(user, "defaults");
	bool skips = defaults && defaults->kind == NODE_MAP && node_get(defaults, "on_missing");
	bool alone = only && span_eq(only->text, SPAN("true"));
	for (struct node **n = &root->first; *n;) {
		struct node *next = (*n)->next;
		if (node_is(*n, "only")) {
			*n = next;
			continue;
		}
		if (node_is(*n, "rules")) {
			TRY(lay_rules(d, node_get(base->root, "rules"), rules, alone, skips,
			              rules ? rules : user, n));
			(*n)->next = next;
		}
		n = &(*n)->next;
	}
	d->root = root;
	return ST_OK;
}

enum status differences_apply(struct document *d)
{
	const struct node *version = d->root->kind == NODE_MAP ? node_get(d->root, "version") : NULL;
	if (!version || !span_eq(version->text, SPAN("2")))
		return ST_OK;
	return document_open(NULL, NULL, &table_default, lay_over, d, d->log);
}
