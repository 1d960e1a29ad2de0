#include "diff/breakdown_of.h"

#include "base/text.h"
#include "diff/memory_pair.h"
#include "diff/terms.h"
#include "metric/unit.h"
#include "model/memory_view.h"

struct memory_breakdown {
	struct parts parts;
	struct node root;
	const struct memory_ref *memory; ///< array of two: the memory of each side
	int64_t change; ///< change of the metric from the baseline's memory to the candidate's
	bool sites_known; ///< true if both sides have the list of sites (functions that allocate) that
	                  ///< explains the metric
	enum memory_list list; ///< which of a memory's lists of sites is shown
	int64_t steps[NR_SIDES]; ///< number of steps by which the bytes of each side are divided
	bool no_lines; ///< true: leave out lines of code, since sites are deep in the tree already;
	               ///< false: show them

	/// of the sites shown so far, the one that changed most in the same direction as the total
	const struct memory_item *largest;
	int64_t largest_change;
	int64_t unused; ///< change, in bytes, of the memory that is reserved but not in use
};

/* ---- sites: functions that allocate ---- */

static const char *line_name(struct memory_breakdown *b, const struct site_line *l)
{
	char x[NUMBER_TEXT], y[NUMBER_TEXT];
	int64_t from = l->number[SIDE_BASELINE], to = l->number[SIDE_CANDIDATE];
	if (!l->has[SIDE_CANDIDATE] || !l->has[SIDE_BASELINE] || from == to)
		return arena_printf(b->parts.arena, "line %s",
		                    number_format(l->has[SIDE_CANDIDATE] ? to : from, 0, x));
	return arena_printf(b->parts.arena, "line %s → %s", number_format(from, 0, x),
	                    number_format(to, 0, y));
}

/* Text such as "line 27, 8.00 MiB → 16.00 MiB, 1 → 2 blocks"; "gone" or "new" if only one side has
   the site. */
static const char *site_detail(struct memory_breakdown *b, const struct site_line *l,
                               const char *line)
{
	struct arena *a = b->parts.arena;
	bool was = l->has[SIDE_BASELINE], is = l->has[SIDE_CANDIDATE];
	const char *moved = was && is ? unit_movement(a, b->parts.out->unit, l->bytes[0], l->bytes[1])
	                    : was     ? "gone"
	                              : "new";
	const char *comma = line[0] ? ", " : "";
	if (!was || !is || l->blocks[SIDE_BASELINE] == l->blocks[SIDE_CANDIDATE] ||
	    l->blocks[SIDE_BASELINE] == MEMORY_UNKNOWN || l->blocks[SIDE_CANDIDATE] == MEMORY_UNKNOWN)
		return arena_printf(a, "%s%s%s", line, comma, moved);
	return arena_printf(a, "%s%s%s, %s → %s blocks", line, comma, moved,
	                    unit_text(a, UNIT_COUNT, l->blocks[SIDE_BASELINE]),
	                    unit_text(a, UNIT_COUNT, l->blocks[SIDE_CANDIDATE]));
}

static const char *place_name(struct memory_breakdown *b, const struct memory_item *item)
{
	struct strbuf name = STRBUF_INIT;
	memory_item_add_name(&name, item);
	const char *text = text_line(b->parts.arena, strbuf_span(&name));
	strbuf_release(&name);
	return text;
}

static void describe_place(void *ctx, struct node *n)
{
	struct memory_breakdown *b = ctx;
	const struct site_place *p = n->of;
	if (!p)
		return;
	bool single = p->nr == 1;
	bool has_line = single && memory_item_has_place(p->item) && p->item->line > 0;
	const char *line = has_line ? line_name(b, p->lines) : "";
	n->label = place_name(b, p->item);
	n->detail = site_detail(b, single ? p->lines : &p->all, line);
	n->order = NODES_SUM_SMALL;
	n->one = "line";
	n->many = "lines";
	for (size_t i = 0; i < p->nr && !single && !b->no_lines; i++)
		node_add_row(&b->parts, n, line_name(b, &p->lines[i]), site_line_change(&p->lines[i]),
		             site_detail(b, &p->lines[i], ""));
	bool same_way = (n->change > 0) == (b->change > 0);
	if (same_way && parts_order(n->change, b->largest_change) < 0) {
		b->largest = p->item;
		b->largest_change = n->change;
	}
}

/* Break `change` down by site. `rest` is the label of the part that belongs to no site. */
static void add_sites(struct memory_breakdown *b, struct node *parent, int64_t change,
                      const char *rest)
{
	const struct node *sites = memory_sites_add(&b->parts, parent, b->memory, b->list, b->steps);
	node_add_row(&b->parts, parent, rest, number_sub(change, sites->change), "");
}

