#include "model/rule.h"

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
	vec_release(&r->must_match);
	vec_release(&r->should_match);
	arena_release(&r->arena);
}
