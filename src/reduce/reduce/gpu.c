#include "base/number.h"
#include "model/category.h"
#include "reduce/reducer.h"

void gpu_init(struct gpu_events *g)
{
	g->last_lane = NO_ID;
	g->tick_ns = CLOCK_TICK_MAX;
	idmap_init(&g->name_ids);
	idmap_init(&g->rows);
	idmap_init(&g->devices);
	idmap_init(&g->streams);
	idmap_init(&g->lanes);
	name_table_init(&g->shapes);
}

void gpu_release(struct gpu_events *g)
{
	vec_release(&g->activities);
	free(g->launched);
	vec_release(&g->transfers);
	vec_release(&g->wide.list);
	vec_release(&g->names);
	vec_release(&g->shape_counts);
	idmap_release(&g->name_ids);
	idmap_release(&g->rows);
	idmap_release(&g->devices);
	idmap_release(&g->streams);
	idmap_release(&g->lanes);
	name_table_release(&g->shapes);
}

/* ---- intake of events ---- */

static bool shape_is_smaller(const int64_t *a, const struct kernel_stat *s)
{
	for (int i = 0; i < 6; i++) {
		int64_t b = i < 3 ? s->grid[i] : s->block[i - 3];
		if (a[i] != b)
			return a[i] < b;
	}
	return false;
}

/* Counts a launch of the kernel `name` by launch shape. Sets r->fault if the table is full. */
static void shape_take(struct reducer *r, uint32_t name, const struct event *ev)
{
	struct gpu_shape shape = { .name = name };
	memcpy(shape.dims, ev->grid, sizeof ev->grid);
	memcpy(shape.dims + 3, ev->block, sizeof ev->block);
	const struct name *nm =
	    name_intern(&r->gpu.shapes, (struct span){ (const char *)&shape, sizeof shape });
	if (!nm) {
		r->fault = "more than 16 million launch shapes of kernels: split the trace";
		return;
	}
	struct gpu_name *g = &r->gpu.names.v[name];
	if (nm->id == r->gpu.shape_counts.nr) {
		vec_push(&r->gpu.shape_counts, 0);
		g->stat.shapes++;
	}
	int64_t count = ++r->gpu.shape_counts.v[nm->id];
	if (count > g->shape_count ||
	    (count == g->shape_count && shape_is_smaller(shape.dims, &g->stat))) {
		g->shape_count = count;
		memcpy(g->stat.grid, shape.dims, sizeof g->stat.grid);
		memcpy(g->stat.block, shape.dims + 3, sizeof g->stat.block);
	}
}

/* Number of blocks of a kernel; 0 if unknown, or if there are more than 255. */
static uint32_t blocks_of(const struct event *ev)
{
	uint32_t nr = ev->kind == EVENT_KERNEL;
	for (int i = 0; i < 3 && nr; i++)
		nr = ev->grid[i] > 0 && ev->grid[i] <= 255 / nr ? nr * (uint32_t)ev->grid[i] : 0;
	return nr;
}

static struct row_found *gpu_row_find(struct reducer *r, const struct event *ev, uint32_t lane)
{
	struct row_found *found = row_place(r, ev);
	uint32_t id = found->row_name, place = lane + blocks_of(ev) * GPU_LANES_END;
	if (found->name == ev->name && found->place == place)
		return found;
	if (found->name != ev->name)
		id = idmap_add(&r->gpu.name_ids, idmap_pair(ev->kind, ev->name->id));
	if (id == r->gpu.names.nr) {
		struct gpu_name *g = vec_push_zero(&r->gpu.names);
		struct span name = name_span(ev->name);
		g->stat = (struct kernel_stat){ .kind = ev->kind,
			                            .name = name,
			                            .grid = { -1 },
			                            .occupancy = -1,
			                            .resources = { -1, -1, -1 } };
		g->communication = category_matches_any(r->options.communication, name);
		g->key = code_kernel_key(name);
	}
	uint32_t row = idmap_add(&r->gpu.rows, idmap_pair(id, place));
	if (row >= GPU_ROWS_END || lane >= GPU_LANES_END)
		r->fault = "more than 500 million names, or 16 million streams, on GPUs: split the trace";
	*found = (struct row_found){ ev->name, place, id, row & (GPU_ROWS_END - 1) };
	return found;
}

