#include "base/number.h"
#include "replay/replay_internal.h"

enum live_part { PERSISTENT, CARRIED, TRANSIENT };

/* A block that is live at the moment that is looked at. */
struct live_block {
	uint32_t site;
	enum live_part part;
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
   are freed after `m`, if they were allocated before `m`. The rest of the level (blocks larger than
   requested, gaps in the history) is listed as unexplained. */
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

static void add_to_row(struct memory_row *row, const struct live_block *l)
{
	row->bytes += l->bytes;
	row->blocks += l->blocks;
	number_raise(&row->largest, l->requested);
}

static void site_rows(struct replay *r, struct live_set *set, struct memory_rows *rows)
{
	struct memory_row rest;
	vec_sort(&set->list, live_site_cmp);
	for (size_t i = 0; i < set->list.nr;) {
		uint32_t site = set->list.v[i].site;
		struct memory_row row = replay_row(r, site);
		for (; i < set->list.nr && set->list.v[i].site == site; i++)
			add_to_row(&row, &set->list.v[i]);
		vec_push(rows, row);
	}
	vec_sort(rows, memory_row_cmp);
	size_t keep = replay_cut(r, rows->v, rows->nr, sizeof rest, &rest);
	if (keep < rows->nr) {
		rows->nr = keep;
		vec_push(rows, rest);
	}
	for (size_t i = 0; i < rows->nr; i++)
		replay_keep(r, &rows->v[i]);
}

/* ---- live blocks by size ---- */

ORDERING(live_bytes_cmp, struct live_block,
         FALLING(bytes) FALLING(requested) THEN(live_site_cmp(x, y)))

static void size_rows(struct memory_profile *p, const struct live_set *set)
{
	for (size_t i = set->list.nr; i-- > 0;) { /* goes from the smallest block to the largest */
		const struct live_block *l = &set->list.v[i];
		int64_t from = replay_size_class(l->bytes);
		if (!l->blocks)
			continue;
		if (!p->peak_sizes.nr || p->peak_sizes.v[p->peak_sizes.nr - 1].from != from)
			vec_push(&p->peak_sizes, (struct memory_size){ .from = from });
		struct memory_size *s = &p->peak_sizes.v[p->peak_sizes.nr - 1];
		s->blocks++;
		s->bytes += l->bytes;
	}
}

/* Makes rows of the largest blocks; equal blocks of a site share a row. */
static void largest_rows(struct replay *r, const struct live_set *set)
{
	struct memory_profile *p = r->p;
	for (size_t i = 0; i < set->list.nr && p->peak_blocks.nr < MEMORY_BLOCKS;) {
		const struct live_block *first = &set->list.v[i];
		struct memory_row row = replay_row(r, first->site);
		row.bytes = first->bytes;
		row.largest = first->requested;
		for (; i < set->list.nr && live_bytes_cmp(first, &set->list.v[i]) == 0; i++)
			row.blocks += set->list.v[i].blocks;
		if (row.blocks)
			vec_push(&p->peak_blocks, row);
	}
	vec_sort(&p->peak_blocks, memory_row_cmp);
	for (size_t i = 0; i < p->peak_blocks.nr; i++)
		replay_keep(r, &p->peak_blocks.v[i]);
}

/* ---- live blocks at the peak, before the last error, and at the end ---- */

static struct memory_category *category_of_site(struct replay *r, uint32_t site)
{
	return &r->categories[r->sites.list.v[site].category];
}

static void note_largest(struct memory_category *c, int64_t requested)
{
	number_raise(&c->largest, requested);
}

static void peak_figures(struct replay *r, struct live_set *set)
{
	struct memory_profile *p = r->p;
	int64_t parts[] = { 0, 0, 0 };
	for (size_t i = 0; i < set->list.nr; i++) {
		const struct live_block *l = &set->list.v[i];
		struct memory_category *c = category_of_site(r, l->site);
		c->peak_bytes += l->bytes;
		c->peak_blocks += l->blocks;
		note_largest(c, l->requested);
		parts[l->part] += l->bytes;
	}
	p->peak_persistent = parts[PERSISTENT];
	p->peak_carried = parts[CARRIED];
	p->peak_transient = parts[TRANSIENT];
	vec_sort(&set->list, live_bytes_cmp);
	size_rows(p, set);
	largest_rows(r, set);
}

static void end_figures(struct replay *r, const struct live_set *set)
{
	for (size_t i = 0; i < set->list.nr; i++) {
		const struct live_block *l = &set->list.v[i];
		struct memory_category *c = category_of_site(r, l->site);
		c->end_bytes += l->bytes;
		c->end_blocks += l->blocks;
		note_largest(c, l->requested);
	}
}

enum status replay_live(struct replay *r)
{
	struct memory_profile *p = r->p;
	struct live_set peak = { 0 }, end = { 0 }, oom = { 0 };
	enum status st = list_live(r, r->peak, p->peak_allocated, &peak);
	if (st == ST_OK)
		st = list_live(r, r->nr, p->end_allocated, &end);
	if (st == ST_OK && r->last_oom != NO_INDEX)
		st = list_live(r, r->last_oom, r->oom_allocated, &oom);
	if (st == ST_OK) {
		peak_figures(r, &peak);
		end_figures(r, &end);
		site_rows(r, &peak, &p->peak_sites);
		site_rows(r, &end, &p->end_sites);
		site_rows(r, &oom, &p->oom_sites);
	}
	vec_release(&peak.list);
	vec_release(&end.list);
	vec_release(&oom.list);
	return st;
}
