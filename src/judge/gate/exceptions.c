#include "gate/exceptions.h"

#include <inttypes.h>

#include "base/text.h"

enum { HASH_CHARS = 9 }; /* length of a suffix such as "~b00cbe7e" */

/* True if `pattern` is a shortened form of `name` as text_add_short() makes it, for any length. */
static bool is_short_of(struct span pattern, struct span name)
{
	struct strbuf shown = STRBUF_INIT;
	struct span head = { pattern.p, pattern.n > HASH_CHARS ? pattern.n - HASH_CHARS : 0 };
	text_add_line(&shown, name);
	bool is = head.n && span_starts(strbuf_span(&shown), head);
	shown.n = 0;
	strbuf_addf(&shown, "~%08" PRIx32, text_hash32(name));
	is = is && span_eq(strbuf_span(&shown), (struct span){ head.p + head.n, HASH_CHARS });
	strbuf_release(&shown);
	return is;
}

/* True if `pattern` matches the name, either as recorded or as reports print it. */
static bool fits_name(struct span pattern, struct span name)
{
	struct strbuf shown = STRBUF_INIT;
	bool fits = span_glob(pattern, name) || is_short_of(pattern, name);
	if (!fits) {
		text_add_line(&shown, name);
		fits = span_glob(pattern, strbuf_span(&shown));
	}
	strbuf_release(&shown);
	return fits;
}

/* True if `pattern` matches the item's name or, if the item was renamed, its old name. */
static bool fits(struct span pattern, const struct entry *e)
{
	return fits_name(pattern, e->label) || (e->was.n && fits_name(pattern, e->was));
}

static bool fits_any(const struct span *patterns, size_t nr, const struct entry *e)
{
	for (size_t i = 0; i < nr; i++)
		if (fits(patterns[i], e))
			return true;
	return false;
}

static void warn_of(const struct rule *rule, const char *key, const struct span *patterns,
                    size_t nr, const struct entries *entries, struct report *out)
{
	struct arena *a = &out->arena;
	for (size_t i = 0; i < nr; i++) {
		bool used = false;
		for (size_t n = 0; n < entries->list.nr && !used; n++)
			used = fits(patterns[i], &entries->list.v[n]);
		if (!used)
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

bool exceptions_drop(const struct rule *rule, struct entries *entries)
{
	size_t nr = 0, all = entries->list.nr;
	for (size_t i = 0; i < all; i++)
		if (!fits_any(rule->except.v, rule->except.nr, &entries->list.v[i]))
			entries->list.v[nr++] = entries->list.v[i];
	entries->list.nr = nr;
	return nr < all;
}

const struct rule *exceptions_rule(const struct rule *rule, const struct entry *e, struct arena *a)
{
	for (size_t i = 0; i < rule->overrides.nr; i++) {
		const struct rule_override *o = &rule->overrides.v[i];
		if (!fits_any(o->match.v, o->match.nr, e))
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
