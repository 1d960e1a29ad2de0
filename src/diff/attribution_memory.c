#include "diff/attribution_memory.h"

#include "base/text.h"
#include "diff/attribution_levels.h"
#include "diff/memory_sites.h"
#include "model/memory_view.h"
#include "model/unit.h"

struct builder {
	struct parts parts;
	const struct memory_ref *memory; ///< of each side
	int64_t change; ///< between them
	bool sites_known; ///< both sides have the list of sites
	int64_t steps[NR_SIDES]; ///< what bytes are divided by
	struct memory_sites sites;
	struct site_place largest; ///< in the direction of the change
	int64_t unused; ///< change of what is reserved and not in use
};

/* ---- parts ---- */

static const char *movement(struct builder *b, const int64_t bytes[NR_SIDES])
{
	return unit_movement(b->parts.arena, b->parts.out->unit, bytes[SIDE_BASELINE],
	                     bytes[SIDE_CANDIDATE]);
}

static const char *line_name(struct builder *b, const struct site_line *l)
{
	char x[NUMBER_TEXT], y[NUMBER_TEXT];
	int64_t from = l->number[SIDE_BASELINE], to = l->number[SIDE_CANDIDATE];
	if (!l->has[SIDE_CANDIDATE] || !l->has[SIDE_BASELINE] || from == to)
		return arena_printf(b->parts.arena, "line %s",
		                    number_format(l->has[SIDE_CANDIDATE] ? to : from, 0, x));
	return arena_printf(b->parts.arena, "line %s → %s", number_format(from, 0, x),
	                    number_format(to, 0, y));
}

/* "line 27, 8.00 MiB → 16.00 MiB, 1 → 2 blocks"; "gone", "new" for one side's. */
static const char *detail(struct builder *b, const struct site_line *l, const char *line)
{
	struct arena *a = b->parts.arena;
	bool was = l->has[SIDE_BASELINE], is = l->has[SIDE_CANDIDATE];
	const char *moved = was && is ? movement(b, l->bytes) : was ? "gone" : "new";
	const char *comma = line[0] ? ", " : "";
	if (!was || !is || l->blocks[SIDE_BASELINE] == l->blocks[SIDE_CANDIDATE] ||
	    l->blocks[SIDE_BASELINE] == MEMORY_UNKNOWN || l->blocks[SIDE_CANDIDATE] == MEMORY_UNKNOWN)
		return arena_printf(a, "%s%s%s", line, comma, moved);
	return arena_printf(a, "%s%s%s, %s → %s blocks", line, comma, moved,
	                    unit_text(a, UNIT_COUNT, l->blocks[SIDE_BASELINE]),
	                    unit_text(a, UNIT_COUNT, l->blocks[SIDE_CANDIDATE]));
}

static int line_cmp(const void *a, const void *b)
{
	const struct site_line *x = a, *y = b;
	int c = parts_order(x->change, y->change);
	for (int s = 0; !c && s < NR_SIDES; s++)
		c = (x->number[s] > y->number[s]) - (x->number[s] < y->number[s]);
	return c;
}

static bool is_folded(const struct builder *b, size_t i, int64_t change)
{
	return i >= PARTS_SHOWN || (i > 0 && parts_is_small(&b->parts, change));
}

static void add_lines(struct builder *b, int level, const struct site_place *p)
{
	struct site_line *v = b->sites.lines.v + p->first;
	int64_t folded = 0;
	size_t nr_folded = 0;
	sort_plain(v, p->nr, sizeof *v, line_cmp);
	for (size_t i = 0; i < p->nr && v[i].change; i++) {
		if (is_folded(b, i, v[i].change)) {
			folded = number_add(folded, v[i].change);
			nr_folded++;
		} else {
			parts_add(&b->parts, level, line_name(b, &v[i]), v[i].change, detail(b, &v[i], ""));
		}
	}
	parts_add_rest(&b->parts, level, "line", "lines", nr_folded, folded);
}

