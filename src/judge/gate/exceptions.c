#include "gate/exceptions.h"

#include "base/text.h"
#include "diff/drift.h"

/* Returns how well the text names the item: by its name or, if it was renamed, by its old name,
   whichever fits better. */
static enum name_fit fit_of(const struct rule *rule, struct span asked, const struct entry *e)
{
	enum name_fit now = item_fit(rule->metric, asked, e->label);
	enum name_fit was = e->was.n ? item_fit(rule->metric, asked, e->was) : FIT_NONE;
	return was > now ? was : now;
}

enum name_fit exceptions_best(const struct rule *rule, struct span asked,
                              const struct entries *entries)
{
	enum name_fit best = FIT_NONE;
	if (ANY(i, entries->list.nr, span_eq(asked, entries->list.v[i].label)))
		return FIT_WHOLE;
	for (size_t i = 0; i < entries->list.nr && best < FIT_WHOLE; i++) {
		enum name_fit fit = fit_of(rule, asked, &entries->list.v[i]);
		best = fit > best ? fit : best;
	}
	return best;
}

static bool names_one(const struct rule *rule, const struct span *asked, size_t nr,
                      const struct entries *all, const struct entry *e)
{
	for (size_t i = 0; i < nr; i++) {
		enum name_fit fit = fit_of(rule, asked[i], e);
		if (fit == FIT_WHOLE || (fit && fit == exceptions_best(rule, asked[i], all)))
			return true;
	}
	return false;
}

static void warn_of(const struct rule *rule, const char *key, const struct span *patterns,
                    size_t nr, const struct entries *entries, struct report *out)
{
	struct arena *a = &out->arena;
	for (size_t i = 0; i < nr; i++) {
		if (!exceptions_best(rule, patterns[i], entries))
			vec_push(&out->warnings,
			         arena_printf(a, "rule '%s': %s of '%s' fits no %s of either side", rule->id,
			                      text_quote(a, patterns[i]), key,
			                      label_names[rule->metric->label]));
	}
}

void exceptions_warn(const struct rule *rule, const struct entries *entries, struct report *out)
{
	warn_of(rule, "except", rule->except.v, rule->except.nr, entries, out);
	for (size_t i = 0; i < rule->overrides.nr; i++) {
		const struct rule_override *o = &rule->overrides.v[i];
		warn_of(rule, "overrides", o->match.v, o->match.nr, entries, out);
	}
}

bool exceptions_drop(const struct rule *rule, const struct entries *all, struct entries *entries)
{
	size_t nr = 0, before = entries->list.nr;
	for (size_t i = 0; i < before; i++)
		if (!names_one(rule, rule->except.v, rule->except.nr, all, &entries->list.v[i]))
			entries->list.v[nr++] = entries->list.v[i];
	entries->list.nr = nr;
	return nr < before;
}

const struct rule *exceptions_rule(const struct rule *rule, const struct entries *all,
                                   const struct entry *e, struct arena *a)
{
	for (size_t i = 0; i < rule->overrides.nr; i++) {
		const struct rule_override *o = &rule->overrides.v[i];
		if (!names_one(rule, o->match.v, o->match.nr, all, e))
			continue;
		/* the copy lives in the arena, since decisions keep pointers to its limits */
		struct rule *r = arena_alloc(a, 1, sizeof *r);
		*r = *rule;
		r->overrides.nr = 0;
		if (o->fail.list.nr)
			r->fail = o->fail;
		if (o->warn.list.nr)
			r->warn = o->warn;
		return r;
	}
	return rule;
}

/* ---- items that only one side has ---- */

bool family_is_of_items(const struct metric *m)
{
	return m->label != LABEL_NONE && m->label != LABEL_DEVICE && m->label != LABEL_MEMORY &&
	       m->label != LABEL_INPUT && m->label != LABEL_PAIR;
}

bool family_may_be_hidden(const struct bench *b, const struct metric *m, const struct entry *e)
{
	const struct activity_pair *a =
	    m->label == LABEL_KERNEL ? drift_find(&b->pairs, e->label) : NULL;
	return a && drift_may_be_small(&b->pairs, a);
}

bool family_unrecorded(struct bench *b, const struct rule *rule, const struct entries *entries,
                       enum side_index side)
{
	struct query all = { .metric = rule->metric, .stat = rule->stat, .reduce = rule->reduce };
	bool has = ANY(i, entries->list.nr, entries->list.v[i].has[side]);
	if (has || !family_is_of_items(rule->metric) || entries->list.nr == 0 ||
	    bench_lacks(b, side, &rule->query))
		return false;
	struct entries others;
	bench_query(b, &all, &others);
	has = ANY(i, others.list.nr, others.list.v[i].has[side]);
	vec_release(&others.list);
	return !has;
}

ORDERING(by_rank, struct entry, RISING(rank) BY_SPAN(label))

/* Add the family of the rank to which the entries `v` belong, if it has one: the sum of the items
 * that only one side has (family_add()). True if both sides have items, but no item in common. */
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
