/// [memory] events: levels and figures of each memory.
#ifndef GG_REDUCE_MEMORY_H
#define GG_REDUCE_MEMORY_H

#include "code/ids.h"
#include "model/digest.h"

struct reducer;

/// Allocated bytes from an event on.
struct level {
	int64_t start_ns, allocated;
};

struct memory_state {
	struct memory_stat stat;
	int64_t first_ns, peak_ns, end_ns; ///< of the first event, the peak, the last event
	int64_t peak_pid, peak_tid; ///< idents of the peak's event
	VEC(struct level) levels; ///< in file order
};

struct memories {
	struct idmap ids; ///< as the trace numbers them
	VEC(struct memory_state) list;
};

/// Ready for use, and back.
void memories_init(struct memories *m);
void memories_release(struct memories *m);

/// Keep a [memory] event; may set `fault`.
void memory_take(struct reducer *r, const struct event *ev);

/// Join a part: whether its sums fit; its events.
bool memories_fit(struct reducer *to, const struct reducer *from);
void memories_join(struct reducer *to, struct reducer *from);

/// Rows of memories, from the steps too.
void memory_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d);

#endif
