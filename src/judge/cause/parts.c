/* Splits the cost of a finding into parts that add up to it. */
#include <string.h>

#include "base/number.h"
#include "cause/suspect.h"

enum { PARTS_SHOWN = 5, NOTABLE = 50 };

/* The first breakdown of one of the finding's checks whose change equals the finding's cost; NULL
 * if there is none. */
static const struct breakdown *breakdown_of_cost(const struct inquiry *q, const struct finding *f)
{
	for (size_t i = 0; i < f->checks.nr; i++) {
		const struct breakdown *b = q->out->checks.v[f->checks.v[i]].breakdown;
		if (b && b->change == f->cost && (b->unit == UNIT_BYTES) == f->cost_is_bytes)
			return b;
	}
	return NULL;
}

/* The smallest depth of the breakdown at which at least two parts have more than a fiftieth of the
   change; -1 if there is none. */
static int depth_of(const struct breakdown *b)
{
	for (int depth = 0;; depth++) {
		size_t nr = 0, deeper = 0;
		for (size_t i = 0; i < b->parts.nr; i++) {
			const struct part *p = &b->parts.v[i];
			nr += p->depth == depth &&
			      (__int128)number_distance(p->change, 0) * NOTABLE > number_distance(b->change, 0);
			deeper += p->depth > depth;
		}
		if (nr > 1)
			return depth;
		if (!deeper)
			return -1;
	}
}

void suspect_part(struct suspect *s, const char *name, int64_t change)
{
	for (size_t i = 0; i < s->finding.parts.nr; i++)
		if (strcmp(s->finding.parts.v[i].name, name) == 0) {
			s->finding.parts.v[i].change = number_add(s->finding.parts.v[i].change, change);
			return;
		}
	vec_push(&s->finding.parts, (struct finding_part){ .name = name, .change = change });
}

ORDERING(part_cmp, struct finding_part,
         THEN(COMPARE(number_distance(y->change, 0), number_distance(x->change, 0))) BY_TEXT(name))

/* Choose the largest parts that have the same sign as the cost, as long as their sum does not
   exceed the cost. One more part has the rest of the cost. A cost that has only one part is shown
   without parts. */
void suspect_settle_parts(struct inquiry *q, struct suspect *s)
{
	struct finding *f = &s->finding;
	const struct breakdown *b = f->parts.nr ? NULL : breakdown_of_cost(q, f);
	int depth = b ? depth_of(b) : -1;
	int64_t left = f->cost;
	size_t nr = 0;
	for (size_t i = 0; depth >= 0 && i < b->parts.nr; i++)
		if (b->parts.v[i].depth == depth)
			suspect_part(s, b->parts.v[i].label, b->parts.v[i].change);
	vec_sort(&f->parts, part_cmp);
	for (size_t i = 0; i < f->parts.nr && nr < PARTS_SHOWN; i++) {
		struct finding_part p = f->parts.v[i];
		if (!p.change || (p.change > 0) != (left > 0) ||
		    number_distance(p.change, 0) > number_distance(left, 0))
			continue;
		left = number_sub(left, p.change);
		f->parts.v[nr++] = p;
	}
	f->parts.nr = nr;
	if (nr && left)
		vec_push(&f->parts, (struct finding_part){ .name = "smaller parts", .change = left });
	if (f->parts.nr < 2)
		f->parts.nr = 0;
	for (size_t i = 0; i < f->parts.nr; i++)
		f->parts.v[i].text =
		    unit_change(q->a, f->cost_is_bytes ? UNIT_BYTES : UNIT_NS, f->parts.v[i].change);
}
