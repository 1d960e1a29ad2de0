#include "read/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "io/jscan.h"
#include "read/foreign.h"

/* A field of an event: what is unusable matters only where the event is
   wanted, which is known once the whole of it has been read. */
enum field_state { FIELD_ABSENT, FIELD_OK, FIELD_BAD };
struct field {
	enum field_state state;
	int64_t v;
	uint64_t byte;
};

/* Longest text of the shapes or types of an operator; longer ones are cut. */
enum { INPUT_BYTES = 256 };

enum phase { PHASE_NONE, PHASE_COMPLETE, PHASE_OTHER };

/* One event as it is read; in JSON the last of several equal keys wins. */
struct raw_event {
	enum phase phase;
	bool has_category, has_args;
	enum event_kind kind;
	struct strbuf name, input_dims, input_types;
	struct field ts, dur, pid, tid;
	struct field device, stream, correlation, bytes, occupancy, grid[3], block[3];
	struct field device_type, device_id, allocated, reserved, size;
};

struct trace_reader {
	const struct trace_options *options;
	struct jscan *js;
	struct name_table *names;
	struct event_sink sink;
	struct trace_meta *meta;
	struct raw_event ev;
	uint64_t with_phase; ///< elements that have a "ph"
	unsigned foreign; ///< what the keys seen so far speak for (foreign.h)
	bool has_events, bare;
	enum status sink_status;
};

/* Kineto's categories since 2022, and those of 2021 traces.
   Source: libkineto/src/ActivityType.cpp, output_json.cpp (pytorch/kineto). */
static const struct {
	const char *name;
	enum event_kind kind;
} categories[] = {
	{ "kernel", EVENT_KERNEL },
	{ "gpu_memcpy", EVENT_MEMCPY },
	{ "memcpy", EVENT_MEMCPY },
	{ "gpu_memset", EVENT_MEMSET },
	{ "memset", EVENT_MEMSET },
	{ "cuda_runtime", EVENT_RUNTIME },
	{ "cuda_driver", EVENT_RUNTIME },
	{ "runtime", EVENT_RUNTIME },
	{ "cpu_op", EVENT_OP },
	{ "operator", EVENT_OP },
	{ "user_annotation", EVENT_ANNOTATION },
};

static bool category_kind(struct span name, enum event_kind *kind)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (span_eq_nocase(name, span_of(categories[i].name))) {
			*kind = categories[i].kind;
			return true;
		}
	return false;
}

/* ---- values ---- */

/* Offset of the next value itself, behind white space. */
static uint64_t value_byte(struct jscan *js)
{
	(void)jscan_peek(js);
	return jscan_byte(js);
}

/* Number, or a string that holds one, × 10^digits. */
static void read_number(struct jscan *js, int digits, struct field *f)
{
	struct span text;
	enum jscan_type type;
	f->byte = value_byte(js);
	f->state = FIELD_BAD;
	if (jscan_number(js, &text) || jscan_string(js, &text)) {
		if (number_parse(text, digits, &f->v))
			f->state = FIELD_OK;
	} else if (!jscan_literal(js, &type)) {
		jscan_skip(js);
	} else if (type == JSCAN_NULL) {
		f->state = FIELD_ABSENT;
	}
}

/* An id: integers as themselves, other text by its name; null is IDENT_NONE. */
static void read_ident(struct trace_reader *r, struct field *f)
{
	struct jscan *js = r->js;
	struct span text;
	enum jscan_type type;
	uint64_t u;
	f->byte = value_byte(js);
	f->state = FIELD_OK;
	f->v = IDENT_NONE;
	if (jscan_literal(js, &type)) {
		static const char *const words[] = {
			[JSCAN_TRUE] = "True", [JSCAN_FALSE] = "False", [JSCAN_NAN] = "nan"
		};
		if (type == JSCAN_NULL)
			return;
		text = span_of(words[type]);
	} else if (!jscan_number(js, &text) && !jscan_string(js, &text)) {
		f->state = FIELD_BAD;
		jscan_skip(js);
		return;
	}
	bool canonical = text.n == 1 || (text.n > 1 && text.p[0] != '0');
	if (canonical && number_parse_u64(text, &u) && u <= INT64_MAX) {
		f->v = (int64_t)u;
		return;
	}
	const struct name *nm = name_intern(r->names, text);
	if (nm)
		f->v = -2 - (int64_t)nm->id;
	else
		jscan_fail(js, f->byte, "too many different ids and names");
}

