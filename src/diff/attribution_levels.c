#include "diff/attribution_levels.h"

#include "base/text.h"
#include "model/memory_view.h"
#include "model/unit.h"

/* Of one memory; MEMORY_UNKNOWN where its source does not say. */
typedef int64_t level_fn(const struct memory_ref *m);

static int64_t less(int64_t a, int64_t b)
{
	return a == MEMORY_UNKNOWN || b == MEMORY_UNKNOWN ? MEMORY_UNKNOWN : number_sub(a, b);
}

static int64_t negative(int64_t a)
{
	return less(0, a);
}

static int64_t at_start(const struct memory_ref *m)
{
	return m->stat->start_allocated;
}

static int64_t kept(const struct memory_ref *m)
{
	return less(m->stat->end_allocated, m->stat->start_allocated);
}

static int64_t at_end(const struct memory_ref *m)
{
	return m->stat->end_allocated;
}

static int64_t freed_after_peak(const struct memory_ref *m)
{
	return less(m->stat->peak_allocated, m->stat->end_allocated);
}

static int64_t end_reserved(const struct memory_ref *m)
{
	return m->stat->end_reserved;
}

static int64_t not_in_use_at_end(const struct memory_ref *m)
{
	return less(m->stat->end_allocated, m->stat->end_reserved);
}

static int64_t allocs(const struct memory_ref *m)
{
	return m->stat->alloc_count;
}

static int64_t frees(const struct memory_ref *m)
{
	return m->stat->free_count;
}

static int64_t allocs_without_free(const struct memory_ref *m)
{
	return less(m->stat->alloc_count, m->stat->free_count);
}

static int64_t frees_without_alloc(const struct memory_ref *m)
{
	return less(m->stat->free_count, m->stat->alloc_count);
}

static int64_t segments_taken(const struct memory_ref *m)
{
	return m->stat->segment_allocs;
}

static int64_t segments_given_back(const struct memory_ref *m)
{
	return less(m->stat->segment_churn, m->stat->segment_allocs);
}

static int64_t capacity(const struct memory_ref *m)
{
	return m->stat->capacity;
}

static int64_t allocated_at_peak(const struct memory_ref *m)
{
	return negative(m->stat->peak_allocated);
}

static int64_t not_in_use_at_peak(const struct memory_ref *m)
{
	return less(m->stat->peak_allocated, m->stat->reserved_at_peak);
}

static int64_t reserved_later(const struct memory_ref *m)
{
	return less(m->stat->reserved_at_peak, m->stat->peak_reserved);
}

static int64_t per_step(const struct memory_ref *m, int64_t bytes)
{
	if (bytes == MEMORY_UNKNOWN || m->digest->total_steps <= 0)
		return MEMORY_UNKNOWN;
	return number_div_round(bytes, m->digest->total_steps);
}

static int64_t churn_per_step(const struct memory_ref *m)
{
	return per_step(m, m->stat->churn_bytes);
}

static int64_t freed_per_step(const struct memory_ref *m)
{
	return per_step(m, less(kept(m), m->stat->churn_bytes));
}

static int64_t growth_beyond_mean(const struct memory_ref *m)
{
	int64_t taken = churn_per_step(m), freed = freed_per_step(m);
	if (taken == MEMORY_UNKNOWN || freed == MEMORY_UNKNOWN)
		return MEMORY_UNKNOWN;
	return less(m->stat->growth_per_step, number_add(taken, freed));
}

enum row_kind {
	PLAIN,
	AT_PEAK, ///< the operator that ran then is named
	TAKEN_OFF, ///< what it is is shown without the sign
};

/* Rows add up to their metric in every memory; the first that both sides know counts. */
static const struct made_of {
	enum metric_id metric;
	struct level_row {
		const char *label;
		level_fn *level;
		enum row_kind kind;
	} rows[4];
} made_of[] = {
	{ METRIC_MEMORY_PEAK_ALLOCATED,
	  { { "held before the recording", at_start, PLAIN },
	    { "taken in it and held at its end", kept, PLAIN },
	    { "freed between the peak and the end", freed_after_peak, AT_PEAK } } },
	{ METRIC_MEMORY_PEAK_ALLOCATED,
	  { { "held at the end", at_end, PLAIN },
	    { "freed between the peak and the end", freed_after_peak, AT_PEAK } } },
	{ METRIC_MEMORY_END_ALLOCATED,
	  { { "held before the recording", at_start, PLAIN },
	    { "taken in it and held at its end", kept, PLAIN } } },
	{ METRIC_MEMORY_END_ALLOCATED,
	  { { "reserved", end_reserved, PLAIN },
	    { "reserved and not in use", not_in_use_at_end, TAKEN_OFF } } },
	{ METRIC_MEMORY_ALLOC_COUNT,
	  { { "frees", frees, PLAIN },
	    { "allocations beyond the frees", allocs_without_free, PLAIN } } },
	{ METRIC_MEMORY_FREE_COUNT,
	  { { "allocations", allocs, PLAIN },
	    { "frees beyond the allocations", frees_without_alloc, PLAIN } } },
	{ METRIC_MEMORY_SEGMENT_CHURN,
	  { { "allocated or mapped", segments_taken, PLAIN },
	    { "freed or unmapped", segments_given_back, PLAIN } } },
	{ METRIC_MEMORY_GROWTH_PER_STEP,
	  { { "taken per step", churn_per_step, PLAIN },
	    { "freed per step", freed_per_step, TAKEN_OFF },
	    { "median of slopes − mean", growth_beyond_mean, PLAIN } } },
	{ METRIC_MEMORY_HEADROOM,
	  { { "size of the device", capacity, PLAIN },
	    { "allocated at its peak", allocated_at_peak, TAKEN_OFF },
	    { "not in use at that moment", not_in_use_at_peak, TAKEN_OFF },
	    { "reserved at another moment", reserved_later, TAKEN_OFF } } },
};

