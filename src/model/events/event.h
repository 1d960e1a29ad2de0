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

/// The kinds of events that readers give to the reducer.
enum event_kind {
	EVENT_KERNEL, ///< a kernel; the first three kinds are activities of the GPU
	EVENT_MEMCPY,
	EVENT_MEMSET,
	EVENT_RUNTIME, ///< call of the CUDA or HIP runtime or driver
	EVENT_OP, ///< operator (category "cpu_op", in traces of 2021 "operator")
	EVENT_ANNOTATION, ///< annotation on the host (user_annotation)
	EVENT_MEMORY, ///< instant event "[memory]", a change of allocated memory, or "[OutOfMemory]"
	EVENT_PYTHON, ///< Python frame (python_function)
	EVENT_GPU_ANNOTATION, ///< gpu_user_annotation: the time that work launched in an annotation
	                      ///< takes on one stream
	EVENT_STEP, ///< a step on the timeline of one GPU, as XProf derives it
	EVENT_FLOW, ///< start or end of the arrow that links an operator to its backward operator
};

/// True for kinds of events that are GPU activities.
static inline bool event_is_gpu(enum event_kind kind)
{
	return kind <= EVENT_MEMSET;
}

/// An ident is an id in a trace, such as that of a thread, compared as text. An integer from 0 to
/// INT64_MAX is stored as itself, any other text as -2 - (id of its name in the name table), and an
/// absent or null id as IDENT_NONE.
#define IDENT_NONE ((int64_t)-1)

/// Text of an ident, owned by `a`; "null" if it is absent.
const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident);

/// Converts an ident to an integer, even if int64 cannot hold it; of a longer integer, only the
/// first 37 digits count. False if the ident is not an integer.
bool ident_integer(const struct name_table *names, int64_t ident, __int128 *out);

/// Data of a collective in the events of NCCL and RCCL: its name, the type and numbers of elements
/// of its messages, and its process group. Absent spans are empty, absent numbers -1. Spans are
/// borrowed until event_sink.event() returns. Source: the arguments "Collective name", "dtype", "In
/// msg nelems", "Out msg nelems", "Group size", "Process Group Name" (2.1: "Process Group ID") and
/// "Process Group Description" of torch ParamCommsUtils.hpp (2.1 and later).
struct collective_args {
	struct span name, dtype, group, group_description;
	int64_t in_nelems, out_nelems, group_size;
};

/// Resources of a multiprocessor that a launch of a kernel takes.
enum resource {
	RESOURCE_REGISTERS, ///< registers per thread
	RESOURCE_SHARED, ///< bytes of shared memory per block
	RESOURCE_LOCAL, ///< bytes of local memory per thread, to which registers are spilled
	NR_RESOURCES
};

/// One event. Comments of members name the kinds of events that have the member, unless all have
/// it.
struct event {
	enum event_kind kind;
	const struct name *name; ///< name in the reader's table, which owns it
	int64_t start_ns;
	int64_t dur_ns; ///< duration in ns, ≥ 0; instant events have 0
	bool negative; ///< true if the duration was below 0, and was set to 0
	bool untimed; ///< true if the event had no duration
	int64_t pid, tid; ///< idents of process and thread
	int64_t device; ///< ident of the GPU: args.device, else pid; also for steps and annotations of
	                ///< a GPU

	/// stream, as an ident (args.stream, else tid); for GPU activities and GPU annotations
	int64_t stream;
	int64_t correlation; ///< correlation id; for GPU activities and runtime calls
	int64_t bytes; ///< bytes that a copy or memory set moves (args.bytes), 0 if absent; of a memory
	               ///< event: change of the allocated bytes (Bytes), signed
	int64_t grid[3], block[3]; ///< of a kernel: launch shape; grid[0] < 0 if absent
	const struct name *op, *module; ///< of a GPU activity: path of the operator and name of the
	                                ///< module, if the activity itself states them (JAX); else NULL
	const struct name *launched; ///< of a runtime call: name of the kernel that it launches; NULL
	                             ///< if the event does not have it
	int64_t node; ///< of a GPU activity: number of its node in a CUDA graph; 0 or below if it has
	              ///< none
	int64_t occupancy; ///< of a kernel: estimated achieved occupancy in 1e-6 %, < 0 if absent
	int64_t resources[NR_RESOURCES]; ///< of a kernel: use of each enum resource; < 0 if absent
	bool failed; ///< of a memory event: true if the allocation of `bytes` failed
	int64_t memory_id; ///< of a memory event: number of the memory (Device Id), ≥ -1
	int64_t device_type; ///< of a memory event: type of the device, 0 is the host

	/// of a memory event: all bytes that are allocated and reserved after the event; < 0 if absent
	int64_t total_allocated, total_reserved;

