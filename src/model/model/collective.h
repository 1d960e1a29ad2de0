/// Facts about a collective that can be read from a single event.
#ifndef GG_MODEL_COLLECTIVE_H
#define GG_MODEL_COLLECTIVE_H

#include "events/event.h"
#include "model/digest.h"

/// What one event tells about the collective that it belongs to.
struct collective_call {
	enum collective_kind kind;
	struct span group, group_name, dtype; ///< texts, empty if unknown; borrowed or static
	int64_t group_size; ///< number of ranks in the group; -1 if unknown
	int64_t bytes; ///< bytes of the message; -1 if unknown
};

/// The kind that a name of torch ("_allgather_base", "nccl:all_reduce") or of a kernel
/// ("ncclDevKernel_SendRecv(…)", "cross_device_reduce_1stage") tells; COLLECTIVE_OTHER if it tells
/// none.
enum collective_kind collective_kind_of(struct span name);

/// What `ev` tells about its collective: by its arguments, else by its shapes (annotations), else
/// only by its name. The message is the larger of what a rank gives and gets, as in nccl-tests:
/// divided by the time it gives the algorithm bandwidth, and that × 2(n-1)/n (all_reduce) or ×
/// (n-1)/n (all_gather, reduce_scatter, all_to_all) the bus bandwidth.
struct collective_call collective_of(const struct event *ev);

#endif
