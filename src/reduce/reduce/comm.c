#include <string.h>

#include "base/number.h"
#include "model/collective.h"
#include "reduce/reducer.h"

void comm_init(struct comm_state *c)
{
	name_table_init(&c->texts);
	name_table_init(&c->keys);
}

void comm_release(struct comm_state *c)
{
	name_table_release(&c->texts);
	name_table_release(&c->keys);
	vec_release(&c->kernels);
	vec_release(&c->scopes);
}

/* ---- intake of events ---- */

/* Makes the id of a collective's key. If a table is full, sets r->fault and returns false. */
static bool comm_key_of(struct reducer *r, const struct collective_call *c, uint32_t *out)
{
	const struct name *group = name_intern(&r->comm.texts, c->group);
	const struct name *group_name = name_intern(&r->comm.texts, c->group_name);
	const struct name *dtype = name_intern(&r->comm.texts, c->dtype);
	if (group && group_name && dtype) {
		struct comm_key key = { c->kind, c->group_size, group->id, group_name->id, dtype->id };
		const struct name *nm =
		    name_intern(&r->comm.keys, (struct span){ (const char *)&key, sizeof key });
		if (nm) {
			*out = nm->id;
			return true;
		}
	}
	r->fault = "more than 16 million process groups or types of collectives: split the trace";
	return false;
}

static struct comm_key comm_key_get(const struct comm_state *c, uint32_t id)
{
	struct comm_key key;
	memcpy(&key, c->keys.by_id[id]->s, sizeof key);
	return key;
}

void comm_take_kernel(struct reducer *r, const struct event *ev)
{
	struct comm_kernel k = { .activity = (uint32_t)r->gpu.activities.nr - 1,
		                     .args = ev->collective.name.n > 0 };
	struct collective_call call = collective_of(ev);
	k.bytes = call.bytes;
	if (comm_key_of(r, &call, &k.key))
		vec_push(&r->comm.kernels, k);
}

void comm_take_host(struct reducer *r, const struct event *ev)
{
	struct comm_scope s = { .start_ns = ev->start_ns,
		                    .end_ns = ev->start_ns + ev->dur_ns,
		                    .name = ev->name,
		                    .args = ev->collective.name.n > 0 };
	if (!s.args && !span_starts(name_span(ev->name), SPAN("nccl:")))
		return;
	struct collective_call call = collective_of(ev);
	if (call.kind == COLLECTIVE_OTHER || !comm_key_of(r, &call, &s.key))
		return;
	s.bytes = call.bytes;
	s.thread = thread_key(&r->threads, ev);
	vec_push(&r->comm.scopes, s);
}

/* ---- kernels and the host events that launched them ---- */

/* A communication kernel of a complete measured step. */
struct comm_item {
	int64_t start_ns, dur_ns, bytes;
	uint32_t step, key;
};

/* The start of a scope (a host event that calls a collective), or the launch of a kernel. */
struct comm_point {
	int64_t thread, at_ns, end_ns;
	uint32_t index;
	bool launch;
};

struct comm_walk {
	struct comm_state *comm;
	VEC(struct comm_item) items;
	VEC(struct comm_point) points;
	VEC(uint32_t) inside; ///< indices of the scopes that contain the present point
};

/* Orders points by thread, then by time. At the same time, outer scopes come before inner scopes,
 * and launches last; points that are equal in all of these keep file order. */
ORDERING(comm_point_cmp, struct comm_point,
         RISING(thread) RISING(at_ns) RISING(launch) FALLING(end_ns))

/* Enters a scope. A scope without arguments gets the arguments of the scope directly around it, if
   both have the same kind of collective. */
static void scope_enter(struct comm_walk *w, uint32_t index, const struct comm_scope *outer)
{
	struct comm_scope *s = &w->comm->scopes.v[index];
	s->nested =
	    outer && comm_key_get(w->comm, outer->key).kind == comm_key_get(w->comm, s->key).kind;
	if (s->nested && outer->args && !s->args) {
		s->args = true;
		s->key = outer->key;
		s->bytes = outer->bytes;
	}
	vec_push(&w->inside, index);
}

static void walk_points(struct comm_walk *w)
{
	const struct comm_scope *scopes = w->comm->scopes.v;
	vec_sort(&w->points, comm_point_cmp);
	for (size_t i = 0; i < w->points.nr; i++) {
		const struct comm_point *p = &w->points.v[i];
		if (i && p->thread != p[-1].thread)
			w->inside.nr = 0;
		while (w->inside.nr && scopes[w->inside.v[w->inside.nr - 1]].end_ns <= p->at_ns)
			w->inside.nr--;
		const struct comm_scope *s = w->inside.nr ? &scopes[w->inside.v[w->inside.nr - 1]] : NULL;
		if (!p->launch) {
			scope_enter(w, p->index, s);
		} else if (s) {
			w->items.v[p->index].key = s->key;
			w->items.v[p->index].bytes = s->bytes;
		}
	}
}