static const char *place_name(struct builder *b, const struct site_place *p)
{
	struct strbuf name = STRBUF_INIT;
	memory_item_add_name(&name, p->item);
	const char *text = text_line(b->parts.arena, strbuf_span(&name));
	strbuf_release(&name);
	return text;
}

static void add_one_place(struct builder *b, int level, const struct site_place *p)
{
	const struct site_line *l = &b->sites.lines.v[p->first];
	struct site_line all = { .has = { p->has[0], p->has[1] },
		                     .bytes = { p->bytes[0], p->bytes[1] },
		                     .blocks = { p->blocks[0], p->blocks[1] } };
	bool single = p->nr == 1;
	bool has_line = single && memory_item_has_place(p->item) && p->item->line > 0;
	const char *line = has_line ? line_name(b, l) : "";
	parts_add(&b->parts, level, place_name(b, p), p->change, detail(b, single ? l : &all, line));
	if (!single && level < 2) /* deeper is more than people read */
		add_lines(b, level + 1, p);
	bool same_way = (p->change > 0) == (b->change > 0);
	if (same_way && parts_order(p->change, b->largest.change) < 0)
		b->largest = *p;
}

/* The places [from, to) of one category, the largest change first. */
static void add_places(struct builder *b, int level, size_t from, size_t to)
{
	int64_t folded = 0;
	size_t nr_folded = 0;
	for (size_t i = from; i < to; i++) {
		const struct site_place *p = &b->sites.places.v[i];
		if (p->change == 0)
			continue;
		if (is_folded(b, i - from, p->change)) {
			folded = number_add(folded, p->change);
			nr_folded++;
		} else {
			add_one_place(b, level, p);
		}
	}
	parts_add_rest(&b->parts, level, "site", "sites", nr_folded, folded);
}

/* What of `change` went where, from `level` on; `rest` names what no site has. */
static void add_sites(struct builder *b, int level, enum memory_list list, int64_t change,
                      const char *rest)
{
	int64_t sum = 0, folded = 0;
	size_t nr_folded = 0;
	memory_sites_init(&b->sites, b->memory, list, b->steps);
	for (size_t i = 0, end; i < b->sites.places.nr; i = end) {
		const struct site_place *p = &b->sites.places.v[i];
		end = memory_sites_category_end(&b->sites, i);
		sum = number_add(sum, p->category_change);
		if (p->change == 0) /* the largest of them */
			continue;
		if (i > 0 && parts_is_small(&b->parts, p->change) &&
		    parts_is_small(&b->parts, p->category_change)) {
			folded = number_add(folded, p->category_change);
			nr_folded++;
			continue;
		}
		parts_add(&b->parts, level, text_line(b->parts.arena, p->item->category),
		          p->category_change, "");
		add_places(b, level + 1, i, end);
	}
	parts_add_rest(&b->parts, level, "category", "categories", nr_folded, folded);
	if (number_sub(change, sum))
		parts_add(&b->parts, level, rest, number_sub(change, sum), "");
}

static void add_movement(struct builder *b, int level, const char *label, int64_t from, int64_t to)
{
	const int64_t bytes[NR_SIDES] = { from, to };
	parts_add(&b->parts, level, label, number_sub(to, from), movement(b, bytes));
}

#define UNEXPLAINED "not in the lists of sites"

/* Reserved: what is allocated, and what is not in use. */
static void add_reserved(struct builder *b, bool peak)
{
	const struct memory_stat *x = b->memory[0].stat, *y = b->memory[1].stat;
	int64_t from = peak ? x->peak_allocated : x->end_allocated;
	int64_t to = peak ? y->peak_allocated : y->end_allocated;
	int64_t then_from = peak ? x->reserved_at_peak : x->end_reserved;
	int64_t then_to = peak ? y->reserved_at_peak : y->end_reserved;
	b->unused = number_sub(number_sub(then_to, to), number_sub(then_from, from));
	int64_t later_from = number_sub(x->peak_reserved, x->reserved_at_peak);
	int64_t later_to = number_sub(y->peak_reserved, y->reserved_at_peak);
	if (from != to) {
		add_movement(b, 0, peak ? "allocated at its peak" : "allocated", from, to);
		if (b->sites_known)
			add_sites(b, 1, peak ? MEMORY_LIST_PEAK : MEMORY_LIST_END, number_sub(to, from),
			          UNEXPLAINED);
	}
	if (b->unused)
		add_movement(b, 0, peak ? "not in use at that moment" : "not in use",
		             number_sub(then_from, from), number_sub(then_to, to));
	if (peak && later_from != later_to)
		add_movement(b, 0, "reserved at another moment", later_from, later_to);
}

