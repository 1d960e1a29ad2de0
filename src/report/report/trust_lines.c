#include "report/trust_lines.h"

#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "fold/present.h"

enum {
	MESSAGES = 3, /* number of messages of one kind that get a line each; further ones share a
	                 line */
	ROWS = 3 /* up to this number, checks that cannot be judged are shown one by one; more are only
	            counted */
};

/* The findings of one kind (id) and side. */
struct kind {
	VEC(const struct trust_finding *) findings;
};

ORDERING_POINTERS(by_place, struct trust_finding, THEN(COMPARE(x, y)))

/* Says which side and ranks the findings of `k` are about: text such as " candidate ranks 0 and 2
   to 7". */
static const char *whose(struct trust_lines *l, struct kind *k, bool sides)
{
	struct strbuf b = STRBUF_INIT;
	VEC(int64_t) ranks = VEC_INIT;
	for (size_t i = 0; i < k->findings.nr; i++)
		if (k->findings.v[i]->rank >= 0)
			vec_push(&ranks, k->findings.v[i]->rank);
	if (sides)
		strbuf_adds(&b, k->findings.v[0]->candidate ? " candidate" : " baseline");
	vec_sort(&ranks, number_cmp_i64);
	if (ranks.nr) {
		strbuf_adds(&b, ranks.v[0] == ranks.v[ranks.nr - 1] ? " rank " : " ranks ");
		ranks_name(ranks.v, ranks.nr, &b);
	}
	vec_release(&ranks);
	return arena_take(&l->arena, &b);
}

/* Add one line for the first `nr` findings of the kind together, and remove these from its list. */
static void add_line(struct trust_lines *l, struct kind *k, size_t nr, bool others, bool sides)
{
	size_t all = k->findings.nr;
	k->findings.nr = nr;
	for (size_t i = 0; i < nr; i++)
		l->line_of.v[k->findings.v[i] - l->r->trust.v] = l->list.nr;
	vec_sort(&k->findings, by_place);
	vec_push(&l->list, (struct trust_line){ k->findings.v[0], whose(l, k, sides), others, 0 });
	memmove(k->findings.v, k->findings.v + nr, (all - nr) * sizeof *k->findings.v);
	k->findings.nr = all - nr;
}

/* Add lines for one kind: one for each message, in the order of first occurrence, up to MESSAGES;
 * findings with further messages share a line. */
static void add_kind(struct trust_lines *l, struct kind *k, bool sides)
{
	for (int lines = 0; k->findings.nr; lines++) {
		size_t nr = 1;
		vec_sort(&k->findings, by_place);
		const char *message = k->findings.v[0]->message;
		if (lines == MESSAGES) {
			add_line(l, k, k->findings.nr, k->findings.nr > 1, sides);
			return;
		}
		/* Move all findings with this `message` to the front. */
		for (size_t i = 1; i < k->findings.nr; i++)
			if (strcmp(k->findings.v[i]->message, message) == 0) {
				const struct trust_finding *t = k->findings.v[i];
				k->findings.v[i] = k->findings.v[nr];
				k->findings.v[nr++] = t;
			}
		add_line(l, k, nr, false, sides);
	}
}

void trust_lines_init(struct trust_lines *l, const struct report *r, bool sides)
{
	struct kind k = { 0 };
	*l = (struct trust_lines){ .r = r };
	for (size_t i = 0; i < r->trust.nr; i++)
		vec_push(&l->line_of, 0);
	for (size_t i = 0, end; i < r->trust.nr; i = end) {
		const struct trust_finding *f = &r->trust.v[i];
		for (end = i; end < r->trust.nr && r->trust.v[end].candidate == f->candidate &&
		              strcmp(r->trust.v[end].id, f->id) == 0;
		     end++)
			if (sides || f->candidate)
				vec_push(&k.findings, &r->trust.v[end]);
		add_kind(l, &k, sides);
	}
	for (size_t i = 0; i < r->checks.nr; i++)
		if (r->checks.v[i].spoiler)
			l->list.v[l->line_of.v[r->checks.v[i].spoiler - r->trust.v]].checks++;
	vec_release(&k.findings);
}

void trust_lines_release(struct trust_lines *l)
{
	vec_release(&l->list);
	vec_release(&l->line_of);
	arena_release(&l->arena);
}

bool trust_lines_sum_up(const struct trust_lines *l, const struct check *c)
{
	return c->spoiler && l->list.v[l->line_of.v[c->spoiler - l->r->trust.v]].checks > ROWS;
}

bool trust_line_sums_up(const struct trust_line *line)
{
	return line->checks > ROWS;
}