static void read_dim3(struct jscan *js, struct field f[3])
{
	for (int i = 0; i < 3; i++)
		f[i] = (struct field){ 0 };
	if (!jscan_array(js)) {
		jscan_skip(js);
		return;
	}
	struct field ignored;
	for (size_t i = 0; jscan_element(js); i++)
		read_number(js, 0, i < 3 ? &f[i] : &ignored);
}

/* Text of `b` with `s` behind it; what is beyond its limit only shows that it
   must be cut. */
static void add_input(struct strbuf *b, struct span s)
{
	size_t room = b->n <= INPUT_BYTES ? INPUT_BYTES + 1 - b->n : 0;
	strbuf_add(b, (struct span){ s.p, s.n < room ? s.n : room });
}

/* A list of shapes or types as one line: lists in it keep their brackets, what
   has no text is "-". */
static void read_inputs(struct jscan *js, struct strbuf *b)
{
	struct span text;
	bool first = true;
	strbuf_setlen(b, 0);
	if (!jscan_array(js)) {
		jscan_skip(js);
		return;
	}
	for (unsigned depth = 1; depth > 0;) {
		if (!jscan_element(js)) {
			if (--depth)
				add_input(b, SPAN("]"));
			first = false;
			continue;
		}
		add_input(b, first ? SPAN("") : SPAN(", "));
		first = jscan_array(js);
		if (first) {
			add_input(b, SPAN("["));
			depth++;
		} else if (jscan_string(js, &text) || jscan_number(js, &text)) {
			add_input(b, text.n ? text : SPAN("-"));
		} else {
			add_input(b, SPAN("-"));
			jscan_skip(js);
		}
	}
	if (b->n <= INPUT_BYTES)
		return;
	size_t end = INPUT_BYTES - SPAN("…").n;
	while (end && ((unsigned char)b->p[end] & 0xC0) == 0x80)
		end--;
	strbuf_setlen(b, end);
	strbuf_adds(b, "…");
}

/* Keys of "args" that figures need. Source: output_json.cpp, handleActivity
   of CUPTI and roctracer records (pytorch/kineto), profiler_kineto.cpp
   ([memory] events and shapes, pytorch/pytorch; "Input dims" in 2021). */
static void read_arg(struct trace_reader *r, struct span key)
{
	struct raw_event *ev = &r->ev;
	struct jscan *js = r->js;
	if (span_eq(key, SPAN("correlation")))
		read_ident(r, &ev->correlation);
	else if (span_eq(key, SPAN("device")))
		read_ident(r, &ev->device);
	else if (span_eq(key, SPAN("stream")))
		read_ident(r, &ev->stream);
	else if (span_eq(key, SPAN("bytes")))
		read_number(js, 0, &ev->bytes);
	else if (span_eq(key, SPAN("grid")))
		read_dim3(js, ev->grid);
	else if (span_eq(key, SPAN("block")))
		read_dim3(js, ev->block);
	else if (span_eq(key, SPAN("est. achieved occupancy %")))
		read_number(js, 6, &ev->occupancy);
	else if (span_eq(key, SPAN("Bytes")))
		read_number(js, 0, &ev->size);
	else if (span_eq(key, SPAN("Device Type")))
		read_number(js, 0, &ev->device_type);
	else if (span_eq(key, SPAN("Device Id")))
		read_number(js, 0, &ev->device_id);
	else if (span_eq(key, SPAN("Total Allocated")))
		read_number(js, 0, &ev->allocated);
	else if (span_eq(key, SPAN("Total Reserved")))
		read_number(js, 0, &ev->reserved);
	else if (span_eq(key, SPAN("Input Dims")) || span_eq(key, SPAN("Input dims")))
		read_inputs(js, &ev->input_dims);
	else if (span_eq(key, SPAN("Input type")))
		read_inputs(js, &ev->input_types);
	else
		jscan_skip(js);
}