static bool is_known(const struct made_of *m, const struct memory_ref memory[NR_SIDES])
{
	for (size_t i = 0; i < 4 && m->rows[i].label; i++)
		for (int s = 0; s < NR_SIDES; s++)
			if (m->rows[i].level(&memory[s]) == MEMORY_UNKNOWN)
				return false;
	return true;
}

static const char *row_detail(const struct parts *p, const struct level_row *row,
                              const struct memory_ref memory[NR_SIDES])
{
	int64_t level[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		level[s] =
		    row->kind == TAKEN_OFF ? negative(row->level(&memory[s])) : row->level(&memory[s]);
	const char *moved = unit_movement(p->arena, p->out->unit, level[0], level[1]);
	if (row->kind != AT_PEAK || !memory[SIDE_CANDIDATE].stat->peak_op)
		return moved;
	return arena_printf(p->arena, "%s; %s runs at the peak", moved,
	                    text_short(p->arena, span_of(memory[SIDE_CANDIDATE].stat->peak_op), 60));
}

static void add_rows(const struct parts *p, const struct made_of *m,
                     const struct memory_ref memory[NR_SIDES])
{
	for (size_t i = 0; i < 4 && m->rows[i].label; i++) {
		const struct level_row *row = &m->rows[i];
		int64_t change =
		    number_sub(row->level(&memory[SIDE_CANDIDATE]), row->level(&memory[SIDE_BASELINE]));
		if (change)
			parts_add(p, 0, row->label, change, row_detail(p, row, memory));
	}
}

/* ---- bytes of allocations: how many, how large ---- */

static bool add_churn(const struct parts *p, const struct memory_ref memory[NR_SIDES],
                      int64_t change)
{
	const struct memory_stat *x = memory[0].stat, *y = memory[1].stat;
	if (allocs(&memory[0]) == MEMORY_UNKNOWN || allocs(&memory[1]) == MEMORY_UNKNOWN)
		return false;
	int64_t more = x->alloc_count > 0
	                   ? number_sub(number_div_round((__int128)x->churn_bytes * y->alloc_count,
	                                                 x->alloc_count),
	                                x->churn_bytes)
	                   : 0;
	int64_t size = number_sub(change, more);
	if (more)
		parts_add(p, 0, "number of allocations", more,
		          unit_movement(p->arena, UNIT_COUNT, x->alloc_count, y->alloc_count));
	if (size)
		parts_add(p, 0, "mean size of an allocation", size,
		          x->alloc_count > 0 && y->alloc_count > 0
		              ? unit_movement(p->arena, UNIT_BYTES,
		                              number_div_round(x->churn_bytes, x->alloc_count),
		                              number_div_round(y->churn_bytes, y->alloc_count))
		              : "");
	return true;
}

/* ---- segments by kind and size ---- */

struct segments {
	struct span kind;
	int64_t from; ///< bytes
	int64_t count[NR_SIDES];
};

struct segments_list {
	VEC(struct segments) list;
};

static int segments_cmp(const void *a, const void *b)
{
	const struct segments *x = a, *y = b;
	int c = span_cmp(x->kind, y->kind);
	return c ? c : (x->from > y->from) - (x->from < y->from);
}

static int64_t segments_change(const struct segments *s)
{
	return number_sub(s->count[SIDE_CANDIDATE], s->count[SIDE_BASELINE]);
}

static int by_change(const void *a, const void *b)
{
	const struct segments *x = a, *y = b;
	int c = parts_order(segments_change(x), segments_change(y));
	return c ? c : segments_cmp(a, b);
}

static void collect_segments(const struct memory_ref memory[NR_SIDES], struct segments_list *out)
{
	size_t nr = 0;
	for (int s = 0; s < NR_SIDES; s++) {
		size_t of;
		const struct memory_item *v =
		    memory_list_of(memory[s].digest, memory[s].stat->id, MEMORY_LIST_SEGMENT, &of);
		for (size_t i = 0; i < of; i++) {
			struct segments row = { .kind = v[i].category, .from = v[i].other };
			row.count[s] = v[i].blocks;
			vec_push(&out->list, row);
		}
	}
	vec_sort(&out->list, segments_cmp);
	for (size_t i = 0; i < out->list.nr; i++) {
		struct segments *last = nr ? &out->list.v[nr - 1] : NULL, row = out->list.v[i];
		if (!last || segments_cmp(last, &row) != 0)
			out->list.v[nr++] = row;
		else
			for (int s = 0; s < NR_SIDES; s++)
				last->count[s] = number_add(last->count[s], row.count[s]);
	}
	out->list.nr = nr;
	vec_sort(&out->list, by_change);
}

static void add_segments(const struct parts *p, const struct memory_ref memory[NR_SIDES],
                         int64_t change)
{
	struct segments_list all = { 0 };
	int64_t folded = 0, rest = change;
	size_t nr_folded = 0;
	collect_segments(memory, &all);
	for (size_t i = 0; i < all.list.nr && segments_change(&all.list.v[i]); i++) {
		const struct segments *s = &all.list.v[i];
		rest = number_sub(rest, segments_change(s));
		if (i < PARTS_SHOWN) {
			parts_add(p, 0,
			          arena_printf(p->arena, "%s, from %s", text_line(p->arena, s->kind),
			                       unit_text(p->arena, UNIT_BYTES, s->from)),
			          segments_change(s),
			          unit_movement(p->arena, UNIT_COUNT, s->count[0], s->count[1]));
		} else {
			folded = number_add(folded, segments_change(s));
			nr_folded++;
		}
	}
	parts_add_rest(p, 0, "size", "sizes", nr_folded, folded);
	if (rest)
		parts_add(p, 0, "not in the list of segments", rest, "");
	vec_release(&all.list);
}

/* ---- shares of a whole ---- */

static int64_t free_bytes(const struct memory_ref *m)
{
	return m->stat->inactive;
}

static int64_t free_elsewhere(const struct memory_ref *m)
{
	return less(m->stat->inactive, m->stat->largest_inactive);
}

static int64_t rounding(const struct memory_ref *m)
{
	return less(m->stat->end_allocated, m->stat->end_requested);
}

static int64_t reserved_at_peak(const struct memory_ref *m)
{
	return m->stat->reserved_at_peak;
}

static int64_t peak(const struct memory_ref *m)
{
	return m->stat->peak_allocated;
}

static const struct share {
	enum metric_id metric;
	bool of_rest; ///< the share is that of the whole less the part
	struct level_row whole, part;
} shares[] = {
	{ METRIC_MEMORY_FRAGMENTATION_PCT,
	  true,
	  { "reserved", end_reserved, PLAIN },
	  { "allocated", at_end, PLAIN } },
	{ METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT,
	  true,
	  { "reserved", reserved_at_peak, PLAIN },
	  { "allocated", peak, PLAIN } },
	{ METRIC_MEMORY_INACTIVE_PCT,
	  false,
	  { "reserved", end_reserved, PLAIN },
	  { "free blocks", free_bytes, PLAIN } },
	{ METRIC_MEMORY_FREE_SPLIT_PCT,
	  false,
	  { "free memory", free_bytes, PLAIN },
	  { "outside the largest free block", free_elsewhere, PLAIN } },
	{ METRIC_MEMORY_ROUNDING_PCT,
	  false,
	  { "allocated", at_end, PLAIN },
	  { "not requested", rounding, PLAIN } },
};

static int64_t share_of(const struct share *m, int64_t part, int64_t whole)
{
	return memory_fragmentation(m->of_rest ? part : number_sub(whole, part), whole);
}

/* First another whole with the same part, then the rest. */
static bool add_share(const struct parts *p, const struct share *m,
                      const struct memory_ref memory[NR_SIDES], int64_t change)
{
	int64_t whole[NR_SIDES], part[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++) {
		whole[s] = m->whole.level(&memory[s]);
		part[s] = m->part.level(&memory[s]);
		if (whole[s] == MEMORY_UNKNOWN || part[s] == MEMORY_UNKNOWN)
			return false;
	}
	int64_t of_whole = number_sub(share_of(m, part[0], whole[1]), share_of(m, part[0], whole[0]));
	int64_t rest = number_sub(change, of_whole);
	if (of_whole)
		parts_add(p, 0, m->whole.label, of_whole,
		          unit_movement(p->arena, UNIT_BYTES, whole[0], whole[1]));
	if (rest)
		parts_add(p, 0, m->part.label, rest, unit_movement(p->arena, UNIT_BYTES, part[0], part[1]));
	return true;
}

/* ---- the door ---- */

bool memory_levels(const struct parts *p, const struct memory_ref memory[NR_SIDES],
                   enum metric_id id, int64_t change)
{
	for (size_t i = 0; i < sizeof made_of / sizeof *made_of; i++)
		if (made_of[i].metric == id && is_known(&made_of[i], memory)) {
			add_rows(p, &made_of[i], memory);
			return true;
		}
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		if (shares[i].metric == id)
			return add_share(p, &shares[i], memory, change);
	if (id == METRIC_MEMORY_CHURN_BYTES)
		return add_churn(p, memory, change);
	if (id != METRIC_MEMORY_SEGMENT_COUNT)
		return false;
	add_segments(p, memory, change);
	return true;
}
