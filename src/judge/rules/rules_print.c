/* Prints a rules file: all rules in force, or only the differences from the built-in rules. */
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

/* Largest length in bytes of a map or list that is written in one line. Scalars, and entries of a
   list that is written in several lines, may be longer. */
enum { MOST = 100 };

/* True if the scalar was written without quotes, and has only characters that never need them. */
static bool is_plain(const struct node *n)
{
	if (!n->plain || !n->text.n)
		return false;
	return ALL(i, n->text.n,
	           strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/%+ ",
	                  n->text.p[i]));
}

static void add_scalar(struct strbuf *b, const struct node *n)
{
	if (is_plain(n))
		strbuf_add(b, n->text);
	else
		yaml_add_quoted(b, n->text);
}

/* Append a value in one line. The recursion is at most DOCUMENT_MAX_DEPTH deep, since the reader of
   files refuses deeper nesting. */
static void add_flow(struct strbuf *b, const struct node *n)
{
	bool map = n->kind == NODE_MAP;
	if (n->kind == NODE_SCALAR) {
		add_scalar(b, n);
		return;
	}
	strbuf_addch(b, map ? '{' : '[');
	for (const struct node *c = n->first; c; c = c->next) {
		if (map) {
			add_scalar(b, c->key);
			strbuf_adds(b, ": ");
		}
		add_flow(b, c);
		strbuf_adds(b, c->next ? ", " : "");
	}
	strbuf_addch(b, map ? '}' : ']');
}

/* Append `key: value` after `indent` blanks, in one line or, if the value is a long map or list, in
   several lines. With `places`, a comment names the line of a value that is the user's. */
static void add_entry(struct strbuf *b, const struct node *n, int indent, bool places)
{
	struct strbuf flow = STRBUF_INIT;
	add_flow(&flow, n);
	strbuf_addf(b, "%*s", indent, "");
	add_scalar(b, n->key);
	strbuf_addch(b, ':');
	bool block = n->kind != NODE_SCALAR && flow.n > MOST;
	if (!block) {
		strbuf_addch(b, ' ');
		strbuf_add(b, strbuf_span(&flow));
	}
	if (places && !n->built_in && n->line)
		strbuf_addf(b, "  # line %u", n->line);
	strbuf_addch(b, '\n');
	for (const struct node *c = block ? n->first : NULL; c; c = c->next) {
		if (n->kind == NODE_MAP) {
			add_entry(b, c, indent + 2, false);
			continue;
		}
		strbuf_addf(b, "%*s- ", indent + 2, "");
		add_flow(b, c);
		strbuf_addch(b, '\n');
	}
	strbuf_release(&flow);
}

/* True if `limits` has a limit that compares with a baseline. */
static bool compares(const struct node *limits)
{
	for (const struct node *n = node_first(limits); n; n = n->next)
		if (!node_is(n, "max") && !node_is(n, "min"))
			return true;
	return false;
}

static bool is_figure(const struct node *metric)
{
	return span_starts(metric->text, SPAN("input."));
}

/* Append a comment with the ids of the user's rules that judge some items instead of the rule
   `rule`. checks_drop_own() decides in more detail which items a run's check takes from the
   rule. */
static void add_taking(struct strbuf *b, const struct node *rules, const struct node *rule)
{
	const struct node *metric = node_get(rule, "metric");
	const char *before = "    # leaves out what is judged by ";
	if (!node_get(rule, "id")->built_in || (!node_get(rule, "for_each") && !is_figure(metric)))
		return;
	for (const struct node *own = rules->first; own; own = own->next) {
		const struct node *id = node_get(own, "id"), *of = node_get(own, "metric");
		bool named = span_eq(of->text, metric->text) && node_get(own, "select");
		if (id->built_in || !(named || (is_figure(of) && is_figure(metric))))
			continue;
		if (!compares(node_get(own, "fail")) && !compares(node_get(own, "warn")))
			continue;
		strbuf_addf(b, "%s%s", before, id->text.p);
		before = ", ";
	}
	strbuf_adds(b, *before == ',' ? "\n" : "");
}

static void add_rules(struct strbuf *b, const struct node *rules, bool places)
{
	strbuf_adds(b, "rules:\n");
	for (const struct node *r = rules->first; r; r = r->next) {
		const struct node *id = node_get(r, "id");
		struct strbuf flow = STRBUF_INIT;
		add_flow(&flow, r);
		bool one = !places && flow.n <= MOST;
		if (one)
			strbuf_addf(b, "  - %s\n", strbuf_str(&flow));
		strbuf_release(&flow);
		if (one)
			continue;
		strbuf_addf(b, "  - id: %s%s\n", id->text.p, places && !id->built_in ? "  # yours" : "");
		if (places)
			add_taking(b, rules, r);
		for (const struct node *n = r->first; n; n = n->next)
			if (n != id)
				add_entry(b, n, 4, places);
	}
}

static bool is_same(const struct node *x, const struct node *y)
{
	size_t nr[2] = { 0, 0 };
	if (x->kind != y->kind || !span_eq(x->text, y->text))
		return false;
	for (const struct node *n = y->first; n; n = n->next)
		nr[1]++;
	const struct node *other = y->first;
	for (const struct node *n = x->first; n; n = n->next, nr[0]++) {
		const struct node *o = x->kind == NODE_MAP ? node_get(y, n->key->text.p) : other;
		if (!o || !is_same(n, o))
			return false;
		other = other ? other->next : NULL;
	}
	return nr[0] == nr[1];
}

/* Append the entries by which the map `own` differs from `base`, separated by commas. An entry that
   only `base` has is written as `off` in a rule. Elsewhere it is written only if it is a list, as
   `[]`. */
