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
static void take_name(struct trace_input *in, struct raw_event *ev, struct span text)
{
	if (ev->phase == PHASE_COMPLETE && ev->kind >= 0)
		ev->name = name_intern(in->names, text);
	if (ev->name)
		return;
	strbuf_add(&ev->text[TEXT_NAME], text);
	ev->seen |= SEEN_TEXT(TEXT_NAME);
}

static void read_name(struct trace_input *in, struct raw_event *ev)
{
	struct span text;
	ev->name = NULL;
	strbuf_setlen(&ev->text[TEXT_NAME], 0);
	if (jscan_string(in->js, &text) || jscan_number(in->js, &text))
		take_name(in, ev, text);
	else
		jscan_skip(in->js);
}

/* The last row stands for any other key. */
static const struct member members[] = {
	{ { "ph", 2 }, MEMBER_PHASE, 0 },
	{ { "cat", 3 }, MEMBER_CATEGORY, 0 },
	{ { "name", 4 }, MEMBER_NAME, 0 },
	{ { "pid", 3 }, MEMBER_IDENT, FIELD_PID },
	{ { "tid", 3 }, MEMBER_IDENT, FIELD_TID },
	{ { "ts", 2 }, MEMBER_NANO, FIELD_TS },
	{ { "dur", 3 }, MEMBER_NANO, FIELD_DUR },
	{ { "args", 4 }, MEMBER_ARGS, 0 },
	{ { "id", 2 }, MEMBER_SKIP, 0 },
	{ { "bp", 2 }, MEMBER_SKIP, 0 },
	{ { "s", 1 }, MEMBER_SKIP, 0 },
	{ { NULL, 0 }, MEMBER_SKIP, 0 },
};
static const struct jscan_keys event_keys = { members, sizeof members / sizeof *members - 1,
	                                          sizeof *members };

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

static __attribute__((noinline, cold)) void unusable(struct trace_input *in, const char *key,
                                                     const struct field *f)
{
	jscan_fail(in->js, f->byte,
	           "traceEvents[%" PRIu64
	           "].%s: no value that can be held exactly; write the trace anew",
	           in->meta->events, key);
}

/* The value of a field that is needed: `absent` where there is none, an error
   where it is there and unusable. */
static inline int64_t need(struct trace_input *in, const char *key, const struct raw_event *raw,
                           enum raw_field which, int64_t absent)
{
	if (field_state(raw, which) == FIELD_BAD)
		unusable(in, key, &raw->fields[which]);
	return field_or(raw, which, absent);
}

/* A count or an id that may be missing, or say that it is. */
static inline int64_t or_none(const struct raw_event *raw, enum raw_field which)
{
	int64_t v = field_or(raw, which, -1);
	return v >= 0 ? v : -1;
}

