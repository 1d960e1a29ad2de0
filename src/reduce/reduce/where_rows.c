/* The code table: one row for all activities of one name whose launches have the same code around
   them. */
#include "base/number.h"
#include "base/strbuf.h"
#include "model/rows.h"
#include "reduce/reducer.h"

/* Largest number of rows with names; rows beyond this number lose their names, and are summed.
 * digest_small() later keeps far fewer. */
enum { WHERE_ROWS = 4096 };

struct where_sum {
	int64_t count, total_ns, bytes;
};

struct where_sums {
	struct idmap ids; ///< ids of pairs (id in `moments`, index into `gpu.names` or WHERE_SYNC)
	VEC(struct where_sum) list;
};

/* Adds `more` to the sum for a name and a moment (struct where_moment), unless `moment` is
   NO_ID. */
static void add(struct where_sums *s, uint32_t moment, uint32_t name, struct where_sum more)
{
	if (moment == NO_ID)
		return;
	uint32_t id = idmap_add(&s->ids, idmap_pair(moment, name));
	struct where_sum *sum = id == s->list.nr ? vec_push_zero(&s->list) : &s->list.v[id];
	sum->count += more.count;
	sum->total_ns += more.total_ns;
	sum->bytes = number_add(sum->bytes, more.bytes);
}

static void add_activities(struct reducer *r, struct where_sums *s)
{
	const struct where *w = &r->where;
	for (size_t i = 0; !w->work.nr && i < r->gpu.nr_launched; i++) {
		const struct launched *l = &r->gpu.launched[i];
		add(s, where_of_span(w, l->span), idmap_pair_first(r->gpu.rows.keys.v[l->row]),
		    (struct where_sum){ 1, widen(&r->gpu.wide, l->dur), 0 });
	}
	for (size_t i = 0; i < w->work.nr; i++) {
		const struct where_work *work = &w->work.v[i];
		add(s, where_moment_of(r, work), work->name,
		    (struct where_sum){ 1, work->dur_ns, work->bytes });
	}
	for (size_t i = 0; i < w->bytes.nr; i++) {
		const struct where_bytes *b = &w->bytes.v[i];
		add(s, where_of_span(w, b->span), b->name,
		    (struct where_sum){ .bytes = widen(&r->gpu.wide, b->bytes) });
	}
	for (size_t i = 0; i < w->syncs.nr; i++) {
		uint32_t span = w->syncs.v[i];
		add(s, where_of_span(w, span), WHERE_SYNC,
		    (struct where_sum){ 1, span_dur(&r->host, &r->host.spans.v[span]), 0 });
	}
}

/* ---- rows of the code table ---- */

/* Text of a frame, "FILE:FUNCTION"; made at the first call and then reused. */
static struct span place_text(struct where *w, struct digest *d, uint32_t frame)
{
	const struct code_frame *f = &w->places.frames.v[frame];
	while (w->place_texts.nr <= frame)
		vec_push(&w->place_texts, NULL);
	if (!w->place_texts.v[frame]) {
		struct strbuf b = STRBUF_INIT;
		strbuf_add(&b, f->file);
		strbuf_addch(&b, ':');
		strbuf_add(&b, f->function);
		w->place_texts.v[frame] = arena_take(&d->arena, &b);
	}
	return (struct span){ w->place_texts.v[frame], f->file.n + 1 + f->function.n };
}

static struct code_stat row_of(struct reducer *r, struct digest *d, const struct where_moment *m,
                               uint32_t name, bool named)
{
	struct where *w = &r->where;
	const struct gpu_name *g = name == WHERE_SYNC ? NULL : &r->gpu.names.v[name];
	struct code_stat row = { .kind = !g                             ? CODE_SYNC
		                             : g->stat.kind == EVENT_KERNEL ? CODE_KERNEL
		                             : g->stat.kind == EVENT_MEMCPY ? CODE_MEMCPY
		                                                            : CODE_MEMSET,
		                     .phase = g && g->communication && w->has_phases ? PHASE_COMMUNICATION
		                                                                     : (enum phase)m->phase,
		                     .module = SPAN(""),
		                     .place = SPAN(""),
		                     .line = -1,
		                     .op = SPAN(""),
		                     .names = named ? 0 : 1 };
	if (!named)
		return row;
	struct code_stack stack = code_places_stack(&w->places, m->stack);
	row.op = code_path_text(&w->names, &d->arena, m->op);
	row.module = code_path_text(&w->places.modules, &d->arena, stack.module);
	row.kernel = g ? g->key : 0;
	if (stack.place != NO_ID) {
		row.place = place_text(w, d, stack.place);
		row.line = w->places.frames.v[stack.place].line;
	}
	return row;
}

