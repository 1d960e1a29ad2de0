#include "read/recognise.h"

#include <stdbool.h>
#include <string.h>

#include "io/database.h"
#include "read/xprof.h"

#define SCHEMA_WITHIN 48
#define NR_OF(table) (sizeof(table) / sizeof *(table))

enum evidence {
	EVIDENCE_SNAPSHOT,
	EVIDENCE_EXECUTION_TRACE,
	EVIDENCE_MEMORY_PROFILE,
	EVIDENCE_ARRAYS,
	EVIDENCE_SCALARS,
};

/* In order of weight. Sources of the keys: torch/cuda/memory.py (_snapshot),
   Chakra schema of execution_trace_observer.cpp, xprof's memory_profile.proto. */
static const struct {
	const char *key;
	enum evidence evidence;
} keys[] = {
	{ "segments", EVIDENCE_SNAPSHOT },
	{ "device_traces", EVIDENCE_SNAPSHOT },
	{ "segment_type", EVIDENCE_SNAPSHOT },
	{ "blocks", EVIDENCE_SNAPSHOT },
	{ "nodes", EVIDENCE_EXECUTION_TRACE },
	{ "memoryProfilePerAllocator", EVIDENCE_MEMORY_PROFILE },
	{ "memory_profile_per_allocator", EVIDENCE_MEMORY_PROFILE },
};

static const char *const names[] = {
	[EVIDENCE_SNAPSHOT] = "a CUDA memory snapshot (torch.cuda.memory._snapshot)",
	[EVIDENCE_EXECUTION_TRACE] = "a PyTorch execution trace (Chakra)",
	[EVIDENCE_MEMORY_PROFILE] = "a memory profile of XProf",
	[EVIDENCE_ARRAYS] = "a list of rows, such as the profiler's memory timeline",
	[EVIDENCE_SCALARS] = "plain values",
};

unsigned foreign_key(struct span key)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_eq(key, span_of(keys[i].key)))
			return 1u << keys[i].evidence;
	return 0;
}

unsigned foreign_element(enum jscan_type type)
{
	return 1u << (type == JSCAN_ARRAY ? EVIDENCE_ARRAYS : EVIDENCE_SCALARS);
}

const char *foreign_name(unsigned evidence)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (evidence >> i & 1)
			return names[i];
	return "other JSON";
}

/* ---- memory snapshots ---- */

static bool is_one_of(struct span key, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (span_eq(key, span_of(words[i])))
			return true;
	return false;
}

/* An object of the innermost array with `want` of these keys, and none of an event. */
static bool holds(struct jscan *js, const char *const *words, size_t nr, int want)
{
	struct span key;
	int seen = 0;
	bool event = false;
	if (!jscan_object(js)) {
		jscan_skip(js);
		return false;
	}
	while (jscan_key(js, &key)) {
		event = event || span_eq(key, SPAN("ph"));
		seen += is_one_of(key, words, nr);
		if (seen >= want && !event)
			return true;
		jscan_skip(js);
	}
	return false;
}

/* Whether the elements of an array are segments of the allocator; `*empty`
   where there is none. */
static bool holds_segments(struct jscan *js, bool *empty)
{
	static const char *const words[] = { "address",     "total_size",   "allocated_size",
		                                 "active_size", "segment_type", "blocks" };
	bool found = false;
	*empty = true;
	while (!found && jscan_element(js)) {
		found = holds(js, words, NR_OF(words), 2);
		*empty = false;
	}
	return found;
}

/* Whether they are the histories of devices, of which one at least is not empty. */
static bool holds_traces(struct jscan *js)
{
	static const char *const words[] = { "action" };
	bool found = false;
	while (!found && jscan_element(js)) {
		if (!jscan_array(js))
			jscan_skip(js);
		else
			while (!found && jscan_element(js))
				found = holds(js, words, NR_OF(words), 1);
	}
	return found;
}

/* Whether a list in a list begins with a number, or has nothing: rows of the profiler's memory
   timeline, or its times. No trace has either. */
static bool holds_numbers(struct jscan *js)
{
	return !jscan_element(js) ? jscan_status(js) == ST_OK : jscan_peek(js) == JSCAN_NUMBER;
}

static enum artifact kind_of_list(struct jscan *js)
{
	bool empty;
	if (jscan_peek(js) != JSCAN_ARRAY)
		return holds_segments(js, &empty) ? ARTIFACT_SNAPSHOT : ARTIFACT_TRACE;
	return jscan_element(js) && jscan_array(js) && holds_numbers(js) ? ARTIFACT_TIMELINE
	                                                                 : ARTIFACT_TRACE;
}

/* What was found leaves the scan where it is: nobody reads on. Where the
   list of segments is empty, nothing was allocated. */