static void add_differing(struct strbuf *b, const struct node *base, const struct node *own,
                          bool rule)
{
	const char *comma = "";
	for (const struct node *n = base->first; n; n = n->next)
		if (!node_get(own, n->key->text.p) && (rule || n->kind == NODE_LIST)) {
			strbuf_addf(b, "%s%s: %s", comma, n->key->text.p, rule ? "off" : "[]");
			comma = ", ";
		}
	for (const struct node *n = own->first; n; n = n->next) {
		const struct node *was = node_get(base, n->key->text.p);
		bool whole = node_is(n, "fail") || node_is(n, "warn");
		if (was && is_same(was, n))
			continue;
		strbuf_adds(b, comma);
		comma = ", ";
		add_scalar(b, n->key);
		strbuf_adds(b, ": ");
		if (was && !whole && n->kind == NODE_MAP && was->kind == NODE_MAP) {
			strbuf_addch(b, '{');
			add_differing(b, was, n, rule);
			strbuf_addch(b, '}');
		} else {
			add_flow(b, n);
		}
	}
}

static void add_rule_differences(struct strbuf *b, const struct node *base, const struct node *own)
{
	size_t all = 0, kept = 0;
	for (const struct node *r = base->first; r; r = r->next, all++)
		kept += rule_entry(own, node_get(r, "id")->text) != NULL;
	if (2 * kept < all) {
		strbuf_adds(b, "only: true\n");
		add_rules(b, own, false);
		return;
	}
	struct strbuf list = STRBUF_INIT;
	for (const struct node *r = base->first; r; r = r->next) {
		struct span id = node_get(r, "id")->text;
		const struct node *mine = rule_entry(own, id);
		struct strbuf text = STRBUF_INIT;
		if (mine)
			add_differing(&text, r, mine, true);
		if (text.n)
			strbuf_addf(&list, "  %s: {%s}\n", id.p, strbuf_str(&text));
		else if (!mine)
			strbuf_addf(&list, "  %s: off\n", id.p);
		strbuf_release(&text);
	}
	for (const struct node *r = own->first; r; r = r->next)
		if (!rule_entry(base, node_get(r, "id")->text)) {
			strbuf_addf(&list, "  %s:\n", node_get(r, "id")->text.p);
			for (const struct node *n = r->first; n; n = n->next)
				if (!node_is(n, "id"))
					add_entry(&list, n, 4, false);
		}
	strbuf_adds(b, list.n ? "rules:\n" : "");
	strbuf_add(b, strbuf_span(&list));
	strbuf_release(&list);
}

struct printing {
	struct strbuf text;
	struct document *own; ///< the rules file, for use while the built-in rules are read
	bool upgrade;
	const char *profile; ///< name of the profile to apply; NULL: no profile
};

static enum status print_differences(struct document *base, void *ctx)
{
	struct printing *p = ctx;
	const struct node *own = p->own->root;
	strbuf_adds(&p->text, "version: 2\n");
	for (const struct node *n = own->first; n; n = n->next)
		if (!node_is(n, "version") && !node_is(n, "rules") && !node_get(base->root, n->key->text.p))
			add_entry(&p->text, n, 0, false);
	for (const struct node *n = base->root->first; n; n = n->next) {
		const struct node empty = { .kind = NODE_MAP }, *mine = node_get(own, n->key->text.p);
		struct strbuf text = STRBUF_INIT;
		if (node_is(n, "version") || node_is(n, "rules"))
			continue;
		add_differing(&text, n, mine ? mine : &empty, false);
		/* `on_missing` is written even if it equals that of the built-in rules, since it would
		   otherwise not hold for rules that only this file has. In version 1, a file without it
		   means `fail` */
		const struct node *missing = node_get(mine, "on_missing"), *was = node_get(n, "on_missing");
		if (was && (!missing || is_same(was, missing)))
			strbuf_addf(&text, "%son_missing: %s", text.n ? ", " : "",
			            missing ? was->text.p : "fail");
		if (text.n)
			strbuf_addf(&p->text, "%s: {%s}\n", n->key->text.p, strbuf_str(&text));
		strbuf_release(&text);
	}
	add_rule_differences(&p->text, node_get(base->root, "rules"), node_get(own, "rules"));
	return ST_OK;
}

static enum status print(struct document *d, void *ctx)
{
	struct printing *p = ctx;
	TRY(differences_apply(d));
	TRY(keys_check(d, d->root, &rules_keys));
	bool differs = node_get(d->root, "version")->value == 2;
	const struct node *profiles = node_get(d->root, "profiles"), *root = d->root;
	const struct node *chosen = p->profile ? node_get(profiles, p->profile) : NULL;
	if (chosen)
		TRY(profile_apply(d, chosen, &root));
	p->own = d;
	if (p->upgrade && differs)
		return diag_fail(d->log, ST_USAGE, "%s: is of version 2 already", d->shown);
	if (p->upgrade)
		return document_open(NULL, NULL, &table_default, print_differences, p, d->log);
	strbuf_addf(&p->text, "# All rules in force%s\nversion: 1\n",
	            differs ? "; what is yours names its line, the rest is built in." : ".");
	for (const struct node *n = root->first; n; n = n->next)
		if (node_is(n, "rules"))
			add_rules(&p->text, n, differs);
		else if (!node_is(n, "version"))
			add_entry(&p->text, n, 0, differs);
	return ST_OK;
}

enum status rules_print(const char *path, const char *profile, bool upgrade, struct sink *out,
                        struct diag_log *log)
{
	struct printing p = { .text = STRBUF_INIT, .upgrade = upgrade, .profile = profile };
	enum status st = document_open(path, NULL, &table_default, print, &p, log);
	if (st == ST_OK)
		sink_write(out, strbuf_span(&p.text));
	strbuf_release(&p.text);
	return st;
}