	/// of an operator, or an annotation "nccl:…": shapes and types of inputs, "[8, 4], [4]",
	/// "float, -"; empty if absent; borrowed until event_sink.event() returns
	struct span input_dims, input_types;
	struct span input_strides; ///< of an operator: strides of inputs in the form of input_dims

	/// of an operator: values of scalar inputs in the form of input_dims, "-, -, -, [1, 1], False".
	struct span concrete_inputs;
	int64_t flops; ///< of an operator: floating-point operations, which the trace has only for
	               ///< kernels of Inductor; 0 if unknown

	/// of a kernel, operator or annotation: the collective that it belongs to
	struct collective_args collective;

	/// of a Python frame: ids of the call and of its caller; < 0 if absent
	int64_t python_id, python_parent;
	struct span call_stack; ///< of an operator in a PyTorch trace of 2021: frames of its call
	                        ///< stack, innermost first, separated by ';'; borrowed until
	                        ///< event_sink.event() returns
	int64_t sequence; ///< of an operator: sequence number of autograd, -1 if absent
	int64_t forward_thread; ///< of a backward operator: thread id of its forward operator; 0 for
	                        ///< other operators
	int64_t flow; ///< of one end of a flow (an arrow): id that both ends share
	bool flow_end; ///< of one end of a flow: true where the arrow ends, false where it starts
	bool nvtx; ///< of an annotation: true for a range of NVTX, which then counts as a module
	bool numbered; ///< of an annotation: true if XProf says that it is step number `step`
	int64_t step; ///< number of the step; for steps and annotations of a GPU, an ident that is the
	              ///< same on all GPUs for the same step
};

/// An event with only its kind set; all other members are absent. Numbers of memory events are 0:
/// whoever makes such an event sets them all.
static inline struct event event_blank(enum event_kind kind)
{
	return (struct event){ .kind = kind,
		                   .device = IDENT_NONE,
		                   .stream = IDENT_NONE,
		                   .correlation = IDENT_NONE,
		                   .grid = { -1 },
		                   .block = { -1 },
		                   .occupancy = -1,
		                   .resources = { -1, -1, -1 },
		                   .python_id = -1,
		                   .python_parent = -1,
		                   .sequence = -1,
		                   .collective = { .in_nelems = -1, .out_nelems = -1, .group_size = -1 } };
}

/// A GPU listed in `deviceProperties`.
struct trace_device {
	int64_t id;
	const char *name; ///< name of the GPU, raw bytes without NUL; owned by the arena of the
	                  ///< trace_meta
	int64_t memory_bytes; ///< memory size (totalGlobalMem) in bytes, -1 if unknown
	int64_t sms; ///< number of multiprocessors (numSms); 0 if unknown
};

/// A sample of a GPU counter, in whole percent of the counter's peak; the counter is an index in
/// trace_meta.counters.
struct counter_sample {
	int64_t at_ns;
	uint32_t counter, pct;
};

/// Facts that a trace states about itself outside its events. Owned by the arena of the struct.
struct trace_meta {
	struct arena arena;
	int64_t rank; ///< number of the rank (distributedInfo.rank), -1 if unknown
	int64_t world_size; ///< number of ranks in the job, -1 if unknown
	const char *cuda_runtime, *cuda_driver; ///< versions of CUDA or HIP, "12.0"; NULL if unknown
	VEC(struct trace_device) devices;
	/// Names of counters that were sampled; borrowed from the name table.
	VEC(struct span) counters;
	VEC(struct counter_sample) samples; ///< samples of hardware counters, from all GPUs with work
	int64_t base_ns; ///< origin of the trace's times in ns since 1970 (baseTimeNanoseconds); 0 if
	                 ///< it is unknown, or if the times count from 1970 themselves
	uint64_t events; ///< number of elements of traceEvents, usable or not
	uint64_t malformed; ///< number of events of known kinds that lack their time, phase ("ph")
	                    ///< or process, or have an unusable form
	uint64_t json_faults; ///< number of tolerated faults: raw control bytes, bad escapes, NaN
	uint64_t fault_byte; ///< offset of the first tolerated JSON fault
	bool truncated; ///< true if the trace is cut short, and was read with --allow-truncated
	bool partial; ///< true if, because of --quick, reading stopped before the end of the file
	bool open_end; ///< true if the profiler does not wait for the GPU when it stops: launches at
	               ///< the end then have no activity yet
	bool where; ///< true if the trace was recorded only to find places in the code
	bool other_device; ///< true if runtime calls of a device other than a GPU of CUDA or HIP are in
	                   ///< it
	bool not_a_trace; ///< true if the file is well-formed JSON, but not a profiler's trace
};

/// Receiver of events. Any status other than ST_OK stops the reader.
struct event_sink {
	void *ctx;
	enum status (*event)(void *ctx, const struct event *ev);
	const bool *captures; ///< points to true once the program began to capture a graph. To save
	                      ///< time, event.launched is read only then, or never if this is NULL.
};

#endif
