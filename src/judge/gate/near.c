#include "gate/near.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "names/short.h"

enum { NEAR_CHARS = 60 };

/* The name of an item in its shortest form, as a report may show it. */
static const char *shortest_name(const struct query *q, const struct entry *e, struct arena *a)
{
	const char *whole = arena_dup(a, e->label);
	return q->metric->label == LABEL_KERNEL ? short_name_form(a, whole, 0) : whole;
}

/* The same, or with its hash if another item has it too. */
static const char *near_name(const struct query *q, const struct entries *all, size_t i,
                             struct arena *a)
{
	const char *own = shortest_name(q, &all->list.v[i], a);
	for (size_t k = 0; k < all->list.nr; k++)
		if (k != i && strcmp(shortest_name(q, &all->list.v[k], a), own) == 0)
			return text_short(a, all->list.v[i].label, NEAR_CHARS);
	return text_short(a, span_of(own), NEAR_CHARS);
}

const char *near_items(const struct query *q, const struct entries *all, struct arena *a)
{
	const char *asked = query_name(q), *texts[NEAREST_MOST] = { NULL };
	struct nearest_few near = { .asked = span_of(asked ? asked : "") };
	for (size_t i = 0; asked && i < all->list.nr; i++) {
		const struct entry *e = &all->list.v[i];
		nearest_few_try(&near, i, e->label, shortest_name(q, e, a), !e->has[SIDE_BASELINE]);
	}
	for (size_t i = 0; i < near.nr; i++)
		texts[i] = near_name(q, all, near.best[i].index, a);
	return nearest_few_hint(texts, near.nr, a);
}
