#include <string.h>

#include "reduce/flop_count.h"
#include "reduce/reducer.h"
#include "reduce/step_name.h"

void host_init(struct host_events *h)
{
	name_table_init(&h->inputs);
	idmap_init(&h->name_ids);
	idmap_init(&h->rows);
}

void host_release(struct host_events *h)
{
	vec_release(&h->spans);
	vec_release(&h->span_bases);
	vec_release(&h->wide_spans);
	vec_release(&h->op_inputs);
	vec_release(&h->names);
	name_table_release(&h->inputs);
	idmap_release(&h->name_ids);
	idmap_release(&h->rows);
}

/* ---- intake of events ---- */

static bool name_has(struct span s, struct span needle)
{
	return memmem(s.p, s.n, needle.p, needle.n) != NULL;
}

/* Name of a call of CUDA or HIP without its prefix, such as "MemcpyAsync"; "" for other calls. */
static struct span call_of(struct span name)
{
	bool api = span_skip(&name, SPAN("cuda")) || span_skip(&name, SPAN("cu")) ||
	           span_skip(&name, SPAN("hip"));
	return api ? name : SPAN("");
}

static bool is_sync(struct span call)
{
	static const struct span calls[] = { { "DeviceSynchronize", 17 },
		                                 { "StreamSynchronize", 17 },
		                                 { "EventSynchronize", 16 },
		                                 { "CtxSynchronize", 14 } };
	return ANY(i, NR_OF(calls), span_starts(call, calls[i]));
}

/* The cache entry of an event's name. Its member `row` is set by host_row_of(). */
static struct row_found *host_name_find(struct reducer *r, const struct event *ev)
{
	struct row_found *found = row_place(r, ev);
	if (found->name == ev->name)
		return found;
	uint32_t id = idmap_add(&r->host.name_ids, idmap_pair(ev->kind, ev->name->id));
	*found = (struct row_found){ ev->name, NO_ID, id, NO_ID };
	if (id < r->host.names.nr)
		return found;
	struct host_name *h = vec_push_zero(&r->host.names);
	struct span name = h->name = name_span(ev->name);
	if (ev->kind == EVENT_RUNTIME) {
		struct span call = call_of(name);
		bool graph = name_has(name, SPAN("GraphLaunch"));
		bool kernel =
		    name_has(name, SPAN("LaunchKernel")) || name_has(name, SPAN("LaunchCooperative"));
		h->launch = graph || kernel;
		h->kernel_launch = kernel && !graph;
		h->sync = is_sync(call);
		/* PyTorch's allocator makes these calls to get and return segments */
		h->memory = span_eq(call, SPAN("Malloc")) || span_eq(call, SPAN("Free"));
		h->capture =
		    name_has(name, SPAN("StreamBeginCapture")) - name_has(name, SPAN("StreamEndCapture"));
		if (h->capture > 0 && !r->graphs.begun)
			r->graphs.from = (uint32_t)r->host.spans.nr;
		r->graphs.begun |= h->capture > 0;
		h->waits = name_has(name, SPAN("StreamWaitEvent"));
		h->copies = span_starts(call, SPAN("Memcpy"))   ? EVENT_MEMCPY
		            : span_starts(call, SPAN("Memset")) ? EVENT_MEMSET
		                                                : EVENT_KERNEL;
	} else {
		h->op = ev->kind == EVENT_OP;
		h->on_gpu = ev->kind == EVENT_GPU_ANNOTATION;
		h->flops = h->op ? flop_rule_of(name) : NULL;
		h->phase = phase_of_name(name);
		h->accumulates = span_starts(name, SPAN("torch::autograd::AccumulateGrad"));
		h->dataloader = span_starts(name, SPAN("enumerate(DataLoader)"));
		h->marker = span_glob(span_of(r->options.marker), name);
		h->annotated = !h->op && !h->marker && h->phase == PHASE_ALL;
	}
	h->timed = h->launch || h->sync || h->dataloader || h->memory;
	return found;
}

static uint32_t host_row_of(struct host_events *h, struct row_found *found, uint32_t thread)
{
	if (found->row == NO_ID || found->place != thread) {
		found->place = thread;
		found->row = idmap_add(&h->rows, idmap_pair(found->row_name, thread));
	}
	return found->row;
}

/* Stores shapes and types of an operator's inputs, unless the table is full. */
static void inputs_take(struct host_events *h, const struct event *ev)
{
	const struct name *dims = name_intern(&h->inputs, ev->input_dims);
	const struct name *types = name_intern(&h->inputs, ev->input_types);
	if (dims && types)
		vec_push(&h->op_inputs, (struct op_inputs){ (uint32_t)h->spans.nr, dims->id, types->id });
}

