#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "model/rows.h"
#include "reduce/flop_count.h"
#include "reduce/reducer.h"
#include "reduce/step_phase.h"

static bool has(struct span s, struct span part)
{
	return memmem(s.p, s.n, part.p, part.n) != NULL;
}

static struct span after(struct span s, struct span prefix)
{
	return (struct span){ s.p + prefix.n, s.n - prefix.n };
}

/* "cuda", "hip" or "cu", then what is waited for, then "Synchronize". */
static bool is_sync(struct span name)
{
	static const struct span api[] = { { "cuda", 4 }, { "hip", 3 }, { "cu", 2 } };
	static const struct span object[] = { { "DeviceSynchronize", 17 },
		                                  { "StreamSynchronize", 17 },
		                                  { "EventSynchronize", 16 },
		                                  { "CtxSynchronize", 14 } };
	for (size_t i = 0; i < sizeof api / sizeof *api; i++)
		for (size_t k = 0; k < sizeof object / sizeof *object; k++)
			if (span_starts(name, api[i]) && span_starts(after(name, api[i]), object[k]))
				return true;
	return false;
}

int64_t trailing_number(struct span name)
{
	size_t from = name.n;
	uint64_t v;
	while (from && is_digit(name.p[from - 1]))
		from--;
	if (!number_parse_u64((struct span){ name.p + from, name.n - from }, &v) || v > INT64_MAX)
		return -1;
	return (int64_t)v;
}

/* What is remembered of the event's name; row_of() gives the row. */
static struct row_found *find_name(struct reducer *r, const struct event *ev)
{
	struct row_found *found = row_place(r, ev);
	if (found->name == ev->name && found->kind == ev->kind)
		return found;
	uint32_t id = idmap_add(&r->host_ids, idmap_pair(ev->kind, ev->name->id));
	*found = (struct row_found){ ev->name, ev->kind, NO_ID, id, NO_ID };
	if (id < r->host_names.nr)
		return found;
	struct host_name *h = vec_push_zero(&r->host_names);
	struct span name = h->name = name_span(ev->name);
	if (ev->kind == EVENT_RUNTIME) {
		bool graph = has(name, SPAN("GraphLaunch"));
		bool kernel = has(name, SPAN("LaunchKernel")) || has(name, SPAN("LaunchCooperative"));
		h->launch = graph || kernel;
		h->kernel_launch = kernel && !graph;
		h->sync = is_sync(name);
	} else {
		h->op = ev->kind == EVENT_OP;
		h->flops = h->op ? flop_rule_of(name) : NULL;
		h->phase = phase_of_name(name);
		h->dataloader = span_starts(name, SPAN("enumerate(DataLoader)"));
		h->marker = span_glob(span_of(r->options.marker), name);
	}
	h->timed = h->launch || h->sync || h->dataloader;
	return found;
}

static uint32_t row_of(struct reducer *r, struct row_found *found, uint32_t thread)
{
	if (found->row == NO_ID || found->place != thread) {
		found->place = thread;
		found->row = idmap_add(&r->host_rows, idmap_pair(found->row_name, thread));
	}
	return found->row;
}

static inline uint32_t thread_of(struct reducer *r, const struct event *ev)
{
	struct thread_found *f = &r->thread_found[(ev->pid ^ ev->tid) & 15];
	if (f->thread == NO_ID || f->pid != ev->pid || f->tid != ev->tid)
		*f = (struct thread_found){ ev->pid, ev->tid,
			                        idmap_add(&r->threads,
			                                  idmap_pair(idmap_add(&r->pids, ev->pid),
			                                             idmap_add(&r->tids, ev->tid))) };
	return f->thread;
}

/* Where the table is full the operator goes without. */
static void inputs_take(struct reducer *r, const struct event *ev)
{
	const struct name *dims = name_intern(&r->inputs, ev->input_dims);
	const struct name *types = name_intern(&r->inputs, ev->input_types);
	if (dims && types)
		vec_push(&r->op_inputs, (struct op_inputs){ (uint32_t)r->spans.nr, dims->id, types->id });
}

void last_host_take(struct reducer *r, const struct last_host *h)
{
	struct last_host *last = &r->last_host;
	if (!last->name || h->start_ns > last->start_ns ||
	    (h->start_ns == last->start_ns && h->dur_ns <= last->dur_ns))
		*last = *h;
}

/* An operator or annotation that is no marker. */
static void entered_take(struct reducer *r, const struct event *ev)
{
	last_host_take(r, &(struct last_host){ ev->start_ns, ev->dur_ns, ev->name });
	if (ev->collective.name.n || ev->kind == EVENT_ANNOTATION)
		comm_take_host(r, ev);
}

