#include "model/history.h"

#include <string.h>

const char *query_text(const struct query *q, struct arena *a)
{
	const struct {
		const char *key, *glob;
	} globs[] = {
		{ "kernel", q->kernel },     { "category", q->category },
		{ "class", q->cls },         { "op", q->op },
		{ "rank", q->rank },         { "device", q->device },
		{ "memory", q->memory },     { "direction", q->direction },
		{ "thread", q->thread },     { "collective", q->collective },
		{ "function", q->function }, { "phase", q->phase },
		{ "counter", q->counter },
	};
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, q->metric->name);
	if (q->metric->per_step)
		strbuf_addf(&b, " stat=%s", stat_name(q->stat));
	strbuf_addf(&b, " ranks=%s", reduce_name(q->reduce));
	for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
		if (globs[i].glob)
			strbuf_addf(&b, " %s=%s", globs[i].key, globs[i].glob);
	return arena_take(a, &b);
}

int past_value_cmp(const void *a, const void *b)
{
	const struct past_value *x = a, *y = b;
	int c = strcmp(x->query, y->query);
	c = c ? c : span_cmp(x->label, y->label);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

const struct past_value *past_query(const struct past_run *run, const char *query, size_t *nr)
{
	size_t lo = 0, end = run->values.nr;
	while (lo < end) {
		size_t mid = lo + (end - lo) / 2;
		strcmp(run->values.v[mid].query, query) < 0 ? (lo = mid + 1) : (end = mid);
	}
	for (end = lo; end < run->values.nr && strcmp(run->values.v[end].query, query) == 0;)
		end++;
	*nr = end - lo;
	return run->values.v + lo;
}

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->runs.nr; i++)
		vec_release(&h->runs.v[i].values);
	vec_release(&h->runs);
}
