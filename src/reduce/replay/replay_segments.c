#include "base/number.h"
#include "replay/replay_internal.h"

/* Largest size of a block that counts as pinning the free blocks beside it. Requests up to 1 MiB
 * come from segments of their own kind, so such a block keeps much more memory unusable than its
 * own size. Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6, kSmallSize. */
#define SMALL_BYTES ((int64_t)1 << 20)

/* ---- segments by size ---- */

ORDERING(segment_class_cmp, struct memory_segments, RISING(expandable) RISING(large) RISING(from))

static void merge_segment_classes(struct memory_profile *p)
{
	size_t nr = 0;
	vec_sort(&p->segments, segment_class_cmp);
	for (size_t i = 0; i < p->segments.nr; i++) {
		struct memory_segments *from = &p->segments.v[i];
		if (nr && segment_class_cmp(&p->segments.v[nr - 1], from) == 0) {
			struct memory_segments *to = &p->segments.v[nr - 1];
			to->segments++;
			to->bytes += from->bytes;
			to->free_bytes += from->free_bytes;
		} else {
			p->segments.v[nr++] = *from;
		}
	}
	p->segments.nr = nr;
}

/* ---- gaps: inactive blocks ---- */

ORDERING(gap_cmp, struct memory_gap,
         FALLING(bytes) FALLING(segment_bytes) RISING(expandable) RISING(large))

static void add_gap(struct memory_profile *p, const struct snapshot_segment *g, int64_t bytes)
{
	vec_push(&p->gaps, (struct memory_gap){ bytes, (int64_t)g->total, g->expandable, g->large });
	if (p->gaps.nr >= (size_t)64 * MEMORY_BLOCKS) {
		vec_sort(&p->gaps, gap_cmp);
		p->gaps.nr = MEMORY_BLOCKS;
	}
}

/* ---- blocks that pin the free blocks beside them ---- */

struct pin {
	uint32_t site;
	int64_t bytes, requested, free_bytes;
};

struct pins {
	VEC(struct pin) list;
	size_t final; ///< index of the next active block in the list `finals`
};

/* Adds a small block that lies between free blocks. The site of the small block comes from the list
   `finals` or, since a block that waits to be freed is not in this list, from the block's own
   stack. */
static enum status add_pin(struct replay *r, struct pins *pins, const struct snapshot_block *b,
                           int64_t free_bytes)
{
	struct pin pin = { .bytes = (int64_t)b->size,
		               .requested = (int64_t)b->requested,
		               .free_bytes = free_bytes };
	if (b->state == BLOCK_ACTIVE)
		TRY(replay_final_site(r, &r->finals.v[pins->final], &pin.site));
	else
		TRY(sites_find(&r->sites, b->stack, &pin.site, r->log));
	vec_push(&pins->list, pin);
	r->p->pinned_blocks++;
	r->p->pinned_bytes += pin.bytes;
	r->p->pinned_free_bytes += free_bytes;
	return ST_OK;
}

/* Finds blocks that pin the free blocks beside them: a block does so if it is small, smaller than
 * the free blocks together, and the only one between them. A gap between two such blocks is counted
 * only for the first of them. */
static enum status find_pins(struct replay *r, const struct snapshot_segment *g, struct pins *pins)
{
	const struct snapshot_block *v = r->s->blocks.v + g->first_block;
	bool counted = false; /* true if the gap before the present block has been counted */
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
			TRY(add_pin(r, pins, &v[k], (counted ? 0 : beside) + after));
		counted = pins_it;
		pins->final += v[k].state == BLOCK_ACTIVE;
	}
	return ST_OK;
}

ORDERING(pin_cmp, struct pin, RISING(site))

ORDERING(pinned_cmp, struct memory_pinned, FALLING(free_bytes) THEN(memory_row_cmp(x, y)))

static void pinned_rows(struct replay *r, struct pins *pins)
{
	struct memory_profile *p = r->p;
	vec_sort(&pins->list, pin_cmp);
	for (size_t i = 0; i < pins->list.nr;) {
		uint32_t site = pins->list.v[i].site;
		struct memory_pinned row = { .total = replay_row(r, site) };
		for (; i < pins->list.nr && pins->list.v[i].site == site; i++) {
			const struct pin *pin = &pins->list.v[i];
			row.total.bytes += pin->bytes;
			row.total.blocks++;
			row.free_bytes += pin->free_bytes;
			number_raise(&row.total.largest, pin->requested);
		}
		vec_push(&p->pinned, row);
	}
	vec_sort(&p->pinned, pinned_cmp);
	if (p->pinned.nr > MEMORY_BLOCKS)
		p->pinned.nr = MEMORY_BLOCKS;
	for (size_t i = 0; i < p->pinned.nr; i++)
		replay_keep(r, &p->pinned.v[i].total);
}

/* ---- all segments of a device ---- */

static void add_segment(struct replay *r, const struct snapshot_segment *g)
{
	struct memory_profile *p = r->p;
	const struct snapshot_block *v = r->s->blocks.v + g->first_block;
	int64_t free_bytes = 0;
	bool whole = true;
	for (uint32_t k = 0; k < g->nr_blocks; k++) {
		if (v[k].state == BLOCK_INACTIVE) {
			free_bytes += (int64_t)v[k].size;
			add_gap(p, g, (int64_t)v[k].size);
		} else {
			whole = false;
		}
	}
	p->inactive_whole += whole ? free_bytes : 0;
	vec_push(&p->segments, (struct memory_segments){ g->expandable, g->large,
	                                                 replay_size_class((int64_t)g->total), 1,
	                                                 (int64_t)g->total, free_bytes });
}

enum status replay_segments(struct replay *r)
{
	struct memory_profile *p = r->p;
	struct pins pins = { 0 };
	enum status st = ST_OK;
	for (size_t i = 0; st == ST_OK && i < r->nr_segments; i++) {
		const struct snapshot_segment *g = &r->s->segments.v[r->segments[i].segment];
		add_segment(r, g);
		st = find_pins(r, g, &pins);
	}
	merge_segment_classes(p);
	vec_sort(&p->gaps, gap_cmp);
	if (p->gaps.nr > MEMORY_BLOCKS)
		p->gaps.nr = MEMORY_BLOCKS;
	if (st == ST_OK)
		pinned_rows(r, &pins);
	vec_release(&pins.list);
	return st;
}