static void read_args(struct trace_reader *r)
{
	struct raw_event *ev = &r->ev;
	struct span key;
	ev->device = ev->stream = ev->correlation = ev->bytes = ev->occupancy = (struct field){ 0 };
	ev->device_type = ev->device_id = ev->allocated = ev->reserved = ev->size = (struct field){ 0 };
	memset(ev->grid, 0, sizeof ev->grid);
	memset(ev->block, 0, sizeof ev->block);
	strbuf_setlen(&ev->input_dims, 0);
	strbuf_setlen(&ev->input_types, 0);
	if (!jscan_object(r->js)) {
		jscan_skip(r->js);
		return;
	}
	while (jscan_key(r->js, &key))
		read_arg(r, key);
}

static void read_phase(struct trace_reader *r)
{
	struct span text;
	r->ev.phase = PHASE_OTHER;
	if (jscan_string(r->js, &text)) {
		r->with_phase++;
		if (span_eq(text, SPAN("X")))
			r->ev.phase = PHASE_COMPLETE;
	} else {
		jscan_skip(r->js);
	}
}

static void read_category(struct trace_reader *r)
{
	struct span text;
	r->ev.has_category = false;
	if (jscan_string(r->js, &text))
		r->ev.has_category = category_kind(text, &r->ev.kind);
	else
		jscan_skip(r->js);
}

static void read_name(struct trace_reader *r)
{
	struct span text;
	strbuf_setlen(&r->ev.name, 0);
	if (jscan_string(r->js, &text) || jscan_number(r->js, &text))
		strbuf_add(&r->ev.name, text);
	else
		jscan_skip(r->js);
}

static void read_event_key(struct trace_reader *r, struct span key)
{
	struct raw_event *ev = &r->ev;
	if (span_eq(key, SPAN("ph")))
		read_phase(r);
	else if (span_eq(key, SPAN("cat")))
		read_category(r);
	else if (span_eq(key, SPAN("name")))
		read_name(r);
	else if (span_eq(key, SPAN("ts")))
		read_number(r->js, 3, &ev->ts);
	else if (span_eq(key, SPAN("dur")))
		read_number(r->js, 3, &ev->dur);
	else if (span_eq(key, SPAN("pid")))
		read_ident(r, &ev->pid);
	else if (span_eq(key, SPAN("tid")))
		read_ident(r, &ev->tid);
	else if (span_eq(key, SPAN("args")))
		read_args(r);
	else {
		r->foreign |= foreign_key(key);
		jscan_skip(r->js);
	}
}

/* ---- events ---- */

/* The value of a field that is needed: `absent` where there is none, an error
   where it is there and unusable. */
static int64_t need(struct trace_reader *r, const char *key, const struct field *f, int64_t absent)
{
	if (f->state == FIELD_BAD)
		jscan_fail(r->js, f->byte,
		           "traceEvents[%" PRIu64
		           "].%s: no value that can be held exactly; write the trace anew",
		           r->meta->events, key);
	return f->state == FIELD_OK ? f->v : absent;
}

static int64_t or_absent(const struct field *f, int64_t absent)
{
	return f->state == FIELD_OK ? f->v : absent;
}