/* Shared by all kinds; false where the event cannot be used. */
static bool fill_common(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	if (field_state(raw, FIELD_TS) == FIELD_ABSENT) {
		in->meta->malformed++;
		return false;
	}
	e->start_ns = need(in, "ts", raw, FIELD_TS, 0);
	e->pid = need(in, "pid", raw, FIELD_PID, IDENT_NONE);
	e->tid = need(in, "tid", raw, FIELD_TID, IDENT_NONE);
	e->correlation = need(in, "args.correlation", raw, FIELD_CORRELATION, IDENT_NONE);
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
	e->device = need(in, "args.device", raw, FIELD_DEVICE, e->pid);
	e->stream = need(in, "args.stream", raw, FIELD_STREAM, e->tid);
	enum raw_field bytes = field_state(raw, FIELD_BYTES) == FIELD_ABSENT ? FIELD_SIZE : FIELD_BYTES;
	e->bytes = e->kind == EVENT_KERNEL ? 0 : need(in, "args.bytes", raw, bytes, 0);
	if (e->bytes < 0)
		e->bytes = 0;
	const uint64_t both = SEEN_FIELD(FIELD_GRID) | SEEN_FIELD(FIELD_BLOCK);
	const struct field *grid = &raw->fields[FIELD_GRID], *block = &raw->fields[FIELD_BLOCK];
	bool shaped =
	    (raw->seen & both) == both && grid[2].state == FIELD_OK && block[2].state == FIELD_OK;
	for (int i = 0; i < 3; i++) {
		e->grid[i] = shaped && grid[i].state == FIELD_OK ? grid[i].v : -1;
		e->block[i] = shaped && block[i].state == FIELD_OK ? block[i].v : -1;
	}
	e->occupancy = field_or(raw, FIELD_OCCUPANCY, -1);
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

bool fill_complete(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	int64_t end;
	if (!fill_common(in, raw, e))
		return false;
	e->dur_ns = need(in, "dur", raw, FIELD_DUR, 0);
	e->negative = e->dur_ns < 0;
	if (e->negative)
		e->dur_ns = 0;
	if (__builtin_add_overflow(e->start_ns, e->dur_ns, &end))
		jscan_fail(in->js, raw->fields[FIELD_DUR].byte,
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
		e->flops = field_or(raw, FIELD_FLOPS, 0);
	}
	if (event_is_gpu(e->kind))
		fill_gpu(in, raw, e);
	if (raw->text[TEXT_COLLECTIVE].n)
		fill_collective(raw, &e->collective);
	e->python_id = or_none(raw, FIELD_PYTHON_ID);
	e->python_parent = or_none(raw, FIELD_PYTHON_PARENT);
	return jscan_status(in->js) == ST_OK;
}

static bool fill_memory(struct trace_input *in, const struct raw_event *raw, struct event *e)
{
	e->kind = EVENT_MEMORY;
	if (!fill_common(in, raw, e))
		return false;
	e->bytes = need(in, "args.Bytes", raw, FIELD_SIZE, 0);
	e->device_type = need(in, "args.Device Type", raw, FIELD_DEVICE_TYPE, 0);
	e->memory_id = need(in, "args.Device Id", raw, FIELD_DEVICE_ID, -1);
	e->total_allocated = need(in, "args.Total Allocated", raw, FIELD_ALLOCATED, -1);
	e->total_reserved = need(in, "args.Total Reserved", raw, FIELD_RESERVED,
	                         field_state(raw, FIELD_ALLOCATED) == FIELD_OK ? 0 : -1);
	return jscan_status(in->js) == ST_OK;
}

/* ---- one event ---- */

/* A plain number goes to its field here; false leaves it to read_member(). */
JSCAN_INLINE bool read_plain(struct trace_input *in, struct raw_event *ev, const struct member *m,
                             char **at)
{
	struct field *f = &ev->fields[m->at];
	uint64_t byte = in->js->base + (uint64_t)(*at - in->js->buf);
	if (m->type == MEMBER_IDENT  ? !jscan_natural_at(at, &f->v)
	    : m->type == MEMBER_NANO ? !jscan_decimal_at(at, 3, &f->v)
	                             : !jscan_decimal_at(at, 0, &f->v))
		return false;
	f->state = FIELD_OK;
	f->byte = byte;
	ev->seen |= SEEN_FIELD(m->at);
	return true;
}

/* The members of an event and of its "args", from a place within it up to its end. `since`:
   where it began, NULL if that is known. */
static void read_members(struct trace_input *in, struct raw_event *ev,
                         const struct jscan_since *since)
{
	struct jscan *js = in->js;
	struct jscan_cursor c = jscan_lead(js);
	const struct jscan_keys *keys = &event_keys;
	uint64_t with_phase = in->with_phase;
	struct span key;
	unsigned which;
	for (;;) {
		if (!jscan_key_at(js, &c, keys, &which, &key)) {
			if (keys == &event_keys)
				break;
			keys = &event_keys;
			continue;
		}
		const struct member *m = (const struct member *)keys->rows + which;
		if (since && m->type > MEMBER_CATEGORY) {
			jscan_follow(js, &c);
			if (m->type == MEMBER_NAME)
				learn_lead(in, ev, since, in->with_phase > with_phase);
			c = jscan_lead(js);
			since = NULL;
		}
		switch (m->type) {
		case MEMBER_IDENT:
		case MEMBER_NANO:
		case MEMBER_COUNT:
			if (read_plain(in, ev, m, &c.at))
				continue;
			break;
		case MEMBER_SKIP:
			if (which == event_keys.nr && keys == &event_keys)
				in->foreign |= foreign_key(key);
			if (jscan_skip_at(&c.at))
				continue;
			break;
		case MEMBER_ARGS:
			forget_seen(ev, SEEN_ARGS);
			if (jscan_object_at(js, &c)) {
				keys = &arg_keys;
				continue;
			}
			break;
		default:
			break;
		}
		jscan_follow(js, &c);
		switch (m->type) {
		case MEMBER_PHASE:
			read_phase(in, ev);
			break;
		case MEMBER_CATEGORY:
			read_category(in, ev);
			break;
		case MEMBER_NAME:
			read_name(in, ev);
			break;
		case MEMBER_SKIP:
			jscan_skip(js);
			break;
		case MEMBER_ARGS:
			if (jscan_object(js))
				keys = &arg_keys;
			else
				jscan_skip(js);
			break;
		default:
			read_member(in, ev, m);
		}
		c = jscan_lead(js);
	}
	jscan_follow(js, &c);
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
	forget_seen(ev, UINT64_MAX);
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
	struct span name;
	*wanted = false;
	forget(ev);
	if (lead) {
		ev->phase = lead->phase;
		ev->kind = lead->kind;
		in->with_phase += lead->with_phase;
		if (jscan_string_at(&in->js->at, &name))
			take_name(in, ev, name);
		else
			read_name(in, ev);
		read_members(in, ev, NULL);
	} else {
		struct jscan_since since = jscan_here(in->js);
		if (!jscan_element(in->js))
			return false;
		if (!jscan_object(in->js)) {
			read_no_event(in);
			return true;
		}
		read_members(in, ev, &since);
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
