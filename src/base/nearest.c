#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

size_t edit_distance(struct span a, struct span b, size_t limit)
{
	if (a.n > b.n ? a.n - b.n > limit : b.n - a.n > limit)
		return limit + 1;
	size_t width = b.n + 1;
	size_t *rows = mem_calloc(3, width * sizeof *rows);
	size_t *before = rows, *last = rows + width, *now = last + width;
	for (size_t j = 0; j < width; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t best = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		size_t *free_row = before;
		before = last;
		last = now;
		now = free_row;
	}
	size_t distance = last[b.n];
	free(rows);
	return distance <= limit ? distance : limit + 1;
}

void nearest_try(struct nearest *n, const char *candidate)
{
	if (n->best && n->distance == 0)
		return;
	size_t limit = n->best ? n->distance - 1 : n->word.n < 4 ? 1 : n->word.n < 8 ? 2 : 3;
	size_t distance = span_eq_nocase(n->word, span_of(candidate))
	                      ? 0
	                      : edit_distance(n->word, span_of(candidate), limit);
	if (distance <= limit) {
		n->best = candidate;
		n->distance = distance;
	}
}

const char *nearest_hint(const struct nearest *n, struct arena *a, char mark, const char *otherwise)
{
	return n->best ? arena_printf(a, "%c did you mean '%s'?", mark, n->best) : otherwise;
}

void nearest_few_try(struct nearest_few *n, size_t index, struct span name, const char *text,
                     bool later)
{
	struct span shown = span_of(text), own = n->asked;
	bool has = memmem(name.p, name.n, own.p, own.n) != NULL;
	size_t cost = (has ? 0 : 2 * edit_distance(own, shown, own.n + shown.n)) + later;
	size_t at = n->nr < NEAREST_MOST ? n->nr++ : NEAREST_MOST;
	for (; at && n->best[at - 1].cost > cost; at--)
		n->best[at] = n->best[at - 1];
	n->best[at].cost = cost;
	n->best[at].index = index;
	n->best[at].text = text;
}

const char *nearest_few_hint(const struct nearest_few *n, struct arena *a)
{
	const char *list = "";
	for (size_t i = 0; i < n->nr; i++)
		list = arena_printf(a, "%s%s'%s'", list,
		                    i == 0           ? "; did you mean "
		                    : i + 1 == n->nr ? " or "
		                                     : ", ",
		                    n->best[i].text);
	return n->nr ? arena_printf(a, "%s?", list) : list;
}
