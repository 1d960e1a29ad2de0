/* Parts of a reducer, each filled by a thread of its own, and how one is joined to the whole.

   Ids of a part become those of the whole through tables that only grow, in the order in which the
   part met them, so that the whole gives the ids that it would have given itself. Of a part that
   met a fault, or with which the whole would, nothing is taken: which fault is the first, only the
   events tell. */
#include <string.h>

#include "reduce/reducer.h"

/* A part that knows more ids, or so much text, is begun anew. */
enum { IDS_KNOWN = 1 << 15, TEXT_BYTES = 1 << 20 };

/* What has ids. */
enum {
	DEVICES,
	STREAMS,
	LANES,
	GPU_NAMES,
	GPU_ROWS,
	PIDS,
	TIDS,
	THREADS,
	PYTHON_THREADS,
	HOST_NAMES,
	HOST_ROWS,
	INPUTS,
	COMM_TEXTS,
	COMM_KEYS,
	NR_TABLES
};

static void *part_begin(const void *ctx, struct name_table *names)
{
	const struct reducer *whole = ctx;
	struct reducer *part = reducer_new(&whole->options, names);
	part->joined = mem_calloc(NR_TABLES, sizeof *part->joined);
	return part;
}

static void part_end(void *ctx)
{
	struct reducer *part = ctx;
	for (int i = 0; i < NR_TABLES; i++)
		vec_release(&part->joined[i]);
	free(part->joined);
	reducer_free(part);
}

/* --- ids --- */

static int64_t ident_in(const struct ids *names, int64_t ident)
{
	return ident < IDENT_NONE ? -2 - (int64_t)names->v[-2 - ident] : ident;
}

static void join_idents(struct idmap *to, const struct idmap *from, const struct ids *names,
                        struct ids *known)
{
	while (known->nr < from->keys.nr) {
		int64_t key = ident_in(names, from->keys.v[known->nr]);
		vec_push(known, idmap_add(to, key));
	}
}

/* `first` NULL: that is no id. */
static void join_pairs(struct idmap *to, const struct idmap *from, const struct ids *first,
                       const struct ids *second, struct ids *known)
{
	while (known->nr < from->keys.nr) {
		int64_t key = from->keys.v[known->nr];
		uint32_t a = idmap_pair_first(key), b = (uint32_t)key;
		a = first ? first->v[a] : a;
		b = b == NO_ID ? b : second->v[b];
		vec_push(known, idmap_add(to, idmap_pair(a, b)));
	}
}

static void join_names(struct reducer *to, const struct reducer *from, const struct ids *names)
{
	struct ids *gpu = &from->joined[GPU_NAMES], *host = &from->joined[HOST_NAMES];
	size_t nr_gpu = gpu->nr, nr_host = host->nr;
	join_pairs(&to->gpu_ids, &from->gpu_ids, NULL, names, gpu);
	join_pairs(&to->host_ids, &from->host_ids, NULL, names, host);
	for (size_t i = nr_gpu; i < gpu->nr; i++)
		if (gpu->v[i] == to->gpu_names.nr) {
			const struct gpu_name *g = &from->gpu_names.v[i];
			uint32_t name = names->v[(uint32_t)from->gpu_ids.keys.v[i]];
			vec_push(&to->gpu_names, gpu_name_new(g->stat.kind, name_span(to->names->by_id[name]),
			                                      g->communication));
		}
	for (size_t i = nr_host; i < host->nr; i++)
		if (host->v[i] == to->host_names.nr) {
			struct host_name h = from->host_names.v[i];
			h.name = name_span(to->names->by_id[names->v[(uint32_t)from->host_ids.keys.v[i]]]);
			vec_push(&to->host_names, h);
		}
}

