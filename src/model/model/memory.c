#include "model/memory.h"

#include "base/number.h"

void site_rules_release(struct site_rules *r)
{
	for (size_t t = 0; t < NR_SITE_TIERS; t++)
		category_table_release(&r->tiers[t]);
	vec_release(&r->skip);
	vec_release(&r->plumbing);
}

bool site_text_has(struct span text, const struct span *needles, size_t nr)
{
	return ANY(i, nr, span_contains_nocase(text, needles[i]));
}

int64_t memory_fragmentation(__int128 allocated, int64_t reserved)
{
	__int128 free = (__int128)reserved - allocated;
	return reserved < 0 ? number_pct(-free, -(__int128)reserved) : number_pct(free, reserved);
}
