/* Reduces XProf's memory profile: levels over time, and allocations that are live at the peak. */
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "model/rows.h"
#include "replay/level_points.h"
#include "replay/memory_rows.h"
#include "replay/records.h"

/* From this number of snapshots on, the profile is a sample: the tool divided its snapshots into
   groups of neighbors, and kept only the highest of each group. Source: default of
   max_num_snapshots, ConvertXPlaneToMemoryProfile() of xplane_to_memory_profile.h, of TensorFlow
   and of openxla/xprof; no tool changes this default. */
enum { SAMPLED_FROM = 1000 };

/* One memory of the profile, and the results of its analysis so far. */
struct xprof_work {
	const struct xprof_memory *m;
	struct xprof_state *v; ///< states of the memory, in order of time
	size_t nr;
	bool complete; ///< true if no state between the first and the last one is missing
	struct memory_stat stat;
	struct memory_items sites; ///< live bytes at the peak by site
	const struct xprof_activity *at_peak; ///< activity at the peak; NULL if unknown
};

static int64_t state_in_use(const struct xprof_state *s)
{
	return s->stack + s->heap;
}

/* ---- levels over time ---- */

static int64_t level_change(const struct xprof_activity *a)
{
	return a->kind == XPROF_ALLOCATION ? a->bytes : a->kind == XPROF_DEALLOCATION ? -a->bytes : 0;
}

ORDERING(state_time_cmp, struct xprof_state, RISING(time_us))

/* True if the changes by activities add up to the difference between the first and the last level,
 * so that no activity is missing. Always false for a profile that may be a sample (SAMPLED_FROM).
 */
static bool leads_from_first_to_last(const struct xprof_work *w)
{
	__int128 level = 0;
	for (size_t i = 1; i < w->nr; i++)
		level += level_change(&w->v[i].activity);
	return w->nr && w->nr < SAMPLED_FROM && level == w->v[w->nr - 1].heap - w->v[0].heap;
}

/* Computes the growth of the bytes in use at the ends of steps. A step has ended once a later step
 * begins. */
static void find_growth(struct xprof_work *w)
{
	VEC(int64_t) steps = VEC_INIT, ends = VEC_INIT;
	int64_t step = w->v[0].activity.step;
	for (size_t i = 1; i < w->nr; i++) {
		if (w->v[i].activity.step <= step)
			continue;
		vec_push(&steps, step);
		vec_push(&ends, state_in_use(&w->v[i - 1]));
		step = w->v[i].activity.step;
	}
	if (steps.nr >= 3)
		w->stat.growth_per_step = number_theil_sen(steps.v, ends.v, steps.nr);
	vec_release(&steps);
	vec_release(&ends);
}

static void count_activities(struct xprof_work *w)
{
	struct memory_stat *p = &w->stat;
	p->alloc_count = p->free_count = p->churn_bytes = 0;
	for (size_t i = 0; i < w->nr; i++) {
		const struct xprof_activity *a = &w->v[i].activity;
		p->alloc_count += a->kind == XPROF_ALLOCATION;
		p->free_count += a->kind == XPROF_DEALLOCATION;
		if (a->kind == XPROF_ALLOCATION)
			p->churn_bytes = number_add(p->churn_bytes, a->requested);
	}
	p->start_allocated = state_in_use(&w->v[0]) - level_change(&w->v[0].activity);
	p->end_allocated = state_in_use(&w->v[w->nr - 1]);
}

static void find_levels(const struct xprof_work *w, struct digest *out)
{
	struct level_points points;
	if (!w->nr)
		return;
	level_points_init(&points, (int64_t)w->nr - 1);
	for (size_t i = 0; i < w->nr; i++)
		level_points_add(&points, &(struct memory_level){ w->stat.id, (int64_t)i, w->v[i].time_us,
		                                                  state_in_use(&w->v[i]), MEMORY_UNKNOWN });
	level_points_finish(&points, out);
}

/* Takes the peak from the summary, if there is one: it covers all allocations and frees, while the
 * profile may have snapshots of only some of them. Without a summary, the peak is the highest level
 * of the snapshots. */
