/// Records the events and messages that the trace reader makes of a text, to be compared.
#ifndef GG_TESTS_TRACE_RECORD_H
#define GG_TESTS_TRACE_RECORD_H

#include <inttypes.h>

#include "base/strbuf.h"
#include "read/trace.h"

/// What a test records while one trace is read.
struct record {
	enum status status;
	struct strbuf events; ///< a line for each event, as record_event() writes it
	struct strbuf meta; ///< metadata that is not the default, "events=3 rank=0 …"
	struct strbuf log; ///< a line for each entry of the log
	bool truncated, not_a_trace, broken; ///< broken: an event violates the promises of
	                                     ///< events/event.h
	uint64_t nr_taken;
	uint64_t stop_after; ///< number of events that the sink accepts; 0 if it accepts all
	struct name_table names;
};

/// Releases the memory of a record.
static inline void record_release(struct record *r)
{
	strbuf_release(&r->events);
	strbuf_release(&r->meta);
	strbuf_release(&r->log);
	name_table_release(&r->names);
}

static inline void record_ident(struct record *r, const char *key, int64_t v)
{
	strbuf_addf(&r->events, " %s", key);
	if (v == IDENT_NONE) {
		strbuf_adds(&r->events, "-");
	} else if (v >= 0) {
		strbuf_addf(&r->events, "%" PRId64, v);
	} else if ((uint64_t)(-2 - v) < r->names.nr) {
		strbuf_adds(&r->events, "'");
		strbuf_add(&r->events, name_span(r->names.by_id[-2 - v]));
		strbuf_adds(&r->events, "'");
	} else {
		r->broken = true;
	}
}

static inline void record_gpu(struct record *r, const struct event *e)
{
	struct strbuf *b = &r->events;
	record_ident(r, "d", e->device);
	record_ident(r, "s", e->stream);
	if (e->kind != EVENT_KERNEL)
		strbuf_addf(b, " b%" PRId64, e->bytes);
	if (e->grid[0] >= 0)
		strbuf_addf(b, " g%" PRId64 ",%" PRId64 ",%" PRId64, e->grid[0], e->grid[1], e->grid[2]);
	if (e->block[0] >= 0)
		strbuf_addf(b, " k%" PRId64 ",%" PRId64 ",%" PRId64, e->block[0], e->block[1], e->block[2]);
	if (e->occupancy >= 0)
		strbuf_addf(b, " o%" PRId64, e->occupancy);
	r->broken |= e->bytes < 0;
}

/// Writes the line of an event: kind, name, @start+dur (! if clamped), pid, tid, correlation; for
/// the GPU: device, stream, bytes, grid, block, occupancy; for memory: its figures; for an
/// operator: inputs, scalar inputs, operations; for a collective: name, type, group, description,
/// elements in and out, group size; for Python: id and parent; for a step: device and group; for an
/// annotation: the number that XProf gives it.
static inline enum status record_event(void *ctx, const struct event *e)
{
	static const char *const kinds[] = { "kernel",     "memcpy", "memset", "runtime",        "op",
		                                 "annotation", "memory", "python", "gpu-annotation", "step",
		                                 "flow" };
	struct record *r = ctx;
	struct strbuf *b = &r->events;
	int64_t end;
	strbuf_addf(b, "%s ", kinds[e->kind]);
	strbuf_add(b, name_span(e->name));
	strbuf_addf(b, " @%" PRId64 "+%" PRId64 "%s", e->start_ns, e->dur_ns, e->negative ? "!" : "");
	record_ident(r, "p", e->pid);
	record_ident(r, "t", e->tid);
	if (e->correlation != IDENT_NONE)
		record_ident(r, "c", e->correlation);
	if (event_is_gpu(e->kind))
		record_gpu(r, e);
	if (e->kind == EVENT_STEP) {
		record_ident(r, "d", e->device);
		record_ident(r, "g", e->step);
	}
	if (e->numbered)
		strbuf_addf(b, " n%" PRId64, e->step);
	if (e->kind == EVENT_MEMORY)
		strbuf_addf(b, " b%" PRId64 " type%" PRId64 " id%" PRId64 " a%" PRId64 " r%" PRId64 "%s",
		            e->bytes, e->device_type, e->memory_id, e->total_allocated, e->total_reserved,
		            e->failed ? " failed" : "");
	if ((e->kind == EVENT_OP || e->kind == EVENT_ANNOTATION) &&
	    (e->input_dims.n || e->input_types.n)) {
		strbuf_adds(b, " in ");
		strbuf_add(b, e->input_dims);
		strbuf_adds(b, " of ");
		strbuf_add(b, e->input_types);
	}
	if (e->kind == EVENT_OP && (e->concrete_inputs.n || e->flops)) {
		strbuf_adds(b, " with ");
		strbuf_add(b, e->concrete_inputs);
		strbuf_addf(b, " f%" PRId64, e->flops);
	}
	if (e->collective.name.n) {
		const struct span texts[] = { e->collective.name, e->collective.dtype, e->collective.group,
			                          e->collective.group_description };
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
			strbuf_adds(b, i ? "," : " comm ");
			strbuf_add(b, texts[i]);
		}
		strbuf_addf(b, " %" PRId64 ">%" PRId64 "/%" PRId64, e->collective.in_nelems,
		            e->collective.out_nelems, e->collective.group_size);
	}
	if (e->kind == EVENT_PYTHON && e->python_id >= 0)
		strbuf_addf(b, " y%" PRId64 "<%" PRId64, e->python_id, e->python_parent);
	strbuf_addch(b, '\n');
	r->broken |= e->dur_ns < 0 || __builtin_add_overflow(e->start_ns, e->dur_ns, &end) || !e->name;
	return ++r->nr_taken == r->stop_after ? ST_OUTPUT : ST_OK;
}

