/* Converts events without a category, which are in traces that JAX or XProf wrote. The kind of
   an event follows from the names of its process and thread. Source: openxla/xla, 2026:
   xla/tsl/profiler/convert/trace_events_to_json.cc and xplane_to_trace_events.cc (order, names, the
   limits on events). openxla/xprof, 2026: xprof/utils/derived_timeline.cc (steps, derived lines),
   xprof/convert/xplane_to_trace_container.cc (names of the viewer). */
#include <inttypes.h>
#include <string.h>

#include "read/trace_internal.h"

void xprof_init(struct xprof *x)
{
	idmap_init(&x->pids);
	idmap_init(&x->tids);
	idmap_init(&x->lane_ids);
	idmap_init(&x->gpus);
	xprof_ops_init(&x->ops);
}

void xprof_release(struct xprof *x)
{
	idmap_release(&x->pids);
	idmap_release(&x->tids);
	idmap_release(&x->lane_ids);
	idmap_release(&x->gpus);
	xprof_ops_release(&x->ops);
	strbuf_release(&x->name);
	vec_release(&x->processes);
	vec_release(&x->lanes);
	vec_release(&x->gpu_processes);
}

bool xprof_capped(const struct xprof *x)
{
	return x->gpu && (x->events == 1000000 || x->events == 5000000);
}

/* ---- names of processes and threads ---- */

static uint32_t process_id(struct xprof *x, const struct raw_event *raw)
{
	uint32_t id = idmap_add(&x->pids, field_or(raw, FIELD_PID, IDENT_NONE));
	if (id == x->processes.nr)
		vec_push_zero(&x->processes);
	return id;
}

static struct xprof_lane *lane_of(struct xprof *x, uint32_t process, const struct raw_event *raw)
{
	int64_t tid = field_or(raw, FIELD_TID, IDENT_NONE);
	uint32_t id = idmap_add(&x->lane_ids, idmap_pair(process, idmap_add(&x->tids, tid)));
	if (id == x->lanes.nr)
		vec_push(&x->lanes, (struct xprof_lane){ .stream = tid });
	return &x->lanes.v[id];
}

static void late(struct trace_input *in)
{
	jscan_fail(in->js, jscan_byte(in->js),
	           "traceEvents[%" PRIu64
	           "]: a process or thread of a GPU is named behind its events; write its name first",
	           in->meta->events);
}

static void take_gpu(struct trace_input *in, uint32_t process, int64_t number)
{
	struct xprof *x = &in->xprof;
	uint32_t id = idmap_add(&x->gpus, number);
	if (id == x->gpu_processes.nr)
		vec_push(&x->gpu_processes, process);
	if (x->gpu_processes.v[id] != process)
		jscan_fail(in->js, jscan_byte(in->js),
		           "traceEvents[%" PRIu64 "]: two processes are GPU %" PRId64
		           "; give the traces of several hosts one by one",
		           in->meta->events, number);
	x->gpu = true;
}

static void label_process(struct trace_input *in, const struct raw_event *raw, struct span name)
{
	struct xprof *x = &in->xprof;
	struct xprof_process named = { .role = PROCESS_UNNAMED };
	named.role = xprof_role_of(name, &named.device);
	uint32_t id = process_id(x, raw);
	if (named.role == PROCESS_GPU)
		take_gpu(in, id, named.device);
	struct xprof_process *p = &x->processes.v[id];
	x->tpu = x->tpu || named.role == PROCESS_TPU;
	named.begun = p->begun;
	if (p->begun && (named.role != p->role || named.device != p->device) &&
	    (named.role == PROCESS_GPU || x->gpu))
		late(in);
	*p = named;
}

static void label_thread(struct trace_input *in, const struct raw_event *raw, struct span name)
{
	uint32_t process = process_id(&in->xprof, raw);
	struct xprof_lane *l = lane_of(&in->xprof, process, raw);
	if (l->begun && in->xprof.processes.v[process].role == PROCESS_GPU)
		late(in);
	l->line = xprof_line_of(name, &l->stream);
}

void xprof_label(struct trace_input *in, const struct raw_event *raw)
{
	struct span what = strbuf_span(&raw->text[TEXT_NAME]);
	struct span name = strbuf_span(&raw->text[TEXT_LABEL]);
	if (span_eq(what, SPAN("process_name")))
		label_process(in, raw, name);
	else if (span_eq(what, SPAN("thread_name")))
		label_thread(in, raw, name);
}

/* ---- conversion of events ---- */