#define UNEXPLAINED "not in the lists of sites"

/* Set the divisors for growth per step. The metric is a median of slopes. For a site, only the
   total rise is known, and thus its mean rise per step. The divisor is the largest number of steps
   in which any site rose, since a leaking site rises in every step. */
static void set_steps(struct memory_breakdown *b)
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

/* ---- terms that add up to a figure ---- */

static bool values_of(const struct term_sum *t, const struct memory_ref memory[NR_SIDES],
                      int64_t out[NR_SIDES][TERM_ROWS])
{
	for (int s = 0; s < NR_SIDES; s++) {
		const struct term_place place = { .row = memory[s].stat,
			                              .unknown = MEMORY_UNKNOWN,
			                              .ones = memory[s].digest->total_steps };
		__int128 value[TERM_ROWS] = { 0 };
		if (!terms_values(t, &place, value))
			return false;
		for (size_t i = 0; i < TERM_ROWS; i++)
			out[s][i] = number_div_round(value[i], 1);
	}
	return true;
}

static const char *row_detail(const struct memory_breakdown *b, const struct term_row *row,
                              int64_t from, int64_t to)
{
	struct arena *a = b->parts.arena;
	bool off = row->flags & ROW_TAKEN_OFF;
	const char *op = row->flags & ROW_AT_PEAK ? b->memory[SIDE_CANDIDATE].stat->peak_op : NULL;
	const char *moved = unit_movement(a, b->parts.out->unit, off ? number_sub(0, from) : from,
	                                  off ? number_sub(0, to) : to);
	return op ? arena_printf(a, "%s; %s runs at the peak", moved, text_short(a, span_of(op), 60))
	          : moved;
}

static void add_terms(struct memory_breakdown *b, const struct term_sum *t,
                      int64_t value[NR_SIDES][TERM_ROWS])
{
	for (size_t i = 0; i < TERM_ROWS && t->rows[i].label; i++) {
		const struct term_row *row = &t->rows[i];
		int64_t from = value[0][i], to = value[1][i], change = number_sub(to, from);
		node_add_row(&b->parts, &b->root, row->label, change, row_detail(b, row, from, to));
		if (row->flags & ROW_UNUSED)
			b->unused = change;
		b->no_lines = b->no_lines || row->flags & ROW_HAS_SITES;
		if (row->flags & ROW_HAS_SITES && b->sites_known)
			add_sites(b, b->root.last, change, UNEXPLAINED);
	}
}

static int64_t share_of(const struct term_row *part_row, int64_t part, int64_t whole)
{
	bool complement = part_row->flags & ROW_COMPLEMENT;
	return memory_fragmentation(complement ? part : number_sub(whole, part), whole);
}

/* Add the two rows of a metric that is a share of a whole. The first is the change that the share
   would have if only the whole had changed; the second is the rest of the change. */
static void add_share(struct memory_breakdown *b, const struct term_sum *t,
                      int64_t value[NR_SIDES][TERM_ROWS])
{
	const struct term_row *part = &t->rows[1];
	int64_t whole = number_sub(share_of(part, value[0][1], value[1][0]),
	                           share_of(part, value[0][1], value[0][0]));
	const int64_t change[] = { whole, number_sub(b->change, whole) };
	for (size_t i = 0; i < 2; i++)
		node_add_row(&b->parts, &b->root, t->rows[i].label, change[i],
		             unit_movement(b->parts.arena, UNIT_BYTES, value[0][i], value[1][i]));
}

/* ---- bytes of allocations: their number and size ---- */

static bool add_churn(struct memory_breakdown *b)
{
	static const int64_t once[NR_SIDES] = { 1, 1 };
	struct arena *a = b->parts.arena;
	struct node *n = &b->root;
	n->change = b->change;
	for (int s = 0; s < NR_SIDES; s++) {
		n->count[s] = b->memory[s].stat->alloc_count;
		n->amount[s] = b->memory[s].stat->churn_bytes;
		if (n->count[s] == MEMORY_UNKNOWN)
			return false;
	}
	node_split(&b->parts, n, once, "number of allocations",
	           unit_movement(a, UNIT_COUNT, n->count[0], n->count[1]), "mean size of an allocation",
	           node_mean(n, a, UNIT_BYTES));
	return true;
}

/* ---- segments by kind and size ---- */

struct segments {
	struct span kind;
	int64_t from; /* lower bound of the segments' size in bytes */
	int64_t count[NR_SIDES];
};

