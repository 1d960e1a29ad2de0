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
		number_raise(&r->categories[r->sites.list.v[a.site].category].largest, a.requested);
	}
	return ST_OK;
}

ORDERING(churn_alloc_cmp, struct churn_alloc, RISING(site) RISING(requested))

/* The row of one site, from its allocations, which must be sorted by size: their bytes and number,
 * the most frequent size, and the number of different sizes. */
static struct memory_item churn_of(const struct replay *r, const struct churn_alloc *v, size_t nr)
{
	struct memory_item row = replay_row(r, MEMORY_LIST_CHURN, v->site);
	size_t most = 0;
	row.blocks = (int64_t)nr;
	for (size_t i = 0; i < nr;) {
		size_t from = i;
		for (; i < nr && v[i].requested == v[from].requested; i++)
			row.bytes += v[i].requested;
		row.other++;
		if (i - from >= most) {
			most = i - from;
			row.largest = v[from].requested;
		}
	}
	return row;
}

static void churn_rows(struct replay *r, struct churn_allocs *t)
{
	struct memory_items rows = { 0 };
	vec_sort(&t->list, churn_alloc_cmp);
	for (size_t i = 0; i < t->list.nr;) {
		size_t from = i;
		while (i < t->list.nr && t->list.v[i].site == t->list.v[from].site)
			i++;
		vec_push(&rows.list, churn_of(r, t->list.v + from, i - from));
	}
	memory_items_cut(&rows);
	replay_add(r, &rows, memory_item_cmp, MEMORY_SITES);
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