void span_add(struct reducer *r, struct wide_span s)
{
	size_t block = r->spans.nr / SPAN_BLOCK;
	if (block == r->span_bases.nr)
		vec_push(&r->span_bases, (uint64_t)s.start_ns - ((uint64_t)1 << 31));
	uint64_t start = (uint64_t)s.start_ns - r->span_bases.v[block];
	if (start <= UINT32_MAX && (uint64_t)s.dur_ns < SPAN_DUR_END && s.row < SPAN_ROW_END) {
		vec_push(&r->spans,
		         (struct host_span){ (uint32_t)start, (uint32_t)s.dur_ns + SPAN_DUR_END * s.row });
	} else {
		vec_push(&r->spans,
		         (struct host_span){ (uint32_t)r->wide_spans.nr, SPAN_DUR_END * SPAN_ROW_END });
		vec_push(&r->wide_spans, s);
	}
}

void host_take(struct reducer *r, const struct event *ev)
{
	struct row_found *found = find_name(r, ev);
	const struct host_name *h = &r->host_names.v[found->row_name];
	if (h->marker || ev->numbered) {
		struct mark mark = { ev->start_ns, ev->start_ns + ev->dur_ns,
			                 ev->numbered ? ev->step : trailing_number(h->name),
			                 step_phase_of(h->name), r->nr_events };
		if (h->marker)
			vec_push(&r->marks, mark);
		else
			vec_push(&r->own.numbered, mark);
	} else if (ev->kind != EVENT_RUNTIME) {
		entered_take(r, ev);
	}
	if (h->phase != PHASE_ALL)
		phases_take(r, ev, h->phase, thread_of(r, ev));
	/* traces of 2021 record a step as an operator */
	if ((ev->kind == EVENT_ANNOTATION && !h->dataloader) || h->marker)
		return;
	if (__builtin_add_overflow(r->host_ns, ev->dur_ns, &r->host_ns)) {
		r->fault = "the durations of host events add up to more than 292 years: check 'dur' of "
		           "the trace";
		return;
	}
	if (ev->input_dims.n || ev->input_types.n)
		inputs_take(r, ev);
	if (h->flops)
		flops_take(r, h->flops, ev);
	uint32_t thread = ev->kind == EVENT_ANNOTATION ? NO_ID : thread_of(r, ev);
	if (ev->kind == EVENT_RUNTIME && ev->correlation != IDENT_NONE)
		vec_push(&r->launches, (struct launch){ .correlation = narrow(r, ev->correlation),
		                                        .span = (uint32_t)r->spans.nr });
	span_add(r, (struct wide_span){ ev->start_ns, ev->dur_ns, row_of(r, found, thread) });
}

/* --- per step --- */

struct begun {
	int64_t launch_ns, sync_ns, sync_count, dataloader_ns;
};

/* Start or end of a measured step. */
static int64_t step_edge(const struct reducer *r, size_t step, bool end)
{
	const struct mark *m = &r->marks.v[r->warmup + step];
	return end ? m->end_ns : m->start_ns;
}