ORDERING(segments_cmp, struct segments, BY_SPAN(kind) RISING(from))

static void add_segments(struct memory_breakdown *b)
{
	struct arena *a = b->parts.arena;
	VEC(struct segments) all = VEC_INIT;
	struct node *group = node_add_group(&b->parts, &b->root, NULL, "size", "sizes");
	group->order = NODES_SUM_MANY;
	for (int s = 0; s < NR_SIDES; s++) {
		size_t nr;
		const struct memory_item *v =
		    memory_list_of(b->memory[s].digest, b->memory[s].stat->id, MEMORY_LIST_SEGMENT, &nr);
		for (size_t i = 0; i < nr; i++) {
			struct segments row = { .kind = v[i].category, .from = v[i].other };
			row.count[s] = v[i].blocks;
			vec_push(&all, row);
		}
	}
	vec_sort(&all, segments_cmp);
	for (size_t i = 0; i < all.nr; i++) {
		struct segments *row = &all.v[i], *next = i + 1 < all.nr ? row + 1 : NULL;
		if (next && segments_cmp(row, next) == 0) { /* sum up segments of equal size */
			for (int s = 0; s < NR_SIDES; s++)
				next->count[s] = number_add(next->count[s], row->count[s]);
			continue;
		}
		int64_t change = number_sub(row->count[SIDE_CANDIDATE], row->count[SIDE_BASELINE]);
		group->change = number_add(group->change, change);
		node_add_row(&b->parts, group,
		             arena_printf(a, "%s, from %s", text_line(a, row->kind),
		                          unit_text(a, UNIT_BYTES, row->from)),
		             change, unit_movement(a, UNIT_COUNT, row->count[0], row->count[1]));
	}
	node_add_row(&b->parts, &b->root, "not in the list of segments",
	             number_sub(b->change, group->change), "");
	vec_release(&all);
}

/* ---- the site for the message ---- */

/* The site whose bytes grew most, of those whose function is known; NULL if none grew. */
static const struct memory_item *grown_most(struct memory_breakdown *b, enum memory_list list)
{
	struct node root = { 0 };
	struct node *sites = memory_sites_add(&b->parts, &root, b->memory, list, b->steps);
	const struct memory_item *most = NULL;
	int64_t largest = 0;
	nodes_sort(&b->parts, sites);
	for (struct node *category = sites->first; category; category = category->next) {
		nodes_sort(&b->parts, category);
		for (const struct node *n = category->first; n; n = n->next) {
			const struct site_place *p = n->of;
			if (!memory_item_has_place(p->item) || n->change <= largest)
				continue;
			most = p->item;
			largest = n->change;
		}
	}
	return most;
}

/* Text that names the cause of fragmentation. This is the site of the small blocks that split up
   the free memory, if these split up at least a tenth of it. Otherwise it is the site that grew
   most: when its blocks are freed, other allocations often cannot use the gaps. NULL if no site
   grew. */
static const char *fragmented_by(struct memory_breakdown *b, enum memory_list list)
{
	const struct memory_ref *m = &b->memory[SIDE_CANDIDATE];
	struct arena *a = b->parts.arena;
	size_t nr;
	const struct memory_item *pinned =
	    memory_list_of(m->digest, m->stat->id, MEMORY_LIST_PINNED, &nr);
	__int128 unused = (__int128)m->stat->end_reserved - m->stat->end_allocated;
	if (nr && (__int128)pinned->other * 10 >= unused)
		return arena_printf(a, "at the end %s of it held apart by blocks of %s",
		                    unit_text(a, UNIT_BYTES, pinned->other), place_name(b, pinned));
	const struct memory_item *most = grown_most(b, list);
	return most ? arena_printf(a, "what is allocated then grew most at %s", place_name(b, most))
	            : NULL;
}

static const char *main_site(struct memory_breakdown *b, enum metric_id id)
{
	int64_t change = b->change, largest = b->largest_change;
	if (b->parts.out->unit == UNIT_PCT)
		return change <= 0 || id == METRIC_MEMORY_ROUNDING_PCT
		           ? NULL
		           : fragmented_by(b, id == METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT
		                                  ? MEMORY_LIST_PEAK
		                                  : MEMORY_LIST_END);
	if (parts_order(b->unused, largest) < 0 && (b->unused > 0) == (change > 0))
		return "most of it not in use";
	if (!b->largest)
		return NULL;
	bool most = parts_order(number_sub(change, largest), largest) > 0;
	return arena_printf(b->parts.arena, "%s of it %s %s", most ? "most" : "the largest part",
	                    memory_item_has_place(b->largest) ? "at" : "in", place_name(b, b->largest));
}

