/// One event of a trace, as the readers hand it to the reducer.
#ifndef GG_EVENTS_EVENT_H
#define GG_EVENTS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/span.h"
#include "base/status.h"
#include "base/vec.h"

enum event_kind {
	EVENT_KERNEL, ///< the three GPU kinds come first
	EVENT_MEMCPY,
	EVENT_MEMSET,
	EVENT_RUNTIME, ///< CUDA, HIP runtime or driver call
	EVENT_OP, ///< cpu_op (operator in 2021 traces)
	EVENT_ANNOTATION, ///< user_annotation
	EVENT_MEMORY, ///< [memory] instant event
	EVENT_PYTHON, ///< python_function
	EVENT_GPU_ANNOTATION, ///< gpu_user_annotation: what an annotation launched on one stream
	EVENT_STEP, ///< a step on the timeline of one GPU, as XProf derives it
	EVENT_FLOW, ///< an end of the arrow from an operator to its backward
};

/// True for what counts as a GPU activity.
static inline bool event_is_gpu(enum event_kind kind)
{
	return kind <= EVENT_MEMSET;
}

/// An id of the trace, compared as text: a small integer is itself, other text
/// is -2 - (id of its name in the table); IDENT_NONE: absent or null.
/// Integers below 0 and above INT64_MAX are text.
#define IDENT_NONE ((int64_t)-1)

/// Text of an ident, owned by `a`; "null" if it is absent.
const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident);

/// An ident as an integer, also one that int64 does not hold; beyond 37 digits all are equal.
/// False if it is not an integer.
bool ident_integer(const struct name_table *names, int64_t ident, __int128 *out);

/// What NCCL's and RCCL's events say of a collective. Spans are empty and numbers -1
/// where absent; borrowed for the call.
/// Source: "Collective name", "dtype", "In msg nelems", "Out msg nelems", "Group size",
/// "Process Group Name" (2.1: "Process Group ID"), "Process Group Description", torch
/// ParamCommsUtils.hpp (2.1 and later).
struct collective_args {
	struct span name, dtype, group, group_description;
	int64_t in_nelems, out_nelems, group_size;
};

/// A member that names a kind is meaningless in events of other kinds.
struct event {
	enum event_kind kind;
	const struct name *name; ///< in the reader's table, lives as long as it
	int64_t start_ns;
	int64_t dur_ns; ///< duration, ≥ 0; instant events 0
	bool negative; ///< dur was below 0 and is clamped
	bool untimed; ///< dur was absent
	int64_t pid, tid; ///< idents
	int64_t device; ///< GPU: args.device, else pid; step, annotation on a GPU: of the GPU
	int64_t stream; ///< GPU, annotation on a GPU: args.stream, else tid
	int64_t correlation; ///< GPU and runtime
	int64_t bytes; ///< memcpy, memset: args.bytes or 0; memory: Bytes (signed)
	int64_t grid[3], block[3]; ///< kernel; grid[0] < 0 where absent
	const struct name *op, *module; ///< GPU: what the activity itself says of where it comes from,
	                                ///< as those of JAX do: path of its operator, its module; NULL
	int64_t occupancy; ///< kernel: est. achieved occupancy in 1e-6 %, < 0 absent
	int64_t memory_id; ///< memory: Device Id, ≥ -1
	int64_t device_type; ///< memory: 0 is host
	int64_t total_allocated, total_reserved; ///< memory; < 0 where absent
	struct span input_dims, input_types; ///< operator, annotation "nccl:…": "[8, 4], [4]",
	                                     ///< "float, -"; empty where absent; borrowed for the call
	struct span concrete_inputs; ///< operator, in the same form: "-, -, -, [1, 1], False"
	int64_t flops; ///< operator: of kernels that Inductor makes; 0 unknown
	struct collective_args collective; ///< kernel, operator, annotation
	int64_t python_id, python_parent; ///< python_function; -1 absent
	struct span call_stack; ///< operator of a trace of 2021: frames, innermost first, between ';';
	                        ///< borrowed for the call
	int64_t sequence; ///< operator: that of autograd, -1 absent
	int64_t forward_thread; ///< operator: other than 0 of a backward one
	int64_t flow; ///< flow: the id that its two ends share
	bool flow_end; ///< flow: it ends here
	bool nvtx; ///< annotation: a range of NVTX, in recordings that have no modules
	bool numbered; ///< annotation: XProf says that it is the step of number `step`
	int64_t
	    step; ///< of those; step, annotation on a GPU: ident, the same for one step on several GPUs
};

/// An event with only its kind set; everything else is absent.
static inline struct event event_blank(enum event_kind kind)
{
	return (struct event){ .kind = kind,
		                   .device = IDENT_NONE,
		                   .stream = IDENT_NONE,
		                   .correlation = IDENT_NONE,
		                   .grid = { -1 },
		                   .block = { -1 },
		                   .occupancy = -1,
		                   .python_id = -1,
		                   .python_parent = -1,
		                   .sequence = -1,
		                   .collective = { .in_nelems = -1, .out_nelems = -1, .group_size = -1 } };
}

/// A GPU of `deviceProperties`.
struct trace_device {
	int64_t id;
	const char *name; ///< owned by the meta's arena; raw bytes, no NUL
	int64_t memory_bytes; ///< totalGlobalMem, -1 unknown
};

/// A sample of a counter of the GPUs (of `counters` below), in whole per cent of its peak.
struct counter_sample {
	int64_t at_ns;
	uint32_t counter, pct;
};

/// What a trace says about itself outside its events. Owned by its arena.
struct trace_meta {
	struct arena arena;
	int64_t rank; ///< distributedInfo.rank, -1 unknown
	int64_t world_size; ///< -1 unknown
	const char *cuda_runtime, *cuda_driver; ///< "12.0", NULL unknown; also HIP
	VEC(struct trace_device) devices;
	VEC(struct span) counters; ///< names of those that were sampled; borrowed from the name table
	VEC(struct counter_sample) samples; ///< of all GPUs that worked
	uint64_t events; ///< elements of traceEvents, usable or not
	uint64_t malformed; ///< wanted events without ts or with an unusable shape
	uint64_t json_faults; ///< tolerated faults: raw control bytes, bad escapes, NaN
	uint64_t fault_byte; ///< offset of the first of them
	bool truncated; ///< cut short and read all the same (--allow-truncated)
	bool partial; ///< stopped after --quick events
	bool where; ///< recorded only to show where in the code work comes from
	bool not_a_trace; ///< well-formed JSON of another kind
};

/// Receiver of events. A status other than ST_OK stops the reader.
struct event_sink {
	void *ctx;
	enum status (*event)(void *ctx, const struct event *ev);
	const struct event_parts *parts; ///< how to divide it among threads; NULL: it cannot be divided
};

/// How a sink is divided among threads, each of which fills a part.
struct event_parts {
	/// Make the `ctx` of a part, for events with names of this table; released with end().
	void *(*begin)(const void *ctx, struct name_table *names);
	/// What the part took since the last time goes to `ctx`, as if that had taken it, and from the
	/// part; `names` are the ids in the table of `ctx`. False, and nothing goes, where only
	/// taking the events again tells what becomes of them: the part is no longer of use.
	bool (*join)(void *ctx, void *part, const struct ids *names);
	void (*end)(void *part);
};

#endif
