#include "base/number.h"
#include "replay/replay_internal.h"

static void final_blocks(struct replay *r, const struct snapshot_segment *g)
{
	struct memory_stat *stat = &r->stat;
	for (uint32_t k = 0; k < g->nr_blocks; k++) {
		const struct snapshot_block *b = &r->s->blocks.v[g->first_block + k];
		int64_t size = (int64_t)b->size;
		if (b->state == BLOCK_INACTIVE) {
			stat->inactive += size;
			number_raise(&stat->largest_inactive, size);
		}
		if (b->state != BLOCK_ACTIVE)
			continue;
		stat->end_allocated += size;
		stat->end_requested += (int64_t)b->requested;
		vec_push(&r->finals, (struct final_block){ g->first_block + k, NO_INDEX });
	}
}

void replay_final(struct replay *r)
{
	for (size_t i = 0; i < r->nr_segments; i++) {
		const struct snapshot_segment *g = &r->s->segments.v[r->segments[i].segment];
		r->stat.end_reserved += (int64_t)g->total;
		r->stat.segment_count++;
		final_blocks(r, g);
	}
}

/* The blocks that are live at the entry that the backward walk through the history has reached. */
struct open_blocks {
	struct idmap ids;
	VEC(uint32_t)
	ends; ///< for each address id, how its block ends: the index of the entry that frees it or, if
	      ///< it is never freed, replay.nr plus its index among the blocks of the final state
};

static uint32_t *open_at(struct open_blocks *open, uint64_t address)
{
	uint32_t id = idmap_add(&open->ids, (int64_t)address);
	if (id == open->ends.nr)
		vec_push(&open->ends, NO_INDEX);
	return &open->ends.v[id];
}

/* Handles an allocation. In the backward walk, the block at its address is no longer live from here
 * on. */
static void pair_alloc(struct replay *r, struct open_blocks *open, uint32_t i)
{
	uint64_t address = r->entries[i].address;
	uint32_t id = address == SNAPSHOT_NO_ADDRESS ? NO_ID : idmap_find(&open->ids, (int64_t)address);
	uint32_t end = id == NO_ID ? NO_INDEX : open->ends.v[id];
	if (end == NO_INDEX) {
		r->evidence.lost_allocs++;
		return;
	}
	if (end < r->nr)
		r->alloc_of[end] = i;
	else
		r->finals.v[end - r->nr].alloc = i;
	open->ends.v[id] = NO_INDEX;
}

static void pair_free(struct replay *r, struct open_blocks *open, uint32_t i)
{
	if (r->entries[i].address == SNAPSHOT_NO_ADDRESS)
		return;
	uint32_t *end = open_at(open, r->entries[i].address);
	r->evidence.contradicted_frees += *end != NO_INDEX;
	*end = i;
}

static void pair_entries(struct replay *r)
{
	struct open_blocks open = { 0 };
	idmap_init(&open.ids);
	for (size_t k = 0; k < r->finals.nr; k++) {
		uint64_t address = r->s->blocks.v[r->finals.v[k].block].address;
		if (address != SNAPSHOT_NO_ADDRESS)
			*open_at(&open, address) = r->nr + (uint32_t)k;
	}
	for (uint32_t i = r->nr; i-- > 0;) {
		r->alloc_of[i] = NO_INDEX;
		if (r->entries[i].action == ACTION_ALLOC)
			pair_alloc(r, &open, i);
		else if (r->entries[i].action == ACTION_FREE_REQUESTED)
			pair_free(r, &open, i);
	}
	idmap_release(&open.ids);
	vec_release(&open.ends);
}

static void count_entry(struct replay *r, uint32_t i)
{
	struct memory_stat *stat = &r->stat;
	const struct snapshot_entry *e = &r->entries[i];
	switch (e->action) {
	case ACTION_ALLOC:
		stat->alloc_count++;
		stat->churn_bytes += (int64_t)e->size;
		break;
	case ACTION_FREE_REQUESTED:
		stat->free_count++;
		r->evidence.unseen_frees += r->alloc_of[i] == NO_INDEX;
		break;
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_MAP:
	case ACTION_SEGMENT_UNMAP:
		stat->segment_churn++;
		stat->segment_allocs +=
		    e->action == ACTION_SEGMENT_ALLOC || e->action == ACTION_SEGMENT_MAP;
		break;
	case ACTION_OOM:
		stat->oom_count++;
		break;
	default:
		break;
	}
}

/* Gives the site of the last allocation up to the peak the lowest id, since blocks of equal size
 * are listed in order of the ids of their sites (live_site_cmp()). */
static enum status find_peak_site(struct replay *r)
{
	uint32_t site, m = r->peak;
	while (m > 0 && r->entries[m - 1].action != ACTION_ALLOC)
		m--;
	return m ? sites_find(&r->sites, r->entries[m - 1].stack, &site, r->log) : ST_OK;
}

enum status replay_pair(struct replay *r)
{
	struct memory_stat *stat = &r->stat;
	int64_t level = stat->end_allocated, reserved = stat->end_reserved;
	stat->peak_allocated = r->evidence.lowest_allocated = level;
	stat->peak_reserved = stat->reserved_at_peak = reserved;
	r->peak = r->nr;
	pair_entries(r);
	for (uint32_t i = r->nr; i-- > 0;) {
		struct memory_delta d = replay_delta(&r->entries[i]);
		count_entry(r, i);
		level -= d.allocated;
		reserved -= d.reserved;
		if (level > stat->peak_allocated) { /* if several peaks are equal, the latest is taken */
			stat->peak_allocated = level;
			stat->reserved_at_peak = reserved;
			r->peak = i;
		}
		number_lower(&r->evidence.lowest_allocated, level);
		number_raise(&stat->peak_reserved, reserved);
	}
	stat->start_allocated = level;
	r->start_reserved = reserved;
	r->evidence.midway = r->nr && (level != 0 || reserved != 0);
	return find_peak_site(r);
}
