/* Marks (short hashes) of the built-in rules. They are stored with a run, and a later version of
 * gpugate can then say which of these rules have changed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "rules/rules_file.h"
#include "rules/rules_internal.h"

/* A mark: 16 bits of the name's hash, then 16 of the content's, each as HALF hexadecimal digits. */
enum { HALF = 4, MARK = 2 * HALF };

struct marked {
	const char *name; ///< id of a rule, or another key of the rules file
	char mark[MARK + 1];
};

struct marks {
	struct arena *a;
	VEC(struct marked) list;
};

static uint32_t hash_of(uint32_t h, const struct node *n)
{
	if (n->key)
		h = text_hash_more(text_hash_more(h, n->key->text), (struct span){ ":", 2 });
	h = text_hash_more(text_hash_more(h, n->text), (struct span){ n->first ? "{" : ".", 2 });
	for (const struct node *c = n->first; c; c = c->next)
		h = hash_of(h, c);
	return text_hash_more(h, SPAN("}"));
}

static void add(struct marks *out, struct span name, const struct node *n)
{
	struct marked *m = vec_push_zero(&out->list);
	m->name = arena_dup(out->a, name);
	snprintf(m->mark, sizeof m->mark, "%04" PRIx32 "%04" PRIx32, text_hash32(name) & 0xffff,
	         hash_of(TEXT_HASH, n) & 0xffff);
}

static enum status collect(struct document *d, void *out)
{
	for (const struct node *n = d->root->first; n; n = n->next)
		if (n->kind != NODE_SCALAR && !node_is(n, "rules"))
			add(out, n->key->text, n);
	for (const struct node *n = node_get(d->root, "rules")->first; n; n = n->next)
		add(out, node_get(n, "id")->text, n);
	return ST_OK;
}

static struct marks marks_of(struct arena *a)
{
	struct marks out = { .a = a };
	struct diag_log log;
	diag_init(&log);
	if (document_open(NULL, NULL, &table_default, collect, &out, &log) != ST_OK)
		mem_fail(); /* the built-in rules are valid: the only possible error is a lack of memory */
	diag_release(&log);
	return out;
}

const char *rules_marks(struct arena *a)
{
	struct marks now = marks_of(a);
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < now.list.nr; i++)
		strbuf_adds(&b, now.list.v[i].mark);
	vec_release(&now.list);
	return arena_take(a, &b);
}

/* True if the built-in entry `name` has an effect on the rules in force. A built-in rule has one
   unless the rules file drops or replaces it. A key that all rules share, such as "defaults", has
   one if any built-in rule is in force. */
static bool is_in_force(const struct rules *rules, const char *name)
{
	bool shared = strcmp(name, "environment") == 0 || strcmp(name, "defaults") == 0;
	return ANY(i, rules->rules.nr,
	           rules->rules.v[i].built_in && (shared || strcmp(rules->rules.v[i].id, name) == 0));
}

static const char *mark_of(const char *marks, const char *mark)
{
	for (; strlen(marks) >= MARK; marks += MARK)
		if (memcmp(marks, mark, HALF) == 0)
			return marks;
	return NULL;
}

const char *rules_changed(const struct rules *rules, const char *marks, struct arena *a)
{
	struct marks now = marks_of(a);
	struct strbuf changed = STRBUF_INIT, added = STRBUF_INIT;
	size_t gone = 0;
	for (size_t i = 0; i < now.list.nr && marks; i++) {
		const struct marked *m = &now.list.v[i];
		const char *then = mark_of(marks, m->mark);
		struct strbuf *b = then ? &changed : &added;
		if (is_in_force(rules, m->name) && (!then || memcmp(then, m->mark, MARK) != 0))
			strbuf_addf(b, "%s%s", b->n ? ", " : then ? "changed: " : "new: ", m->name);
	}
	for (const char *p = marks ? marks : ""; strlen(p) >= MARK && is_in_force(rules, "defaults");
	     p += MARK)
		gone += !ANY(i, now.list.nr, memcmp(now.list.v[i].mark, p, HALF) == 0);
	if (added.n)
		strbuf_addf(&changed, "%s%s", changed.n ? "; " : "", added.p);
	if (gone)
		strbuf_addf(&changed, "%s%zu no longer there", changed.n ? "; " : "", gone);
	const char *text = changed.n ? arena_dup(a, strbuf_span(&changed)) : NULL;
	strbuf_release(&changed);
	strbuf_release(&added);
	vec_release(&now.list);
	return text;
}
