/// Host events: runtime calls, operators, annotations of data loaders.
#ifndef GG_REDUCE_HOST_H
#define GG_REDUCE_HOST_H

#include "base/idmap.h"
#include "events/event.h"
#include "model/digest.h"

struct reducer;
struct flop_rule;

/// A runtime call, operator or data loader annotation in 8 bytes; span_get() unpacks it. Each block
/// of SPAN_BLOCK successive spans has a base, to which the starts of its spans are relative. If the
/// row is SPAN_ROW_END, the values did not fit, and `start` is an index into `wide_spans`.
struct host_span {
	uint32_t start; ///< start in ns after the base of the span's block
	uint32_t dur_row; ///< row × SPAN_DUR_END + duration in ns; the duration is less than
	                  ///< SPAN_DUR_END
};
#define SPAN_BLOCK 1024
#define SPAN_DUR_END ((uint32_t)1 << 20)
#define SPAN_ROW_END (UINT32_MAX / SPAN_DUR_END)

/// A host_span in unpacked form.
struct wide_span {
	int64_t start_ns, dur_ns;
	uint32_t row; ///< index into `rows`, for span_name() and span_thread()
};

/// Shapes and types of an operator's inputs, if the trace has them.
struct op_inputs {
	uint32_t span; ///< index of the operator's span
	uint32_t dims, types; ///< ids of shapes and of types in `inputs`
};

/// Sums over the operators of one name.
struct op_sums {
	int64_t count, total_ns;
	int64_t self_ns; ///< `total_ns` without the time of operators nested in these operators
};

/// All runtime calls, operators or annotations of one name.
struct host_name {
	struct span name;
	bool op, launch, kernel_launch, sync, dataloader, memory, marker, accumulates;
	/// `annotated`: events of the name are annotations that may become markers; `on_gpu`: events of
	/// the name are on a GPU's timeline
	bool annotated, on_gpu;
	int capture; ///< +1 if the call begins a stream capture, -1 if it ends one, else 0
	bool waits; ///< true if the call makes a stream wait for another stream
	enum event_kind copies; ///< kind of the copy or memory set that the call makes; EVENT_KERNEL
	                        ///< (0) if it makes neither
	bool timed; ///< true if `launch`, `sync`, `dataloader` or `memory` is true
	const struct flop_rule *flops; ///< rule that counts the operator's operations, or NULL
	enum phase phase; ///< phase that follows from the name; PHASE_ALL if none does
	struct op_sums measured; ///< sums over the operators in complete measured steps
	struct op_sums in_phase; ///< sums over the operators in complete measured steps that are in the
	                         ///< phase `options.phase`
	int64_t begun, begun_ns; ///< number and time of calls that began in complete measured steps
};

/// The operator or annotation (except markers) that began last; the shortest if there are several.
struct last_host {
	int64_t start_ns, dur_ns;
	const struct name *name; ///< name of the event; NULL before the first event
};

/// The runtime calls, operators and annotations of a trace.
struct host_events {
	int64_t total_ns; ///< sum of all durations, which fits int64
	VEC(struct host_span) spans; ///< spans in file order
	VEC(uint64_t) span_bases; ///< base of each block of spans: a time in ns, modulo 2^64
	VEC(struct wide_span) wide_spans; ///< spans that do not fit into a struct host_span
	VEC(struct op_inputs) op_inputs; ///< inputs of operators, sorted by `span`
	struct name_table inputs; ///< texts of shapes and types
	struct idmap name_ids; ///< map from pairs (kind, name id) to indices in `names`
	VEC(struct host_name) names;
	struct idmap rows; ///< ids of pairs (index into `names`, thread id); NO_ID in place of the
	                   ///< thread id for annotations
	struct last_host last;
};

/// Makes an empty store of host events; host_release() releases what it owns.
void host_init(struct host_events *h);

/// Releases the events, their names and ids.
void host_release(struct host_events *h);

/// Stores a runtime call, operator or annotation; may set r->fault.
void host_take(struct reducer *r, const struct event *ev);

/// Stores an annotation on the timeline of a GPU, if it belongs to a step.
void gpu_annotation_take(struct reducer *r, const struct event *ev);

/// Sets the samples of step.launch_time, step.sync_time, step.sync_count and step.dataloader_time
/// in `d`, and counts the calls by name.
void calls_walk(struct reducer *r, struct digest *d);

/// Adds rows by name to `d` for calls that launch, wait, load data, or allocate or free GPU memory.
/// Call it after calls_walk().
void call_figures(const struct reducer *r, struct digest *d);

/// True for calls that launch a graph, which runs many kernels.
static inline bool launches_graph(const struct host_name *name)
{
	return name->launch && !name->kernel_launch;
}

/// Unpack a span: all of it, or one of its values. Times are in ns.
static inline struct wide_span span_get(const struct host_events *h, const struct host_span *s)
{
	uint32_t row = s->dur_row / SPAN_DUR_END;
	if (row == SPAN_ROW_END)
		return h->wide_spans.v[s->start];
	uint64_t base = h->span_bases.v[(size_t)(s - h->spans.v) / SPAN_BLOCK];
	return (struct wide_span){ (int64_t)(base + s->start), s->dur_row % SPAN_DUR_END, row };
}
static inline int64_t span_start(const struct host_events *h, const struct host_span *s)
{
	return span_get(h, s).start_ns;
}
static inline int64_t span_dur(const struct host_events *h, const struct host_span *s)
{
	return span_get(h, s).dur_ns;
}
static inline int64_t span_end(const struct host_events *h, const struct host_span *s)
{
	struct wide_span w = span_get(h, s);
	return w.start_ns + w.dur_ns;
}
static inline struct host_name *span_name(const struct host_events *h, const struct host_span *s)
{
	return &h->names.v[idmap_pair_first(h->rows.keys.v[span_get(h, s).row])];
}
static inline uint32_t span_name_id(const struct host_events *h, const struct host_span *s)
{
	return (uint32_t)h->name_ids.keys.v[idmap_pair_first(h->rows.keys.v[span_get(h, s).row])];
}
static inline uint32_t span_thread(const struct host_events *h, const struct host_span *s)
{
	return (uint32_t)h->rows.keys.v[span_get(h, s).row];
}

#endif
