#include "gate/family.h"

#include "diff/drift.h"
#include "gate/exceptions.h"

bool family_is_of_items(const struct metric *m)
{
	return m->label != LABEL_NONE && m->label != LABEL_DEVICE && m->label != LABEL_MEMORY &&
	       m->label != LABEL_INPUT && m->label != LABEL_PAIR;
}

bool family_may_be_hidden(const struct bench *b, const struct metric *m, const struct entry *e)
{
	const struct activity_pair *a =
	    m->label == LABEL_KERNEL ? drift_find(&b->pairs, e->label) : NULL;
	return a && drift_may_be_folded(&b->pairs, a);
}

bool family_unrecorded(struct bench *b, const struct rule *rule, const struct entries *entries,
                       enum side_index side)
{
	struct query all = { .metric = rule->metric, .stat = rule->stat, .reduce = rule->reduce };
	bool has = false;
	for (size_t i = 0; i < entries->list.nr && !has; i++)
		has = entries->list.v[i].has[side];
	if (has || !family_is_of_items(rule->metric) || entries->list.nr == 0 ||
	    bench_lacks(b, side, &rule->query))
		return false;
	struct entries others;
	bench_query(b, &all, &others);
	for (size_t i = 0; i < others.list.nr && !has; i++)
		has = others.list.v[i].has[side];
	vec_release(&others.list);
	return !has;
}

ORDERING(by_rank, struct entry, RISING(rank) BY_SPAN(label))

/* Add the family of the entries, which are of one rank, if there is one. Returns true if both sides
   have items, but no item in common. */
static bool add_of_rank(struct bench *b, const struct rule *rule, const struct entry *v, size_t nr,
                        struct entries *out)
{
	VEC(struct entry) alone = VEC_INIT;
	__int128 all[NR_SIDES] = { 0 }, of_alone[NR_SIDES] = { 0 };
	bool has[NR_SIDES] = { false, false };
	for (size_t i = 0; i < nr; i++) {
		bool both = (v[i].has[SIDE_BASELINE] && v[i].has[SIDE_CANDIDATE]) ||
		            family_may_be_hidden(b, rule->metric, &v[i]);
		for (int s = 0; s < NR_SIDES; s++) {
			all[s] += v[i].value[s];
			of_alone[s] += both ? 0 : v[i].value[s];
			has[s] = has[s] || v[i].has[s];
		}
		if (!both)
			vec_push(&alone, v[i]);
	}
	bool most = rule->metric->adds, apart = has[0] && has[1] && alone.nr == nr;
	for (int s = 0; s < NR_SIDES; s++)
		most = most && of_alone[s] > 0 && 2 * of_alone[s] >= all[s];
	if (most)
		vec_push(&out->list, bench_sum(b, rule->metric, alone.v, alone.nr, SPAN(FAMILY_LABEL)));
	vec_release(&alone);
	return apart;
}

bool family_add(struct bench *b, const struct rule *rule, const struct entries *entries,
                struct entries *out)
{
	struct entries own = { 0 };
	bool apart = false;
	for (size_t i = 0; i < entries->list.nr && b->runs.baseline; i++)
		vec_push(&own.list, entries->list.v[i]);
	exceptions_drop(rule, entries, &own);
	vec_sort(&own.list, by_rank);
	for (size_t i = 0, end; i < own.list.nr; i = end) {
		for (end = i; end < own.list.nr && own.list.v[end].rank == own.list.v[i].rank;)
			end++;
		apart = add_of_rank(b, rule, &own.list.v[i], end - i, out) || apart;
	}
	vec_release(&own.list);
	return apart && !rule->metric->adds;
}
