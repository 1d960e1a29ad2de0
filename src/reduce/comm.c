#include <string.h>

#include "reduce/collective.h"
#include "reduce/reducer.h"

/* ---- intake ---- */

/* False, with `fault` set, where a table is full. */
static bool key_of(struct reducer *r, const struct collective_call *c, uint32_t *out)
{
	const struct name *group = name_intern(&r->comm.texts, c->group);
	const struct name *group_name = name_intern(&r->comm.texts, c->group_name);
	const struct name *dtype = name_intern(&r->comm.texts, c->dtype);
	const struct name *nm = NULL;
	if (group && group_name && dtype) {
		struct comm_key key = { c->kind, c->group_size, group->id, group_name->id, dtype->id };
		nm = name_intern(&r->comm.keys, (struct span){ (const char *)&key, sizeof key });
	}
	if (!nm) {
		r->fault = "more than 16 million process groups or types of collectives: split the trace";
		return false;
	}
	*out = nm->id;
	return true;
}

static struct comm_key key_get(const struct comm_state *c, uint32_t id)
{
	struct comm_key key;
	memcpy(&key, c->keys.by_id[id]->s, sizeof key);
	return key;
}

void comm_take_kernel(struct reducer *r, const struct event *ev)
{
	struct comm_kernel k = { .activity = (uint32_t)r->activities.nr - 1,
		                     .args = ev->collective.name.n > 0 };
	struct collective_call call = collective_of(ev);
	k.bytes = call.bytes;
	if (key_of(r, &call, &k.key))
		vec_push(&r->comm.kernels, k);
}

void comm_take_host(struct reducer *r, const struct event *ev)
{
	struct comm_scope s = { .start_ns = ev->start_ns,
		                    .end_ns = ev->start_ns + ev->dur_ns,
		                    .name = ev->name,
		                    .args = ev->collective.name.n > 0 };
	if (!s.args &&
	    !(ev->kind == EVENT_ANNOTATION && span_starts(name_span(ev->name), SPAN("nccl:"))))
		return;
	struct collective_call call = collective_of(ev);
	if (call.kind == COLLECTIVE_OTHER || !key_of(r, &call, &s.key))
		return;
	s.bytes = call.bytes;
	s.thread = idmap_pair(idmap_add(&r->pids, ev->pid), idmap_add(&r->tids, ev->tid));
	vec_push(&r->comm.scopes, s);
}

/* ---- which host event a kernel was launched in ---- */

/* A communication kernel of a usable step. */
struct item {
	int64_t start_ns, dur_ns, bytes;
	uint32_t step, key;
};

/* A scope begins, or a kernel is launched. */
struct point {
	int64_t thread, at_ns, end_ns;
	uint32_t index;
	bool launch;
};

struct walk {
	struct comm_state *comm;
	VEC(struct item) items;
	VEC(struct point) points;
	VEC(uint32_t) inside; ///< scopes that the walk is in
};