struct code_stat where_row(struct reducer *r, struct digest *d, uint32_t moment, uint32_t name)
{
	struct where_moment m;
	memcpy(&m, r->where.moments.by_id[moment]->s, sizeof m);
	return row_of(r, d, &m, name, true);
}

/* Least time with which a row keeps its names; rows with less time become a sum. */
static int64_t least_of_named(const struct where_sums *s)
{
	if (s->list.nr <= WHERE_ROWS)
		return 0;
	int64_t *times = mem_calloc(s->list.nr, sizeof *times);
	for (size_t i = 0; i < s->list.nr; i++)
		times[i] = s->list.v[i].total_ns;
	sort_plain(times, s->list.nr, sizeof *times, number_cmp_i64);
	int64_t least = number_add(times[s->list.nr - WHERE_ROWS - 1], 1);
	free(times);
	return least;
}

static void moment_get(const struct where *w, const struct where_sums *s, size_t i,
                       struct where_moment *m)
{
	memcpy(m, w->moments.by_id[idmap_pair_first(s->ids.keys.v[i])]->s, sizeof *m);
}

static void code_rows(struct reducer *r, const struct where_sums *s, struct digest *d)
{
	int64_t least_ns = least_of_named(s);
	for (size_t i = 0; i < s->list.nr; i++) {
		const struct where_sum *sum = &s->list.v[i];
		struct where_moment m;
		moment_get(&r->where, s, i, &m);
		struct code_stat row =
		    row_of(r, d, &m, (uint32_t)s->ids.keys.v[i], sum->total_ns >= least_ns);
		row.count = sum->count;
		row.total_ns = sum->total_ns;
		row.bytes = sum->bytes;
		vec_push(&d->code, row);
	}
	rows_unite(&code_stat_row, &d->code);
}

/* ---- rows of annotations ---- */

struct range_sums {
	struct idmap ids; ///< ids of names of annotations
	VEC(struct range_stat) list;
};

/* Adds `sum` to the row of each name in the path, only once if the path has the name twice. */
static void add_to_ranges(const struct where *w, uint32_t path, const struct where_sum *sum,
                          struct range_sums *out)
{
	const struct code_path *v = w->names.list.v;
	for (uint32_t p = path; p; p = v[p].parent) {
		bool again = false;
		for (uint32_t q = path; q != p && !again; q = v[q].parent)
			again = v[q].name == v[p].name;
		if (again)
			continue;
		uint32_t id = idmap_add(&out->ids, v[p].name);
		if (id == out->list.nr)
			vec_push_zero(&out->list);
		out->list.v[id].count += sum->count;
		out->list.v[id].total_ns += sum->total_ns;
	}
}

static void range_rows(struct reducer *r, const struct where_sums *s, struct digest *d)
{
	struct range_sums sums = { .list = VEC_INIT };
	idmap_init(&sums.ids);
	for (size_t i = 0; i < s->list.nr; i++) {
		struct where_moment m;
		moment_get(&r->where, s, i, &m);
		if ((uint32_t)s->ids.keys.v[i] != WHERE_SYNC)
			add_to_ranges(&r->where, m.range, &s->list.v[i], &sums);
	}
	for (size_t i = 0; i < sums.list.nr; i++) {
		struct range_stat row = sums.list.v[i];
		row.name = arena_span(&d->arena, name_span(r->names->by_id[sums.ids.keys.v[i]]));
		vec_push(&d->ranges, row);
	}
	vec_sort(&d->ranges, range_stat_cmp);
	idmap_release(&sums.ids);
	vec_release(&sums.list);
}

void where_figures(struct reducer *r, struct digest *d)
{
	struct where_sums sums = { .list = VEC_INIT };
	idmap_init(&sums.ids);
	add_activities(r, &sums);
	code_rows(r, &sums, d);
	where_step_figures(r, d);
	range_rows(r, &sums, d);
	idmap_release(&sums.ids);
	vec_release(&sums.list);
}
