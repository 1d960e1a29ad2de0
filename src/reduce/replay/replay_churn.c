#include "base/number.h"
#include "replay/replay_internal.h"

/* An allocation that was made during the recording. */
struct churn_alloc {
	int64_t requested;
	uint32_t site;
};

struct churn_allocs {
	VEC(struct churn_alloc) list;
};

static enum status list_allocs(struct replay *r, struct churn_allocs *t)
{
	for (uint32_t i = 0; i < r->nr; i++) {
		struct churn_alloc a = { .requested = (int64_t)r->entries[i].size };
		if (r->entries[i].action != ACTION_ALLOC)
			continue;
		TRY(sites_find(&r->sites, r->entries[i].stack, &a.site, r->log));
		vec_push(&t->list, a);
		struct memory_category *c = &r->categories[r->sites.list.v[a.site].category];
		c->allocs++;
		c->alloc_bytes += a.requested;
		number_raise(&c->largest, a.requested);
	}
	return ST_OK;
}

ORDERING(churn_alloc_cmp, struct churn_alloc, RISING(site) RISING(requested))

/* Figures of one site from its allocations, which must be sorted by size. */
static struct memory_churn churn_of(const struct replay *r, const struct churn_alloc *v, size_t nr)
{
	struct memory_churn c = { .total = replay_row(r, v->site), .smallest = v->requested };
	c.total.largest = v[nr - 1].requested;
	c.total.blocks = (int64_t)nr;
	for (size_t i = 0; i < nr;) {
		size_t from = i;
		for (; i < nr && v[i].requested == v[from].requested; i++)
			c.total.bytes += v[i].requested;
		c.sizes++;
		if ((int64_t)(i - from) >= c.common_count) {
			c.common_count = (int64_t)(i - from);
			c.common_size = v[from].requested;
		}
	}
	return c;
}

static void churn_rows(struct replay *r, struct churn_allocs *t)
{
	struct memory_profile *p = r->p;
	struct memory_churn rest = { 0 };
	vec_sort(&t->list, churn_alloc_cmp);
	for (size_t i = 0; i < t->list.nr;) {
		size_t from = i;
		while (i < t->list.nr && t->list.v[i].site == t->list.v[from].site)
			i++;
		vec_push(&p->churn, churn_of(r, t->list.v + from, i - from));
	}
	vec_sort(&p->churn, memory_row_cmp);
	size_t keep = replay_cut(r, p->churn.v, p->churn.nr, sizeof rest, &rest.total);
	if (keep < p->churn.nr) {
		p->churn.nr = keep;
		vec_push(&p->churn, rest);
	}
	for (size_t i = 0; i < p->churn.nr; i++)
		replay_keep(r, &p->churn.v[i].total);
}

enum status replay_churn(struct replay *r)
{
	struct churn_allocs t = { 0 };
	enum status st = list_allocs(r, &t);
	if (st == ST_OK)
		churn_rows(r, &t);
	vec_release(&t.list);
	return st;
}