/* What holds another comes before it; equal scopes in the order of the file. */
static int point_cmp(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	if (x->launch != y->launch)
		return x->launch ? 1 : -1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* An annotation without arguments takes those of the operator that it is in. */
static void scope_enter(struct walk *w, uint32_t index, const struct comm_scope *outer)
{
	struct comm_scope *s = &w->comm->scopes.v[index];
	s->nested = outer && key_get(w->comm, outer->key).kind == key_get(w->comm, s->key).kind;
	if (s->nested && outer->args && !s->args) {
		s->args = true;
		s->key = outer->key;
		s->bytes = outer->bytes;
	}
	vec_push(&w->inside, index);
}

static void walk_points(struct walk *w)
{
	const struct comm_scope *scopes = w->comm->scopes.v;
	vec_sort(&w->points, point_cmp);
	for (size_t i = 0; i < w->points.nr; i++) {
		const struct point *p = &w->points.v[i];
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

/* Kernels without arguments have only their name so far. */
static void collect(struct walk *w, const struct reducer *r)
{
	for (size_t i = 0; i < r->comm.kernels.nr; i++) {
		const struct comm_kernel *k = &r->comm.kernels.v[i];
		const struct activity *a = &r->activities.v[k->activity];
		uint32_t step = steps_usable(r, a->step);
		if (step == NO_ID)
			continue;
		const struct host_span *l = k->args ? NULL : activity_launch(r, a);
		if (l)
			vec_push(&w->points,
			         (struct point){ r->threads.keys.v[span_thread(r, l)], span_start(r, l),
			                         span_start(r, l), (uint32_t)w->items.nr, true });
		vec_push(&w->items,
		         (struct item){ a->start_ns, activity_dur(r, a), k->bytes, step, k->key });
	}
	for (size_t i = 0; i < r->comm.scopes.nr; i++) {
		const struct comm_scope *s = &r->comm.scopes.v[i];
		vec_push(&w->points,
		         (struct point){ s->thread, s->start_ns, s->end_ns, (uint32_t)i, false });
	}
}

/* ---- rows ---- */

struct row {
	struct comm_stat stat;
	uint32_t key;
};

static int row_cmp(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return comm_stat_cmp(&x->stat, &y->stat);
}

static int item_cmp(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns < y->dur_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static struct span text_of(const struct reducer *r, struct digest *d, int64_t id)
{
	struct span s = name_span(r->comm.texts.by_id[id]);
	return (struct span){ arena_dup(&d->arena, s), s.n };
}

/* Sums by key; false where the bytes leave int64. Times add up to less than all GPU time. */
static bool sum_up(const struct walk *w, struct row *rows)
{
	for (size_t i = 0; i < w->items.nr; i++) {
		const struct item *it = &w->items.v[i];
		struct comm_stat *s = &rows[it->key].stat;
		s->count++;
		s->total_ns += it->dur_ns;
		if (it->dur_ns > s->max_ns)
			s->max_ns = it->dur_ns;
		if (it->bytes < 0)
			continue;
		s->sized_count++;
		s->sized_ns += it->dur_ns;
		if (__builtin_add_overflow(s->bytes, it->bytes, &s->bytes))
			return false;
	}
	return true;
}

static void put_rows(struct walk *w, const struct reducer *r, struct digest *d, struct row *rows)
{
	size_t nr = 0, nr_keys = r->comm.keys.nr;
	int64_t *place = mem_calloc(nr_keys, sizeof *place); /* of a key's row */
	for (size_t i = 0; i < nr_keys; i++) {
		struct comm_key key = key_get(&r->comm, (uint32_t)i);
		if (rows[i].stat.count == 0)
			continue;
		struct row *row = &rows[nr++];
		*row = (struct row){ rows[i].stat, (uint32_t)i };
		row->stat.kind = (enum collective_kind)key.kind;
		row->stat.group = text_of(r, d, key.group);
		row->stat.group_name = text_of(r, d, key.group_name);
		row->stat.dtype = text_of(r, d, key.dtype);
		row->stat.group_size = key.group_size;
	}
	sort_plain(rows, nr, sizeof *rows, row_cmp);
	for (size_t i = 0; i < nr; i++) {
		place[rows[i].key] = (int64_t)i;
		vec_push(&d->comms, rows[i].stat);
	}
	vec_sort(&w->items, item_cmp);
	for (size_t i = 0; i < w->items.nr && i < COLLECTIVES_KEPT; i++) {
		const struct item *it = &w->items.v[i];
		vec_push(&d->collectives, (struct collective){ it->step, place[it->key], it->bytes,
		                                               it->start_ns - d->start_ns, it->dur_ns });
	}
	d->collectives_cut = (int64_t)(w->items.nr - d->collectives.nr);
	free(place);
}

enum status comm_figures(struct reducer *r, struct digest *d, struct diag_log *log)
{
	struct walk w = { .comm = &r->comm };
	struct row *rows = mem_calloc(r->comm.keys.nr, sizeof *rows);
	collect(&w, r);
	walk_points(&w);
	bool fits = sum_up(&w, rows);
	if (fits)
		put_rows(&w, r, d, rows);
	free(rows);
	vec_release(&w.items);
	vec_release(&w.points);
	vec_release(&w.inside);
	return fits ? ST_OK
	            : diag_fail(log, ST_INPUT,
	                        "the messages of collectives add up to more than 2^63 bytes: check 'In "
	                        "msg nelems' of the trace");
}
