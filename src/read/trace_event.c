/* One element of traceEvents → one event. */
#include <inttypes.h>

#include "read/foreign.h"
#include "read/trace_parts.h"

/* Kineto's categories since 2022, and those of 2021 traces.
   Source: libkineto/src/ActivityType.cpp, output_json.cpp (pytorch/kineto). */
static const struct {
	struct span name;
	enum event_kind kind;
} categories[] = {
	{ { "kernel", 6 }, EVENT_KERNEL },
	{ { "gpu_memcpy", 10 }, EVENT_MEMCPY },
	{ { "memcpy", 6 }, EVENT_MEMCPY },
	{ { "gpu_memset", 10 }, EVENT_MEMSET },
	{ { "memset", 6 }, EVENT_MEMSET },
	{ { "cuda_runtime", 12 }, EVENT_RUNTIME },
	{ { "cuda_driver", 11 }, EVENT_RUNTIME },
	{ { "runtime", 7 }, EVENT_RUNTIME },
	{ { "cpu_op", 6 }, EVENT_OP },
	{ { "operator", 8 }, EVENT_OP },
	{ { "user_annotation", 15 }, EVENT_ANNOTATION },
	{ { "python_function", 15 }, EVENT_PYTHON },
};

static bool category_kind(struct span name, enum event_kind *kind)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (span_eq_nocase(name, categories[i].name)) {
			*kind = categories[i].kind;
			return true;
		}
	return false;
}

static void read_phase(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->phase = PHASE_OTHER;
	if (jscan_string(in->js, &text)) {
		in->with_phase++;
		if (span_eq(text, SPAN("X")))
			ev->phase = PHASE_COMPLETE;
	} else {
		jscan_skip(in->js);
	}
}

static void read_category(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->has_category = false;
	if (jscan_string(in->js, &text))
		ev->has_category = category_kind(text, &ev->kind);
	else
		jscan_skip(in->js);
}

static void read_name(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	strbuf_setlen(&ev->text[TEXT_NAME], 0);
	if (jscan_string(in->js, &text) || jscan_number(in->js, &text))
		strbuf_add(&ev->text[TEXT_NAME], text);
	else
		jscan_skip(in->js);
}

static void read_event_key(struct trace_input *in, struct raw_event *ev, struct span key)
{
	if (span_eq(key, SPAN("ph")))
		read_phase(in, ev);
	else if (span_eq(key, SPAN("cat")))
		read_category(in, ev);
	else if (span_eq(key, SPAN("name")))
		read_name(in, ev);
	else if (span_eq(key, SPAN("ts")))
		read_number(in->js, 3, &ev->ts);
	else if (span_eq(key, SPAN("dur")))
		read_number(in->js, 3, &ev->dur);
	else if (span_eq(key, SPAN("pid")))
		read_ident(in, &ev->pid);
	else if (span_eq(key, SPAN("tid")))
		read_ident(in, &ev->tid);
	else if (span_eq(key, SPAN("args")))
		read_args(in, ev);
	else {
		in->foreign |= foreign_key(key);
		jscan_skip(in->js);
	}
}

/* ---- what is wanted of it ---- */

/* The value of a field that is needed: `absent` where there is none, an error
   where it is there and unusable. */
static int64_t need(struct trace_input *in, const char *key, const struct field *f, int64_t absent)
{
	if (f->state == FIELD_BAD)
		jscan_fail(in->js, f->byte,
		           "traceEvents[%" PRIu64
		           "].%s: no value that can be held exactly; write the trace anew",
		           in->meta->events, key);
	return f->state == FIELD_OK ? f->v : absent;
}

static int64_t or_absent(const struct field *f, int64_t absent)
{
	return f->state == FIELD_OK ? f->v : absent;
}

/* A count or an id that may be missing, or say that it is. */
static int64_t or_none(const struct field *f)
{
	return f->state == FIELD_OK && f->v >= 0 ? f->v : -1;
}

/* Shared by all kinds; false where the event cannot be used. */
static bool fill_common(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	if (raw->ts.state == FIELD_ABSENT) {
		in->meta->malformed++;
		return false;
	}
	e->start_ns = need(in, "ts", &raw->ts, 0);
	e->pid = need(in, "pid", &raw->pid, IDENT_NONE);
	e->tid = need(in, "tid", &raw->tid, IDENT_NONE);
	e->correlation = need(in, "args.correlation", &raw->args.correlation, IDENT_NONE);
	e->device = e->stream = IDENT_NONE;
	e->grid[0] = e->block[0] = e->occupancy = -1;
	e->collective.in_nelems = e->collective.out_nelems = e->collective.group_size = -1;
	e->python_id = e->python_parent = -1;
	e->name = name_intern(in->names, strbuf_span(&raw->text[TEXT_NAME]));
	if (!e->name)
		jscan_fail(in->js, jscan_byte(in->js), "too many different names");
	return jscan_status(in->js) == ST_OK;
}

