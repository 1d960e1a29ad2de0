#include "base/number.h"
#include "replay/replay_internal.h"

enum lifetime { PERSISTENT, CARRIED, TRANSIENT };

/* A block that is live at a certain moment. */
struct live_block {
	uint32_t site;
	enum lifetime lifetime;
	int64_t bytes, requested, blocks;
};

struct live_set {
	VEC(struct live_block) list;
	int64_t bytes;
};

/* ---- list of live blocks ---- */

static void add_live(struct live_set *set, struct live_block block)
{
	vec_push(&set->list, block);
	set->bytes += block.bytes;
}

/* If the history has the entry that allocated the block, the stack of this entry is used. */
enum status replay_final_site(struct replay *r, const struct final_block *f, uint32_t *site)
{
	*site = SITE_ID_NO_STACK;
	if (f->alloc != NO_INDEX)
		TRY(sites_find(&r->sites, r->entries[f->alloc].stack, site, r->log));
	if (*site == SITE_ID_NO_STACK)
		TRY(sites_find(&r->sites, r->s->blocks.v[f->block].stack, site, r->log));
	if (*site == SITE_ID_NO_STACK && f->alloc == NO_INDEX)
		*site = SITE_ID_BEFORE;
	return ST_OK;
}

static enum status add_final_block(struct replay *r, struct live_set *set,
                                   const struct final_block *f)
{
	const struct snapshot_block *b = &r->s->blocks.v[f->block];
	struct live_block l = { SITE_ID_NO_STACK, PERSISTENT, (int64_t)b->size, (int64_t)b->requested,
		                    1 };
	TRY(replay_final_site(r, f, &l.site));
	add_live(set, l);
	return ST_OK;
}

/* Lists all blocks that are in use at moment `m`: blocks still in use at the end, and blocks that
 * are freed after `m`, if they were allocated before `m`. The difference between the level and
 * these blocks (from blocks larger than requested, or gaps in the history) is listed as
 * unexplained. */
static enum status list_live(struct replay *r, uint32_t m, int64_t level, struct live_set *set)
{
	for (size_t k = 0; k < r->finals.nr; k++)
		if (r->finals.v[k].alloc == NO_INDEX || r->finals.v[k].alloc < m)
			TRY(add_final_block(r, set, &r->finals.v[k]));
	for (uint32_t i = m; i < r->nr; i++) {
		const struct snapshot_entry *e = &r->entries[i];
		bool seen = r->alloc_of[i] != NO_INDEX;
		if (e->action != ACTION_FREE_REQUESTED || (seen && r->alloc_of[i] >= m))
			continue;
		struct live_block l = { SITE_ID_BEFORE, seen ? TRANSIENT : CARRIED, rounded_bytes(e->size),
			                    (int64_t)e->size, 1 };
		TRY(replay_freed_site(r, i, &l.site));
		add_live(set, l);
	}
	if (level != set->bytes)
		add_live(set,
		         (struct live_block){ SITE_ID_UNEXPLAINED, TRANSIENT, level - set->bytes, 0, 0 });
	return ST_OK;
}

/* ---- live blocks by site ---- */

ORDERING(live_site_cmp, struct live_block, RISING(site))

static void site_rows(struct replay *r, enum memory_list list, struct live_set *set)
{
	struct memory_items rows = { 0 };
	vec_sort(&set->list, live_site_cmp);
	for (size_t i = 0; i < set->list.nr;) {
		uint32_t site = set->list.v[i].site;
		struct memory_item row = replay_row(r, list, site);
		for (; i < set->list.nr && set->list.v[i].site == site; i++) {
			row.bytes += set->list.v[i].bytes;
			row.blocks += set->list.v[i].blocks;
			number_raise(&row.largest, set->list.v[i].requested);
		}
		vec_push(&rows.list, row);
	}
	memory_items_cut(&rows);
	replay_add(r, &rows, memory_item_cmp, MEMORY_SITES);
}

/* ---- live blocks by size ---- */

ORDERING(live_bytes_cmp, struct live_block,
         FALLING(bytes) FALLING(requested) THEN(live_site_cmp(x, y)))

static void size_rows(struct replay *r, const struct live_set *set)
{
	struct memory_item *row = NULL;
	for (size_t i = set->list.nr; i-- > 0;) { /* goes from the smallest block to the largest */
		const struct live_block *l = &set->list.v[i];
		int64_t from = replay_size_class(l->bytes);
		if (!l->blocks)
			continue;
		if (!row || row->other != from) {
			vec_push(&r->d->memory_items, memory_item_of(r->stat.id, MEMORY_LIST_SIZE));
			row = &r->d->memory_items.v[r->d->memory_items.nr - 1];
			row->other = from;
		}
		row->blocks++;
		row->bytes += l->bytes;
	}
}

/* Makes rows of the largest blocks; blocks of equal size and site share a row. */
static void largest_rows(struct replay *r, const struct live_set *set)
{
	struct memory_items rows = { 0 };
	for (size_t i = 0; i < set->list.nr && rows.list.nr < MEMORY_BLOCKS;) {
		const struct live_block *first = &set->list.v[i];
		struct memory_item row = replay_row(r, MEMORY_LIST_BLOCK, first->site);
		row.bytes = first->bytes;
		row.largest = first->requested;
		for (; i < set->list.nr && live_bytes_cmp(first, &set->list.v[i]) == 0; i++)
			row.blocks += set->list.v[i].blocks;
		if (row.blocks)
			vec_push(&rows.list, row);
	}
	replay_add(r, &rows, memory_item_cmp, MEMORY_BLOCKS);
}

/* ---- live blocks at the peak, before the last error, and at the end ---- */

/* Raises `largest` in the row of the category of the block `l` to the size of the block; returns
 * the row. */
static struct memory_item *category_of_block(struct replay *r, const struct live_block *l)
{
	struct memory_item *c = &r->categories[r->sites.list.v[l->site].category];
	number_raise(&c->largest, l->requested);
	return c;
}

static void peak_figures(struct replay *r, struct live_set *set)
{
	int64_t *const sums[] = { &r->stat.peak_persistent, &r->stat.peak_carried,
		                      &r->stat.peak_transient };
	for (size_t i = 0; i < set->list.nr; i++) {
		const struct live_block *l = &set->list.v[i];
		struct memory_item *c = category_of_block(r, l);
		c->bytes += l->bytes;
		c->blocks += l->blocks;
		*sums[l->lifetime] += l->bytes;
	}
	vec_sort(&set->list, live_bytes_cmp);
	size_rows(r, set);
	largest_rows(r, set);
}

enum status replay_live(struct replay *r)
{
	struct live_set peak = { 0 }, end = { 0 }, oom = { 0 };
	enum status st = list_live(r, r->peak, r->stat.peak_allocated, &peak);
	NEXT(st, list_live(r, r->nr, r->stat.end_allocated, &end));
	if (r->last_oom != NO_INDEX)
		NEXT(st, list_live(r, r->last_oom, r->oom_allocated, &oom));
	if (st == ST_OK) {
		peak_figures(r, &peak);
		for (size_t i = 0; i < end.list.nr; i++)
			category_of_block(r, &end.list.v[i])->other += end.list.v[i].bytes;
		site_rows(r, MEMORY_LIST_PEAK, &peak);
		site_rows(r, MEMORY_LIST_END, &end);
		site_rows(r, MEMORY_LIST_OOM, &oom);
	}
	vec_release(&peak.list);
	vec_release(&end.list);
	vec_release(&oom.list);
	return st;
}