/* Fills `items` with the communication kernels of complete measured steps. Fills `points` with all
 * scopes, and with the launches of those kernels that have no arguments themselves: walk_points()
 * gives such a kernel the arguments of the scope around its launch. */
static void list_points(struct comm_walk *w, const struct reducer *r)
{
	for (size_t i = 0; i < r->comm.kernels.nr; i++) {
		const struct comm_kernel *k = &r->comm.kernels.v[i];
		const struct activity *a = &r->gpu.activities.v[k->activity];
		uint32_t step = steps_usable(&r->steps, a->step);
		if (step == NO_ID)
			continue;
		const struct host_span *l = k->args ? NULL : activity_launch(r, a);
		if (l)
			vec_push(&w->points,
			         (struct comm_point){ r->threads.ids.keys.v[span_thread(&r->host, l)],
			                              span_start(&r->host, l), span_start(&r->host, l),
			                              (uint32_t)w->items.nr, true });
		vec_push(&w->items, (struct comm_item){ a->start_ns, activity_dur(&r->gpu, a), k->bytes,
		                                        step, k->key });
	}
	for (size_t i = 0; i < r->comm.scopes.nr; i++) {
		const struct comm_scope *s = &r->comm.scopes.v[i];
		vec_push(&w->points,
		         (struct comm_point){ s->thread, s->start_ns, s->end_ns, (uint32_t)i, false });
	}
}

/* ---- rows of collectives ---- */

struct comm_row {
	struct comm_stat stat;
	uint32_t key;
};

ORDERING(comm_row_cmp, struct comm_row, THEN(comm_stat_cmp(&x->stat, &y->stat)))

ORDERING(comm_item_cmp, struct comm_item, RISING(start_ns) RISING(dur_ns) RISING(key) RISING(bytes))

static struct span comm_text(const struct reducer *r, struct digest *d, int64_t id)
{
	return arena_span(&d->arena, name_span(r->comm.texts.by_id[id]));
}

/* Adds up the items by key; false if the bytes exceed int64. Times fit, since all GPU time does. */
static bool sum_items(const struct comm_walk *w, struct comm_row *rows)
{
	for (size_t i = 0; i < w->items.nr; i++) {
		const struct comm_item *it = &w->items.v[i];
		struct comm_stat *s = &rows[it->key].stat;
		s->count++;
		s->total_ns += it->dur_ns;
		number_raise(&s->max_ns, it->dur_ns);
		if (it->bytes < 0)
			continue;
		s->sized_count++;
		s->sized_ns += it->dur_ns;
		if (__builtin_add_overflow(s->bytes, it->bytes, &s->bytes))
			return false;
	}
	return true;
}

static void comm_rows(struct comm_walk *w, const struct reducer *r, struct digest *d,
                      struct comm_row *rows)
{
	size_t nr = 0, nr_keys = r->comm.keys.nr;
	int64_t *place = mem_calloc(nr_keys, sizeof *place); /* for each key, the index of its row */
	for (size_t i = 0; i < nr_keys; i++) {
		struct comm_key key = comm_key_get(&r->comm, (uint32_t)i);
		if (rows[i].stat.count == 0)
			continue;
		struct comm_row *row = &rows[nr++];
		*row = (struct comm_row){ rows[i].stat, (uint32_t)i };
		row->stat.kind = (enum collective_kind)key.kind;
		row->stat.group = comm_text(r, d, key.group);
		row->stat.group_name = comm_text(r, d, key.group_name);
		row->stat.dtype = comm_text(r, d, key.dtype);
		row->stat.group_size = key.group_size;
	}
	sort_plain(rows, nr, sizeof *rows, comm_row_cmp);
	for (size_t i = 0; i < nr; i++) {
		place[rows[i].key] = (int64_t)i;
		vec_push(&d->comms, rows[i].stat);
	}
	vec_sort(&w->items, comm_item_cmp);
	for (size_t i = 0; i < w->items.nr && i < COLLECTIVES_KEPT; i++) {
		const struct comm_item *it = &w->items.v[i];
		vec_push(&d->collectives, (struct collective){ it->step, place[it->key], it->bytes,
		                                               it->start_ns - d->start_ns, it->dur_ns });
	}
	d->collectives_cut = (int64_t)(w->items.nr - d->collectives.nr);
	free(place);
}

enum status comm_figures(struct reducer *r, struct digest *d, struct diag_log *log)
{
	struct comm_walk w = { .comm = &r->comm };
	struct comm_row *rows = mem_calloc(r->comm.keys.nr, sizeof *rows);
	list_points(&w, r);
	walk_points(&w);
	bool fits = sum_items(&w, rows);
	if (fits)
		comm_rows(&w, r, d, rows);
	free(rows);
	vec_release(&w.items);
	vec_release(&w.points);
	vec_release(&w.inside);
	return fits ? ST_OK
	            : diag_fail(log, ST_INPUT,
	                        "the messages of collectives add up to more than 2^63 bytes: check 'In "
	                        "msg nelems' of the trace");
}
