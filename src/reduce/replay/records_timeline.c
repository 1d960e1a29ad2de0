/* The memory timeline of torch.profiler: levels, and the categories that they consist of. */
#include "base/number.h"
#include "replay/level_points.h"
#include "replay/records.h"
#include "replay/snapshot_digest.h"

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
	struct memory_profile p;
	size_t next; ///< index of the next row of the timeline
	struct category_levels now, peak;
	int64_t largest[TIMELINE_CATEGORIES];
};

struct memory_profile record_profile(void)
{
	return (struct memory_profile){
		.capacity = -1,
		.peak_reserved = MEMORY_UNKNOWN,
		.reserved_at_peak = MEMORY_UNKNOWN,
		.start_allocated = MEMORY_UNKNOWN,
		.end_allocated = MEMORY_UNKNOWN,
		.end_reserved = MEMORY_UNKNOWN,
		.end_requested = MEMORY_UNKNOWN,
		.inactive = MEMORY_UNKNOWN,
		.largest_inactive = MEMORY_UNKNOWN,
		.alloc_count = MEMORY_UNKNOWN,
		.free_count = MEMORY_UNKNOWN,
		.churn_bytes = MEMORY_UNKNOWN,
		.segment_count = MEMORY_UNKNOWN,
		.segment_churn = MEMORY_UNKNOWN,
		.segment_allocs = MEMORY_UNKNOWN,
		.oom_count = MEMORY_UNKNOWN,
		.peak_persistent = MEMORY_UNKNOWN,
		.peak_carried = MEMORY_UNKNOWN,
		.peak_transient = MEMORY_UNKNOWN,
		.trust = { .history = true, .midway = true },
	};
}

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
	w->p.alloc_count += row->action == TIMELINE_CREATE;
	w->p.free_count += row->action == TIMELINE_DESTROY;
	w->p.churn_bytes += row->action == TIMELINE_CREATE ? row->bytes : 0;
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
	w->p.start_allocated = t->raw ? w->now.level : MEMORY_UNKNOWN;
}

static void note_level(struct timeline_walk *w, struct level_points *points, int64_t moment,
                       int64_t time_us)
{
	level_points_add(points,
	                 &(struct memory_point){ moment, time_us, w->now.level, MEMORY_UNKNOWN });
	/* if several peaks are equal, the latest is taken */
	if (moment == 0 || w->now.level >= w->peak.level)
		w->peak = w->now;
	number_lower(&w->p.trust.lowest_allocated, w->now.level);
}

static void pass_all(struct timeline_walk *w)
{
	const struct memory_timeline *t = w->t;
	struct level_points points;
	pass_start(w);
	for (size_t i = w->next; i < t->rows.nr; i++)
		w->p.entries += !t->rows.v[i].more;
	level_points_init(&points, &w->p, w->p.entries);
	note_level(w, &points, 0, t->rows.v[w->next < t->rows.nr ? w->next : t->rows.nr - 1].time_us);
	for (int64_t m = 1; m <= w->p.entries; m++) {
		pass_moment(w);
		note_level(w, &points, m, t->rows.v[w->next - 1].time_us);
	}
	level_points_finish(&points);
}

/* ---- rows of categories ---- */

/* Adds a row for a category; its place in the code is unknown. */
static void add_category_row(struct memory_rows *rows, const struct timeline_walk *w,
                             const struct category_levels *l, size_t c)
{
	struct memory_row row = {
		.site = { .category = names[c], .file = span_of(names[c]), .function = SPAN("") },
		.bytes = l->bytes[c],
		.blocks = w->t->raw ? l->blocks[c] : MEMORY_UNKNOWN,
		.largest = w->t->raw ? w->largest[c] : MEMORY_UNKNOWN,
	};
	if (l->bytes[c])
		vec_push(rows, row);
}

static void add_timeline_categories(struct timeline_walk *w)
{
	struct memory_profile *p = &w->p;
	for (size_t c = 0; c < TIMELINE_CATEGORIES; c++) {
		struct memory_category row = {
			.name = names[c],
			.peak_bytes = w->peak.bytes[c],
			.peak_blocks = w->t->raw ? w->peak.blocks[c] : MEMORY_UNKNOWN,
			.end_bytes = w->now.bytes[c],
			.largest = w->t->raw ? w->largest[c] : MEMORY_UNKNOWN,
		};
		if (row.peak_bytes || row.end_bytes)
			vec_push(&p->categories, row);
		add_category_row(&p->peak_sites, w, &w->peak, c);
		add_category_row(&p->end_sites, w, &w->now, c);
	}
	vec_sort(&p->categories, memory_category_cmp);
	vec_sort(&p->peak_sites, memory_row_cmp);
	vec_sort(&p->end_sites, memory_row_cmp);
}

void timeline_reduce(const struct memory_timeline *t, struct digest *out)
{
	struct memory_profiles all = { 0 };
	struct timeline_walk w = { .t = t, .p = record_profile() };
	if (t->raw)
		w.p.alloc_count = w.p.free_count = w.p.churn_bytes = 0;
	pass_all(&w);
	w.p.peak_allocated = w.peak.level;
	w.p.end_allocated = w.now.level;
	add_timeline_categories(&w);
	profile_add(out, TIMELINE, MEMORY_OF_TIMELINE, &w.p);
	profiles_finish(out, t->json_faults, t->fault_byte);
	vec_push(&all.list, w.p);
	memory_profiles_release(&all);
}
