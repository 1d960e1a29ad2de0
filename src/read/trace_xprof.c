/* Events without a category: those of JAX, and of what XProf makes of its recordings. What an event
   is, the names of its process and thread say.

   Source: openxla/xla, 2026: xla/tsl/profiler/convert/trace_events_to_json.cc and
   xplane_to_trace_events.cc (order, names, the limits on events), utils/xplane_schema.cc (names of
   lines and of arguments), xla/backends/profiler/gpu/cupti_collector.cc, cupti_buffer_events.cc and
   .h, rocm_collector.cc (streams, details). openxla/xprof, 2026: xprof/utils/derived_timeline.cc
   (steps, derived lines), xprof/convert/xplane_to_trace_container.cc (names of the viewer). */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "read/trace_internal.h"

void xprof_init(struct xprof *x)
{
	idmap_init(&x->pids);
	idmap_init(&x->tids);
	idmap_init(&x->lane_ids);
	idmap_init(&x->gpus);
}

void xprof_release(struct xprof *x)
{
	idmap_release(&x->pids);
	idmap_release(&x->tids);
	idmap_release(&x->lane_ids);
	idmap_release(&x->gpus);
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

/* "/device:GPU:0"; the viewer puts the name of the host before it. */
static struct xprof_process process_named(struct span name)
{
	static const struct span device = { "/device:", 8 }, host = { "/host:CPU", 9 };
	const char *at = memmem(name.p, name.n, device.p, device.n);
	uint64_t number;
	if (!at || (at > name.p && at[-1] != ' ')) {
		bool is_host =
		    name.n >= host.n && span_eq((struct span){ name.p + name.n - host.n, host.n }, host);
		return (struct xprof_process){ .role = is_host ? PROCESS_HOST : PROCESS_POOL };
	}
	struct span what = { at + device.n, name.n - (size_t)(at - name.p) - device.n };
	if (span_starts(what, SPAN("TPU:")))
		return (struct xprof_process){ .role = PROCESS_TPU };
	struct span digits = { what.p + 4, what.n - 4 };
	if (span_starts(what, SPAN("GPU:")) && number_parse_u64(digits, &number) && number <= INT64_MAX)
		return (struct xprof_process){ .role = PROCESS_GPU, .device = (int64_t)number };
	return (struct xprof_process){ .role = PROCESS_OTHER };
}

static void late(struct trace_input *in, const struct raw_event *raw)
{
	jscan_fail(in->js, raw->fields[FIELD_PID].byte,
	           "traceEvents[%" PRIu64
	           "]: a process or thread of a GPU is named behind its events; write its name first",
	           in->meta->events);
}

static void take_gpu(struct trace_input *in, const struct raw_event *raw, uint32_t process,
                     int64_t number)
{
	struct xprof *x = &in->xprof;
	uint32_t id = idmap_add(&x->gpus, number);
	if (id == x->gpu_processes.nr)
		vec_push(&x->gpu_processes, process);
	if (x->gpu_processes.v[id] != process)
		jscan_fail(in->js, raw->fields[FIELD_PID].byte,
		           "traceEvents[%" PRIu64 "]: two processes are GPU %" PRId64
		           "; give the traces of several hosts one by one",
		           in->meta->events, number);
	x->gpu = true;
}

static void label_process(struct trace_input *in, const struct raw_event *raw,
                          struct xprof_process named)
{
	struct xprof *x = &in->xprof;
	uint32_t id = process_id(x, raw);
	if (named.role == PROCESS_GPU)
		take_gpu(in, raw, id, named.device);
	struct xprof_process *p = &x->processes.v[id];
	x->tpu = x->tpu || named.role == PROCESS_TPU;
	named.begun = p->begun;
	if (p->begun && (named.role != p->role || named.device != p->device) &&
	    (named.role == PROCESS_GPU || x->gpu))
		late(in, raw);
	*p = named;
}

/* "Stream #13(Compute,MemcpyD2D)", "Steps"; any other of a GPU is the time of its streams in
   another view. */
static void label_thread(struct trace_input *in, const struct raw_event *raw, struct span name)
{
	uint32_t process = process_id(&in->xprof, raw);
	struct xprof_lane *l = lane_of(&in->xprof, process, raw);
	uint64_t number;
	size_t n = SPAN("Stream #").n;
	if (l->begun && in->xprof.processes.v[process].role == PROCESS_GPU)
		late(in, raw);
	l->line = LINE_DERIVED;
	if (span_eq(name, SPAN("Steps")))
		l->line = LINE_STEPS;
	if (!span_starts(name, SPAN("Stream #")))
		return;
	struct span digits = { name.p + n, 0 };
	while (n + digits.n < name.n && is_digit(digits.p[digits.n]))
		digits.n++;
	l->line = LINE_STREAM;
	if (number_parse_u64(digits, &number) && number <= INT64_MAX)
		l->stream = (int64_t)number;
}

/* Within a piece of a trace it is not known what was named before: that is for who reads the
   whole. */
static bool knows_names(struct trace_input *in)
{
	if (in->piece)
		jscan_fail(in->js, jscan_byte(in->js), "what was named before is not known");
	return !in->piece;
}

void xprof_label(struct trace_input *in, const struct raw_event *raw)
{
	if (!knows_names(in))
		return;
	struct span what = strbuf_span(&raw->text[TEXT_NAME]);
	struct span name = strbuf_span(&raw->text[TEXT_LABEL]);
	if (span_eq(what, SPAN("process_name")))
		label_process(in, raw, process_named(name));
	else if (span_eq(what, SPAN("thread_name")))
		label_thread(in, raw, name);
}

/* ---- events ---- */

/* The value of "key:value" among words; empty where it is absent. */
static struct span detail(const struct strbuf *words, struct span key)
{
	struct span rest = strbuf_span(words);
	while (rest.n) {
		const char *end = memchr(rest.p, ' ', rest.n);
		struct span word = { rest.p, end ? (size_t)(end - rest.p) : rest.n };
		if (span_starts(word, key))
			return (struct span){ word.p + key.n, word.n - key.n };
		size_t taken = word.n + (end ? 1 : 0);
		rest = (struct span){ rest.p + taken, rest.n - taken };
	}
	return SPAN("");
}

/* "4,1,1"; all or nothing. */
static void fill_dim3(struct span text, int64_t out[3])
{
	int64_t v[3];
	for (int i = 0; i < 3; i++) {
		const char *comma = i < 2 ? memchr(text.p, ',', text.n) : text.p + text.n;
		size_t n = comma ? (size_t)(comma - text.p) : 0;
		if (!comma || !number_parse((struct span){ text.p, n }, 0, &v[i]) || v[i] < 0)
			return;
		if (i < 2)
			text = (struct span){ comma + 1, text.n - n - 1 };
	}
	memcpy(out, v, sizeof v);
}

/* An occupancy of 0 is one that was not computed. */
static void fill_kernel(const struct raw_event *raw, struct event *e)
{
	const struct strbuf *words = &raw->text[TEXT_KERNEL_DETAILS];
	int64_t occupancy = field_or(raw, FIELD_OCCUPANCY, 0);
	fill_dim3(detail(words, SPAN("grid:")), e->grid);
	fill_dim3(detail(words, SPAN("block:")), e->block);
	if (e->grid[0] < 0 || e->block[0] < 0)
		e->grid[0] = e->block[0] = -1;
	(void)number_parse(detail(words, SPAN("occ_pct:")), 6, &occupancy);
	e->occupancy = occupancy > 0 ? occupancy : -1;
}

static void fill_bytes(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	bool copy = e->kind == EVENT_MEMCPY;
	const struct strbuf *words = &raw->text[copy ? TEXT_COPY_DETAILS : TEXT_SET_DETAILS];
	struct span size = detail(words, copy ? SPAN("size:") : SPAN("num_bytes:"));
	if (size.n && (!number_parse(size, 0, &e->bytes) || e->bytes < 0))
		jscan_fail(in->js, jscan_byte(in->js),
		           "traceEvents[%" PRIu64 "].args.%s: no size that can be held exactly; write the "
		           "trace anew",
		           in->meta->events, copy ? "memcpy_details" : "Memset_details");
}

static enum event_kind activity_kind(const struct raw_event *raw, struct span name)
{
	if (raw->text[TEXT_KERNEL_DETAILS].n)
		return EVENT_KERNEL;
	if (raw->text[TEXT_COPY_DETAILS].n || span_starts(name, SPAN("Memcpy")))
		return EVENT_MEMCPY;
	if (raw->text[TEXT_SET_DETAILS].n || span_starts(name, SPAN("Memset")))
		return EVENT_MEMSET;
	return EVENT_KERNEL;
}

static bool activity_event(struct trace_input *in, const struct raw_event *raw, struct event *e,
                           int64_t device, int64_t stream)
{
	struct span name = strbuf_span(&raw->text[TEXT_NAME]);
	/* from an allocation to its end; migrations of managed memory, on streams that are none */
	if (raw->text[TEXT_RESIDENCY].n || span_starts(name, SPAN("UM_")))
		return false;
	e->kind = activity_kind(raw, name);
	if (!fill_complete(in, raw, e))
		return false;
	e->device = device;
	e->stream = stream;
	e->correlation = field_or(raw, FIELD_XPROF_CORRELATION, IDENT_NONE);
	if (e->kind == EVENT_KERNEL)
		fill_kernel(raw, e);
	else
		fill_bytes(in, raw, e);
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
		jscan_fail(in->js, raw->fields[FIELD_TID].byte,
		           "traceEvents[%" PRIu64 "]: a kernel or copy on a thread that is no 'Stream #N'; "
		           "report the version of JAX",
		           in->meta->events);
	return false;
}

/* Calls of the driver have the id of what they launched; ranges of NVTX have 0. Frames of Python
   begin with '$'. */
static bool host_event(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	struct span name = strbuf_span(&raw->text[TEXT_NAME]);
	int64_t correlation = field_or(raw, FIELD_XPROF_CORRELATION, IDENT_NONE);
	bool call = correlation != IDENT_NONE &&
	            (span_starts(name, SPAN("cu")) || span_starts(name, SPAN("hip")));
	if (span_starts(name, SPAN("$")))
		return false;
	e->kind = call ? EVENT_RUNTIME : EVENT_ANNOTATION;
	if (!fill_complete(in, raw, e))
		return false;
	e->correlation = call ? correlation : IDENT_NONE;
	e->step = field_or(raw, FIELD_STEP_NUM, -1);
	e->numbered = !call && e->step >= 0;
	return true;
}

bool xprof_event(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	struct xprof *x = &in->xprof;
	if ((raw->kind == KIND_OTHER && !x->gpu) || !knows_names(in))
		return false;
	uint32_t process = process_id(x, raw);
	enum xprof_role role = x->processes.v[process].role;
	x->processes.v[process].begun = true;
	x->events++;
	if (role == PROCESS_GPU)
		return gpu_event(in, raw, e, process);
	if (role == PROCESS_HOST || (role == PROCESS_POOL && x->gpu))
		return host_event(in, raw, e);
	return false;
}
