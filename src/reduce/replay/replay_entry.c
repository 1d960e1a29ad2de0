#include "base/number.h"
#include "replay/replay_internal.h"

struct memory_delta replay_delta(const struct snapshot_entry *e)
{
	switch (e->action) {
	case ACTION_ALLOC:
		return (struct memory_delta){ rounded_bytes(e->size), 0 };
	case ACTION_FREE_REQUESTED:
		return (struct memory_delta){ -rounded_bytes(e->size), 0 };
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		return (struct memory_delta){ 0, (int64_t)e->size };
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		return (struct memory_delta){ 0, -(int64_t)e->size };
	default:
		return (struct memory_delta){ 0, 0 };
	}
}

int64_t replay_time(const struct replay *r, uint32_t m)
{
	uint32_t i = m ? m - 1 : 0;
	return i < r->nr && r->entries[i].time_us >= 0 ? r->entries[i].time_us : -1;
}

enum status replay_freed_site(struct replay *r, uint32_t i, uint32_t *site)
{
	*site = SITE_ID_BEFORE;
	if (r->alloc_of[i] == NO_INDEX)
		return ST_OK;
	return sites_find(&r->sites, r->entries[r->alloc_of[i]].stack, site, r->log);
}

struct memory_item replay_row(const struct replay *r, enum memory_list list, uint32_t site)
{
	struct memory_item row = r->sites.list.v[site].site;
	row.memory = r->stat.id;
	row.list = list;
	return row;
}

void replay_add(struct replay *r, struct memory_items *rows, row_compare *cmp, size_t most)
{
	size_t from = r->d->memory_items.nr;
	memory_items_add(r->d, rows, cmp, most);
	for (size_t i = from; i < r->d->memory_items.nr; i++) {
		struct memory_item *row = &r->d->memory_items.v[i];
		row->category = arena_span(&r->d->arena, row->category);
		row->file = arena_span(&r->d->arena, row->file);
		row->function = arena_span(&r->d->arena, row->function);
	}
}

int64_t replay_size_class(int64_t bytes)
{
	return bytes <= 0 ? 0 : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)bytes));
}
