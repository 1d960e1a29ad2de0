/* The keys of `select`: of a rule, which narrows its figures by them, and of a waiver,
   which says by them which checks of a rule it means. */
#include "base/number.h"
#include "base/strbuf.h"
#include "gate/rules_parts.h"
#include "model/phases.h"

#define LABELLED(kind) (1u << LABEL_##kind)
#define ANY_LABEL (~LABELLED(PAIR))
#define PHASES (1u << 31) /* steps, and what they consist of */
#define GLOB(key) offsetof(struct query, key)

/* Which labels of metrics have the key. */
static const struct select_row {
	const char *key;
	size_t glob;
	unsigned labels;
} rows[] = {
	{ "kernel", GLOB(kernel), LABELLED(KERNEL) },
	{ "category", GLOB(category), LABELLED(CATEGORY) | LABELLED(KERNEL) },
	{ "class", GLOB(cls), LABELLED(KERNEL) },
	{ "op", GLOB(op), LABELLED(OP) },
	{ "rank", GLOB(rank), ANY_LABEL },
	{ "device", GLOB(device), LABELLED(DEVICE) },
	{ "memory", GLOB(memory), LABELLED(MEMORY) },
	{ "direction", GLOB(direction), LABELLED(DIRECTION) },
	{ "thread", GLOB(thread), LABELLED(THREAD) },
	{ "collective", GLOB(collective), LABELLED(COLLECTIVE) },
	{ "function", GLOB(function), LABELLED(FUNCTION) },
	{ "phase", GLOB(phase), PHASES },
	{ "counter", GLOB(counter), LABELLED(COUNTER) },
};
#define NR_ROWS (sizeof rows / sizeof *rows)

unsigned select_labels(const struct metric *m)
{
	return 1u << m->label | (metric_has_phases(m) ? PHASES : 0);
}

static const char **glob_of(struct query *q, const struct select_row *row)
{
	return (const char **)(void *)((char *)q + row->glob);
}

static const char *glob_in(const struct query *q, const struct select_row *row)
{
	return *(const char *const *)(const void *)((const char *)q + row->glob);
}

static enum status misfit(struct document *d, const struct node *n, const char *who,
                          unsigned labels)
{
	struct strbuf fitting = STRBUF_INIT;
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].labels & labels)
			strbuf_addf(&fitting, "%s%s", fitting.n ? " and " : "", rows[i].key);
	document_error(d, n->key, "'%s' has no %s to select: it has %s", who, n->key->text.p,
	               strbuf_str(&fitting));
	strbuf_release(&fitting);
	return ST_USAGE;
}

enum status select_read(struct document *d, struct arena *a, const struct select_subject *of,
                        const struct node *map, struct query *q, const char **text)
{
	struct strbuf b = STRBUF_INIT;
	enum status st = ST_OK;
	if (map && !(of->labels & ANY_LABEL))
		return document_fail(
		    d, map->key, "'%s' is formed from all kernels: there is nothing to select", of->name);
	for (size_t i = 0; i < NR_ROWS && st == ST_OK; i++) {
		const struct node *n = node_get(map, rows[i].key);
		if (!n)
			continue;
		if (!(rows[i].labels & of->labels))
			st = misfit(d, n, of->name, of->labels);
		const char *glob = *glob_of(q, &rows[i]) = arena_dup(a, n->text);
		strbuf_addf(&b, "%s%s=%s", b.n ? ", " : "", rows[i].key, glob);
	}
	*text = arena_dup(a, strbuf_span(&b));
	strbuf_release(&b);
	return st;
}

/* What a check is, by the key: of what stands for several, what its rule says. */
static struct span value_of(const struct select_row *row, const struct select_item *item,
                            char number[NUMBER_TEXT])
{
	const struct query *q = &item->rule->query;
	unsigned label = select_labels(item->rule->metric);
	const char *own = glob_in(q, row);
	if (row->glob == GLOB(rank) && item->rank >= 0)
		return span_of(number_format(item->rank, 0, number));
	if (!(row->labels & label) || row->labels == ANY_LABEL || !item->label.n)
		return own ? span_of(own) : SPAN("");
	if (label != LABELLED(KERNEL) || row->glob == GLOB(kernel))
		return item->label;
	int category = category_of(item->categories, item->label);
	if (row->glob == GLOB(category))
		return span_of(category_name(item->categories, category));
	return span_of(category >= 0 && item->categories->rows.v[category].cls == CLASS_COMMUNICATION
	                   ? "communication"
	                   : "compute");
}

bool select_covers(const struct query *globs, const struct select_item *item)
{
	char number[NUMBER_TEXT];
	for (size_t i = 0; i < NR_ROWS; i++) {
		const char *glob = glob_in(globs, &rows[i]);
		if (!glob)
			continue;
		struct span value = value_of(&rows[i], item, number);
		if (!value.n || !span_glob(span_of(glob), value))
			return false;
	}
	return true;
}