/* Number of the sorted `edges` that are not after `at`. */
static size_t edges_until(const int64_t *edges, size_t nr, int64_t at)
{
	size_t lo = 0, hi = nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (edges[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void begun_samples(struct digest *d, size_t step, const struct begun *from,
                          const struct begun *to)
{
	d->samples[METRIC_STEP_LAUNCH_TIME][step] = to->launch_ns - from->launch_ns;
	d->samples[METRIC_STEP_SYNC_TIME][step] = to->sync_ns - from->sync_ns;
	d->samples[METRIC_STEP_SYNC_COUNT][step] = to->sync_count - from->sync_count;
	d->samples[METRIC_STEP_DATALOADER_TIME][step] = to->dataloader_ns - from->dataloader_ns;
}

/* Of each part of the time the number of usable steps that hold it. */
static int64_t *covers(const struct reducer *r, const int64_t *edges, size_t nr)
{
	int64_t *cover = mem_calloc(nr + 2, sizeof *cover);
	if (r->window)
		cover[0] = (int64_t)r->usable;
	for (size_t i = 0; !r->window && i < r->usable; i++) {
		cover[edges_until(edges, nr, step_edge(r, i, false))]++;
		cover[edges_until(edges, nr, step_edge(r, i, true))]--;
	}
	for (size_t i = 1; i < nr + 2; i++)
		cover[i] += cover[i - 1];
	return cover;
}

/* Begun in so many steps. */
static void begun_add(struct host_name *h, int64_t dur_ns, int64_t steps)
{
	h->begun = number_add(h->begun, steps);
	h->begun_ns = number_add(h->begun_ns, number_div_round((__int128)dur_ns * steps, 1));
}

/* The starts and ends of all steps cut the time into parts: a step's sum is a
   difference of sums over the parts so far. Steps that overlap share parts. */
static void begun_in_steps(struct reducer *r, struct digest *d)
{
	size_t nr = r->window ? 0 : 2 * d->nr_steps;
	int64_t *edges = mem_calloc(nr, sizeof *edges);
	struct begun *until = mem_calloc(nr + 2, sizeof *until); /* [i + 1]: in part i; then summed */
	for (size_t i = 0; i < nr; i++)
		edges[i] = step_edge(r, i / 2, i % 2);
	sort_plain(edges, nr, sizeof *edges, number_cmp_i64);
	int64_t *cover = covers(r, edges, nr);
	for (size_t i = 0, part = 0; i < r->spans.nr; i++) {
		const struct host_span *s = &r->spans.v[i];
		struct host_name *h = span_name(r, s);
		if (!h->timed)
			continue;
		int64_t start_ns = span_start(r, s), dur_ns = span_dur(r, s);
		if ((part < nr && edges[part] <= start_ns) ||
		    (part > 0 && start_ns < edges[part - 1])) /* not that of the last one */
			part = edges_until(edges, nr, start_ns);
		struct begun *b = &until[part + 1];
		begun_add(h, dur_ns, cover[part]);
		b->launch_ns += h->launch ? dur_ns : 0;
		b->sync_ns += h->sync ? dur_ns : 0;
		b->sync_count += h->sync;
		b->dataloader_ns += h->dataloader ? dur_ns : 0;
	}
	for (size_t i = 1; i < nr + 2; i++) {
		until[i].launch_ns += until[i - 1].launch_ns;
		until[i].sync_ns += until[i - 1].sync_ns;
		until[i].sync_count += until[i - 1].sync_count;
		until[i].dataloader_ns += until[i - 1].dataloader_ns;
	}
	for (size_t i = 0; i < d->nr_steps; i++)
		if (r->window)
			begun_samples(d, i, &until[0], &until[1]);
		else
			begun_samples(d, i, &until[edges_until(edges, nr, step_edge(r, i, false))],
			              &until[edges_until(edges, nr, step_edge(r, i, true))]);
	free(edges);
	free(cover);
	free(until);
}

static void call_rows(const struct reducer *r, struct digest *d)
{
	for (size_t i = 0; i < r->host_names.nr; i++) {
		const struct host_name *h = &r->host_names.v[i];
		const bool kinds[] = { h->launch, h->sync, h->dataloader };
		for (int kind = CALL_LAUNCH; kind <= CALL_DATALOADER; kind++)
			if (kinds[kind] && h->begun)
				vec_push(&d->calls,
				         (struct call_stat){ .kind = (enum call_kind)kind,
				                             .name = { arena_dup(&d->arena, h->name), h->name.n },
				                             .count = h->begun,
				                             .total_ns = h->begun_ns });
	}
	vec_sort(&d->calls, call_stat_cmp);
	rows_unite(&call_stat_row, &d->calls); /* a data loader as operator and as annotation */
}

void host_walk(struct reducer *r, struct digest *d)
{
	begun_in_steps(r, d);
	threads_walk(r);
}

/* --- rows --- */

static void thread_rows(const struct reducer *r, struct digest *d)
{
	for (size_t i = 0; i < r->threads.keys.nr; i++) {
		int64_t key = r->threads.keys.v[i];
		const char *pid = ident_text(&d->arena, r->names, r->pids.keys.v[idmap_pair_first(key)]);
		const char *tid = ident_text(&d->arena, r->names, r->tids.keys.v[(uint32_t)key]);
		const struct thread_times *t = &r->thread_times.v[i];
		vec_push(&d->threads, (struct thread_stat){ arena_printf(&d->arena, "%s/%s", pid, tid),
		                                            t->busy_ns, 0, t->op_ns });
	}
	vec_sort(&d->threads, text_cmp);
}

void host_figures(struct reducer *r, struct digest *d)
{
	call_rows(r, d);
	thread_rows(r, d);
	for (size_t i = 0; i < r->host_names.nr; i++) {
		const struct host_name *h = &r->host_names.v[i];
		if (h->count)
			vec_push(&d->ops,
			         (struct op_stat){ .name = { arena_dup(&d->arena, h->name), h->name.n },
			                           .count = h->count,
			                           .total_ns = h->total_ns,
			                           .self_ns = h->self_ns });
	}
	vec_sort(&d->ops, op_stat_cmp);
}