/* Growth is a median of slopes; sites have the mean rise per step. The steps over
   which the steadiest site rose stand for all: a leak rises in each of them. */
static void set_steps(struct builder *b)
{
	for (int s = 0; s < NR_SIDES; s++) {
		size_t nr;
		const struct memory_item *v =
		    memory_list_of(b->memory[s].digest, b->memory[s].stat->id, MEMORY_LIST_GROWTH, &nr);
		for (size_t i = 0; i < nr; i++)
			if (v[i].other > b->steps[s])
				b->steps[s] = v[i].other;
	}
}

/* By site where both sides have them, else by what the figures themselves say. */
static bool build(struct builder *b, enum metric_id id)
{
	if (id == METRIC_MEMORY_PEAK_RESERVED || id == METRIC_MEMORY_END_RESERVED) {
		add_reserved(b, id == METRIC_MEMORY_PEAK_RESERVED);
	} else if (b->sites_known && id == METRIC_MEMORY_PEAK_ALLOCATED) {
		add_sites(b, 0, MEMORY_LIST_PEAK, b->change, UNEXPLAINED);
	} else if (b->sites_known && id == METRIC_MEMORY_END_ALLOCATED) {
		add_sites(b, 0, MEMORY_LIST_END, b->change, UNEXPLAINED);
	} else if (b->sites_known && id == METRIC_MEMORY_GROWTH_PER_STEP) {
		set_steps(b);
		add_sites(b, 0, MEMORY_LIST_GROWTH, b->change, "sites that do not grow, median − mean");
	} else {
		return memory_levels(&b->parts, b->memory, id, b->change);
	}
	return true;
}

/* ---- the site for the message ---- */

/* Small blocks that hold at least a tenth of the free memory apart; else the site
   that came to hold more: what it frees and keeps is what fits nowhere. */
static const char *fragmented_by(struct builder *b, enum memory_list list)
{
	const struct memory_ref *m = &b->memory[SIDE_CANDIDATE];
	struct arena *a = b->parts.arena;
	struct site_place pinned = { 0 };
	const struct site_place *most = NULL;
	size_t nr;
	pinned.item = memory_list_of(m->digest, m->stat->id, MEMORY_LIST_PINNED, &nr);
	__int128 unused = (__int128)m->stat->end_reserved - m->stat->end_allocated;
	if (nr && (__int128)pinned.item->other * 10 >= unused)
		return arena_printf(a, "at the end %s of it held apart by blocks of %s",
		                    unit_text(a, UNIT_BYTES, pinned.item->other), place_name(b, &pinned));
	memory_sites_init(&b->sites, b->memory, list, b->steps);
	for (size_t i = 0; i < b->sites.places.nr; i++) {
		const struct site_place *p = &b->sites.places.v[i];
		if (memory_item_has_place(p->item) && p->change > (most ? most->change : 0))
			most = p;
	}
	return most ? arena_printf(a, "what is allocated then grew most at %s", place_name(b, most))
	            : NULL;
}

