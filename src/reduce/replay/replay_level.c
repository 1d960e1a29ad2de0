#include "base/number.h"
#include "replay/level_points.h"
#include "replay/replay_internal.h"

/* A block that was allocated (bytes > 0) or freed (bytes < 0) between the first and the last step
 * end. */
struct rise {
	uint32_t site;
	uint32_t step; ///< index of the first step end after this change
	int64_t bytes, blocks;
};

struct level_walk {
	struct replay *r;
	struct memory_level now; ///< levels of memory at the moment that the walk has reached
	struct level_points points;
	bool timed; ///< true if an entry with a known time has been passed
	size_t next_end; ///< index of the device's next step end
	int64_t ooms;
	VEC(int64_t) ends; ///< bytes allocated at the ends of steps
	VEC(struct rise) rises;
};

/* ---- level over time ---- */

static void add_level(struct level_walk *w, uint32_t m)
{
	w->now.entries = m;
	w->now.time_us = replay_time(w->r, m);
	level_points_add(&w->points, &w->now);
}

/* ---- out-of-memory errors ---- */

/* Keeps the level at each of the last MEMORY_OOMS out-of-memory errors, and finds the sites of
 * these errors. */
static enum status add_oom(struct level_walk *w, uint32_t i)
{
	uint32_t site;
	if (++w->ooms <= w->r->stat.oom_count - MEMORY_OOMS)
		return ST_OK;
	vec_push(&w->points.list, w->now);
	w->r->last_oom = i;
	w->r->oom_allocated = w->now.allocated;
	return sites_find(&w->r->sites, w->r->entries[i].stack, &site, w->r->log);
}

/* ---- step ends ---- */

/* Stores the present level for all step ends before entry `i`. If a step ended before the first
 * entry, entries were lost, so the level at that step end is unknown. */
static void pass_step_ends(struct level_walk *w, uint32_t i)
{
	struct replay *r = w->r;
	int64_t time = r->entries[i].time_us;
	if (time == INT64_MIN)
		return;
	for (; w->next_end < r->nr_step_ends && r->step_ends[w->next_end].time_us < time; w->next_end++)
		if (w->timed)
			vec_push(&w->ends, w->now.allocated);
		else
			r->evidence.truncated = true;
	w->timed = true;
}

static enum status add_rise(struct level_walk *w, uint32_t i)
{
	struct replay *r = w->r;
	int64_t bytes = replay_delta(&r->entries[i]).allocated;
	uint32_t site;
	if (!bytes || !w->ends.nr || w->next_end >= r->nr_step_ends)
		return ST_OK;
	if (bytes > 0)
		TRY(sites_find(&r->sites, r->entries[i].stack, &site, r->log));
	else
		TRY(replay_freed_site(r, i, &site));
	vec_push(&w->rises, (struct rise){ site, (uint32_t)w->ends.nr, bytes, bytes > 0 ? 1 : -1 });
	return ST_OK;
}

ORDERING(rise_cmp, struct rise, RISING(site) RISING(step))

/* Lists the sites whose live bytes rose from the first to the last step end, and for each the
 * number of steps in which they rose. */
static void growth_rows(struct level_walk *w)
{
	struct memory_items rows = { 0 };
	vec_sort(&w->rises, rise_cmp);
	for (size_t i = 0; i < w->rises.nr;) {
		const struct rise *first = &w->rises.v[i];
		struct memory_item row = replay_row(w->r, MEMORY_LIST_GROWTH, first->site);
		while (i < w->rises.nr && w->rises.v[i].site == first->site) {
			uint32_t step = w->rises.v[i].step;
			int64_t before = row.bytes;
			for (;
			     i < w->rises.nr && w->rises.v[i].site == first->site && w->rises.v[i].step == step;
			     i++) {
				row.bytes += w->rises.v[i].bytes;
				row.blocks += w->rises.v[i].blocks;
			}
			row.other += row.bytes > before;
		}
		if (row.bytes > 0)
			vec_push(&rows.list, row);
	}
	replay_add(w->r, &rows, memory_item_cmp, MEMORY_SITES);
}

/* ---- growth per step ---- */

/* Computes by how much allocated memory grows per step, from the levels at the ends of steps. Uses
   at most MEMORY_STEP_ENDS ends, evenly spaced, including the first and the last. */
static void step_end_growth(struct level_walk *w)
{
	size_t nr = w->ends.nr < MEMORY_STEP_ENDS ? w->ends.nr : MEMORY_STEP_ENDS;
	int64_t levels[MEMORY_STEP_ENDS], steps[MEMORY_STEP_ENDS];
	if (nr < 3)
		return;
	for (size_t i = 0; i < nr; i++) {
		size_t step = i * (w->ends.nr - 1) / (nr - 1);
		levels[i] = w->ends.v[step];
		steps[i] = (int64_t)step;
	}
	w->r->stat.growth_per_step = number_theil_sen(steps, levels, nr);
	growth_rows(w);
}

enum status replay_levels(struct replay *r)
{
	struct level_walk w = { .r = r };
	level_points_init(&w.points, r->nr);
	enum status st = ST_OK;
	w.now = (struct memory_level){ r->stat.id, 0, -1, r->stat.start_allocated, r->start_reserved };
	add_level(&w, 0);
	for (uint32_t i = 0; st == ST_OK && i < r->nr; i++) {
		struct memory_delta d = replay_delta(&r->entries[i]);
		pass_step_ends(&w, i);
		if (r->entries[i].action == ACTION_OOM)
			st = add_oom(&w, i);
		NEXT(st, add_rise(&w, i));
		w.now.allocated += d.allocated;
		w.now.reserved += d.reserved;
		add_level(&w, i + 1);
	}
	if (st == ST_OK) {
		for (; w.timed && w.next_end < r->nr_step_ends; w.next_end++)
			vec_push(&w.ends, w.now.allocated);
		level_points_finish(&w.points, r->d);
		step_end_growth(&w);
	}
	vec_release(&w.points.list);
	vec_release(&w.ends);
	vec_release(&w.rises);
	return st;
}
