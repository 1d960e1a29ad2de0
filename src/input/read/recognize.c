#include "read/recognize.h"

#include "base/vec.h"
#include "read/values.h"
#include "read/xprof.h"

#define SNAPSHOT_NAME "a CUDA memory snapshot (torch.cuda.memory._snapshot)"
/* Number of rows at the beginning of `evidence` that are of tools whose files have trace events. */
enum { WITH_EVENTS = 2 };

#define MEMORY_PROFILE_NAME "a memory profile of XProf"

/* Keys by which formats other than traces are recognized, the surest first. The evidence for a row
 * is the bit 1 << its index. Sources of the keys: torch/cuda/memory.py (_snapshot), Chakra
 * schema of execution_trace_observer.cpp, TreeData.cpp of Proton (Triton 3), xprof's
 * memory_profile.proto, report_builder.py of VizTracer, TimeProfiler.cpp of LLVM. */
static const struct {
	const char *key; ///< key by which the format is recognized; NULL in the last two rows, which
	                 ///< are recognized by the type of a value that should be an event
	                 ///< (foreign_element())
	const char *name;
} evidence[] = {
	{ "viztracer_metadata", "a trace of VizTracer" },
	{ "beginningOfTime", "a trace of clang (-ftime-trace)" },
	{ "segments", SNAPSHOT_NAME },
	{ "device_traces", SNAPSHOT_NAME },
	{ "segment_type", SNAPSHOT_NAME },
	{ "blocks", SNAPSHOT_NAME },
	{ "nodes", "a PyTorch execution trace (Chakra)" },
	{ "frame",
	  "a tree of Hatchet, as Triton's Proton writes it, which has no times of single kernels" },
	{ "memoryProfilePerAllocator", MEMORY_PROFILE_NAME },
	{ "memory_profile_per_allocator", MEMORY_PROFILE_NAME },
	{ NULL, "a list of rows, such as the profiler's memory timeline" },
	{ NULL, "plain values" },
};

unsigned foreign_key(struct span key)
{
	for (size_t i = 0; i < NR_OF(evidence); i++)
		if (evidence[i].key && span_eq(key, span_of(evidence[i].key)))
			return 1u << i;
	return 0;
}

unsigned foreign_element(enum jscan_type type)
{
	return 1u << (NR_OF(evidence) - (type == JSCAN_ARRAY ? 2 : 1));
}

bool foreign_events(unsigned found)
{
	return found & ((1u << WITH_EVENTS) - 1);
}

const char *foreign_name(unsigned found)
{
	return found ? evidence[__builtin_ctz(found)].name : "other JSON";
}

/* ---- memory snapshots ---- */

/* True if the next value is an object that has at least `want` of the keys in `words`, which blanks
 * separate. False if the key "ph" comes first: the object is then an event of a trace. */
static bool holds_keys(struct jscan *js, const char *words, int want)
{
	struct span key;
	int seen = 0;
	bool event = false;
	if (!enter_object(js))
		return false;
	while (jscan_key(js, &key)) {
		event = event || span_eq(key, SPAN("ph"));
		seen += span_is_listed(key, words);
		if (seen >= want && !event)
			return true;
		jscan_skip(js);
	}
	return false;
}

/* True if the innermost array has an element for which holds_keys() is true. `*empty` becomes true
 * if it has no elements. */
static bool has_object(struct jscan *js, const char *words, int want, bool *empty)
{
	bool found = false;
	*empty = true;
	while (!found && jscan_element(js)) {
		found = holds_keys(js, words, want);
		*empty = false;
	}
	return found;
}

/* True if the innermost array has an element that is a segment of an allocator. */
static bool holds_segments(struct jscan *js, bool *empty)
{
	return has_object(js, "address total_size allocated_size active_size segment_type blocks", 2,
	                  empty);
}

/* True if the innermost array has an element that is the history of a device and is not empty. */
static bool holds_traces(struct jscan *js)
{
	bool found = false, empty;
	while (!found && jscan_element(js))
		found = enter_array(js) && has_object(js, "action", 1, &empty);
	return found;
}

/* True if a list within a list begins with a number, or is empty. The inner list is then a row
   of the profiler's memory timeline, or the list of the timeline's times; traces have no such
   lists. */
static bool holds_numbers(struct jscan *js)
{
	return !jscan_element(js) ? jscan_status(js) == ST_OK : jscan_peek(js) == JSCAN_NUMBER;
}

static enum json_form form_of_list(struct jscan *js)
{
	bool empty;
	if (jscan_peek(js) != JSCAN_ARRAY)
		return holds_segments(js, &empty) ? JSON_SNAPSHOT : JSON_OTHER;
	return jscan_element(js) && jscan_array(js) && holds_numbers(js) ? JSON_TIMELINE : JSON_OTHER;
}

/* Finds the form of a JSON document. The scan stops as soon as the form is known, since the rest is
 * not needed. A document whose list `segments` is empty (nothing was allocated) is a snapshot. */
static enum json_form form_of_json(struct jscan *js)
{
	bool segments = false, traces = false, empty = false, unused;
	struct span key;
	if (jscan_array(js))
		return form_of_list(js);
	if (!jscan_object(js))
		return JSON_OTHER;
	while (!(segments && traces) && jscan_key(js, &key)) {
		bool is_segments = span_eq(key, SPAN("segments"));
		bool is_traces = span_eq(key, SPAN("device_traces"));
		if (span_eq(key, SPAN("traceEvents")))
			return JSON_OTHER;
		if (xprof_is_profile_key(key) && jscan_peek(js) == JSCAN_OBJECT)
			return JSON_XPROF;
		if (span_eq(key, SPAN("pg_config")) && jscan_peek(js) == JSCAN_OBJECT)
			return JSON_FLIGHT;
		if (span_eq(key, SPAN("entries")) && jscan_array(js)) {
			if (has_object(js, "collective_seq_id process_group profiling_name record_id", 2,
			               &unused))
				return JSON_FLIGHT;
			continue;
		}
		if ((!is_segments && !is_traces) || !jscan_array(js))
			jscan_skip(js);
		else if (is_segments ? holds_segments(js, &empty) : holds_traces(js))
			return JSON_SNAPSHOT;
		else
			*(is_segments ? &segments : &traces) = true;
	}
	return segments && (traces || (empty && jscan_status(js) == ST_OK)) ? JSON_SNAPSHOT
	                                                                    : JSON_OTHER;
}

enum json_form json_form_of(struct source *src)
{
	/* errors of a cut or damaged input are dropped: the reader that is chosen by the form reports
	   them */
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, NULL);
	enum json_form form = form_of_json(js);
	jscan_free(js);
	return form;
}