static enum artifact kind_of_memory(struct jscan *js)
{
	bool segments = false, traces = false, empty = false;
	struct span key;
	if (jscan_array(js))
		return kind_of_list(js);
	if (!jscan_object(js))
		return ARTIFACT_TRACE;
	while (!(segments && traces) && jscan_key(js, &key)) {
		bool is_segments = span_eq(key, SPAN("segments"));
		bool is_traces = span_eq(key, SPAN("device_traces"));
		if (span_eq(key, SPAN("traceEvents")))
			return ARTIFACT_TRACE;
		if (xprof_is_profile_key(key) && jscan_peek(js) == JSCAN_OBJECT)
			return ARTIFACT_XPROF;
		if ((!is_segments && !is_traces) || !jscan_array(js))
			jscan_skip(js);
		else if (is_segments ? holds_segments(js, &empty) : holds_traces(js))
			return ARTIFACT_SNAPSHOT;
		else
			*(is_segments ? &segments : &traces) = true;
	}
	return segments && (traces || (empty && jscan_status(js) == ST_OK)) ? ARTIFACT_SNAPSHOT
	                                                                    : ARTIFACT_TRACE;
}

enum artifact memory_recognise(struct source *src)
{
	struct diag_log own; /* a cut or damaged input is for its reader to name */
	diag_init(&own);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, &own);
	enum artifact kind = kind_of_memory(js);
	jscan_free(js);
	diag_release(&own);
	return kind;
}

static enum artifact begins_as_memory(struct span first)
{
	struct source *src = source_memory("", first.p, first.n, NULL);
	enum artifact kind = memory_recognise(src);
	source_close(src);
	return kind;
}

/* ---- flat metrics ---- */

/* Of a trace, or of another format. */
static bool is_of_others(struct span key)
{
	return foreign_key(key) || span_eq(key, SPAN("traceEvents")) ||
	       span_eq(key, SPAN("schemaVersion"));
}

/* Numbers alone, as far as `first` shows; or among others, where it shows all: then whoever
   reads it says what is wrong. */
static bool begins_as_metrics(struct span first)
{
	struct diag_log own;
	struct span key;
	bool numbers = false, others = false, foreign = false;
	struct source *src = source_memory("", first.p, first.n, NULL);
	diag_init(&own);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, &own);
	if (jscan_object(js))
		while (!foreign && jscan_key(js, &key)) {
			foreign = is_of_others(key);
			enum jscan_type type = jscan_peek(js);
			bool number = type == JSCAN_NUMBER || type == JSCAN_NAN;
			foreign = foreign || type == JSCAN_ARRAY;
			numbers = numbers || number;
			others = others || !number;
			jscan_skip(js);
		}
	bool whole = jscan_status(js) == ST_OK && jscan_end(js);
	jscan_free(js);
	diag_release(&own);
	source_close(src);
	return numbers && !foreign && (whole || !others);
}

/* ---- the first bytes ---- */

/* Protocol 2 and up begin with PROTO, 0 and 1 with the opcodes of an empty
   container, which a memo or the first items follow (pickletools). */
static bool is_pickle(struct span s)
{
	static const char *const starts[] = { "\x80", "(dp", "(lp", "(dV", "(dS", "(l(",
		                                  "}q",   "}(",  "}.",  "]q",  "](",  "].",
		                                  "}X",   "}U",  "}T",  "]}",  "]]",  "]X" };
	for (size_t i = 0; i < NR_OF(starts); i++)
		if (span_starts(s, span_of(starts[i])))
			return true;
	return false;
}

static bool has(struct span s, const char *what)
{
	return memmem(s.p, s.n, what, strlen(what)) != NULL;
}

enum artifact artifact_recognise(struct span first)
{
	size_t i = 0;
	while (i < first.n && strchr(" \t\r\n", first.p[i]) && first.p[i])
		i++;
	struct span s = { first.p + i, first.n - i };
	if (s.n == 0)
		return ARTIFACT_TRACE; /* the reader says that it is empty */
	if (is_pickle(s))
		return ARTIFACT_PICKLE;
	if (span_starts(s, DATABASE_MAGIC))
		return ARTIFACT_NSYS;
	/* what this program writes begins with its schema */
	struct span head = { s.p, s.n < SCHEMA_WITHIN ? s.n : SCHEMA_WITHIN };
	if (s.p[0] == '{' && has(head, "\"gpugate-digest-"))
		return ARTIFACT_DIGEST;
	if (s.p[0] == '{' && has(head, "\"gpugate-run-"))
		return ARTIFACT_RUN;
	if (s.p[0] == '{' && has(head, "\"gpugate-baseline-"))
		return ARTIFACT_BASELINE;
	if (s.p[0] == '{' && has(head, "\"schema\"") && has(head, "\"gpugate-"))
		return ARTIFACT_RESULT;
	enum artifact memory = begins_as_memory(s);
	if (memory != ARTIFACT_TRACE)
		return memory;
	if (begins_as_metrics(s))
		return ARTIFACT_METRICS;
	/* Source: export_memory_timeline_html() of torch/profiler/_memory_profiler.py */
	if (s.p[0] == '<' && has(s, "<title>GPU Memory Timeline HTML</title>"))
		return ARTIFACT_TIMELINE_PAGE;
	return s.p[0] == '{' || s.p[0] == '[' ? ARTIFACT_TRACE : ARTIFACT_UNKNOWN;
}
