#include "base/strbuf.h"
#include "gate/rules_parts.h"

#define DEFAULT_TOP 20

/* Texts of `select` go into the query; which of them a metric has depends on
   what its figures are labelled by. */
static enum status select_read(struct document *d, const struct node *map, struct arena *a,
                               struct rule *r)
{
	const struct {
		const char *key;
		const char **glob;
		bool fits;
	} rows[] = {
		{ "kernel", &r->query.kernel, r->metric->label == LABEL_KERNEL },
		{ "category", &r->query.category,
		  r->metric->label == LABEL_CATEGORY || r->metric->label == LABEL_KERNEL },
		{ "class", &r->query.cls, r->metric->label == LABEL_KERNEL },
		{ "op", &r->query.op, r->metric->label == LABEL_OP },
		{ "rank", &r->query.rank, true },
		{ "device", &r->query.device, r->metric->label == LABEL_DEVICE },
		{ "memory", &r->query.memory, r->metric->label == LABEL_MEMORY },
		{ "direction", &r->query.direction, r->metric->label == LABEL_DIRECTION },
		{ "thread", &r->query.thread, r->metric->label == LABEL_THREAD },
	};
	struct strbuf fitting = STRBUF_INIT, text = STRBUF_INIT;
	enum status st = ST_OK;
	if (r->metric->label == LABEL_PAIR)
		return document_fail(d, map->key,
		                     "'%s' is formed from all kernels: there is nothing to select",
		                     r->metric->name);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].fits)
			strbuf_addf(&fitting, "%s%s", fitting.n ? " and " : "", rows[i].key);
	for (size_t i = 0; i < sizeof rows / sizeof *rows && st == ST_OK; i++) {
		const struct node *n = node_get(map, rows[i].key);
		if (!n)
			continue;
		if (!rows[i].fits)
			st = document_fail(d, n->key, "'%s' has no %s to select: it has %s", r->metric->name,
			                   rows[i].key, strbuf_str(&fitting));
		*rows[i].glob = arena_dup(a, n->text);
		strbuf_addf(&text, "%s%s=%s", text.n ? ", " : "", rows[i].key, *rows[i].glob);
	}
	r->select_text = arena_dup(a, strbuf_span(&text));
	strbuf_release(&fitting);
	strbuf_release(&text);
	return st;
}

/* What makes a check for each item, and what looks at the top of them. */
static enum status items_read(struct document *d, const struct node *map, struct rule *r)
{
	const struct node *for_each = node_get(map, "for_each"), *top = node_get(map, "top");
	const struct node *share = node_get(for_each, "min_share");
	enum label_kind label = r->metric->label;
	r->top = keys_integer(for_each ? node_get(for_each, "top") : top, DEFAULT_TOP);
	r->for_each = for_each != NULL;
	if (for_each && label != LABEL_KERNEL && label != LABEL_CATEGORY && label != LABEL_OP)
		return document_fail(d, for_each->key,
		                     "'%s' has no kernels, categories or operators for 'for_each'",
		                     r->metric->name);
	if (top && label != LABEL_PAIR)
		return document_fail(
		    d, top->key, "'top' is for kernel.drift_pct and kernel.top_overlap_pct:%s",
		    for_each ? " write it inside 'for_each'" : " use 'for_each: {top: N}'");
	if (share && label == LABEL_OP)
		return document_fail(d, share->key,
		                     "'min_share' is a share of kernel time: operators have none");
	if (share)
		TRY(share_read(d, share, &r->min_share));
	for (const struct node *n = map->first; n; n = n->next)
		if (!for_each &&
		    (span_eq(n->key->text, SPAN("on_new")) || span_eq(n->key->text, SPAN("on_gone"))))
			return document_fail(d, n->key, "'%s' needs 'for_each': only then items are told apart",
			                     n->key->text.p);
	r->on_new = (enum level)keys_word(word_level, node_get(map, "on_new"), LEVEL_NOTE);
	r->on_gone = (enum level)keys_word(word_level, node_get(map, "on_gone"), LEVEL_NOTE);
	return ST_OK;
}

static enum status id_read(struct document *d, const struct node *n, struct rules *rules,
                           struct rule *r)
{
	r->id = arena_dup(&rules->arena, n->text);
	r->line = n->line;
	r->column = n->column;
	for (const struct rule *other = rules->rules.v; other < r; other++)
		if (strcmp(other->id, r->id) == 0)
			return document_fail(d, n, "two rules are called '%s': the other is in line %u", r->id,
			                     other->line);
	return ST_OK;
}

enum status rule_read(struct document *d, const struct node *map, struct rules *out)
{
	struct rule *r = vec_push_zero(&out->rules);
	const struct node *stat = node_get(map, "stat"), *fail = node_get(map, "fail"),
	                  *warn = node_get(map, "warn");
	const struct metric *m = metric_find(node_get(map, "metric")->text);
	r->metric = m;
	r->select_text = "";
	TRY(id_read(d, node_get(map, "id"), out, r));
	r->stat = (enum statistic)keys_word(word_stat, stat, STAT_MEDIAN);
	r->worse = (enum worse)keys_word(word_better, node_get(map, "better"), (int)m->worse);
	r->reduce = (enum reduce)keys_word(word_reduce, node_get(map, "ranks"), (int)m->reduce);
	r->on_missing = (enum on_missing)keys_word(word_on_missing, node_get(map, "on_missing"),
	                                           (int)out->on_missing);
	if (r->stat != STAT_MEDIAN && !metric_is_step(m))
		return document_fail(d, stat, "'stat' is for step.* metrics: '%s' is one figure per run",
		                     m->name);
	r->query = (struct query){ .metric = m, .stat = r->stat, .reduce = r->reduce };
	TRY(items_read(d, map, r));
	if (node_get(map, "select"))
		TRY(select_read(d, node_get(map, "select"), &out->arena, r));
	if (fail)
		TRY(limits_read(d, &out->arena, m, fail, &r->fail));
	return warn ? limits_read(d, &out->arena, m, warn, &r->warn) : ST_OK;
}
