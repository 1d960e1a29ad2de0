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

static int category_kind(struct span name)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (span_eq_nocase(name, categories[i].name))
			return (int)categories[i].kind;
	return KIND_OTHER;
}

static void read_phase(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->phase = PHASE_OTHER;
	if (jscan_string(in->js, &text)) {
		in->with_phase++;
		if (span_eq(text, SPAN("X")))
			ev->phase = PHASE_COMPLETE;
		else if (span_eq(text, SPAN("M")))
			ev->phase = PHASE_METADATA;
	} else {
		jscan_skip(in->js);
	}
}

static void read_category(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->kind = KIND_OTHER;
	if (jscan_string(in->js, &text))
		ev->kind = category_kind(text);
	else
		jscan_skip(in->js);
}

/* The name of what seems to be wanted is looked up at once, which saves a copy. */
static void read_name(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->name = NULL;
	strbuf_setlen(&ev->text[TEXT_NAME], 0);
	if (jscan_string_inline(in->js, &text) || jscan_number(in->js, &text)) {
		if (ev->phase == PHASE_COMPLETE && ev->kind >= 0)
			ev->name = name_intern(in->names, text);
		if (!ev->name)
			strbuf_add(&ev->text[TEXT_NAME], text);
	} else {
		jscan_skip(in->js);
	}
}

enum event_key {
	KEY_PHASE,
	KEY_CATEGORY,
	KEY_NAME,
	KEY_PID,
	KEY_TID,
	KEY_TS,
	KEY_DUR,
	KEY_ARGS,
	KEY_UNUSED, ///< this and those behind it
};

static const struct span event_keys[] = {
	[KEY_PHASE] = { "ph", 2 },      [KEY_CATEGORY] = { "cat", 3 }, [KEY_NAME] = { "name", 4 },
	[KEY_PID] = { "pid", 3 },       [KEY_TID] = { "tid", 3 },      [KEY_TS] = { "ts", 2 },
	[KEY_DUR] = { "dur", 3 },       [KEY_ARGS] = { "args", 4 },    [KEY_UNUSED] = { "id", 2 },
	[KEY_UNUSED + 1] = { "bp", 2 }, [KEY_UNUSED + 2] = { "s", 1 },
};
static const struct jscan_keys event_key_set = { event_keys, sizeof event_keys / sizeof *event_keys,
	                                             sizeof *event_keys };

static inline void read_event_key(struct trace_input *in, struct raw_event *ev, unsigned which,
                                  struct span key)
{
	switch (which) {
	case KEY_PHASE:
		read_phase(in, ev);
		return;
	case KEY_CATEGORY:
		read_category(in, ev);
		return;
	case KEY_NAME:
		read_name(in, ev);
		return;
	case KEY_PID:
		read_ident(in, &ev->pid);
		return;
	case KEY_TID:
		read_ident(in, &ev->tid);
		return;
	case KEY_TS:
		read_number(in->js, 3, &ev->ts);
		return;
	case KEY_DUR:
		read_number(in->js, 3, &ev->dur);
		return;
	case KEY_ARGS:
		read_args(in, ev);
		return;
	default:
		if (which == event_key_set.nr)
			in->foreign |= foreign_key(key);
		jscan_skip_inline(in->js);
	}
}

/* ---- how it begins ---- */

/* Every 16th time a lead that was found late moves forward. */
static const struct event_lead *follow_lead(struct trace_input *in)
{
	size_t i = 0;
	while (i < in->nr_leads && !jscan_follow_lead(in->js, &in->leads[i].text))
		i++;
	if (i == in->nr_leads)
		return NULL;
	if (i && ++in->leads[i].hits % 16 == 0) {
		struct event_lead lead = in->leads[i];
		in->leads[i] = in->leads[i - 1];
		in->leads[--i] = lead;
	}
	return &in->leads[i];
}

/* At the value of "name"; nothing but phase and category was before it. */
static void learn_lead(struct trace_input *in, const struct raw_event *ev,
                       const struct jscan_since *since, bool with_phase)
{
	struct event_lead lead = { .phase = ev->phase, .with_phase = with_phase, .kind = ev->kind };
	if (in->nr_leads < EVENT_LEADS && jscan_learn_lead(in->js, since, &lead.text))
		in->leads[in->nr_leads++] = lead;
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
	e->dur_ns = 0;
	e->negative = false;
	e->bytes = 0;
	e->grid[0] = e->block[0] = e->occupancy = -1;
	e->input_dims = e->input_types = (struct span){ 0 };
	if (e->collective.name.n)
		e->collective = EVENT_BLANK.collective;
	e->python_id = e->python_parent = -1;
	e->numbered = false;
	e->name = raw->name;
	if (!e->name)
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
		e->grid[i] = shaped ? field_or(&args->grid[i], -1) : -1;
		e->block[i] = shaped ? field_or(&args->block[i], -1) : -1;
	}
	e->occupancy = field_or(&args->occupancy, -1);
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

bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	int64_t end;
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
	return jscan_status(in->js) == ST_OK;
}

