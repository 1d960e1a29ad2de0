/* Reads one plane after the other. Lines of a plane come before the names that they need, so each
   plane is kept in memory. The host's planes are read last, because the operators of its launches
   are known only from the planes of GPUs. */
#include "xspace/xspace.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "xspace/xplane.h"

static const struct xspace_limits default_limits = { .plane_bytes = INT32_MAX };

/* Number that XProf's viewer gives the host process; traces that XProf writes have it, too. */
enum { HOST_PID = 701 };

struct reader {
	struct source *src;
	const struct xspace_limits *limits;
	struct name_table *names;
	struct event_sink sink;
	struct trace_meta *meta;
	struct diag_log *log;
	char chunk[1 << 16];
	struct span unread; ///< bytes in `chunk` that have not been used
	uint64_t byte; ///< number of bytes of the file that have been used
	struct xprof_ops ops;
	VEC(struct strbuf) host; ///< planes of the host, kept until the end of the file
	uint64_t host_bytes;
	struct idmap gpus; ///< numbers of the GPUs that have been read
	bool gpu, tpu;
	struct strbuf name; ///< buffer in which names are composed
};

static enum status damaged(const struct reader *r, const char *what)
{
	return diag_fail(r->log, ST_INPUT, "%s@%" PRIu64 ": %s; copy the file anew",
	                 source_name(r->src), r->byte, what);
}

/* ---- bytes of the file ---- */

/* Reads more bytes into the chunk; `*more` is false at the end. */
static enum status fill(struct reader *r, bool *more)
{
	r->unread.p = r->chunk;
	TRY(source_read(r->src, r->chunk, sizeof r->chunk, &r->unread.n, r->log));
	*more = r->unread.n > 0;
	return ST_OK;
}

static enum status take_byte(struct reader *r, unsigned char *c, bool *there)
{
	*there = true;
	if (!r->unread.n)
		TRY(fill(r, there));
	if (*there) {
		*c = (unsigned char)*r->unread.p;
		r->unread = span_from(r->unread, 1);
		r->byte++;
	}
	return ST_OK;
}

/* Reads a varint of the outermost message; `*there` is false at the end of the file. */
static enum status take_varint(struct reader *r, uint64_t *out, bool *there)
{
	char bytes[10];
	unsigned char c = 128;
	struct span s = { bytes, 0 };
	while (c >= 128 && s.n < sizeof bytes) {
		TRY(take_byte(r, &c, there));
		if (!*there)
			return s.n ? damaged(r, "cut short") : ST_OK;
		bytes[s.n++] = (char)c;
	}
	return wire_varint(&s, out) ? ST_OK : damaged(r, "not an XSpace: a number does not end");
}

/* Appends the next `n` bytes of the file to `out`, or skips them if `out` is NULL. Memory grows
   with the bytes that are read, so a wrong length allocates no more than the file has. */
static enum status take_bytes(struct reader *r, uint64_t n, struct strbuf *out)
{
	bool more = true;
	while (n) {
		if (!r->unread.n)
			TRY(fill(r, &more));
		if (!more)
			return damaged(r, "cut short");
		size_t chunk = r->unread.n < n ? r->unread.n : (size_t)n;
		if (out)
			strbuf_add(out, (struct span){ r->unread.p, chunk });
		r->unread = span_from(r->unread, chunk);
		r->byte += chunk;
		n -= chunk;
	}
	return ST_OK;
}

/* ---- events of a line ---- */

struct xline {
	struct span name;
	int64_t id, timestamp_ns;
};

static bool read_line(struct span message, struct xline *out)
{
	struct wire_field f;
	bool ok = true, display = false;
	*out = (struct xline){ .name = { message.p, 0 } };
	WIRE_EACH(message, f, &ok)
	{
		if (f.number == XLINE_NAME && f.type == WIRE_BYTES)
			out->name = f.bytes;
		else if (f.number == XLINE_TIMESTAMP_NS && f.type == WIRE_VARINT)
			out->timestamp_ns = (int64_t)f.value;
		else if (f.type == WIRE_VARINT && f.value &&
		         (f.number == XLINE_DISPLAY_ID || (f.number == XLINE_ID && !display))) {
			display = f.number == XLINE_DISPLAY_ID;
			/* the id is truncated to 32 bits, as in the viewer */
			out->id = (int64_t)(uint32_t)f.value;
		}
	}
	return ok;
}

/* Rounds ps to ns, half away from zero. */
static int64_t ns_of(int64_t ps)
{
	return ps / 1000 + (ps % 1000 >= 500) - (ps % 1000 <= -500);
}