static enum status find_peak(struct xprof_work *w, struct diag_log *log)
{
	const struct xprof_memory *m = w->m;
	int64_t highest = m->has_peak ? state_in_use(&m->peak) : 0;
	for (size_t i = 0; i < w->nr; i++) {
		int64_t level = state_in_use(&w->v[i]);
		if (m->has_peak && level > highest)
			return diag_fail(log, ST_INPUT,
			                 "memory %s: a snapshot has %" PRId64
			                 " bytes in use, the summary %" PRId64 " at the peak: it is damaged",
			                 text_quote(&log->arena, span_of(w->stat.id)), level, highest);
		if (level >= highest) {
			highest = level;
			w->at_peak = &w->v[i].activity;
		}
	}
	w->stat.peak_allocated = highest;
	return ST_OK;
}

/* Limit of the allocator in bytes, or MEMORY_UNKNOWN. Allocators of the host have no limit and
 * report 0 free bytes. */
static int64_t memory_limit(const struct xprof_work *w)
{
	bool limited = w->m->peak.free > 0 || ANY(i, w->nr, w->v[i].free > 0);
	return limited && w->m->capacity > 0 ? w->m->capacity : MEMORY_UNKNOWN;
}

/* ---- allocations at the peak ---- */

/* The activity that a row of active allocations refers to; NULL if the profile lacks it. */
static const struct xprof_activity *active_activity(const struct xprof_memory *m,
                                                    const struct xprof_active *a)
{
	if (a->snapshot >= 0)
		return a->snapshot < (int64_t)m->states.nr ? &m->states.v[a->snapshot].activity : NULL;
	return a->special >= 0 && a->special < (int64_t)m->specials.nr ? &m->specials.v[a->special]
	                                                               : NULL;
}

/* Type and shape as text, such as "float[3, 3, 512, 512]", without the words that XProf writes for
 * unknown parts. Source: InsertSpecialAllocations() of xplane_to_memory_profile.cc;
 * DataTypeString(). */
static struct span type_and_shape(const struct xprof_activity *a, struct arena *arena)
{
	struct span type = name_span(a->type), shape = name_span(a->shape);
	struct strbuf b = STRBUF_INIT;
	if (!span_eq(type, SPAN("INVALID")))
		strbuf_add(&b, type);
	if (!span_eq(shape, SPAN("unknown")))
		strbuf_add(&b, shape);
	struct span text = { arena_dup(arena, strbuf_span(&b)), b.n };
	strbuf_release(&b);
	return text;
}

ORDERING(category_cmp, struct memory_item, BY_SPAN(category))
ORDERING(row_site_cmp, struct memory_item, THEN(category_cmp(x, y)) BY_SPAN(file) BY_SPAN(function))

static enum status list_active_rows(struct xprof_work *w, struct arena *arena, struct diag_log *log)
{
	__int128 sum = 0;
	for (size_t i = 0; i < w->m->actives.nr; i++) {
		const struct xprof_active *active = &w->m->actives.v[i];
		const struct xprof_activity *a = active_activity(w->m, active);
		if (!a)
			return diag_fail(log, ST_INPUT,
			                 "memory %s: activeAllocations[%zu] names an allocation that is not "
			                 "there: it is damaged",
			                 text_quote(&log->arena, span_of(w->stat.id)), i);
		sum += (__int128)a->bytes * active->occurrences;
		if (sum >= RECORD_BYTES)
			return diag_fail(log, ST_INPUT,
			                 "memory %s: its active allocations add up to 4 EiB or more: it is "
			                 "damaged",
			                 text_quote(&log->arena, span_of(w->stat.id)));
		struct memory_item row = memory_item_of(w->stat.id, MEMORY_LIST_PEAK);
		row.category = span_of(a->region->n ? text_valid(arena, name_span(a->region)) : "other");
		row.file = a->op->n ? arena_span(arena, name_span(a->op)) : SPAN("no operator");
		row.function = type_and_shape(a, arena);
		row.bytes = a->bytes * active->occurrences;
		row.blocks = active->occurrences;
		row.largest = a->requested;
		vec_push(&w->sites.list, row);
	}
	struct memory_item rest = memory_item_of(w->stat.id, MEMORY_LIST_PEAK);
	rest.kind = SITE_UNEXPLAINED;
	rest.category = SPAN("unexplained");
	rest.bytes = w->stat.peak_allocated - (int64_t)sum;
	if (w->sites.list.nr && rest.bytes)
		vec_push(&w->sites.list, rest);
	return ST_OK;
}

