/// Figures and levels of each memory, from the [memory] events of PyTorch.
#ifndef GG_REDUCE_MEMORY_H
#define GG_REDUCE_MEMORY_H

#include "base/idmap.h"
#include "model/digest.h"

struct reducer;

/// A level of memory: the number of allocated bytes after an event.
struct level {
	int64_t start_ns, allocated;
};

/// A memory, such as that of one GPU, while the events of the trace are read.
struct memory_state {
	struct memory_stat stat;
	int64_t first_ns, peak_ns, end_ns; ///< times of the first event, the peak, the last event
	int64_t peak_pid, peak_tid; ///< ids in the trace of process and thread of the event at the peak
	VEC(struct level) levels; ///< levels in file order
};

struct memories {
	struct idmap ids; ///< map from the trace's number of a memory to its index in `list`
	VEC(struct memory_state) list;
};

/// Initializes `m` with no memories. Caller releases with memories_release().
void memories_init(struct memories *m);
void memories_release(struct memories *m);

/// Stores a [memory] event. Sets r->fault if the allocations add up to more than int64.
void memory_take(struct reducer *r, const struct event *ev);

/// Makes the rows of memories. Call it once the steps are known.
void memory_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

#endif
