#include "model/rule.h"

#include "base/text.h"

void rules_release(struct rules *r)
{
	for (size_t i = 0; i < r->rules.nr; i++) {
		vec_release(&r->rules.v[i].fail.list);
		vec_release(&r->rules.v[i].warn.list);
	}
	vec_release(&r->rules);
	vec_release(&r->waivers);
	vec_release(&r->profiles);
	vec_release(&r->aliases);
	for (size_t i = 0; i < r->categories.nr; i++)
		vec_release(&r->categories.v[i].match);
	vec_release(&r->categories);
	vec_release(&r->must_match);
	vec_release(&r->should_match);
	result_formats_release(&r->results);
	arena_release(&r->arena);
}

const char *condition_name(size_t i)
{
	static const char *const names[] = { "increase", "decrease", "change",
		                                 "max",      "min",      "increase_since_pin" };
	return i < sizeof names / sizeof *names ? names[i] : NULL;
}

const char *waiver_text(const struct waiver *w, struct arena *a)
{
	return arena_printf(a, "until %s: %s", w->until_text, text_line(a, span_of(w->reason)));
}
