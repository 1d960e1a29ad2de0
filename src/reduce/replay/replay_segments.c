#include "base/number.h"
#include "replay/replay_internal.h"

/* Largest size of a block that counts as pinning the free blocks beside it: because of the small
 * block, they cannot be merged into one large block. Requests up to 1 MiB come from segments of
 * their own kind. Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6, kSmallSize. */
#define SMALL_BYTES ((int64_t)1 << 20)

/* A small block that pins free blocks. */
struct pin {
	uint32_t site;
	int64_t bytes, requested, free_bytes;
};

/* Results of the walk over the segments of a device. */
struct segment_walk {
	struct memory_items segments, gaps;
	VEC(struct pin) pins;
	size_t final; ///< index in the list `finals` of the next active block of the walk
};

/* ---- segments by size, and gaps: inactive blocks ---- */

static struct span segment_kind(const struct snapshot_segment *g)
{
	if (g->expandable)
		return g->large ? SPAN("expandable large") : SPAN("expandable small");
	return g->large ? SPAN("large") : SPAN("small");
}

/* Orders kinds in reverse alphabetical order: small, large, expandable small, expandable large. */
#define BY_KIND THEN(span_cmp(y->category, x->category))
ORDERING(segment_class_cmp, struct memory_item, BY_KIND RISING(other))
ORDERING(gap_cmp, struct memory_item, FALLING(bytes) FALLING(other) BY_KIND)

static void join_segments(void *segments, void *segment)
{
	struct memory_item *to = segments;
	const struct memory_item *from = segment;
	to->blocks++;
	to->bytes += from->bytes;
	to->largest += from->largest;
}

static void add_gap(struct replay *r, struct segment_walk *w, const struct snapshot_segment *g,
                    int64_t bytes)
{
	struct memory_item gap = memory_item_of(r->stat.id, MEMORY_LIST_GAP);
	gap.category = segment_kind(g);
	gap.bytes = bytes;
	gap.blocks = 1;
	gap.other = (int64_t)g->total;
	vec_push(&w->gaps.list, gap);
	if (w->gaps.list.nr >= (size_t)64 * MEMORY_BLOCKS) {
		vec_sort(&w->gaps.list, gap_cmp);
		w->gaps.list.nr = MEMORY_BLOCKS;
	}
}

static void add_segment(struct replay *r, struct segment_walk *w, const struct snapshot_segment *g)
{
	const struct snapshot_block *v = r->s->blocks.v + g->first_block;
	struct memory_item row = memory_item_of(r->stat.id, MEMORY_LIST_SEGMENT);
	row.category = segment_kind(g);
	row.bytes = (int64_t)g->total;
	row.blocks = 1;
	row.other = replay_size_class(row.bytes);
	for (uint32_t k = 0; k < g->nr_blocks; k++)
		if (v[k].state == BLOCK_INACTIVE) {
			row.largest += (int64_t)v[k].size;
			add_gap(r, w, g, (int64_t)v[k].size);
		}
	vec_push(&w->segments.list, row);
}

/* ---- blocks that pin the free blocks beside them ---- */

/* Adds a small block that pins free blocks. The site of an active block comes from the list
 * `finals`. A block that waits to be freed is not in this list; its site comes from its own stack.
 */
static enum status add_pin(struct replay *r, struct segment_walk *w, const struct snapshot_block *b,
                           int64_t free_bytes)
{
	struct pin pin = { .bytes = (int64_t)b->size,
		               .requested = (int64_t)b->requested,
		               .free_bytes = free_bytes };
	if (b->state == BLOCK_ACTIVE)
		TRY(replay_final_site(r, &r->finals.v[w->final], &pin.site));
	else
		TRY(sites_find(&r->sites, b->stack, &pin.site, r->log));
	vec_push(&w->pins, pin);
	return ST_OK;
}

/* Finds blocks that pin the free blocks beside them. A block pins them if it is small, smaller than
 * the free blocks beside it together, and has a free block or an end of the segment on each side. A
 * free block between two pinning blocks is counted only for the first of them. */
static enum status find_pins(struct replay *r, const struct snapshot_segment *g,
                             struct segment_walk *w)
{
	const struct snapshot_block *v = r->s->blocks.v + g->first_block;
	bool counted = false; /* true if the free block before block k has been counted */
	for (uint32_t k = 0; k < g->nr_blocks; k++) {
		if (v[k].state == BLOCK_INACTIVE)
			continue;
		bool left = k > 0 && v[k - 1].state == BLOCK_INACTIVE;
		bool right = k + 1 < g->nr_blocks && v[k + 1].state == BLOCK_INACTIVE;
		bool apart = (left || k == 0) && (right || k + 1 == g->nr_blocks);
		int64_t beside = left ? (int64_t)v[k - 1].size : 0;
		int64_t after = right ? (int64_t)v[k + 1].size : 0;
		int64_t size = (int64_t)v[k].size;
		bool pins_it = apart && size <= SMALL_BYTES && size < beside + after;
		if (pins_it)
			TRY(add_pin(r, w, &v[k], (counted ? 0 : beside) + after));
		counted = pins_it;
		w->final += v[k].state == BLOCK_ACTIVE;
	}
	return ST_OK;
}

ORDERING(pin_cmp, struct pin, RISING(site))

ORDERING(pinned_cmp, struct memory_item, FALLING(other) THEN(memory_item_cmp(x, y)))

static void pinned_rows(struct replay *r, struct segment_walk *w)
{
	struct memory_items rows = { 0 };
	vec_sort(&w->pins, pin_cmp);
	for (size_t i = 0; i < w->pins.nr;) {
		uint32_t site = w->pins.v[i].site;
		struct memory_item row = replay_row(r, MEMORY_LIST_PINNED, site);
		for (; i < w->pins.nr && w->pins.v[i].site == site; i++) {
			row.bytes += w->pins.v[i].bytes;
			row.blocks++;
			row.other += w->pins.v[i].free_bytes;
			number_raise(&row.largest, w->pins.v[i].requested);
		}
		vec_push(&rows.list, row);
	}
	replay_add(r, &rows, pinned_cmp, MEMORY_BLOCKS);
}

/* ---- all segments of a device ---- */

enum status replay_segments(struct replay *r)
{
	struct segment_walk w = { 0 };
	enum status st = ST_OK;
	for (size_t i = 0; st == ST_OK && i < r->nr_segments; i++) {
		const struct snapshot_segment *g = &r->s->segments.v[r->segments[i].segment];
		add_segment(r, &w, g);
		st = find_pins(r, g, &w);
	}
	vec_unite(&w.segments.list, segment_class_cmp, join_segments);
	memory_items_add(r->d, &w.segments, segment_class_cmp, SIZE_MAX);
	memory_items_add(r->d, &w.gaps, gap_cmp, MEMORY_BLOCKS);
	if (st == ST_OK)
		pinned_rows(r, &w);
	vec_release(&w.pins);
	return st;
}