static const char *main_site(struct builder *b, enum metric_id id)
{
	const struct site_place *p = &b->largest;
	int64_t change = b->change;
	if (b->parts.out->unit == UNIT_PCT)
		return change <= 0 || id == METRIC_MEMORY_ROUNDING_PCT
		           ? NULL
		           : fragmented_by(b, id == METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT
		                                  ? MEMORY_LIST_PEAK
		                                  : MEMORY_LIST_END);
	if (parts_order(b->unused, p->change) < 0 && (b->unused > 0) == (change > 0))
		return "most of it not in use";
	if (!p->item)
		return NULL;
	bool most = parts_order(number_sub(change, p->change), p->change) > 0;
	return arena_printf(b->parts.arena, "%s of it %s %s", most ? "most" : "the largest part",
	                    memory_item_has_place(p->item) ? "at" : "in", place_name(b, p));
}

static enum memory_list list_for(enum metric_id id)
{
	switch (id) {
	case METRIC_MEMORY_PEAK_ALLOCATED:
	case METRIC_MEMORY_PEAK_RESERVED:
		return MEMORY_LIST_PEAK;
	case METRIC_MEMORY_GROWTH_PER_STEP:
		return MEMORY_LIST_GROWTH;
	default:
		return MEMORY_LIST_END;
	}
}

/* Both sides have the list of this memory from the same kind of source. A snapshot has all, some
   of them empty. */
static bool has_sites(const struct memory_ref m[NR_SIDES], enum memory_list list)
{
	size_t nr[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		memory_list_of(m[s].digest, m[s].stat->id, list, &nr[s]);
	return m[0].stat->source == m[1].stat->source &&
	       ((nr[0] && nr[1]) || m[0].stat->source == MEMORY_OF_SNAPSHOT);
}

/* What it is broken down by. */
static const char *words_for(const struct builder *b, enum metric_id id)
{
	switch (id) {
	case METRIC_MEMORY_PEAK_ALLOCATED:
	case METRIC_MEMORY_END_ALLOCATED:
		return b->sites_known ? "category and site" : "when it was taken";
	case METRIC_MEMORY_GROWTH_PER_STEP:
		return b->sites_known ? "category and site" : "what is taken and freed";
	case METRIC_MEMORY_PEAK_RESERVED:
	case METRIC_MEMORY_END_RESERVED:
		return b->sites_known ? "category and site" : "what is in use";
	case METRIC_MEMORY_FRAGMENTATION_PCT:
	case METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT:
		return "reserved and allocated";
	case METRIC_MEMORY_SEGMENT_COUNT:
		return "kind and size";
	default:
		return "what it is made of";
	}
}

struct breakdown *memory_attribution_of(const struct bench *b, const struct query *q,
                                        const struct entry *e, int64_t baseline, struct arena *a,
                                        const char **where)
{
	struct builder w = { .steps = { 1, 1 } };
	struct memory_pair pair;
	*where = NULL;
	if (q->metric->need != NEED_MEMORY || !memory_pair_find(b, q, e, &pair))
		return NULL;
	w.memory = pair.memory;
	w.sites_known = has_sites(pair.memory, list_for(q->metric->id));
	w.change = number_sub(pair.value[SIDE_CANDIDATE], pair.value[SIDE_BASELINE]);
	int64_t later = number_sub(pair.value[SIDE_BASELINE], baseline);
	int64_t others = number_sub(e->value[SIDE_CANDIDATE], pair.value[SIDE_CANDIDATE]);
	const char *of = memory_pair_name(b, pair.memory, a);
	const char *by = words_for(&w, q->metric->id);
	w.parts = parts_new(a, arena_printf(a, "%s of %s by %s", q->metric->name, of, by),
	                    q->metric->unit, number_sub(e->value[SIDE_CANDIDATE], baseline));
	w.parts.out->metric = q->metric;
	w.parts.out->memory = of;
	bool has_parts = build(&w, q->metric->id);
	if (has_parts && w.change)
		*where = main_site(&w, q->metric->id);
	memory_sites_release(&w.sites);
	if (!has_parts)
		return NULL;
	if (later)
		parts_add(&w.parts, 0, PART_LATER, later, PART_LATER_DETAIL);
	if (others)
		parts_add(&w.parts, 0, "median of the runs − this run", others, "");
	return w.parts.out;
}
