/// Recognizes XProf's timelines and activities by their names and details, in traces and in XSpace
/// files alike.
#ifndef GG_XSPACE_XPROF_ACTIVITY_H
#define GG_XSPACE_XPROF_ACTIVITY_H

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"

/// Kinds of processes in a trace, or of planes in a file, by their names. PROCESS_UNNAMED has no
/// name. PROCESS_OTHER is a device other than a GPU or TPU. PROCESS_POOL has any other name, such
/// as that of a pool of host threads; without a GPU, the file may be of a program that is not a
/// profiler.
enum xprof_role {
	PROCESS_UNNAMED,
	PROCESS_GPU,
	PROCESS_TPU,
	PROCESS_HOST,
	PROCESS_POOL,
	PROCESS_OTHER
};

/// The kind of a process by its name; `*device` becomes the number of a GPU.
enum xprof_role xprof_role_of(struct span name, int64_t *device);

/// Kinds of threads (of a trace) or lines (of a file) of a GPU. XProf makes lines of the kind
/// LINE_DERIVED from other lines: they show the same work once more, and are not counted.
enum xprof_line { LINE_UNNAMED, LINE_STREAM, LINE_STEPS, LINE_DERIVED };

/// The kind of a line by its name; `*stream` becomes the number of a stream, if the name has one.
enum xprof_line xprof_line_of(struct span name, int64_t *stream);

/// Details of a GPU activity. Texts that are not given are empty; an unknown `occupancy` is ≤ 0.
struct xprof_details {
	/// Details of a kernel, a copy or a memory set, as text: "size:655360 dest:2 async:1"; the
	/// texts for the other two kinds are empty.
	struct span kernel, copy, set;
	int64_t occupancy; ///< estimated occupancy in 1e-6 %
	bool residency; ///< true if the activity shows memory that was resident, and is not work
	struct span op; ///< path of the operator: "jit(f)/add"

	/// Names of the HLO operation and module: "loop_add_fusion.3", "jit_f".
	struct span hlo_op, hlo_module;
};

/// True for an activity that is work of the GPU.
bool xprof_is_work(const struct xprof_details *d, struct span name);

/// The kind of an activity: kernel, copy or memory set.
enum event_kind xprof_kind_of(const struct xprof_details *d, struct span name);

/// Sets grid, block and occupancy of a kernel, or bytes of a copy or memory set. The kind of the
/// event must be set. False if the size of a
/// copy or memory set is given, but is not a number from 0 to 2^63 - 1.
bool xprof_fill(const struct xprof_details *d, struct event *e);

/// The name of a kernel: HLO_MODULE/HLO_OP if XLA generated it and named it after that operation,
/// else its own name, without the suffix of ROCm's loader. Borrowed from `d`, `name` or `b`.
struct span xprof_kernel_name(const struct xprof_details *d, struct span name, struct strbuf *b);

/// Operators, found by the correlation id of the work that they launched. Must be initialized with
/// xprof_ops_init().
struct xprof_ops {
	struct idmap correlations; ///< correlation ids of launches
	/// Names of operators, indexed by the id that `correlations` has for a launch; NULL if two
	/// activities of the launch name different operators.
	VEC(const struct name *) names;
};

/// An empty collection of operators; the caller ends with xprof_ops_release().
void xprof_ops_init(struct xprof_ops *o);

/// Releases the collection.
void xprof_ops_release(struct xprof_ops *o);

/// Sets operator and module of an activity, whose correlation id must be set, and remembers the
/// operator for the launch; false if there are too many names.
bool xprof_ops_add(struct xprof_ops *o, struct name_table *names, const struct xprof_details *d,
                   struct event *e);

/// Makes an event for the operator around the call `launch`; false if no operator is known for the
/// launch.
bool xprof_op_around(const struct xprof_ops *o, const struct event *launch, struct event *out);

#endif