/* Shared by all kinds; false where the event cannot be used. */
static bool fill_common(struct trace_reader *r, struct event *e)
{
	struct raw_event *raw = &r->ev;
	if (raw->ts.state == FIELD_ABSENT) {
		r->meta->malformed++;
		return false;
	}
	e->start_ns = need(r, "ts", &raw->ts, 0);
	e->pid = need(r, "pid", &raw->pid, IDENT_NONE);
	e->tid = need(r, "tid", &raw->tid, IDENT_NONE);
	e->correlation = need(r, "args.correlation", &raw->correlation, IDENT_NONE);
	e->device = e->stream = IDENT_NONE;
	e->grid[0] = e->block[0] = e->occupancy = -1;
	e->name = name_intern(r->names, strbuf_span(&raw->name));
	if (!e->name)
		jscan_fail(r->js, jscan_byte(r->js), "too many different names");
	return jscan_status(r->js) == ST_OK;
}

static bool fill_complete(struct trace_reader *r, struct event *e)
{
	struct raw_event *raw = &r->ev;
	int64_t end;
	e->kind = raw->kind;
	if (!fill_common(r, e))
		return false;
	e->dur_ns = need(r, "dur", &raw->dur, 0);
	e->negative = e->dur_ns < 0;
	if (e->negative)
		e->dur_ns = 0;
	if (__builtin_add_overflow(e->start_ns, e->dur_ns, &end))
		jscan_fail(r->js, raw->dur.byte,
		           "traceEvents[%" PRIu64
		           "]: 'ts' + 'dur' is beyond 292 years; write the trace anew",
		           r->meta->events);
	if (e->kind == EVENT_OP) {
		e->input_dims = strbuf_span(&raw->input_dims);
		e->input_types = strbuf_span(&raw->input_types);
	}
	if (event_is_gpu(e->kind)) {
		e->device = need(r, "args.device", &raw->device, e->pid);
		e->stream = need(r, "args.stream", &raw->stream, e->tid);
		const struct field *bytes = raw->bytes.state == FIELD_ABSENT ? &raw->size : &raw->bytes;
		e->bytes = e->kind == EVENT_KERNEL ? 0 : need(r, "args.bytes", bytes, 0);
		if (e->bytes < 0)
			e->bytes = 0;
		bool shaped = raw->grid[2].state == FIELD_OK && raw->block[2].state == FIELD_OK;
		for (int i = 0; i < 3; i++) {
			e->grid[i] = shaped ? or_absent(&raw->grid[i], -1) : -1;
			e->block[i] = shaped ? or_absent(&raw->block[i], -1) : -1;
		}
		e->occupancy = or_absent(&raw->occupancy, -1);
	}
	return jscan_status(r->js) == ST_OK;
}

static bool fill_memory(struct trace_reader *r, struct event *e)
{
	struct raw_event *raw = &r->ev;
	e->kind = EVENT_MEMORY;
	if (!fill_common(r, e))
		return false;
	e->bytes = need(r, "args.Bytes", &raw->size, 0);
	e->device_type = need(r, "args.Device Type", &raw->device_type, 0);
	e->memory_id = need(r, "args.Device Id", &raw->device_id, -1);
	e->total_allocated = need(r, "args.Total Allocated", &raw->allocated, -1);
	e->total_reserved =
	    need(r, "args.Total Reserved", &raw->reserved, raw->allocated.state == FIELD_OK ? 0 : -1);
	return jscan_status(r->js) == ST_OK;
}

static void emit(struct trace_reader *r)
{
	struct event e = { 0 };
	bool wanted;
	if (r->ev.phase == PHASE_COMPLETE && r->ev.has_category)
		wanted = fill_complete(r, &e);
	else if (r->ev.phase != PHASE_COMPLETE && span_eq(strbuf_span(&r->ev.name), SPAN("[memory]")))
		wanted = fill_memory(r, &e);
	else
		return;
	if (wanted)
		r->sink_status = r->sink.event(r->sink.ctx, &e);
}