static void fill_gpu(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	const struct raw_args *args = &raw->args;
	e->device = need(in, "args.device", &args->device, e->pid);
	e->stream = need(in, "args.stream", &args->stream, e->tid);
	const struct field *bytes = args->bytes.state == FIELD_ABSENT ? &args->size : &args->bytes;
	e->bytes = e->kind == EVENT_KERNEL ? 0 : need(in, "args.bytes", bytes, 0);
	if (e->bytes < 0)
		e->bytes = 0;
	bool shaped = args->grid[2].state == FIELD_OK && args->block[2].state == FIELD_OK;
	for (int i = 0; i < 3; i++) {
		e->grid[i] = shaped ? or_absent(&args->grid[i], -1) : -1;
		e->block[i] = shaped ? or_absent(&args->block[i], -1) : -1;
	}
	e->occupancy = or_absent(&args->occupancy, -1);
}

static void fill_collective(const struct raw_event *raw, struct collective_args *c)
{
	const struct strbuf *text = raw->text;
	c->name = strbuf_span(&text[TEXT_COLLECTIVE]);
	c->dtype = strbuf_span(&text[TEXT_DTYPE]);
	c->group = strbuf_span(&text[text[TEXT_GROUP].n ? TEXT_GROUP : TEXT_GROUP_ID]);
	c->group_description = strbuf_span(&text[TEXT_GROUP_DESCRIPTION]);
	c->in_nelems = or_none(&raw->args.in_nelems);
	c->out_nelems = or_none(&raw->args.out_nelems);
	c->group_size = or_none(&raw->args.group_size);
}

static bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	int64_t end;
	e->kind = raw->kind;
	if (!fill_common(in, raw, e))
		return false;
	e->dur_ns = need(in, "dur", &raw->dur, 0);
	e->negative = e->dur_ns < 0;
	if (e->negative)
		e->dur_ns = 0;
	if (__builtin_add_overflow(e->start_ns, e->dur_ns, &end))
		jscan_fail(in->js, raw->dur.byte,
		           "traceEvents[%" PRIu64
		           "]: 'ts' + 'dur' is beyond 292 years; write the trace anew",
		           in->meta->events);
	if (e->kind == EVENT_OP ||
	    (e->kind == EVENT_ANNOTATION && span_starts(name_span(e->name), SPAN("nccl:")))) {
		e->input_dims = strbuf_span(&raw->text[TEXT_INPUT_DIMS]);
		e->input_types = strbuf_span(&raw->text[TEXT_INPUT_TYPES]);
	}
	if (event_is_gpu(e->kind))
		fill_gpu(in, raw, e);
	if (raw->text[TEXT_COLLECTIVE].n)
		fill_collective(raw, &e->collective);
	e->python_id = or_none(&raw->args.python_id);
	e->python_parent = or_none(&raw->args.python_parent);
	return jscan_status(in->js) == ST_OK;
}

static bool fill_memory(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	const struct raw_args *args = &raw->args;
	e->kind = EVENT_MEMORY;
	if (!fill_common(in, raw, e))
		return false;
	e->bytes = need(in, "args.Bytes", &args->size, 0);
	e->device_type = need(in, "args.Device Type", &args->device_type, 0);
	e->memory_id = need(in, "args.Device Id", &args->device_id, -1);
	e->total_allocated = need(in, "args.Total Allocated", &args->allocated, -1);
	e->total_reserved = need(in, "args.Total Reserved", &args->reserved,
	                         args->allocated.state == FIELD_OK ? 0 : -1);
	return jscan_status(in->js) == ST_OK;
}

bool read_event(struct trace_input *in, struct raw_event *ev, struct event *out)
{
	struct span key;
	if (!jscan_object(in->js)) {
		enum jscan_type type = jscan_peek(in->js);
		jscan_skip(in->js);
		if (jscan_status(in->js) == ST_OK) {
			in->foreign |= foreign_element(type);
			in->meta->malformed++;
		}
		return false;
	}
	ev->phase = PHASE_NONE;
	ev->has_category = false;
	ev->ts = ev->dur = ev->pid = ev->tid = (struct field){ 0 };
	ev->args = (struct raw_args){ 0 };
	for (int i = 0; i < NR_TEXTS; i++)
		strbuf_setlen(&ev->text[i], 0);
	while (jscan_key(in->js, &key))
		read_event_key(in, ev, key);
	if (jscan_status(in->js) != ST_OK)
		return false;
	*out = (struct event){ 0 };
	if (ev->phase == PHASE_COMPLETE && ev->has_category)
		return fill_complete(in, ev, out);
	return ev->phase != PHASE_COMPLETE &&
	       span_eq(strbuf_span(&ev->text[TEXT_NAME]), SPAN("[memory]")) && fill_memory(in, ev, out);
}