/* ---- choice of the breakdown ---- */

/* For each metric, the list of sites that explains its change. `whole`: true if the bytes in the
 * list add up to the metric; false if they are only a part of it. */
static const struct site_list {
	enum metric_id metric;
	enum memory_list list;
	bool whole;
} site_lists[] = {
	{ METRIC_MEMORY_PEAK_ALLOCATED, MEMORY_LIST_PEAK, true },
	{ METRIC_MEMORY_PEAK_RESERVED, MEMORY_LIST_PEAK, false },
	{ METRIC_MEMORY_END_ALLOCATED, MEMORY_LIST_END, true },
	{ METRIC_MEMORY_END_RESERVED, MEMORY_LIST_END, false },
	{ METRIC_MEMORY_GROWTH_PER_STEP, MEMORY_LIST_GROWTH, true },
};

/* True if both sides have the list, from one kind of source, which is not a trace. Memory from a
   snapshot has every list, though some may be empty. */
static bool has_sites(const struct memory_ref m[NR_SIDES], enum memory_list list)
{
	size_t nr[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		memory_list_of(m[s].digest, m[s].stat->id, list, &nr[s]);
	return m[0].stat->source == m[1].stat->source && m[0].stat->source != MEMORY_OF_TRACE &&
	       ((nr[0] && nr[1]) || m[0].stat->source == MEMORY_OF_SNAPSHOT);
}

/* Build the breakdown: by site if both sides have a list of sites that adds up to the metric, else
   by terms, by number and size of allocations, or by segments. Returns the words after "by" in its
   title, or NULL if there is no breakdown. */
static const char *build(struct memory_breakdown *b, const struct metric *m)
{
	const struct site_list *sites = NULL;
	for (size_t i = 0; i < NR_OF(site_lists); i++)
		if (site_lists[i].metric == m->id && has_sites(b->memory, site_lists[i].list))
			sites = &site_lists[i];
	b->sites_known = sites;
	b->list = sites ? sites->list : MEMORY_LIST_END;
	if (sites && sites->whole) {
		bool growth = b->list == MEMORY_LIST_GROWTH;
		if (growth)
			set_steps(b);
		add_sites(b, &b->root, b->change,
		          growth ? "sites that do not grow, not attributed" : UNEXPLAINED);
		return "category and site";
	}
	const struct term_sum *t;
	for (size_t i = 0; (t = terms_of(m->id, i)); i++) {
		int64_t value[NR_SIDES][TERM_ROWS];
		if (!values_of(t, b->memory, value))
			continue;
		m->parts == PARTS_SHARE ? add_share(b, t, value) : add_terms(b, t, value);
		return sites ? "category and site" : t->by;
	}
	if (m->parts == PARTS_CALLS)
		return add_churn(b) ? "what it is made of" : NULL;
	if (m->parts != PARTS_SEGMENTS)
		return NULL;
	add_segments(b);
	return "kind and size";
}

struct breakdown *breakdown_of_memory(const struct bench *b, const struct query *q,
                                      const struct entry *e, int64_t baseline, struct arena *a,
                                      const char **where)
{
	struct memory_breakdown w = { .steps = { 1, 1 } };
	struct memory_pair pair;
	*where = NULL;
	if (q->metric->need != NEED_MEMORY || !memory_pair_find(b, q, e, &pair))
		return NULL;
	w.memory = pair.memory;
	w.change = number_sub(pair.value[SIDE_CANDIDATE], pair.value[SIDE_BASELINE]);
	int64_t later = number_sub(pair.value[SIDE_BASELINE], baseline);
	int64_t others = number_sub(e->value[SIDE_CANDIDATE], pair.value[SIDE_CANDIDATE]);
	const char *of = memory_pair_name(b, pair.memory, a);
	w.parts = parts_new(a, q->metric, "", number_sub(e->value[SIDE_CANDIDATE], baseline));
	w.parts.out->memory = of;
	w.parts.describe = describe_place;
	w.parts.ctx = &w;
	const char *by = build(&w, q->metric);
	if (by) {
		w.parts.out->title = arena_printf(a, "%s of %s by %s", q->metric->name, of, by);
		parts_write(&w.parts, &w.root, later, "median of the runs − this run", others);
	}
	if (by && w.change)
		*where = main_site(&w, q->metric->id);
	parts_drop(&w.parts);
	return by ? w.parts.out : NULL;
}
