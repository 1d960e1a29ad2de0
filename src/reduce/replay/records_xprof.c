/* XProf's memory profile: levels over time, and the allocations that its tool lists at the peak. */
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "model/memory_view.h"
#include "replay/level_points.h"
#include "replay/records.h"
#include "replay/snapshot_digest.h"

/* From this number of snapshots on, the profile is a sample: the tool divided its snapshots into
   groups of neighbors, and kept only the highest of each group. Source: default of
   max_num_snapshots, ConvertXPlaneToMemoryProfile() of xplane_to_memory_profile.h, of TensorFlow
   and of openxla/xprof; no tool changes this default. */
enum { SAMPLED_FROM = 1000 };

/* One memory of the profile, and the results of its analysis so far. */
struct xprof_work {
	const struct xprof_memory *m;
	const char *id;
	struct xprof_state *v; ///< states of the memory, in order of time
	size_t nr;
	bool complete; ///< true if no state between the first and the last one is missing
	struct memory_profile p;
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

/* True if the changes by activities add up to the difference of the first and last level, so that
 * no activity was left out. */
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
	w->p.has_growth = steps.nr >= 3;
	if (w->p.has_growth)
		w->p.growth_per_step = number_theil_sen(steps.v, ends.v, steps.nr);
	vec_release(&steps);
	vec_release(&ends);
}

static void count_activities(struct xprof_work *w)
{
	struct memory_profile *p = &w->p;
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

static void find_levels(struct xprof_work *w)
{
	struct level_points points;
	w->p.entries = (int64_t)w->nr;
	if (!w->nr)
		return;
	level_points_init(&points, &w->p, (int64_t)w->nr - 1);
	for (size_t i = 0; i < w->nr; i++)
		level_points_add(&points, &(struct memory_point){ (int64_t)i, w->v[i].time_us,
		                                                  state_in_use(&w->v[i]), MEMORY_UNKNOWN });
	level_points_finish(&points);
}

/* Takes the peak from the summary, which covers all allocations and frees; snapshots may exist for
   only some of these. */
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
			                 text_quote(&log->arena, span_of(w->id)), level, highest);
		if (level >= highest) {
			highest = level;
			w->at_peak = &w->v[i].activity;
		}
	}
	w->p.peak_allocated = highest;
	return ST_OK;
}

/* Limit of the allocator in bytes, or -1 if unknown. Allocators of the host have no limit and
 * report 0 free bytes. */
