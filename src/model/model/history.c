#include "model/history.h"

#include <string.h>

#include "base/sort.h"
#include "model/select.h"

const char *query_text(const struct query *q, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, q->metric->name);
	if (q->metric->per_step)
		strbuf_addf(&b, " stat=%s", stat_names[q->stat]);
	strbuf_addf(&b, " ranks=%s", reduce_names[q->reduce]);
	for (const struct select_key *key = select_table; key->name; key++)
		if (select_glob_in(q, key))
			strbuf_addf(&b, " %s=%s", key->name, select_glob_in(q, key));
	return arena_take(a, &b);
}

const char *query_text_of_trace(const struct query *q, struct arena *a)
{
	return arena_printf(a, "%s source=%s", query_text(q, a), memory_source_names[MEMORY_OF_TRACE]);
}

ORDERING_SHARED(past_value_cmp, struct past_value, BY_TEXT(query) BY_SPAN(label) RISING(rank))

ORDERING(past_query_cmp, struct past_value, BY_TEXT(query))

const struct past_value *past_query(const struct past_run *run, const char *query, size_t *nr)
{
	const struct past_value *v = run->values.v, key = { .query = query };
	size_t first = lower_bound(v, run->values.nr, sizeof *v, &key, past_query_cmp), end = first;
	while (end < run->values.nr && past_query_cmp(&key, &v[end]) == 0)
		end++;
	*nr = end - first;
	return v + first;
}

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->runs.nr; i++)
		vec_release(&h->runs.v[i].values);
	vec_release(&h->runs);
}