/* False where a table is full, as below. */
static bool join_comm_keys(struct comm_state *to, const struct comm_state *from,
                           const struct ids *texts, struct ids *known)
{
	while (known->nr < from->keys.nr) {
		struct comm_key key;
		memcpy(&key, from->keys.by_id[known->nr]->s, sizeof key);
		key.group = texts->v[key.group];
		key.group_name = texts->v[key.group_name];
		key.dtype = texts->v[key.dtype];
		const struct name *nm =
		    name_intern(&to->keys, (struct span){ (const char *)&key, sizeof key });
		if (!nm)
			return false;
		vec_push(known, nm->id);
	}
	return true;
}

static bool join_ids(struct reducer *to, const struct reducer *from, const struct ids *names)
{
	struct ids *of = from->joined;
	join_idents(&to->devices, &from->devices, names, &of[DEVICES]);
	join_idents(&to->streams, &from->streams, names, &of[STREAMS]);
	join_idents(&to->pids, &from->pids, names, &of[PIDS]);
	join_idents(&to->tids, &from->tids, names, &of[TIDS]);
	join_names(to, from, names);
	join_pairs(&to->lanes, &from->lanes, &of[DEVICES], &of[STREAMS], &of[LANES]);
	join_pairs(&to->threads, &from->threads, &of[PIDS], &of[TIDS], &of[THREADS]);
	join_pairs(&to->python_ids, &from->python_ids, &of[PIDS], &of[TIDS], &of[PYTHON_THREADS]);
	join_pairs(&to->gpu_rows, &from->gpu_rows, &of[GPU_NAMES], &of[LANES], &of[GPU_ROWS]);
	join_pairs(&to->host_rows, &from->host_rows, &of[HOST_NAMES], &of[THREADS], &of[HOST_ROWS]);
	return name_table_join(&to->inputs, &from->inputs, &of[INPUTS]) &&
	       name_table_join(&to->comm.texts, &from->comm.texts, &of[COMM_TEXTS]) &&
	       join_comm_keys(&to->comm, &from->comm, &of[COMM_TEXTS], &of[COMM_KEYS]);
}

/* --- sums --- */

/* Nothing that take() makes a fault of; steps of XProf's, in whose traces there are no parts. */
static bool fits(struct reducer *to, const struct reducer *from)
{
	int64_t sum;
	bool over = to->fault || from->fault || from->own.parts.nr || from->own.numbered.nr ||
	            (uint64_t)to->nr_events + from->nr_events > to->options.max_events ||
	            to->wide.nr + from->wide.nr >= WIDE || to->gpu_rows.keys.nr >> 31 ||
	            __builtin_add_overflow(to->gpu_ns, from->gpu_ns, &sum) ||
	            __builtin_add_overflow(to->host_ns, from->host_ns, &sum) ||
	            __builtin_add_overflow(to->python_ns, from->python_ns, &sum);
	for (size_t i = 0; i < from->gpu_names.nr; i++)
		over |= __builtin_add_overflow(to->gpu_names.v[from->joined[GPU_NAMES].v[i]].stat.bytes,
		                               from->gpu_names.v[i].stat.bytes, &sum);
	for (size_t i = 0; i < from->memories.nr; i++)
		over |= __builtin_add_overflow(memory_of(to, from->memory_ids.keys.v[i])->stat.churn_bytes,
		                               from->memories.v[i].stat.churn_bytes, &sum);
	return !over;
}

static void join_gpu_sums(struct reducer *to, struct reducer *from)
{
	const struct ids *names = &from->joined[GPU_NAMES];
	for (size_t i = 0; i < from->gpu_names.nr; i++) {
		struct gpu_name *g = &from->gpu_names.v[i], *sum = &to->gpu_names.v[names->v[i]];
		if (!g->stat.count)
			continue;
		sum->stat.count += g->stat.count;
		sum->stat.total_ns += g->stat.total_ns;
		if (g->stat.max_ns > sum->stat.max_ns)
			sum->stat.max_ns = g->stat.max_ns;
		sum->stat.bytes += g->stat.bytes;
		sum->occupancy_ns += g->occupancy_ns;
		sum->occupancy_sum += g->occupancy_sum;
		*g = gpu_name_new(g->stat.kind, g->stat.name, g->communication);
	}
	for (size_t i = 0; i < from->shape_counts.nr; i++) {
		struct gpu_shape shape;
		if (!from->shape_counts.v[i])
			continue;
		memcpy(&shape, from->shapes.by_id[i]->s, sizeof shape);
		shape.name = names->v[shape.name];
		gpu_shape_add(to, &shape, from->shape_counts.v[i]);
		from->shape_counts.v[i] = 0;
	}
}

