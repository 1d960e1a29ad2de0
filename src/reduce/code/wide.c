#include "code/wide.h"

uint32_t wide_add(struct wide_numbers *w, int64_t v, const char **fault)
{
	/* a number equal to the last one is not stored again, since the value of an absent id often
	 * repeats */
	if (w->list.nr == 0 || w->list.v[w->list.nr - 1] != v)
		vec_push(&w->list, v);
	if (w->list.nr == WIDE)
		*fault = "more than 1 billion long durations or correlation ids: split the trace";
	return WIDE | (uint32_t)(w->list.nr - 1);
}

uint32_t wide_join(struct wide_numbers *to, struct wide_numbers *from, const struct part_ids *ids)
{
	size_t first = to->list.nr;
	vec_move(&to->list, &from->list);
	for (size_t i = first; i < to->list.nr; i++)
		to->list.v[i] = ident_join(ids, to->list.v[i]);
	return (uint32_t)first;
}
