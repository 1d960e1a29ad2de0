/* One run of JAX as an XSpace file and as the trace that XProf makes of this file: both are
 * refused, or both give the same digest, except for facts that only one of them has. The bytes of
 * the input choose the events. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../unit/reduced_text.h"
#include "choices.h"
#include "xspace/xspace.h"

enum { PLANES = 3, LINES = 3, HOST = PLANES - 1, MOST = 60 };

static const char *const plane_names[] = { "/device:GPU:0", "/device:GPU:1", "/host:CPU" };
static const char *const line_names[PLANES][LINES] = {
	{ "Stream #20(Compute)", "Stream #21(MemcpyH2D)", "Steps" },
	{ "Stream #20(Compute)", "XLA Ops", "Steps" },
	{ "python", "pool/1", "pool/2" },
};
static const char *const names[] = {
	"gemm",
	"void k<int>(float*)",
	"ncclDevKernel_AllGather",
	"MemcpyH2D",
	"MemcpyD2D",
	"Memset 2",
	"fusion",
	"CudaGraphExec:3",
	"train 1",
	"train 2",
	"train",
	"cuLaunchKernel",
	"cuMemcpyHtoDAsync_v2",
	"hipStreamSynchronize",
	"cuCtxSynchronize",
	"NVTX:a",
	"StepMarker",
	"$a.py:1 f",
};
/* Texts for values of events; values (stats) are numbered in the order of this list, from 1. */
static const char *const details[] = {
	"regs:3 grid:2,1,1 block:32,1,1 occ_pct:16.6667",
	"kind_src:host kind_dst:device size:1024 dest:0 async:1",
	"kind:device num_bytes:77 async:1",
	"jit(f)/add",
};
static const char *const keys[] = {
	"correlation_id", "step_num",       "group_id", "kernel_details",
	"memcpy_details", "Memset_details", "name"
};
enum { NR_NAMES = sizeof names / sizeof *names, NR_KEYS = sizeof keys / sizeof *keys, NUMBERS = 3 };

static void law(bool holds)
{
	if (!holds)
		abort();
}

/* ---- protobuf's wire format ---- */

static void varint(struct strbuf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		strbuf_addch(b, (char)(v | 128));
	strbuf_addch(b, (char)v);
}

static void number(struct strbuf *b, unsigned field, int64_t v)
{
	varint(b, field << 3);
	varint(b, (uint64_t)v);
}

static void message(struct strbuf *b, unsigned field, struct span body)
{
	varint(b, field << 3 | 2);
	varint(b, body.n);
	strbuf_add(b, body);
}

static void text(struct strbuf *b, unsigned field, const char *s)
{
	message(b, field, span_of(s));
}

static void take(struct strbuf *b, unsigned field, struct strbuf *body)
{
	message(b, field, strbuf_span(body));
	strbuf_release(body);
}

/* Appends a map of metadata to a plane. Each entry has a number as its key, and as its value the
 * same number with a name. */
static void named(struct strbuf *plane, unsigned field, const char *const *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct strbuf entry = STRBUF_INIT, body = STRBUF_INIT;
		number(&entry, 1, (int64_t)i + 1);
		number(&body, 1, (int64_t)i + 1);
		text(&body, 2, v[i]);
		take(&entry, 2, &body);
		take(plane, field, &entry);
	}
}

/* ---- events in both formats ---- */

struct line {
	struct strbuf events; ///< events of the XSpace file
	struct strbuf json; ///< events of the trace, in the same order
};

struct both {
	struct choices c;
	struct line lines[PLANES][LINES];
	struct strbuf json;
};

static void value(struct both *b, struct strbuf *json, struct strbuf *event, size_t key, bool first)
{
	struct strbuf stat = STRBUF_INIT;
	strbuf_addf(json, "%s\"%s\":", first ? "" : ",", keys[key]);
	number(&stat, 1, (int64_t)key + 1);
	if (key < NUMBERS) {
		int64_t v = (int64_t)choose(&b->c, 8);
		strbuf_addf(json, "\"%" PRId64 "\"", v);
		number(&stat, 4, v);
	} else {
		const char *s = details[key - NUMBERS];
		strbuf_addf(json, "\"%s\"", s);
		text(&stat, 5, s);
	}
	take(event, 4, &stat);
}

/* Process id that XProf gives to a plane. */
static size_t pid_of(size_t plane)
{
	return plane == HOST ? 701 : plane + 1;
}

static int64_t time_of(struct both *b)
{
	static const int64_t edges[] = { 0, 1, INT64_C(9000000000000000000),
		                             INT64_C(4611686018427387904) };
	size_t kind = choose(&b->c, 64);
	return kind < 4 ? edges[kind] : choose_number(&b->c);
}

