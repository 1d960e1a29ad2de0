/* Checks that the parts of a breakdown add up to its change. */
#ifndef BREAKDOWN_SUMS_H
#define BREAKDOWN_SUMS_H

#include "gate_fixture.h"

/* Assert that the parts of every depth add up to the part above them. */
static inline void assert_adds_up(const struct breakdown *b)
{
	int64_t top = 0;
	for (size_t i = 0; i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		int64_t sum = 0;
		size_t below = 0;
		if (p->depth == 0)
			top += p->change;
		for (size_t j = i + 1; j < b->parts.nr && b->parts.v[j].depth > p->depth; j++) {
			assert_true(j > i + 1 || b->parts.v[j].depth == p->depth + 1);
			if (b->parts.v[j].depth == p->depth + 1) {
				sum += b->parts.v[j].change;
				below++;
			}
		}
		if (below && sum != p->change)
			fail_msg("%s: parts are %lld, not %lld", p->label, (long long)sum,
			         (long long)p->change);
	}
	if (top != b->change)
		fail_msg("%s: parts are %lld, not %lld", b->title, (long long)top, (long long)b->change);
}

static inline const struct part *part(const struct breakdown *b, int depth, const char *label)
{
	for (size_t i = 0; i < b->parts.nr; i++)
		if (b->parts.v[i].depth == depth && strcmp(b->parts.v[i].label, label) == 0)
			return &b->parts.v[i];
	return NULL;
}

#endif