static void read_event(struct trace_reader *r)
{
	struct span key;
	if (!jscan_object(r->js)) {
		enum jscan_type type = jscan_peek(r->js);
		jscan_skip(r->js);
		if (jscan_status(r->js) == ST_OK) {
			r->foreign |= foreign_element(type);
			r->meta->malformed++;
		}
		return;
	}
	struct strbuf name = r->ev.name, dims = r->ev.input_dims, types = r->ev.input_types;
	strbuf_setlen(&name, 0);
	strbuf_setlen(&dims, 0);
	strbuf_setlen(&types, 0);
	r->ev = (struct raw_event){ .name = name, .input_dims = dims, .input_types = types };
	while (jscan_key(r->js, &key))
		read_event_key(r, key);
	if (jscan_status(r->js) == ST_OK)
		emit(r);
}

static bool quick_enough(const struct trace_reader *r)
{
	return r->options->quick && r->meta->events >= r->options->quick;
}

/* The elements of traceEvents, or of the bare array. */
static void read_events(struct trace_reader *r)
{
	r->has_events = true;
	while (jscan_element(r->js)) {
		read_event(r);
		if (jscan_status(r->js) != ST_OK || r->sink_status != ST_OK)
			return;
		r->meta->events++;
		if (quick_enough(r)) {
			r->meta->partial = true;
			return;
		}
	}
}

/* ---- what the trace says of itself ---- */

/* A plain non-negative integer; anything else leaves `out` as it is. */
static void read_i64(struct jscan *js, int64_t *out)
{
	struct span text;
	uint64_t v;
	if (!jscan_number(js, &text))
		jscan_skip(js);
	else if (number_parse_u64(text, &v) && v <= INT64_MAX)
		*out = (int64_t)v;
}

static void read_distributed(struct trace_reader *r)
{
	struct span key;
	if (!jscan_object(r->js)) {
		jscan_skip(r->js);
		return;
	}
	while (jscan_key(r->js, &key)) {
		if (span_eq(key, SPAN("rank")))
			read_i64(r->js, &r->meta->rank);
		else if (span_eq(key, SPAN("world_size")))
			read_i64(r->js, &r->meta->world_size);
		else
			jscan_skip(r->js);
	}
}

static void read_device(struct trace_reader *r)
{
	struct trace_device d = { .id = -1, .memory_bytes = -1, .name = "" };
	struct span key, text;
	while (jscan_key(r->js, &key)) {
		if (span_eq(key, SPAN("id")))
			read_i64(r->js, &d.id);
		else if (span_eq(key, SPAN("totalGlobalMem")))
			read_i64(r->js, &d.memory_bytes);
		else if (span_eq(key, SPAN("name")) && jscan_string(r->js, &text))
			d.name = arena_dup(&r->meta->arena, text);
		else
			jscan_skip(r->js);
	}
	vec_push(&r->meta->devices, d);
}

static void read_devices(struct trace_reader *r)
{
	if (!jscan_array(r->js)) {
		jscan_skip(r->js);
		return;
	}
	while (jscan_element(r->js)) {
		if (jscan_object(r->js))
			read_device(r);
		else
			jscan_skip(r->js);
	}
}

/* CUDA counts 1000 · major + 10 · minor (cuda_runtime_api.h, CUDART_VERSION), HIP 10^7 · major +
   10^5 · minor + patch (hip_version.h). */
static void read_version(struct trace_reader *r, bool hip, const char **out)
{
	int64_t v = -1;
	read_i64(r->js, &v);
	if (v < 0)
		return;
	*out =
	    hip ? arena_printf(&r->meta->arena, "%" PRId64 ".%" PRId64, v / 10000000, v / 100000 % 100)
	        : arena_printf(&r->meta->arena, "%" PRId64 ".%" PRId64, v / 1000, v / 10 % 100);
}