static struct xprof_details details_of(const struct raw_event *raw)
{
	return (struct xprof_details){ .kernel = strbuf_span(&raw->text[TEXT_KERNEL_DETAILS]),
		                           .copy = strbuf_span(&raw->text[TEXT_COPY_DETAILS]),
		                           .set = strbuf_span(&raw->text[TEXT_SET_DETAILS]),
		                           .occupancy = field_or(raw, FIELD_OCCUPANCY, 0),
		                           .residency = raw->text[TEXT_RESIDENCY].n > 0,
		                           .op = strbuf_span(&raw->text[TEXT_LABEL]),
		                           .hlo_op = strbuf_span(&raw->text[TEXT_HLO_OP]),
		                           .hlo_module = strbuf_span(&raw->text[TEXT_HLO_MODULE]) };
}

static bool activity_event(struct trace_input *in, const struct raw_event *raw, struct event *e,
                           int64_t device, int64_t stream)
{
	struct span name = strbuf_span(&raw->text[TEXT_NAME]);
	struct xprof_details d = details_of(raw);
	if (!xprof_is_work(&d, name))
		return false;
	e->kind = xprof_kind_of(&d, name);
	if (!fill_complete(in, raw, e))
		return false;
	e->device = device;
	e->stream = stream;
	e->correlation = field_or(raw, FIELD_XPROF_CORRELATION, IDENT_NONE);
	if (e->kind == EVENT_KERNEL)
		e->name = name_intern(in->names, xprof_kernel_name(&d, name, &in->xprof.name));
	if (!e->name || !xprof_ops_add(&in->xprof.ops, in->names, &d, e))
		jscan_fail(in->js, jscan_byte(in->js), "too many different names");
	if (!xprof_fill(&d, e))
		jscan_fail(in->js, jscan_byte(in->js),
		           "traceEvents[%" PRIu64
		           "].args.%s: not a size that can be held exactly; write the "
		           "trace anew",
		           in->meta->events, e->kind == EVENT_MEMCPY ? "memcpy_details" : "Memset_details");
	return jscan_status(in->js) == ST_OK;
}

static bool step_event(struct trace_input *in, const struct raw_event *raw, struct event *e,
                       int64_t device)
{
	e->kind = EVENT_STEP;
	if (!fill_complete(in, raw, e))
		return false;
	e->device = device;
	e->step = field_or(raw, FIELD_GROUP_NUMBER, -1);
	if (e->step < 0)
		e->step = -2 - (int64_t)e->name->id;
	return true;
}

static bool gpu_event(struct trace_input *in, const struct raw_event *raw, struct event *e,
                      uint32_t process)
{
	struct xprof_lane *l = lane_of(&in->xprof, process, raw);
	int64_t device = in->xprof.processes.v[process].device;
	l->begun = true;
	if (l->line == LINE_STEPS)
		return step_event(in, raw, e, device);
	if (l->line != LINE_DERIVED)
		return activity_event(in, raw, e, device, l->stream);
	if (raw->text[TEXT_KERNEL_DETAILS].n || raw->text[TEXT_COPY_DETAILS].n)
		jscan_fail(in->js, jscan_byte(in->js),
		           "traceEvents[%" PRIu64
		           "]: a kernel or copy on a thread that is not a 'Stream #N'; "
		           "report the version of JAX",
		           in->meta->events);
	return false;
}

/* Converts an event of the host. If it has a correlation id other than 0, it is the call that
   launched the GPU activity with this id, whatever its name is; NVTX ranges have the id 0. Frames
   of Python, whose names begin with '$', are dropped. In the file, activities come before calls,
   so the operator of a call is known. */
static bool host_event(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	struct span name = strbuf_span(&raw->text[TEXT_NAME]);
	int64_t correlation = field_or(raw, FIELD_XPROF_CORRELATION, IDENT_NONE);
	struct event op;
	bool call = correlation != IDENT_NONE && correlation != 0;
	if (span_starts(name, SPAN("$")))
		return false;
	e->kind = call ? EVENT_RUNTIME : EVENT_ANNOTATION;
	if (!fill_complete(in, raw, e))
		return false;
	e->correlation = call ? correlation : IDENT_NONE;
	e->step = field_or(raw, FIELD_STEP_NUM, -1);
	e->numbered = !call && (e->step >= 0 || span_eq(name, SPAN("StepMarker")));
	if (call && xprof_op_around(&in->xprof.ops, e, &op))
		in->sunk = in->sink.event(in->sink.ctx, &op);
	return in->sunk == ST_OK;
}

bool xprof_event(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	struct xprof *x = &in->xprof;
	if (raw->kind == KIND_OTHER && !x->gpu)
		return false;
	uint32_t process = process_id(x, raw);
	enum xprof_role role = x->processes.v[process].role;
	x->processes.v[process].begun = true;
	x->events++;
	if (role == PROCESS_GPU)
		return gpu_event(in, raw, e, process);
	if (role == PROCESS_HOST || (role == PROCESS_POOL && x->gpu))
		return host_event(in, raw, e);
	in->meta->malformed += x->gpu && !((raw->seen | raw->bad) & SEEN_FIELD(FIELD_PID));
	return false;
}
