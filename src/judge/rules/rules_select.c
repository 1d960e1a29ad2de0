#include <string.h>

#include "base/strbuf.h"
#include "rules/rules_internal.h"

static enum status misfit(struct document *d, const struct node *n, const char *who,
                          unsigned labels)
{
	struct strbuf fitting = STRBUF_INIT;
	for (const struct select_key *key = select_table; key->name; key++)
		if (key->labels & labels)
			strbuf_addf(&fitting, "%s%s", fitting.n ? " and " : "", key->name);
	document_error(d, n->key, "'%s' has no %s to select: it has %s", who, n->key->text.p,
	               strbuf_str(&fitting));
	strbuf_release(&fitting);
	return ST_USAGE;
}

enum status select_check(struct document *d, const struct node *map, const char *who,
                         unsigned labels)
{
	if (map && !(labels & select_any_label))
		return document_fail(d, map->key,
		                     "'%s' is formed from all kernels: there is nothing to select", who);
	for (const struct select_key *key = select_table; key->name; key++) {
		const struct node *n = node_get(map, key->name);
		if (n && !(key->labels & labels))
			return misfit(d, n, who, labels);
	}
	return ST_OK;
}

void select_bare(struct query *q)
{
	static const char *const words[][2] = { { "rank", "rank " },
		                                    { "device", "GPU " },
		                                    { "memory", "memory " } };
	for (const struct select_key *key = select_table; key->name; key++)
		for (size_t i = 0; i < NR_OF(words); i++) {
			const char **glob = select_glob(q, key);
			if (strcmp(key->name, words[i][0]) == 0 && *glob &&
			    span_starts(span_of(*glob), span_of(words[i][1])))
				*glob += strlen(words[i][1]);
		}
}