static void read_top_key(struct trace_reader *r, struct span key)
{
	if (span_eq(key, SPAN("traceEvents"))) {
		uint64_t byte = value_byte(r->js);
		if (r->has_events)
			jscan_fail(r->js, byte, "'traceEvents' a second time; write the trace anew");
		else if (jscan_array(r->js))
			read_events(r);
		else
			jscan_fail(r->js, byte, "'traceEvents' is no array");
	} else if (span_eq(key, SPAN("distributedInfo")))
		read_distributed(r);
	else if (span_eq(key, SPAN("deviceProperties")))
		read_devices(r);
	else if (span_eq(key, SPAN("cuda_runtime_version")))
		read_version(r, false, &r->meta->cuda_runtime);
	else if (span_eq(key, SPAN("cuda_driver_version")))
		read_version(r, false, &r->meta->cuda_driver);
	else if (span_eq(key, SPAN("hip_runtime_version")))
		read_version(r, true, &r->meta->cuda_runtime);
	else if (span_eq(key, SPAN("hip_driver_version")))
		read_version(r, true, &r->meta->cuda_driver);
	else {
		r->foreign |= foreign_key(key);
		jscan_skip(r->js);
	}
}

/* No traceEvents, or a list of what are no events. */
static bool is_foreign(const struct trace_reader *r)
{
	return !r->has_events || (r->bare && r->meta->events && !r->with_phase);
}

static enum status refuse(struct trace_reader *r, struct source *src, struct diag_log *log)
{
	r->meta->not_a_trace = true;
	return diag_fail(
	    log, ST_INPUT,
	    "%s: no profiler trace: it seems to be %s; give the trace that torch.profiler wrote",
	    source_name(src), foreign_name(r->foreign));
}

/* The outermost value; jscan_status() and r->sink_status tell how it went. */
static enum status read_top(struct trace_reader *r, struct source *src, struct diag_log *log)
{
	struct jscan *js = r->js;
	struct span key;
	if (jscan_object(js)) {
		while (!r->meta->partial && r->sink_status == ST_OK && jscan_key(js, &key))
			read_top_key(r, key);
	} else if (jscan_array(js)) {
		r->bare = true;
		read_events(r);
	} else {
		r->foreign |= foreign_element(jscan_peek(js));
		jscan_skip(js);
	}
	TRY(r->sink_status);
	if (!r->meta->partial)
		jscan_end(js);
	TRY(jscan_status(js));
	return is_foreign(r) ? refuse(r, src, log) : ST_OK;
}

enum status trace_read(struct source *src, const struct trace_options *options,
                       struct name_table *names, struct event_sink sink, struct trace_meta *meta,
                       struct diag_log *log)
{
	*meta = (struct trace_meta){ .rank = -1, .world_size = -1 };
	struct diag_log own; /* the error of a cut that is allowed is dropped */
	diag_init(&own);
	struct jscan_options scan = { .tolerant = true };
	struct trace_reader r = { .options = options, .names = names, .sink = sink, .meta = meta };
	r.js = jscan_new(src, &scan, &own);
	enum status st = read_top(&r, src, &own);
	meta->json_faults = jscan_faults(r.js, &meta->fault_byte);
	meta->truncated = source_truncated(src);
	bool usable = st == ST_INPUT && jscan_cut(r.js) && !is_foreign(&r);
	if (usable && options->allow_truncated) {
		diag_release(&own);
		diag_warn(log,
		          "%s: byte %" PRIu64 ": the trace is cut short: its %" PRIu64
		          " complete events are used",
		          source_name(src), jscan_byte(r.js), meta->events);
		meta->truncated = true;
		st = ST_OK;
	} else if (usable) {
		diag_note(
		    &own,
		    "the complete events of a trace that is cut short can be kept with --allow-truncated");
	}
	diag_move(log, &own);
	jscan_free(r.js);
	strbuf_release(&r.ev.name);
	strbuf_release(&r.ev.input_dims);
	strbuf_release(&r.ev.input_types);
	return st;
}
