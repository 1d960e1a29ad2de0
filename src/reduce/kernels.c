#include <string.h>

#include "model/category.h"
#include "reduce/reducer.h"

static bool shape_is_smaller(const int64_t *a, const struct kernel_stat *s)
{
	for (int i = 0; i < 6; i++) {
		int64_t b = i < 3 ? s->grid[i] : s->block[i - 3];
		if (a[i] != b)
			return a[i] < b;
	}
	return false;
}

void gpu_shape_add(struct reducer *r, const struct gpu_shape *shape, int64_t nr)
{
	const struct name *nm =
	    name_intern(&r->shapes, (struct span){ (const char *)shape, sizeof *shape });
	if (!nm) {
		r->fault = "more than 16 million launch shapes of kernels: split the trace";
		return;
	}
	struct gpu_name *g = &r->gpu_names.v[shape->name];
	if (nm->id == r->shape_counts.nr) {
		vec_push(&r->shape_counts, 0);
		g->stat.shapes++;
	}
	int64_t count = r->shape_counts.v[nm->id] += nr;
	if (count > g->shape_count ||
	    (count == g->shape_count && shape_is_smaller(shape->dims, &g->stat))) {
		g->shape_count = count;
		memcpy(g->stat.grid, shape->dims, sizeof g->stat.grid);
		memcpy(g->stat.block, shape->dims + 3, sizeof g->stat.block);
	}
}

static void add_shape(struct reducer *r, uint32_t name, const struct event *ev)
{
	struct gpu_shape shape = { .name = name };
	memcpy(shape.dims, ev->grid, sizeof ev->grid);
	memcpy(shape.dims + 3, ev->block, sizeof ev->block);
	gpu_shape_add(r, &shape, 1);
}

struct gpu_name gpu_name_new(enum event_kind kind, struct span name, bool communication)
{
	return (struct gpu_name){
		.stat = { .kind = kind, .name = name, .grid = { -1 }, .occupancy = -1 },
		.communication = communication,
	};
}

static struct row_found *find_row(struct reducer *r, const struct event *ev, uint32_t lane)
{
	struct row_found *found = row_place(r, ev);
	uint32_t id = found->row_name;
	if (found->name == ev->name && found->kind == ev->kind && found->place == lane)
		return found;
	if (found->name != ev->name || found->kind != ev->kind)
		id = idmap_add(&r->gpu_ids, idmap_pair(ev->kind, ev->name->id));
	if (id == r->gpu_names.nr) {
		struct span name = name_span(ev->name);
		bool communication = category_matches_any(r->options.communication, name);
		vec_push(&r->gpu_names, gpu_name_new(ev->kind, name, communication));
	}
	uint32_t row = idmap_add(&r->gpu_rows, idmap_pair(id, lane));
	if (row >> 31)
		r->fault = "more than 2 billion names and streams of GPU activities: split the trace";
	*found = (struct row_found){ ev->name, ev->kind, lane, id, row & INT32_MAX };
	return found;
}

uint32_t gpu_row_add(struct reducer *r, const struct event *ev, uint32_t lane)
{
	const struct row_found *found = find_row(r, ev, lane);
	uint32_t id = found->row_name;
	struct gpu_name *g = &r->gpu_names.v[id];
	g->stat.count++;
	g->stat.total_ns += ev->dur_ns;
	if (ev->dur_ns > g->stat.max_ns)
		g->stat.max_ns = ev->dur_ns;
	if (__builtin_add_overflow(g->stat.bytes, ev->bytes, &g->stat.bytes))
		r->fault = "the bytes of copies add up to more than 2^63: check 'bytes' of the trace";
	if (ev->kind == EVENT_KERNEL && ev->grid[0] >= 0)
		add_shape(r, id, ev);
	if (ev->kind == EVENT_KERNEL && ev->occupancy >= 0) {
		/* fits: the times add up to an int64 */
		g->occupancy_sum += (__int128)ev->occupancy * ev->dur_ns;
		g->occupancy_ns += ev->dur_ns;
	}
	return found->row;
}

static enum status step_bytes(struct reducer *r, struct digest *d, struct diag_log *log)
{
	bool over = false;
	for (size_t i = 0; i < r->transfers.nr; i++) {
		const struct transfer *t = &r->transfers.v[i];
		const struct activity *a = &r->activities.v[t->activity];
		struct kernel_stat *k = &activity_name(r, a)->stat;
		uint32_t step = steps_measured(r, a->step);
		if (step == NO_ID)
			continue;
		if (steps_usable(r, a->step) != NO_ID)
			over |= __builtin_add_overflow(k->step_bytes, t->bytes, &k->step_bytes);
		int64_t *sample = &d->samples[METRIC_STEP_MEMCPY_BYTES][step];
		if (k->kind == EVENT_MEMCPY)
			over |= __builtin_add_overflow(*sample, t->bytes, sample);
	}
	return over ? diag_fail(log, ST_INPUT,
	                        "the bytes of a step's copies add up to more than 2^63: check 'bytes' "
	                        "of the trace")
	            : ST_OK;
}

static void stat_add(struct kernel_stat *k, int64_t dur_ns)
{
	k->step_count++;
	k->step_total_ns += dur_ns;
	if (dur_ns > k->step_max_ns)
		k->step_max_ns = dur_ns;
}

enum status kernel_figures(struct reducer *r, struct digest *d, struct diag_log *log)
{
	TRY(step_bytes(r, d, log));
	for (size_t i = 0; i < r->activities.nr; i++) {
		const struct activity *a = &r->activities.v[i];
		struct gpu_name *g = activity_name(r, a);
		if (steps_usable(r, a->step) == NO_ID)
			continue;
		stat_add(&g->stat, activity_dur(r, a));
		if (phases_has_activity(r, a))
			stat_add(&g->phase, activity_dur(r, a));
	}
	for (size_t i = 0; i < r->gpu_names.nr; i++) {
		const struct gpu_name *g = &r->gpu_names.v[i];
		struct kernel_stat k = g->stat;
		k.name = (struct span){ arena_dup(&d->arena, k.name), k.name.n };
		if (g->occupancy_ns)
			k.occupancy = number_div_round(g->occupancy_sum, g->occupancy_ns);
		vec_push(&d->kernels, k);
	}
	vec_sort(&d->kernels, kernel_stat_cmp);
	return ST_OK;
}