/* Adds an activity to the figures of its name; returns the id in r->gpu.rows of its name, lane and
   number of blocks. May set r->fault. */
static uint32_t gpu_row_add(struct reducer *r, const struct event *ev, uint32_t lane)
{
	const struct row_found *found = gpu_row_find(r, ev, lane);
	uint32_t id = found->row_name;
	struct gpu_name *g = &r->gpu.names.v[id];
	g->stat.count++;
	g->stat.total_ns += ev->dur_ns;
	number_raise(&g->stat.max_ns, ev->dur_ns);
	if (__builtin_add_overflow(g->stat.bytes, ev->bytes, &g->stat.bytes))
		r->fault = "the bytes of copies add up to more than 2^63: check 'bytes' of the trace";
	if (ev->kind == EVENT_KERNEL && ev->grid[0] >= 0)
		shape_take(r, id, ev);
	for (int i = 0; i < NR_RESOURCES && ev->kind == EVENT_KERNEL; i++)
		number_raise(&g->stat.resources[i], ev->resources[i]);
	/* 0 means unknown, since the occupancy of a kernel that runs is above 0 */
	if (ev->kind == EVENT_KERNEL && ev->occupancy > 0) {
		/* the sum fits, since all times add up to an int64 */
		g->occupancy_sum += (__int128)ev->occupancy * ev->dur_ns;
		g->occupancy_ns += ev->dur_ns;
	}
	return found->row;
}

void gpu_take(struct reducer *r, const struct event *ev)
{
	struct gpu_events *g = &r->gpu;
	if (__builtin_add_overflow(g->total_ns, ev->dur_ns, &g->total_ns)) {
		r->fault = "the durations of GPU activities add up to more than 292 years: check 'dur' of "
		           "the trace";
		return;
	}
	g->tick_ns = number_gcd(number_gcd(g->tick_ns, ev->start_ns), ev->dur_ns);
	if (g->last_lane == NO_ID || ev->device != g->last_device || ev->stream != g->last_stream) {
		uint32_t device = idmap_add(&g->devices, ev->device);
		uint32_t stream = idmap_add(&g->streams, ev->stream);
		g->last_device = ev->device;
		g->last_stream = ev->stream;
		g->last_lane = idmap_add(&g->lanes, idmap_pair(device, stream));
	}
	if (ev->bytes)
		vec_push(&g->transfers, (struct transfer){ (uint32_t)g->activities.nr,
		                                           narrow(&g->wide, ev->bytes, &r->fault) });
	/* CUPTI and roctracer write 0 as the correlation id if they do not know the launching call */
	int64_t correlation = ev->correlation ? ev->correlation : IDENT_NONE;
	struct activity a = { .start_ns = ev->start_ns,
		                  .dur = narrow(&g->wide, ev->dur_ns, &r->fault),
		                  .correlation = narrow(&g->wide, correlation, &r->fault),
		                  .row = gpu_row_add(r, ev, g->last_lane),
		                  .untimed = ev->negative || ev->untimed,
		                  .step = NO_ID };
	if (ev->op || ev->module)
		where_take_stated(r, ev);
	if (ev->node > 0)
		vec_push(&r->graphs.numbers, (struct graph_number){ (uint32_t)g->activities.nr, ev->node });
	vec_push(&g->activities, a);
	if (ev->kind == EVENT_KERNEL && activity_name(g, &a)->communication)
		comm_take_kernel(r, ev);
}

void gpu_keep_launched(struct gpu_events *g)
{
	/* the new list uses the memory of the old one, whose elements are larger */
	struct launched *v = (struct launched *)g->activities.v;
	for (size_t i = 0; i < g->activities.nr; i++) {
		struct activity a = g->activities.v[i];
		if (a.has_launch)
			v[g->nr_launched++] = (struct launched){ a.correlation, a.row, a.dur };
	}
	g->launched = mem_realloc(v, g->nr_launched, sizeof *v);
	g->activities.v = NULL;
	vec_release(&g->activities);
}