static void join_rows(void *to, void *row)
{
	row_add(&memory_item_row, ROWS_SMALL, to, row);
}

/* Adds a row for each category; the rows of sites must not be cut yet. */
static void add_region_categories(const struct xprof_work *w, struct digest *out)
{
	struct memory_items rows = { 0 };
	for (size_t i = 0; i < w->sites.list.nr; i++) {
		struct memory_item row = w->sites.list.v[i];
		row.list = MEMORY_LIST_CATEGORY;
		row.kind = SITE_USER;
		row.file = row.function = SPAN("");
		row.other = MEMORY_UNKNOWN;
		vec_push(&rows.list, row);
	}
	vec_unite(&rows.list, category_cmp, join_rows);
	memory_items_add(out, &rows, memory_item_cmp, SIZE_MAX);
}

/* ---- memories of the profile ---- */

static enum status reduce_memory(struct xprof_work *w, struct digest *out, struct diag_log *log)
{
	w->complete = leads_from_first_to_last(w);
	TRY(find_peak(w, log));
	find_levels(w, out);
	if (w->complete) {
		count_activities(w);
		find_growth(w);
	}
	w->stat.capacity = memory_limit(w);
	TRY(list_active_rows(w, &out->arena, log));
	vec_unite(&w->sites.list, row_site_cmp, join_rows);
	add_region_categories(w, out);
	memory_items_cut(&w->sites);
	memory_items_add(out, &w->sites, memory_item_cmp, MEMORY_SITES);
	if (w->at_peak && w->at_peak->kind == XPROF_ALLOCATION && w->at_peak->op->n)
		w->stat.peak_op = text_valid(&out->arena, name_span(w->at_peak->op));
	memory_add(out, &w->stat, (struct memory_evidence){ .history = true, .midway = true });
	return ST_OK;
}

ORDERING(work_id_cmp, struct xprof_work, BY_TEXT(stat.id))

struct xprof_works {
	VEC(struct xprof_work) list;
};

/* Lists the memories that have any record, sorted by id. */
static void list_memories(const struct xprof_profile *p, struct xprof_works *out, struct digest *d)
{
	for (size_t i = 0; i < p->memories.nr; i++) {
		const struct xprof_memory *m = &p->memories.v[i];
		/* in version 0 of the format, `states` covers the whole time; in version 1, `samples`
		   does */
		bool old = m->samples.nr == 0 && p->version == 0;
		const char *id = m->id->n ? text_valid(&d->arena, name_span(m->id)) : "unnamed";
		struct xprof_work w = { .m = m,
			                    .v = old ? m->states.v : m->samples.v,
			                    .nr = old ? m->states.nr : m->samples.nr,
			                    .stat = memory_stat_unknown(id, MEMORY_OF_XPROF) };
		w.stat.events = (int64_t)w.nr;
		if (w.nr || m->has_peak)
			vec_push(&out->list, w);
	}
	vec_sort(&out->list, work_id_cmp);
}

static enum status reduce_all(struct xprof_works *works, struct digest *out, struct diag_log *log)
{
	if (works->list.nr == 0)
		return diag_fail(log, ST_INPUT,
		                 "a memory profile without a memory: nothing was allocated "
		                 "or freed while it was recorded");
	for (size_t i = 0; i < works->list.nr; i++) {
		struct xprof_work *w = &works->list.v[i];
		if (i && work_id_cmp(w - 1, w) == 0)
			return diag_fail(log, ST_INPUT, "memory %s is there twice: it is damaged",
			                 text_quote(&log->arena, span_of(w->stat.id)));
		TRY(reduce_memory(w, out, log));
	}
	return ST_OK;
}

enum status xprof_reduce(struct xprof_profile *p, struct digest *out, struct diag_log *log)
{
	struct xprof_works works = { 0 };
	list_memories(p, &works, out);
	for (size_t i = 0; i < works.list.nr; i++)
		sort_plain(works.list.v[i].v, works.list.v[i].nr, sizeof(struct xprof_state),
		           state_time_cmp);
	enum status st = reduce_all(&works, out, log);
	memories_finish(out, p->json_faults, p->fault_byte);
	for (size_t i = 0; i < works.list.nr; i++)
		vec_release(&works.list.v[i].sites.list);
	vec_release(&works.list);
	return st;
}
