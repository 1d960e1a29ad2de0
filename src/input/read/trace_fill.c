/* Converts events as they were read (struct raw_event) to struct event (events/event.h). */
#include <inttypes.h>

#include "read/trace_internal.h"

static __attribute__((noinline, cold)) void mark_unusable(struct trace_input *in, const char *key,
                                                          int64_t byte)
{
	jscan_fail(in->js, (uint64_t)byte,
	           "traceEvents[%" PRIu64
	           "].%s: not a value that can be held exactly; write the trace anew",
	           in->meta->events, key);
}

/* The value of a field that must be usable if present: `absent` if the field is missing, an error
 * if its value is unusable. */
static inline int64_t need(struct trace_input *in, const char *key, const struct raw_event *raw,
                           enum raw_field which, int64_t absent)
{
	if (raw->seen & SEEN_FIELD(which))
		return raw->fields[which];
	if (raw->bad & SEEN_FIELD(which))
		mark_unusable(in, key, raw->fields[which]);
	return absent;
}

/* A count or id, or -1 if the field is missing or negative. */
static inline int64_t or_none(const struct raw_event *raw, enum raw_field which)
{
	int64_t v = field_or(raw, which, -1);
	return v >= 0 ? v : -1;
}

/* Clears members of `e` that few events set: `e` still has the values of the previous event. */
static inline void clear(struct event *e)
{
	e->negative = e->untimed = e->numbered = false;
	if (e->collective.name.n)
		e->collective = event_blank(e->kind).collective;
}

/* Fills in the members that events of all kinds have; false if the event is unusable. */
static inline bool fill_common(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	if (!((raw->seen | raw->bad) & SEEN_FIELD(FIELD_TS))) {
		in->meta->malformed++;
		return false;
	}
	e->start_ns = need(in, "ts", raw, FIELD_TS, 0);
	e->pid = need(in, "pid", raw, FIELD_PID, IDENT_NONE);
	e->tid = need(in, "tid", raw, FIELD_TID, IDENT_NONE);
	e->correlation = need(in, "args.correlation", raw, FIELD_CORRELATION, IDENT_NONE);
	e->dur_ns = 0;
	e->input_dims = e->input_types = e->call_stack = (struct span){ 0 };
	clear(e);
	e->name = raw->name;
	if (!e->name)
		e->name = name_intern(in->names, strbuf_span(&raw->text[TEXT_NAME]));
	if (!e->name)
		jscan_fail(in->js, jscan_byte(in->js), "too many different names");
	return jscan_status(in->js) == ST_OK;
}

static void fill_gpu(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	e->op = e->module = NULL;
	e->device = need(in, "args.device", raw, FIELD_DEVICE, e->pid);
	e->stream = need(in, "args.stream", raw, FIELD_STREAM, e->tid);
	bool named = (raw->seen | raw->bad) & SEEN_FIELD(FIELD_BYTES);
	enum raw_field bytes = named ? FIELD_BYTES : FIELD_SIZE;
	e->bytes = e->kind == EVENT_KERNEL ? 0 : need(in, "args.bytes", raw, bytes, 0);
	if (e->bytes < 0)
		e->bytes = 0;
	const uint64_t both = SEEN_FIELD(FIELD_GRID + 2) | SEEN_FIELD(FIELD_BLOCK + 2);
	bool shaped = (raw->seen & both) == both;
	for (unsigned i = 0; i < 3; i++) {
		e->grid[i] = shaped ? field_or(raw, FIELD_GRID + i, -1) : -1;
		e->block[i] = shaped ? field_or(raw, FIELD_BLOCK + i, -1) : -1;
	}
	e->node = field_or(raw, FIELD_GRAPH_NODE, 0);
	e->occupancy = field_or(raw, FIELD_OCCUPANCY, -1);
	e->resources[RESOURCE_REGISTERS] = or_none(raw, FIELD_REGISTERS);
	e->resources[RESOURCE_SHARED] = or_none(raw, FIELD_SHARED_MEMORY);
}

static void fill_collective(const struct raw_event *raw, struct collective_args *c)
{
	const struct strbuf *text = raw->text;
	c->name = strbuf_span(&text[TEXT_COLLECTIVE]);
	c->dtype = strbuf_span(&text[TEXT_DTYPE]);
	c->group = strbuf_span(&text[text[TEXT_GROUP].n ? TEXT_GROUP : TEXT_GROUP_ID]);
	c->group_description = strbuf_span(&text[TEXT_GROUP_DESCRIPTION]);
	c->in_nelems = or_none(raw, FIELD_IN_NELEMS);
	c->out_nelems = or_none(raw, FIELD_OUT_NELEMS);
	c->group_size = or_none(raw, FIELD_GROUP_SIZE);
}

