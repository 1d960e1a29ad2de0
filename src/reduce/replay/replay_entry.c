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

struct memory_row replay_row(const struct replay *r, uint32_t site)
{
	return (struct memory_row){ .site = r->sites.list.v[site].site };
}

void replay_keep(struct replay *r, struct memory_row *row)
{
	site_keep(&row->site, r->arena);
}

size_t replay_cut(const struct replay *r, const void *rows, size_t nr, size_t size,
                  struct memory_row *rest)
{
	if (nr <= MEMORY_SITES)
		return nr;
	*rest = replay_row(r, SITE_ID_REST);
	for (size_t i = MEMORY_SITES - 1; i < nr; i++) {
		const struct memory_row *row = (const void *)((const char *)rows + i * size);
		rest->bytes += row->bytes;
		rest->blocks += row->blocks;
		number_raise(&rest->largest, row->largest);
	}
	return MEMORY_SITES - 1;
}

int64_t replay_size_class(int64_t bytes)
{
	return bytes <= 0 ? 0 : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)bytes));
}
