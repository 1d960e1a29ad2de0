/* Reduces the memory timeline of torch.profiler: levels over time, divided into categories. */
#include "base/number.h"
#include "model/rows.h"
#include "replay/level_points.h"
#include "replay/memory_rows.h"
#include "replay/records.h"

#define TIMELINE "timeline"

/* Names of the categories as torch shows them; the last category is None in torch. */
static const char *const names[TIMELINE_CATEGORIES] = {
	"parameter",  "optimizer state", "input",           "temporary",
	"activation", "gradient",        "autograd detail", "unknown",
};

/* Live bytes of each category at one moment. */
struct category_levels {
	int64_t level;
	int64_t bytes[TIMELINE_CATEGORIES], blocks[TIMELINE_CATEGORIES];
};

struct timeline_walk {
	const struct memory_timeline *t;
	struct memory_stat stat;
	struct memory_evidence evidence;
	struct level_points points;
	size_t next; ///< index of the next row of the timeline
	struct category_levels now, peak;
	int64_t largest[TIMELINE_CATEGORIES];
};

/* ---- levels over time ---- */

static void apply_row(struct timeline_walk *w, const struct timeline_row *row)
{
	struct category_levels *l = &w->now;
	size_t c = row->category;
	bool taken = row->action == TIMELINE_DESTROY || (row->action == TIMELINE_VERSION && row->more);
	l->level += row->bytes;
	l->bytes[c] += row->bytes;
	l->blocks[c] += taken ? -1 : 1;
	number_raise(&w->largest[c], row->bytes);
	if (!w->t->raw)
		return;
	w->stat.alloc_count += row->action == TIMELINE_CREATE;
	w->stat.free_count += row->action == TIMELINE_DESTROY;
	w->stat.churn_bytes += row->action == TIMELINE_CREATE ? row->bytes : 0;
}

/* Applies all rows that have the next timestamp. */
static void pass_moment(struct timeline_walk *w)
{
	do
		apply_row(w, &w->t->rows.v[w->next]);
	while (w->t->rows.v[w->next++].more);
}

/* Applies the rows about memory from before the recording. In a timeline that gives only sizes,
 * these rows are the rows of its first moment. */
static void pass_start(struct timeline_walk *w)
{
	const struct memory_timeline *t = w->t;
	if (!t->raw)
		pass_moment(w);
	while (t->raw && w->next < t->rows.nr && t->rows.v[w->next].time_us < 0)
		pass_moment(w);
	w->stat.start_allocated = t->raw ? w->now.level : MEMORY_UNKNOWN;
}

static void note_level(struct timeline_walk *w, int64_t moment, int64_t time_us)
{
	level_points_add(&w->points, &(struct memory_level){ w->stat.id, moment, time_us, w->now.level,
	                                                     MEMORY_UNKNOWN });
	/* if several peaks are equal, the latest is taken */
	if (moment == 0 || w->now.level >= w->peak.level)
		w->peak = w->now;
	number_lower(&w->evidence.lowest_allocated, w->now.level);
}

static void pass_all(struct timeline_walk *w)
{
	const struct memory_timeline *t = w->t;
	pass_start(w);
	for (size_t i = w->next; i < t->rows.nr; i++)
		w->stat.events += !t->rows.v[i].more;
	level_points_init(&w->points, w->stat.events);
	note_level(w, 0, t->rows.v[w->next < t->rows.nr ? w->next : t->rows.nr - 1].time_us);
	for (int64_t m = 1; m <= w->stat.events; m++) {
		pass_moment(w);
		note_level(w, m, t->rows.v[w->next - 1].time_us);
	}
	w->stat.peak_allocated = w->peak.level;
	w->stat.end_allocated = w->now.level;
}

/* ---- rows of categories ---- */

/* A row for category `c` at one moment. Since the place in the code is unknown, the name of the
 * category is used as the place, except in MEMORY_LIST_CATEGORY, which has no places. */
static struct memory_item category_row(const struct timeline_walk *w, enum memory_list list,
                                       const struct category_levels *l, size_t c)
{
	struct memory_item row = memory_item_of(w->stat.id, list);
	row.category = span_of(names[c]);
	row.file = list == MEMORY_LIST_CATEGORY ? SPAN("") : row.category;
	row.bytes = l->bytes[c];
	row.blocks = w->t->raw ? l->blocks[c] : MEMORY_UNKNOWN;
	row.largest = w->t->raw ? w->largest[c] : MEMORY_UNKNOWN;
	row.other = list == MEMORY_LIST_CATEGORY ? w->now.bytes[c] : 0;
	return row;
}

static void add_timeline_categories(const struct timeline_walk *w, struct digest *out)
{
	for (int list = MEMORY_LIST_CATEGORY; list <= MEMORY_LIST_END; list++) {
		struct memory_items rows = { 0 };
		for (size_t c = 0; c < TIMELINE_CATEGORIES; c++) {
			struct memory_item row = category_row(w, (enum memory_list)list,
			                                      list == MEMORY_LIST_END ? &w->now : &w->peak, c);
			if (row.bytes || row.other)
				vec_push(&rows.list, row);
		}
		memory_items_add(out, &rows, memory_item_cmp, TIMELINE_CATEGORIES);
	}
}

void timeline_reduce(const struct memory_timeline *t, struct digest *out)
{
	struct timeline_walk w = { .t = t,
		                       .stat = memory_stat_unknown(TIMELINE, MEMORY_OF_TIMELINE),
		                       .evidence = { .history = true, .midway = true } };
	if (t->raw)
		w.stat.alloc_count = w.stat.free_count = w.stat.churn_bytes = 0;
	pass_all(&w);
	level_points_finish(&w.points, out);
	add_timeline_categories(&w, out);
	memory_add(out, &w.stat, w.evidence);
	memories_finish(out, t->json_faults, t->fault_byte);
}