/* Reads one event: its name, time and values. */
static enum status read_event(struct reader *r, const struct xplane *p, const struct xline *l,
                              struct span message, struct event *e, struct span *name,
                              struct xvalues *v)
{
	int64_t id = 0, offset = 0, duration = 0, end;
	struct wire_field f;
	bool ok = true;
	struct span rest = message;
	e->untimed = true; /* true until a duration is found: protobuf leaves out a duration of 0,
	                      but no GPU activity takes 0 ps, so a missing duration means that it is
	                      unknown */
	WIRE_EACH(rest, f, &ok)
	{
		if (f.type != WIRE_VARINT)
			continue;
		e->untimed = e->untimed && f.number != XEVENT_DURATION_PS;
		id = f.number == XEVENT_METADATA ? (int64_t)f.value : id;
		offset = f.number == XEVENT_OFFSET_PS ? (int64_t)f.value : offset;
		duration = f.number == XEVENT_DURATION_PS ? (int64_t)f.value : duration;
	}
	*v = (struct xvalues){ 0 };
	uint32_t at = idmap_find(&p->event_ids, id);
	*name = at == NO_ID ? SPAN("") : p->events.v[at].name;
	if (at != NO_ID)
		ok = ok && xplane_values(p, p->events.v[at].body, METADATA_STAT, v);
	if (!ok || !xplane_values(p, message, XEVENT_STAT, v))
		return damaged(r, "an event of this plane cannot be read");
	e->negative = duration < 0;
	duration = duration < 0 ? 0 : duration;
	if (__builtin_add_overflow(offset, duration, &end) ||
	    __builtin_add_overflow(l->timestamp_ns, ns_of(offset), &e->start_ns) ||
	    __builtin_add_overflow(l->timestamp_ns, ns_of(end), &end))
		return damaged(r, "an event of this plane is beyond 292 years");
	e->dur_ns = end - e->start_ns;
	return ST_OK;
}

static enum status hand_on(struct reader *r, struct event *e, struct span name)
{
	e->name = name_intern(r->names, name);
	if (!e->name)
		return damaged(r, "too many different names");
	r->meta->events++;
	return r->sink.event(r->sink.ctx, e);
}

static struct xprof_details details_of(const struct xvalues *v)
{
	return (struct xprof_details){ .kernel = v->text[XSTAT_KERNEL],
		                           .copy = v->text[XSTAT_COPY],
		                           .set = v->text[XSTAT_SET],
		                           .occupancy = v->number[XSTAT_OCCUPANCY],
		                           .residency = v->seen[XSTAT_RESIDENCY],
		                           .op = v->text[XSTAT_OP],
		                           .hlo_op = v->text[XSTAT_HLO_OP],
		                           .hlo_module = v->text[XSTAT_HLO_MODULE] };
}

/* The correlation id of an event, IDENT_NONE if it has none. The file's ids are unsigned: an id
   that is negative as int64 is 2^63 or more, which no profiler assigns. */
static int64_t correlation_of(const struct xvalues *v)
{
	int64_t id = v->number[XSTAT_CORRELATION];
	return v->seen[XSTAT_CORRELATION] && id >= 0 ? id : IDENT_NONE;
}

static struct event blank_event(int64_t device, int64_t stream)
{
	struct event e = event_blank(EVENT_ANNOTATION);
	e.pid = HOST_PID;
	e.tid = stream;
	e.device = device;
	e.stream = stream;
	return e;
}

static enum status take_work(struct reader *r, struct event *e, struct span name,
                             const struct xvalues *v)
{
	struct xprof_details d = details_of(v);
	if (!xprof_is_work(&d, name))
		return ST_OK;
	e->kind = xprof_kind_of(&d, name);
	e->correlation = correlation_of(v);
	if (!xprof_fill(&d, e))
		return damaged(r, "a copy in this plane has no size that can be held exactly");
	if (!xprof_ops_add(&r->ops, r->names, &d, e))
		return damaged(r, "too many different names");
	return hand_on(r, e, e->kind == EVENT_KERNEL ? xprof_kernel_name(&d, name, &r->name) : name);
}

static enum status take_step(struct reader *r, struct event *e, struct span name,
                             const struct xvalues *v)
{
	const struct name *known = name_intern(r->names, name);
	if (!known)
		return damaged(r, "too many different names");
	e->kind = EVENT_STEP;
	e->step = v->seen[XSTAT_GROUP] && v->number[XSTAT_GROUP] >= 0 ? v->number[XSTAT_GROUP]
	                                                              : -2 - (int64_t)known->id;
	return hand_on(r, e, name);
}

/* Takes an event of the host. If it has a correlation id above 0, it is the call that launched the
   GPU activity with this id, whatever its name is; NVTX ranges have the id 0. Frames of Python,
   whose names begin with '$', are dropped. */
