/// What XProf's timelines and activities are by their names and details, in traces and in XSpace
/// files alike.
#ifndef GG_XSPACE_XPROF_ACTIVITY_H
#define GG_XSPACE_XPROF_ACTIVITY_H

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"

/// What a process of a trace or a plane of a file is. One without a name is PROCESS_UNNAMED; a
/// pool is one of host threads, or of no profiler's at all where there is no GPU.
enum xprof_role {
	PROCESS_UNNAMED,
	PROCESS_GPU,
	PROCESS_TPU,
	PROCESS_HOST,
	PROCESS_POOL,
	PROCESS_OTHER
};

/// By its name; the number of a GPU goes to `*device`.
enum xprof_role xprof_role_of(struct span name, int64_t *device);

/// What a thread or line of a GPU is: any that is neither shows the time of its streams in another
/// view.
enum xprof_line { LINE_UNNAMED, LINE_STREAM, LINE_STEPS, LINE_DERIVED };

/// By its name; the number of a stream goes to `*stream`, where there is one.
enum xprof_line xprof_line_of(struct span name, int64_t *stream);

/// What is said of an activity of a GPU; texts are empty and `occupancy` ≤ 0 where it is not.
struct xprof_details {
	struct span kernel, copy, set; ///< "size:655360 dest:2 async:1"
	int64_t occupancy; ///< in 1e-6 %
	bool residency; ///< it is memory that was there, not work
	struct span op; ///< path of the operator: "jit(f)/add"
	struct span hlo_op, hlo_module; ///< "loop_add_fusion.3" of "jit_f"
};

/// True for work of a GPU.
bool xprof_is_work(const struct xprof_details *d, struct span name);

/// Kernel, copy or memory set.
enum event_kind xprof_kind_of(const struct xprof_details *d, struct span name);

/// Shape and occupancy, or bytes, of an event whose kind is set; false where the size of a copy
/// cannot be held exactly.
bool xprof_fill(const struct xprof_details *d, struct event *e);

/// The name of a kernel: HLO_MODULE/HLO_OP if XLA generated it, under the name of that operation,
/// else its own, without what the loader of ROCm puts behind it. Borrowed from `d`, `name` or `b`.
struct span xprof_kernel_name(const struct xprof_details *d, struct span name, struct strbuf *b);

/// Operators by the correlation id of what they launched. Zeroed: not ready.
struct xprof_ops {
	struct idmap correlations;
	VEC(const struct name *) names; ///< by id; NULL: two activities of one launch differ
};

void xprof_ops_init(struct xprof_ops *o);
void xprof_ops_release(struct xprof_ops *o);

/// Tell an activity, whose correlation id is set, its operator and module, and keep the operator;
/// false where there are too many names.
bool xprof_ops_add(struct xprof_ops *o, struct name_table *names, const struct xprof_details *d,
                   struct event *e);

/// The operator that launched it, as an event around its launch `e`; false where none is known.
bool xprof_op_around(const struct xprof_ops *o, const struct event *launch, struct event *out);

#endif
