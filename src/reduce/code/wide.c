#include "code/wide.h"

uint32_t wide_add(struct wide_numbers *w, int64_t v, const char **fault)
{
	/* a number equal to the last one is not stored again: the number that means an absent id often
	 * repeats */
	if (w->list.nr == 0 || w->list.v[w->list.nr - 1] != v)
		vec_push(&w->list, v);
	if (w->list.nr == WIDE)
		*fault = "more than 1 billion long durations or correlation ids: split the trace";
	return WIDE | (uint32_t)(w->list.nr - 1);
}