static enum status take_host(struct reader *r, struct event *e, struct span name,
                             const struct xvalues *v)
{
	struct event op;
	int64_t correlation = correlation_of(v);
	bool call = correlation > 0;
	if (span_starts(name, SPAN("$")) || !name.n)
		return ST_OK;
	e->kind = call ? EVENT_RUNTIME : EVENT_ANNOTATION;
	e->correlation = call ? correlation : IDENT_NONE;
	e->device = e->stream = IDENT_NONE;
	e->numbered = !call && (v->seen[XSTAT_STEP] || span_eq(name, SPAN("StepMarker")));
	e->step = v->seen[XSTAT_STEP] ? v->number[XSTAT_STEP] : -1;
	e->numbered = e->numbered && e->step >= -1;
	if (call && xprof_op_around(&r->ops, e, &op)) {
		r->meta->events++;
		TRY(r->sink.event(r->sink.ctx, &op));
	}
	return hand_on(r, e, name);
}

/* Refuses work on a line that is neither a stream nor of steps: such lines should only repeat the
 * work of streams. */
static enum status refuse_work(struct reader *r, const struct xline *l, const struct xvalues *v)
{
	if (!v->text[XSTAT_KERNEL].n && !v->text[XSTAT_COPY].n)
		return ST_OK;
	return diag_fail(
	    r->log, ST_INPUT,
	    "%s: a kernel or copy on the line '%s', which is not a 'Stream #N'; report the "
	    "version of JAX",
	    source_name(r->src), text_quote(&r->log->arena, l->name));
}

/* Reads the lines of a plane; `device` < 0 means the host. */
static enum status read_lines(struct reader *r, const struct xplane *p, int64_t device)
{
	struct xline l;
	struct wire_field f;
	for (size_t i = 0; i < p->lines.nr; i++) {
		struct span rest = p->lines.v[i], name;
		bool ok = read_line(rest, &l);
		int64_t stream = l.id;
		enum xprof_line line = device < 0 ? LINE_UNNAMED : xprof_line_of(l.name, &stream);
		if (!ok)
			return damaged(r, "a line of this plane cannot be read");
		WIRE_EACH(rest, f, &ok)
		{
			struct xvalues v;
			struct event e = blank_event(device, stream);
			if (f.number != XLINE_EVENT || f.type != WIRE_BYTES)
				continue;
			TRY(read_event(r, p, &l, f.bytes, &e, &name, &v));
			TRY(device < 0             ? take_host(r, &e, name, &v)
			    : line == LINE_STEPS   ? take_step(r, &e, name, &v)
			    : line == LINE_DERIVED ? refuse_work(r, &l, &v)
			                           : take_work(r, &e, name, &v));
		}
	}
	return ST_OK;
}

/* ---- planes of GPUs and of the host ---- */

/* Adds a GPU to `meta`. Only new files have the name of the GPU in its plane. For old files,
   vendor, compute capability and number of cores are used, which also distinguish models. */
static enum status take_gpu(struct reader *r, const struct xplane *p, int64_t device)
{
	struct xvalues v = { 0 };
	bool ok = true;
	for (size_t i = 0; i < p->own.nr; i++)
		ok = ok && xplane_value(p, p->own.v[i], &v);
	if (!ok)
		return damaged(r, "a value of this plane cannot be read");
	if (idmap_add(&r->gpus, device) != r->meta->devices.nr)
		return damaged(r, "two planes are one GPU; give the files of several hosts one by one");
	strbuf_setlen(&r->name, 0);
	strbuf_add(&r->name, v.text[XSTAT_GPU_NAME]);
	if (!r->name.n && v.seen[XSTAT_MAJOR]) {
		strbuf_add(&r->name, v.text[XSTAT_VENDOR]);
		strbuf_addf(&r->name, "%sGPU %" PRId64 ".%" PRId64, r->name.n ? " " : "",
		            v.number[XSTAT_MAJOR], v.number[XSTAT_MINOR]);
		if (v.seen[XSTAT_CORES])
			strbuf_addf(&r->name, ", %" PRId64 " cores", v.number[XSTAT_CORES]);
	}
	int64_t bytes = v.number[XSTAT_MEMORY];
	vec_push(&r->meta->devices,
	         (struct trace_device){ .id = device,
	                                .name = arena_dup(&r->meta->arena, strbuf_span(&r->name)),
	                                .memory_bytes = bytes > 0 ? bytes : -1 });
	return ST_OK;
}

static enum status take_plane(struct reader *r, struct strbuf *bytes)
{
	struct xplane p;
	int64_t device = -1;
	enum status st = ST_OK;
	bool ok = xplane_init(&p, strbuf_span(bytes));
	enum xprof_role role = xprof_role_of(p.name, &device);
	if (!ok) {
		st = damaged(r, "not a plane of an XSpace");
	} else if (role == PROCESS_GPU) {
		r->gpu = true;
		st = take_gpu(r, &p, device);
		if (st == ST_OK)
			st = read_lines(r, &p, device);
	} else if (role == PROCESS_HOST) {
		r->host_bytes += bytes->n;
		if (r->host_bytes > r->limits->plane_bytes)
			st = damaged(r, "too large: the planes of the host have more than 2 GiB");
		vec_push(&r->host, *bytes);
		*bytes = (struct strbuf)STRBUF_INIT;
	}
	r->tpu = r->tpu || role == PROCESS_TPU;
	xplane_release(&p);
	return st;
}