static inline bool fill_timed(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	int64_t end;
	if (!fill_common(in, raw, e))
		return false;
	e->dur_ns = need(in, "dur", raw, FIELD_DUR, 0);
	e->negative = e->dur_ns < 0;
	e->untimed = !(raw->seen & SEEN_FIELD(FIELD_DUR));
	if (e->negative)
		e->dur_ns = 0;
	if (__builtin_add_overflow(e->start_ns, e->dur_ns, &end))
		jscan_fail(in->js, jscan_byte(in->js),
		           "traceEvents[%" PRIu64
		           "]: 'ts' + 'dur' is beyond 292 years; write the trace anew",
		           in->meta->events);
	return jscan_status(in->js) == ST_OK;
}

bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	*e = event_blank(e->kind);
	return fill_timed(in, raw, e);
}

bool fill_frame(const struct raw_event *raw, struct event *e)
{
	const uint64_t needed = SEEN_FIELD(FIELD_PID) | SEEN_FIELD(FIELD_TID) | SEEN_FIELD(FIELD_TS) |
	                        SEEN_FIELD(FIELD_DUR);
	int64_t end;
	if (raw->kind != EVENT_PYTHON || (raw->seen & needed) != needed || raw->bad || !raw->name)
		return false;
	clear(e);
	e->kind = EVENT_PYTHON;
	e->name = raw->name;
	e->correlation = IDENT_NONE;
	e->start_ns = raw->fields[FIELD_TS];
	e->dur_ns = raw->fields[FIELD_DUR];
	e->pid = raw->fields[FIELD_PID];
	e->tid = raw->fields[FIELD_TID];
	e->python_id = field_or(raw, FIELD_PYTHON_ID, -1);
	e->python_parent = field_or(raw, FIELD_PYTHON_PARENT, -1);
	return e->dur_ns >= 0 && !__builtin_add_overflow(e->start_ns, e->dur_ns, &end);
}

bool fill_kineto(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	e->kind = (enum event_kind)raw->kind;
	if (!fill_timed(in, raw, e))
		return false;
	if (event_is_gpu(e->kind)) {
		fill_gpu(in, raw, e);
	} else if (e->kind == EVENT_RUNTIME) {
		bool named = raw->seen & SEEN_TEXT(TEXT_KERNEL);
		e->launched = named ? name_intern(in->names, strbuf_span(&raw->text[TEXT_KERNEL])) : NULL;
	} else if (e->kind == EVENT_GPU_ANNOTATION) {
		e->device = field_or(raw, FIELD_DEVICE, e->pid);
		e->stream = field_or(raw, FIELD_STREAM, e->tid);
		e->step = field_or(raw, FIELD_EXTERNAL_ID, IDENT_NONE);
	} else if (e->kind == EVENT_PYTHON) {
		e->python_id = field_or(raw, FIELD_PYTHON_ID, -1);
		e->python_parent = field_or(raw, FIELD_PYTHON_PARENT, -1);
	} else if (e->kind == EVENT_OP ||
	           (e->kind == EVENT_ANNOTATION && span_starts(name_span(e->name), SPAN("nccl:")))) {
		e->input_dims = strbuf_span(&raw->text[TEXT_INPUT_DIMS]);
		e->input_types = strbuf_span(&raw->text[TEXT_INPUT_TYPES]);
		e->input_strides = strbuf_span(&raw->text[TEXT_INPUT_STRIDES]);
		e->concrete_inputs = strbuf_span(&raw->text[TEXT_CONCRETE_INPUTS]);
		e->flops = field_or(raw, FIELD_FLOPS, 0);
		e->call_stack = strbuf_span(&raw->text[TEXT_CALL_STACK]);
		e->sequence = or_none(raw, FIELD_SEQUENCE);
		e->forward_thread = field_or(raw, FIELD_FORWARD_THREAD, 0);
	}
	if (raw->text[TEXT_COLLECTIVE].n)
		fill_collective(raw, &e->collective);
	return jscan_status(in->js) == ST_OK;
}

bool fill_flow(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	const uint64_t both = SEEN_FIELD(FIELD_FLOW) | SEEN_FIELD(FIELD_TS);
	e->kind = EVENT_FLOW;
	e->flow = field_or(raw, FIELD_FLOW, -1);
	e->flow_end = raw->phase == EVENT_PHASE_FLOW_END;
	return (raw->seen & both) == both && !raw->bad && fill_common(in, raw, e);
}

bool fill_memory(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	e->kind = EVENT_MEMORY;
	if (!fill_common(in, raw, e))
		return false;
	e->bytes = need(in, "args.Bytes", raw, FIELD_SIZE, 0);
	e->device_type = need(in, "args.Device Type", raw, FIELD_DEVICE_TYPE, 0);
	e->memory_id = need(in, "args.Device Id", raw, FIELD_DEVICE_ID, -1);
	e->total_allocated = need(in, "args.Total Allocated", raw, FIELD_ALLOCATED, -1);
	e->total_reserved = need(in, "args.Total Reserved", raw, FIELD_RESERVED,
	                         (raw->seen & SEEN_FIELD(FIELD_ALLOCATED)) ? 0 : -1);
	return jscan_status(in->js) == ST_OK;
}