static bool fill_kineto(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	e->kind = (enum event_kind)raw->kind;
	if (!fill_complete(in, raw, e))
		return false;
	if (e->kind == EVENT_OP ||
	    (e->kind == EVENT_ANNOTATION && span_starts(name_span(e->name), SPAN("nccl:")))) {
		e->input_dims = strbuf_span(&raw->text[TEXT_INPUT_DIMS]);
		e->input_types = strbuf_span(&raw->text[TEXT_INPUT_TYPES]);
	}
	if (e->kind == EVENT_OP) {
		e->concrete_inputs = strbuf_span(&raw->text[TEXT_CONCRETE_INPUTS]);
		e->flops = field_or(&raw->args.flops, 0);
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

/* ---- one event ---- */

/* What usually stands behind a name, in the order that Kineto writes. */
static inline void read_usual_keys(struct trace_input *in, struct raw_event *ev)
{
	struct jscan *js = in->js;
	if (!jscan_guess_key(js, &event_key_set, KEY_PID))
		return;
	read_ident_inline(in, &ev->pid);
	if (!jscan_guess_key(js, &event_key_set, KEY_TID))
		return;
	read_ident_inline(in, &ev->tid);
	if (!jscan_guess_key(js, &event_key_set, KEY_TS))
		return;
	read_number_inline(js, 3, &ev->ts);
	if (!jscan_guess_key(js, &event_key_set, KEY_DUR))
		return;
	read_number_inline(js, 3, &ev->dur);
	if (jscan_guess_key(js, &event_key_set, KEY_ARGS))
		read_args(in, ev);
}

/* Up to the end of the object; `since` NULL: its beginning is known. */
static void read_keys(struct trace_input *in, struct raw_event *ev, const struct jscan_since *since)
{
	struct span key;
	unsigned which, seen = 0;
	uint64_t with_phase = in->with_phase;
	while (jscan_key_of_inline(in->js, &event_key_set, &which, &key)) {
		if (since && which == KEY_NAME && !(seen & ~(1u << KEY_PHASE | 1u << KEY_CATEGORY)))
			learn_lead(in, ev, since, in->with_phase > with_phase);
		seen |= 1u << which;
		read_event_key(in, ev, which, key);
	}
}

static void read_no_event(struct trace_input *in)
{
	enum jscan_type type = jscan_peek(in->js);
	jscan_skip(in->js);
	if (jscan_status(in->js) == ST_OK) {
		in->foreign |= foreign_element(type);
		in->meta->malformed++;
	}
}

static void forget(struct raw_event *ev)
{
	ev->phase = PHASE_NONE;
	ev->kind = KIND_NONE;
	ev->name = NULL;
	ev->ts.state = ev->dur.state = ev->pid.state = ev->tid.state = FIELD_ABSENT;
	forget_args(ev);
	strbuf_setlen(&ev->text[TEXT_NAME], 0);
}

/* A name that was looked up at once may belong to a memory event all the same: the last of
   several phases counts. */
static bool is_memory(const struct raw_event *ev)
{
	struct span name = ev->name ? name_span(ev->name) : strbuf_span(&ev->text[TEXT_NAME]);
	return ev->phase != PHASE_COMPLETE && span_eq(name, SPAN("[memory]"));
}

/* What is wanted of an element goes to `out`, whose spans are borrowed from `ev`; false at the
   end of the array. */
static bool read_event(struct trace_input *in, struct raw_event *ev, struct event *out,
                       bool *wanted)
{
	const struct event_lead *lead = in->meta->events ? follow_lead(in) : NULL;
	*wanted = false;
	forget(ev);
	if (lead) {
		ev->phase = lead->phase;
		ev->kind = lead->kind;
		in->with_phase += lead->with_phase;
		read_name(in, ev);
		read_usual_keys(in, ev);
		read_keys(in, ev, NULL);
	} else {
		struct jscan_since since = jscan_here(in->js);
		if (!jscan_element(in->js))
			return false;
		if (!jscan_object(in->js)) {
			read_no_event(in);
			return true;
		}
		read_keys(in, ev, &since);
	}
	if (jscan_status(in->js) != ST_OK)
		return true;
	if (ev->phase == PHASE_COMPLETE && ev->kind >= 0)
		*wanted = fill_kineto(in, ev, out);
	else if (ev->phase == PHASE_COMPLETE)
		*wanted = xprof_event(in, ev, out);
	else if (is_memory(ev))
		*wanted = fill_memory(in, ev, out);
	else if (ev->phase == PHASE_METADATA)
		xprof_label(in, ev);
	return true;
}

bool read_elements(struct trace_input *in, struct raw_event *ev, uint64_t limit)
{
	struct event e = EVENT_BLANK;
	bool wanted;
	while (in->meta->events != limit && jscan_left(in->js)) {
		if (!read_event(in, ev, &e, &wanted))
			return false;
		if (wanted)
			in->sunk = in->sink.event(in->sink.ctx, &e);
		if (jscan_status(in->js) != ST_OK || in->sunk != ST_OK)
			return false;
		in->meta->events++;
	}
	return true;
}