static enum status read_host(struct reader *r)
{
	for (size_t i = 0; i < r->host.nr; i++) {
		struct xplane p;
		bool ok = xplane_init(&p, strbuf_span(&r->host.v[i]));
		enum status st = ok ? read_lines(r, &p, -1) : damaged(r, "not a plane of an XSpace");
		xplane_release(&p);
		TRY(st);
	}
	return ST_OK;
}

/* Takes an error or a warning of the profiler. Beyond a limit, 2 million for events of GPUs, the
   profiler drops events and says so: CuptiTraceCollectorImpl::ReportNumEventsIfDropped() of
   openxla/xla, cupti_collector.cc. */
static void take_remark(struct reader *r, struct span text)
{
	diag_warn(r->log, "%s: the profiler says %s", source_name(r->src),
	          text_quote(&r->log->arena, text));
	r->meta->truncated =
	    r->meta->truncated || memmem(text.p, text.n, "events dropped", strlen("events dropped"));
}

static enum status take_field(struct reader *r, uint64_t key, uint64_t n)
{
	struct strbuf bytes = STRBUF_INIT;
	bool plane = key == (XSPACE_PLANE << 3 | WIRE_BYTES);
	bool remark =
	    key == (XSPACE_ERROR << 3 | WIRE_BYTES) || key == (XSPACE_WARNING << 3 | WIRE_BYTES);
	if (n > r->limits->plane_bytes)
		return damaged(r, "not an XSpace: a field is longer than 2 GiB");
	enum status st = take_bytes(r, n, plane || remark ? &bytes : NULL);
	if (st == ST_OK && plane)
		st = take_plane(r, &bytes);
	if (st == ST_OK && remark)
		take_remark(r, strbuf_span(&bytes));
	strbuf_release(&bytes);
	return st;
}

static enum status read_file(struct reader *r)
{
	for (;;) {
		uint64_t key, n;
		bool there;
		TRY(take_varint(r, &key, &there));
		if (!there)
			break;
		if ((key & 7) != WIRE_BYTES || key >> 3 == 0 || key >> 3 > 64)
			return damaged(r, "not an XSpace: not a field of it");
		TRY(take_varint(r, &n, &there));
		TRY(there ? take_field(r, key, n) : damaged(r, "cut short"));
	}
	if (r->tpu && !r->gpu)
		return diag_fail(r->log, ST_INPUT, "%s: a profile of TPUs; give one of GPUs",
		                 source_name(r->src));
	if (!r->gpu)
		return diag_fail(r->log, ST_INPUT,
		                 "%s: no GPU was recorded: profile where jax.devices() or "
		                 "tf.config.list_physical_devices() has one",
		                 source_name(r->src));
	return read_host(r);
}

enum status xspace_read(struct source *src, const struct xspace_limits *limits,
                        struct name_table *names, struct event_sink sink, struct trace_meta *meta,
                        struct diag_log *log)
{
	struct reader r = { .src = src,
		                .limits = limits ? limits : &default_limits,
		                .names = names,
		                .sink = sink,
		                .meta = meta,
		                .log = log };
	*meta = (struct trace_meta){ .rank = -1, .world_size = -1 };
	xprof_ops_init(&r.ops);
	idmap_init(&r.gpus);
	enum status st = read_file(&r);
	xprof_ops_release(&r.ops);
	idmap_release(&r.gpus);
	for (size_t i = 0; i < r.host.nr; i++)
		strbuf_release(&r.host.v[i]);
	vec_release(&r.host);
	strbuf_release(&r.name);
	return st;
}

/* ---- recognizing of XSpace files ---- */

/* True if the file begins with a plane that begins with its name, or with its id and its name. */
bool xspace_recognize(struct span first)
{
	uint64_t bytes, n;
	if (!span_skip(&first, SPAN("\x0a")) || !wire_varint(&first, &bytes))
		return false;
	if (span_skip(&first, SPAN("\x08")) && !wire_varint(&first, &n))
		return false;
	if (!span_skip(&first, SPAN("\x12")) || !wire_varint(&first, &n) || n > bytes)
		return false;
	return span_starts(first, SPAN("/host:")) || span_starts(first, SPAN("/device:")) ||
	       span_starts(first, SPAN("Task Environment")) || span_starts(first, SPAN("#Chip"));
}