static int64_t memory_limit(const struct xprof_work *w)
{
	bool limited = w->m->peak.free > 0;
	for (size_t i = 0; i < w->nr; i++)
		limited = limited || w->v[i].free > 0;
	return limited && w->m->capacity > 0 ? w->m->capacity : -1;
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

/* Type and shape as text, "float[3, 3, 512, 512]", without the words that XProf writes for unknown
   parts. Source: InsertSpecialAllocations() of xplane_to_memory_profile.cc; DataTypeString(). */
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

ORDERING(row_site_cmp, struct memory_row,
         BY_TEXT(site.category) BY_SPAN(site.file) BY_SPAN(site.function))

static struct memory_row plain_row(enum site_kind kind, const char *category)
{
	return (struct memory_row){
		.site = { .category = category, .kind = kind, .file = SPAN(""), .function = SPAN("") }
	};
}

static enum status list_active_rows(struct xprof_work *w, struct arena *arena, struct diag_log *log)
{
	struct memory_rows *rows = &w->p.peak_sites;
	__int128 sum = 0;
	for (size_t i = 0; i < w->m->actives.nr; i++) {
		const struct xprof_active *active = &w->m->actives.v[i];
		const struct xprof_activity *a = active_activity(w->m, active);
		if (!a)
			return diag_fail(log, ST_INPUT,
			                 "memory %s: activeAllocations[%zu] names an allocation that is not "
			                 "there: it is damaged",
			                 text_quote(&log->arena, span_of(w->id)), i);
		sum += (__int128)a->bytes * active->occurrences;
		if (sum >= RECORD_BYTES)
			return diag_fail(log, ST_INPUT,
			                 "memory %s: its active allocations add up to 4 EiB or more: it is "
			                 "damaged",
			                 text_quote(&log->arena, span_of(w->id)));
		struct memory_row row =
		    plain_row(SITE_USER, a->region->n ? text_valid(arena, name_span(a->region)) : "other");
		row.site.file = a->op->n ? (struct span){ arena_dup(arena, name_span(a->op)), a->op->n }
		                         : SPAN("no operator");
		row.site.function = type_and_shape(a, arena);
		row.bytes = a->bytes * active->occurrences;
		row.blocks = active->occurrences;
		row.largest = a->requested;
		vec_push(rows, row);
	}
	int64_t rest = w->p.peak_allocated - (int64_t)sum;
	if (rows->nr && rest) {
		vec_push(rows, plain_row(SITE_UNEXPLAINED, "unexplained"));
		rows->v[rows->nr - 1].bytes = rest;
	}
	return ST_OK;
}

static void row_add(struct memory_row *to, const struct memory_row *row)
{
	to->bytes += row->bytes;
	to->blocks = number_add(to->blocks, row->blocks);
	number_raise(&to->largest, row->largest);
}

static void merge_sites(struct memory_rows *rows)
{
	size_t nr = 0;
	vec_sort(rows, row_site_cmp);
	for (size_t i = 0; i < rows->nr; i++)
		if (nr && row_site_cmp(&rows->v[nr - 1], &rows->v[i]) == 0)
			row_add(&rows->v[nr - 1], &rows->v[i]);
		else
			rows->v[nr++] = rows->v[i];
	rows->nr = nr;
	vec_sort(rows, memory_row_cmp);
}

static void cut_rows(struct memory_rows *rows)
{
	struct memory_row rest = plain_row(SITE_REST, "all else");
	if (rows->nr <= MEMORY_SITES)
		return;
	for (size_t i = MEMORY_SITES - 1; i < rows->nr; i++)
		row_add(&rest, &rows->v[i]);
	rows->nr = MEMORY_SITES - 1;
	vec_push(rows, rest);
}

/* Adds up the rows of sites by category. For this, sorts these rows by category, and then restores
 * their order. */
static void add_region_categories(struct memory_profile *p)
{
	struct memory_rows *rows = &p->peak_sites;
	vec_sort(rows, row_site_cmp);
	for (size_t i = 0; i < rows->nr;) {
		struct memory_row all = rows->v[i];
		while (++i < rows->nr && strcmp(rows->v[i].site.category, all.site.category) == 0)
			row_add(&all, &rows->v[i]);
		vec_push(&p->categories, (struct memory_category){ .name = all.site.category,
		                                                   .peak_bytes = all.bytes,
		                                                   .peak_blocks = all.blocks,
		                                                   .end_bytes = MEMORY_UNKNOWN,
		                                                   .largest = all.largest });
	}
	vec_sort(&p->categories, memory_category_cmp);
	vec_sort(rows, memory_row_cmp);
}

/* ---- memories of the profile ---- */

static enum status reduce_memory(struct xprof_work *w, struct digest *out, struct diag_log *log)
{
	w->complete = leads_from_first_to_last(w);
	TRY(find_peak(w, log));
	find_levels(w);
	if (w->complete) {
		count_activities(w);
		find_growth(w);
	}
	w->p.capacity = memory_limit(w);
	TRY(list_active_rows(w, &out->arena, log));
	merge_sites(&w->p.peak_sites);
	add_region_categories(&w->p);
	cut_rows(&w->p.peak_sites);
	profile_add(out, w->id, MEMORY_OF_XPROF, &w->p);
	if (w->at_peak && w->at_peak->kind == XPROF_ALLOCATION && w->at_peak->op->n)
		out->memories.v[out->memories.nr - 1].peak_op =
		    text_valid(&out->arena, name_span(w->at_peak->op));
	return ST_OK;
}

ORDERING(work_id_cmp, struct xprof_work, BY_TEXT(id))

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
		struct xprof_work w = { .m = m,
			                    .v = old ? m->states.v : m->samples.v,
			                    .nr = old ? m->states.nr : m->samples.nr,
			                    .p = record_profile() };
		w.id = m->id->n ? text_valid(&d->arena, name_span(m->id)) : "unnamed";
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
			                 text_quote(&log->arena, span_of(w->id)));
		TRY(reduce_memory(w, out, log));
	}
	return ST_OK;
}

enum status xprof_reduce(struct xprof_profile *p, struct digest *out, struct diag_log *log)
{
	struct xprof_works works = { 0 };
	struct memory_profiles all = { 0 };
	list_memories(p, &works, out);
	for (size_t i = 0; i < works.list.nr; i++)
		sort_plain(works.list.v[i].v, works.list.v[i].nr, sizeof(struct xprof_state),
		           state_time_cmp);
	enum status st = reduce_all(&works, out, log);
	profiles_finish(out, p->json_faults, p->fault_byte);
	for (size_t i = 0; i < works.list.nr; i++)
		vec_push(&all.list, works.list.v[i].p);
	memory_profiles_release(&all);
	vec_release(&works.list);
	return st;
}