static void join_memories(struct reducer *to, struct reducer *from, const struct ids *names)
{
	for (size_t i = 0; i < from->memories.nr; i++) {
		struct memory_state *m = &from->memories.v[i];
		struct memory_state *sum = memory_of(to, from->memory_ids.keys.v[i]);
		if (!m->stat.events)
			continue;
		m->peak_pid = ident_in(names, m->peak_pid);
		m->peak_tid = ident_in(names, m->peak_tid);
		memory_add(sum, m);
		vec_move(&sum->levels, &m->levels);
		memory_clear(m);
	}
}

static void join_sums(struct reducer *to, struct reducer *from, const struct ids *names)
{
	to->nr_events += from->nr_events;
	to->gpu_ns += from->gpu_ns;
	to->host_ns += from->host_ns;
	to->python_ns += from->python_ns;
	to->negative_durations += from->negative_durations;
	if (from->first_ns < to->first_ns)
		to->first_ns = from->first_ns;
	if (from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
	if (from->last_host.name) {
		from->last_host.name = to->names->by_id[names->v[from->last_host.name->id]];
		last_host_take(to, &from->last_host);
	}
	join_gpu_sums(to, from);
	join_memories(to, from, names);
	from->nr_events = 0;
	from->gpu_ns = from->host_ns = from->python_ns = from->negative_durations = 0;
	from->last_host = (struct last_host){ 0 };
}

/* --- what is kept of each event --- */

/* `first`: where the wide numbers of the part are in the whole. */
static uint32_t wide_in(uint32_t v, uint32_t first)
{
	return (v & WIDE) ? v + first : v;
}

static uint32_t join_wide(struct reducer *to, struct reducer *from, const struct ids *names)
{
	size_t first = to->wide.nr;
	vec_move(&to->wide, &from->wide);
	for (size_t i = first; i < to->wide.nr; i++) /* durations are ≥ 0 */
		to->wide.v[i] = ident_in(names, to->wide.v[i]);
	return (uint32_t)first;
}

static void join_activities(struct reducer *to, struct reducer *from, uint32_t wide)
{
	size_t first = to->activities.nr, transfers = to->transfers.nr, kernels = to->comm.kernels.nr;
	vec_move(&to->activities, &from->activities);
	for (size_t i = first; i < to->activities.nr; i++) {
		struct activity *a = &to->activities.v[i];
		a->dur = wide_in(a->dur, wide);
		a->correlation = wide_in(a->correlation, wide);
		a->row = from->joined[GPU_ROWS].v[a->row] & INT32_MAX;
	}
	vec_move(&to->transfers, &from->transfers);
	for (size_t i = transfers; i < to->transfers.nr; i++)
		to->transfers.v[i].activity += (uint32_t)first;
	vec_move(&to->comm.kernels, &from->comm.kernels);
	for (size_t i = kernels; i < to->comm.kernels.nr; i++) {
		struct comm_kernel *k = &to->comm.kernels.v[i];
		k->activity += (uint32_t)first;
		k->key = from->joined[COMM_KEYS].v[k->key];
	}
}

static void join_spans(struct reducer *to, struct reducer *from, uint32_t wide)
{
	size_t first = to->spans.nr, launches = to->launches.nr;
	size_t inputs = to->op_inputs.nr, flops = to->op_flops.nr;
	for (size_t i = 0; i < from->spans.nr; i++) {
		struct wide_span s = span_get(from, &from->spans.v[i]);
		s.row = from->joined[HOST_ROWS].v[s.row];
		span_add(to, s);
	}
	from->spans.nr = from->span_bases.nr = from->wide_spans.nr = 0;
	vec_move(&to->launches, &from->launches);
	for (size_t i = launches; i < to->launches.nr; i++) {
		struct launch *l = &to->launches.v[i];
		l->correlation = wide_in(l->correlation, wide);
		l->span += (uint32_t)first;
	}
	vec_move(&to->op_inputs, &from->op_inputs);
	for (size_t i = inputs; i < to->op_inputs.nr; i++) {
		struct op_inputs *o = &to->op_inputs.v[i];
		o->span += (uint32_t)first;
		o->dims = from->joined[INPUTS].v[o->dims];
		o->types = from->joined[INPUTS].v[o->types];
	}
	vec_move(&to->op_flops, &from->op_flops);
	for (size_t i = flops; i < to->op_flops.nr; i++)
		to->op_flops.v[i].span += (uint32_t)first;
}

/* Before the events are counted. */
static void join_annotations(struct reducer *to, struct reducer *from, const struct ids *names)
{
	const struct ids *of = from->joined;
	size_t phases = to->phases.list.nr, marks = to->marks.nr, scopes = to->comm.scopes.nr;
	vec_move(&to->phases.list, &from->phases.list);
	for (size_t i = phases; i < to->phases.list.nr; i++)
		to->phases.list.v[i].thread = of[THREADS].v[to->phases.list.v[i].thread];
	vec_move(&to->marks, &from->marks);
	for (size_t i = marks; i < to->marks.nr; i++)
		to->marks.v[i].order += to->nr_events;
	vec_move(&to->comm.scopes, &from->comm.scopes);
	for (size_t i = scopes; i < to->comm.scopes.nr; i++) {
		struct comm_scope *s = &to->comm.scopes.v[i];
		s->thread =
		    idmap_pair(of[PIDS].v[idmap_pair_first(s->thread)], of[TIDS].v[(uint32_t)s->thread]);
		s->name = to->names->by_id[names->v[s->name->id]];
		s->key = of[COMM_KEYS].v[s->key];
	}
}

static void join_frames(struct reducer *to, struct reducer *from, const struct ids *names,
                        uint32_t wide)
{
	for (size_t t = 0; t < from->python_threads.nr; t++) {
		uint32_t id = from->joined[PYTHON_THREADS].v[t];
		if (id == to->python_threads.nr)
			vec_push_zero(&to->python_threads);
		struct python_thread *thread = &to->python_threads.v[id];
		size_t first = thread->frames.nr, runs = thread->runs.nr;
		vec_move(&thread->runs, &from->python_threads.v[t].runs);
		for (size_t i = runs; i < thread->runs.nr; i++)
			thread->runs.v[i].first += (uint32_t)first;
		vec_move(&thread->frames, &from->python_threads.v[t].frames);
		for (size_t i = first; i < thread->frames.nr; i++) {
			struct python_frame *f = &thread->frames.v[i];
			f->dur = wide_in(f->dur, wide);
			f->name = names->v[f->name];
		}
	}
}

/* --- the whole --- */

/* Tables of ids that may not grow any more go. */
static void renew(struct reducer *part)
{
	size_t nr = part->shapes.nr;
	for (int i = 0; i < NR_TABLES; i++)
		nr += part->joined[i].nr;
	if (nr <= IDS_KNOWN && part->inputs.bytes + part->comm.texts.bytes <= TEXT_BYTES)
		return;
	struct reducer *fresh = part_begin(part, part->names), old = *part;
	*part = *fresh;
	*fresh = old;
	part_end(fresh);
}

static bool part_join(void *ctx, void *part, const struct ids *names)
{
	struct reducer *to = ctx, *from = part;
	if (!join_ids(to, from, names) || !fits(to, from))
		return false;
	uint32_t wide = join_wide(to, from, names);
	join_activities(to, from, wide);
	join_spans(to, from, wide);
	join_annotations(to, from, names);
	join_frames(to, from, names, wide);
	join_sums(to, from, names);
	renew(from);
	return true;
}

const struct event_parts reducer_parts = { part_begin, part_join, part_end };