static inline void record_meta(struct record *r, const struct trace_meta *m)
{
	struct strbuf *b = &r->meta;
	strbuf_addf(b, "events=%" PRIu64, m->events);
	if (m->malformed)
		strbuf_addf(b, " malformed=%" PRIu64, m->malformed);
	if (m->rank != -1)
		strbuf_addf(b, " rank=%" PRId64, m->rank);
	if (m->world_size != -1)
		strbuf_addf(b, " world=%" PRId64, m->world_size);
	if (m->cuda_runtime)
		strbuf_addf(b, " runtime=%s", m->cuda_runtime);
	if (m->cuda_driver)
		strbuf_addf(b, " driver=%s", m->cuda_driver);
	for (size_t i = 0; i < m->devices.nr; i++)
		strbuf_addf(b, " device=%" PRId64 ":%s:%" PRId64, m->devices.v[i].id, m->devices.v[i].name,
		            m->devices.v[i].memory_bytes);
	if (m->json_faults)
		strbuf_addf(b, " faults=%" PRIu64 "@%" PRIu64, m->json_faults, m->fault_byte);
	strbuf_adds(b, m->truncated ? " truncated" : "");
	strbuf_adds(b, m->partial ? " partial" : "");
	strbuf_adds(b, m->not_a_trace ? " foreign" : "");
}

/// Reads `text` as a trace in blocks of `block` bytes. Caller: record_release().
static inline struct record record_trace(struct span text, struct trace_options options,
                                         size_t block, uint64_t stop_after)
{
	static const char *const severities[] = { "error: ", "warning: ", "note: " };
	struct record r = {
		.events = STRBUF_INIT, .meta = STRBUF_INIT, .log = STRBUF_INIT, .stop_after = stop_after
	};
	struct source_options so = { .block = block,
		                         .max_bytes = 1 << 22,
		                         .allow_truncated = options.allow_truncated };
	struct trace_meta meta;
	struct diag_log log;
	diag_init(&log);
	name_table_init(&r.names);
	struct event_sink sink = { .ctx = &r, .event = record_event };
	struct source *src = source_memory("doc", text.p, text.n, &so);
	r.status = trace_read(src, &options, &r.names, sink, &meta, &log);
	record_meta(&r, &meta);
	r.truncated = meta.truncated;
	r.not_a_trace = meta.not_a_trace;
	for (const struct diag_entry *e = log.first; e; e = e->next)
		strbuf_addf(&r.log, "%s%s\n", severities[e->severity], e->text);
	source_close(src);
	diag_release(&log);
	vec_release(&meta.devices);
	arena_release(&meta.arena);
	return r;
}

/// True if both records are equal in every respect.
static inline bool record_same(const struct record *a, const struct record *b)
{
	return a->status == b->status && span_eq(strbuf_span(&a->events), strbuf_span(&b->events)) &&
	       span_eq(strbuf_span(&a->meta), strbuf_span(&b->meta)) &&
	       span_eq(strbuf_span(&a->log), strbuf_span(&b->log));
}

#endif
