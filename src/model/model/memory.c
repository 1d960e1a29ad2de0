#include "model/memory.h"

#include "base/number.h"

void site_rules_release(struct site_rules *r)
{
	for (size_t t = 0; t < NR_SITE_TIERS; t++)
		category_table_release(&r->tiers[t]);
	vec_release(&r->skip);
	vec_release(&r->plumbing);
}

bool site_text_has(struct span text, const struct span *parts, size_t nr)
{
	return ANY(i, nr, span_contains_nocase(text, parts[i]));
}

static void profile_release(struct memory_profile *p)
{
	vec_release(&p->points);
	vec_release(&p->step_ends);
	vec_release(&p->peak_sites);
	vec_release(&p->end_sites);
	vec_release(&p->oom_sites);
	vec_release(&p->peak_blocks);
	vec_release(&p->peak_sizes);
	vec_release(&p->categories);
	vec_release(&p->churn);
	vec_release(&p->growth);
	vec_release(&p->segments);
	vec_release(&p->gaps);
	vec_release(&p->pinned);
	vec_release(&p->ooms);
}

void memory_profiles_release(struct memory_profiles *p)
{
	for (size_t i = 0; i < p->list.nr; i++)
		profile_release(&p->list.v[i]);
	vec_release(&p->list);
}

static int memory_site_cmp(const struct memory_site *a, const struct memory_site *b)
{
	int c = strcmp(a->category, b->category);
	if (!c)
		c = COMPARE(a->kind, b->kind);
	if (!c)
		c = span_cmp(a->file, b->file);
	if (!c)
		c = span_cmp(a->function, b->function);
	return c ? c : COMPARE(a->line, b->line);
}

ORDERING_SHARED(memory_row_cmp, struct memory_row,
                RISING(site.kind == SITE_REST) FALLING(bytes)
                    THEN(memory_site_cmp(&x->site, &y->site)) FALLING(largest))

ORDERING_SHARED(memory_category_cmp, struct memory_category, FALLING(peak_bytes) BY_TEXT(name))

int64_t memory_fragmentation(__int128 allocated, int64_t reserved)
{
	__int128 free = (__int128)reserved - allocated;
	return reserved < 0 ? number_pct(-free, -(__int128)reserved) : number_pct(free, reserved);
}