static void us(struct strbuf *out, const char *key, int64_t ns)
{
	strbuf_addf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void add_event(struct both *b)
{
	size_t plane = choose(&b->c, PLANES), line = choose(&b->c, LINES),
	       name = choose(&b->c, NR_NAMES);
	int64_t start = time_of(b), dur = time_of(b);
	size_t have = choose(&b->c, 256);
	struct strbuf event = STRBUF_INIT, *json = &b->lines[plane][line].json;
	/* limited so that the end of an event fits 64 bits in picoseconds, the XSpace file's unit */
	start %= INT64_MAX / 2000;
	dur %= INT64_MAX / 2000;
	number(&event, 1, (int64_t)name + 1);
	number(&event, 2, start * 1000);
	number(&event, 3, dur * 1000);
	strbuf_addf(json, ",{\"ph\":\"X\",\"pid\":%zu,\"tid\":%zu,\"name\":\"%s\"", pid_of(plane),
	            line + 1, names[name]);
	us(json, "ts", start);
	us(json, "dur", dur);
	bool first = true;
	for (size_t key = 0; key < NR_KEYS; key++)
		if (have >> key & 1) {
			strbuf_adds(json, first ? ",\"args\":{" : "");
			value(b, json, &event, key, first);
			first = false;
		}
	strbuf_adds(json, first ? "}" : "}}");
	take(&b->lines[plane][line].events, 4, &event);
}

static void add_names(struct both *b)
{
	for (size_t p = 0; p < PLANES; p++) {
		strbuf_addf(
		    &b->json,
		    "%s{\"ph\":\"M\",\"pid\":%zu,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
		    p ? "," : "", pid_of(p), plane_names[p]);
		for (size_t l = 0; l < LINES; l++)
			strbuf_addf(&b->json,
			            ",{\"ph\":\"M\",\"pid\":%zu,\"tid\":%zu,\"name\":\"thread_name\","
			            "\"args\":{\"name\":\"%s\"}}",
			            pid_of(p), l + 1, line_names[p][l]);
	}
}

static struct strbuf space(struct both *b)
{
	struct strbuf out = STRBUF_INIT;
	for (size_t p = 0; p < PLANES; p++) {
		struct strbuf plane = STRBUF_INIT;
		number(&plane, 1, (int64_t)p + 1);
		text(&plane, 2, plane_names[p]);
		for (size_t l = 0; l < LINES; l++) {
			struct strbuf line = STRBUF_INIT;
			number(&line, 1, (int64_t)l + 1);
			text(&line, 2, line_names[p][l]);
			strbuf_add(&line, strbuf_span(&b->lines[p][l].events));
			strbuf_release(&b->lines[p][l].events);
			take(&plane, 3, &line);
		}
		named(&plane, 4, names, NR_NAMES);
		named(&plane, 5, keys, NR_KEYS);
		take(&out, 1, &plane);
	}
	text(&out, 4, "a-host");
	return out;
}

static enum status events_of_space(struct source *src, const void *options,
                                   struct name_table *table, struct event_sink sink,
                                   struct trace_meta *meta, struct diag_log *log)
{
	return xspace_read(src, options, table, sink, meta, log);
}

/* The digest as text, without the facts that only one of the formats has. */
static struct strbuf said(struct digest *d)
{
	d->events = 0;
	d->source_hash = 0;
	d->device_memory = MEMORY_UNKNOWN;
	vec_release(&d->env);
	return digest_text(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct both b = { .c = { data, data + size }, .json = STRBUF_INIT };
	struct reduce_options options = { .marker = "*Step#*", .communication = "nccl" };
	struct diag_log log;
	strbuf_adds(
	    &b.json,
	    "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":[");
	add_names(&b);
	for (int i = 0; i < MOST && b.c.p < b.c.end; i++)
		add_event(&b);
	for (size_t p = 0; p < PLANES; p++)
		for (size_t l = 0; l < LINES; l++) {
			strbuf_add(&b.json, strbuf_span(&b.lines[p][l].json));
			strbuf_release(&b.lines[p][l].json);
		}
	strbuf_adds(&b.json, ",{}]}");
	struct strbuf file = space(&b);
	diag_init(&log);
	struct trace_options whole = { 0 };
	struct digest *trace =
	                  reduced_digest(strbuf_span(&b.json), events_of_trace, &whole, &options, &log),
	              *xplane =
	                  reduced_digest(strbuf_span(&file), events_of_space, NULL, &options, &log);
	fuzz_accepted = trace != NULL && xplane != NULL;
	/* the reader refuses an XSpace file without GPU work; a trace without GPU work is refused only
	   later */
	law(fuzz_accepted || !xplane);
	law(fuzz_accepted || !trace || !trace->trust.gpu_events);
	if (fuzz_accepted) {
		struct strbuf one = said(trace), two = said(xplane);
		law(span_eq(strbuf_span(&one), strbuf_span(&two)));
		strbuf_release(&one);
		strbuf_release(&two);
	}
	digest_free(trace);
	digest_free(xplane);
	diag_release(&log);
	strbuf_release(&b.json);
	strbuf_release(&file);
	return 0;
}