/* Remembers an operator, or an annotation that is not a marker, if it began last of all so far (the
   shortest, if several began together). Also stores the collective that the event calls, if any. */
static void entered_take(struct reducer *r, const struct event *ev)
{
	struct last_host *last = &r->host.last;
	if (!last->name || ev->start_ns > last->start_ns ||
	    (ev->start_ns == last->start_ns && ev->dur_ns <= last->dur_ns))
		*last = (struct last_host){ ev->start_ns, ev->dur_ns, ev->name };
	if (ev->collective.name.n || ev->kind == EVENT_ANNOTATION)
		comm_take_host(r, ev);
}

static void span_add(struct host_events *h, struct wide_span s)
{
	size_t block = h->spans.nr / SPAN_BLOCK;
	if (block == h->span_bases.nr)
		vec_push(&h->span_bases, (uint64_t)s.start_ns - ((uint64_t)1 << 31));
	uint64_t start = (uint64_t)s.start_ns - h->span_bases.v[block];
	if (start <= UINT32_MAX && (uint64_t)s.dur_ns < SPAN_DUR_END && s.row < SPAN_ROW_END) {
		vec_push(&h->spans,
		         (struct host_span){ (uint32_t)start, (uint32_t)s.dur_ns + SPAN_DUR_END * s.row });
	} else {
		vec_push(&h->spans,
		         (struct host_span){ (uint32_t)h->wide_spans.nr, SPAN_DUR_END * SPAN_ROW_END });
		vec_push(&h->wide_spans, s);
	}
}

/* An annotation without an id belongs to a step only if its name has a number. Annotations with
   equal names, which may be on several streams, are then one step. */
void gpu_annotation_take(struct reducer *r, const struct event *ev)
{
	struct event e = *ev;
	uint32_t name = host_name_find(r, ev)->row_name;
	if (e.step == IDENT_NONE && step_number_of(name_span(ev->name)) >= 0)
		e.step = -2 - (int64_t)ev->name->id;
	if (e.step == IDENT_NONE)
		return;
	if (r->host.names.v[name].marker)
		own_steps_take(r, &e);
	else if (r->host.names.v[name].annotated)
		annotation_take(r, &e, name);
}

void host_take(struct reducer *r, const struct event *ev)
{
	struct row_found *found = host_name_find(r, ev);
	const struct host_name *h = &r->host.names.v[found->row_name];
	if (h->annotated)
		annotation_take(r, ev, found->row_name);
	if (h->marker || ev->numbered)
		steps_take(r, ev, h->marker);
	else if (ev->kind != EVENT_RUNTIME)
		entered_take(r, ev);
	if (h->phase != PHASE_ALL || (h->op && (ev->forward_thread || h->accumulates)))
		phases_take(&r->phases, ev, h->phase, thread_of(&r->threads, ev));
	if (ev->kind == EVENT_ANNOTATION && !h->marker && !ev->numbered)
		where_take_range(r, ev);
	/* step markers do not count as operators, although traces of 2021 record them as operators */
	if ((ev->kind == EVENT_ANNOTATION && !h->dataloader) || h->marker)
		return;
	if (__builtin_add_overflow(r->host.total_ns, ev->dur_ns, &r->host.total_ns)) {
		r->fault = "the durations of host events add up to more than 292 years: check 'dur' of "
		           "the trace";
		return;
	}
	if (ev->input_dims.n || ev->input_types.n)
		inputs_take(&r->host, ev);
	if (ev->kind == EVENT_OP)
		where_take_op(r, ev);
	if (h->flops)
		flops_take(r, h->flops, ev);
	if (h->sync)
		vec_push(&r->where.syncs, (uint32_t)r->host.spans.nr);
	uint32_t thread = ev->kind == EVENT_ANNOTATION ? NO_ID : thread_of(&r->threads, ev);
	if (ev->kind == EVENT_RUNTIME && ev->correlation && ev->correlation != IDENT_NONE)
		launches_take(r, ev);
	if (ev->kind == EVENT_RUNTIME && ev->launched)
		vec_push(&r->graphs.calls,
		         (struct graph_call){ (uint32_t)r->host.spans.nr, ev->launched->id });
	span_add(&r->host,
	         (struct wide_span){ ev->start_ns, ev->dur_ns, host_row_of(&r->host, found, thread) });
}
