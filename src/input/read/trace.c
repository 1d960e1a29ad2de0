#include "read/trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "read/recognize.h"
#include "read/trace_internal.h"

struct trace_reader {
	struct trace_input in;
	const struct trace_options *options;
	struct raw_event ev;
	bool has_events, bare;
};

bool read_elements(struct trace_input *in, struct raw_event *ev, uint64_t limit)
{
#ifdef GG_HAS_AVX2
	if (!in->portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		return read_elements_avx2(in, ev, limit);
#endif
	return read_elements_any(in, ev, limit);
}

/* Reads the elements of traceEvents, or of the array that is the whole file. */
static void read_events(struct trace_reader *r)
{
	uint64_t quick = r->options->quick;
	r->has_events = true;
	r->in.meta->partial = read_elements(&r->in, &r->ev, quick ? quick : UINT64_MAX);
}

/* Refuses a file whose events XProf's trace viewer has filtered: the viewer leaves out events that
 * would not be visible. Source: TraceEventsToJson() of
 * xprof/convert/trace_viewer/trace_events_to_json.h (openxla/xprof, 2026). */
static void read_filtered(struct jscan *js)
{
	uint64_t byte = jscan_value_byte(js);
	enum jscan_type type;
	if (!jscan_literal(js, &type))
		jscan_skip(js);
	else if (type == JSCAN_TRUE)
		jscan_fail(js, byte,
		           "a view of XProf's trace viewer, which leaves out short events; give the "
		           "*.trace.json.gz that JAX wrote");
}

static void read_top_key(struct trace_reader *r, struct span key)
{
	struct jscan *js = r->in.js;
	if (span_eq(key, SPAN("traceEvents"))) {
		(void)jscan_peek(js); /* skips the white space before the value */
		uint64_t byte = jscan_byte(js);
		if (r->has_events)
			jscan_fail(js, byte, "'traceEvents' is there twice; write the trace anew");
		else if (jscan_array(js))
			read_events(r);
		else
			jscan_fail(js, byte, "'traceEvents' is not an array");
	} else if (!read_meta(&r->in, key)) {
		r->in.foreign |= foreign_key(key);
		if (span_eq(key, SPAN("filteredByVisibility")))
			read_filtered(js);
		else
			jscan_skip(js);
	}
}

/* True if the file is not a trace: it has no traceEvents, or it is a list that has elements but no
 * event among them, or another tool wrote its events and it describes no GPU. */
static bool is_foreign(const struct trace_reader *r)
{
	return !r->has_events || (r->bare && r->in.meta->events && !r->in.with_phase) ||
	       (foreign_events(r->in.foreign) && !r->in.meta->devices.nr);
}

static enum status refuse_document(struct trace_reader *r, struct source *src, struct diag_log *log)
{
	r->in.meta->not_a_trace = true;
	return diag_fail(log, ST_INPUT,
	                 "%s: not a profiler trace: it seems to be %s; give the trace that "
	                 "torch.profiler or JAX wrote%s",
	                 source_name(src), foreign_name(r->in.foreign),
	                 strcmp(foreign_name(r->in.foreign), "other JSON") != 0 ? ""
	                                                                        : "; " TEXT_NO_FORMAT);
}

/* Reads the outermost value of the file, and refuses a file that is not a trace. Errors of the JSON
 * are in jscan_status(), and the status of the sink is in r->in.sunk. */
static enum status read_top(struct trace_reader *r, struct source *src, struct diag_log *log)
{
	struct jscan *js = r->in.js;
	struct span key;
	if (jscan_object(js)) {
		while (!r->in.meta->partial && r->in.sunk == ST_OK && jscan_key(js, &key))
			read_top_key(r, key);
	} else if (jscan_array(js)) {
		r->bare = true;
		read_events(r);
	} else {
		r->in.foreign |= foreign_element(jscan_peek(js));
		jscan_skip(js);
	}
	TRY(r->in.sunk);
	if (!r->in.meta->partial)
		jscan_end(js);
	TRY(jscan_status(js));
	if (is_foreign(r))
		return refuse_document(r, src, log);
	if (r->in.xprof.tpu && !r->in.xprof.gpu)
		return diag_fail(log, ST_INPUT, "%s: a trace of TPUs; give one of GPUs", source_name(src));
	return ST_OK;
}

enum status trace_read(struct source *src, const struct trace_options *options,
                       struct name_table *names, struct event_sink sink, struct trace_meta *meta,
                       struct diag_log *log)
{
	*meta = (struct trace_meta){ .rank = -1, .world_size = -1 };
	struct diag_log own; /* messages of this scan; dropped if the trace is cut short and the option
	                        allow_truncated is set */
	diag_init(&own);
	struct jscan_options scan = { .tolerant = true };
	struct jscan *js = jscan_new(src, &scan, &own);
	struct trace_reader r = { .in = { .js = js,
		                              .names = names,
		                              .meta = meta,
		                              .sink = sink,
		                              .portable = options->portable },
		                      .options = options };
	xprof_init(&r.in.xprof);
	enum status st = read_top(&r, src, &own);
	meta->json_faults = jscan_faults(js, &meta->fault_byte);
	meta->truncated = source_truncated(src) || xprof_capped(&r.in.xprof);
	bool usable = st == ST_INPUT && jscan_cut(js) && !is_foreign(&r);
	if (usable && options->allow_truncated) {
		diag_release(&own);
		diag_note(log,
		          "%s: byte %" PRIu64 ": the trace is cut short: its %" PRIu64
		          " complete events are used",
		          source_name(src), jscan_byte(js), meta->events);
		meta->truncated = true;
		st = ST_OK;
	} else if (usable) {
		diag_note(
		    &own,
		    "the complete events of a trace that is cut short can be kept with --allow-truncated");
	}
	diag_move(log, &own);
	jscan_free(js);
	xprof_release(&r.in.xprof);
	for (int i = 0; i < NR_TEXTS; i++)
		strbuf_release(&r.ev.text[i]);
	return st;
}
