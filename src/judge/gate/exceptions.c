#include "gate/exceptions.h"

#include "base/text.h"

/* How well the text names the item, by its name or, if it was renamed, by its old name. */
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
	for (size_t i = 0; i < entries->list.nr && best < FIT_WHOLE; i++)
		if (span_eq(asked, entries->list.v[i].label))
			best = FIT_WHOLE;
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
			                      label_name(rule->metric->label)));
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
		/* The copy of the rule is on the arena, since decisions keep pointers to its limits. */
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
