/// What an event says of a collective.
#ifndef GG_MODEL_COLLECTIVE_H
#define GG_MODEL_COLLECTIVE_H

#include "events/event.h"
#include "model/digest.h"

struct collective_call {
	enum collective_kind kind;
	struct span group, group_name, dtype; ///< empty if unknown; borrowed from the event, or static
	int64_t group_size; ///< -1 if unknown
	int64_t bytes; ///< of the message; -1 if unknown
};

/// Kind told by a name of torch ("_allgather_base", "nccl:all_reduce") or of a kernel
/// ("ncclDevKernel_SendRecv(…)", "cross_device_reduce_1stage"); OTHER if none.
enum collective_kind collective_kind_of(struct span name);

/// What `ev` says: its arguments; else its shapes (annotations); else only its name. The message is
/// the larger of what a rank gives and gets, as in nccl-tests: over the time it is the algorithm
/// bandwidth, and that × 2(n-1)/n (all_reduce) or × (n-1)/n (all_gather, reduce_scatter,
/// all_to_all) the bus bandwidth.
struct collective_call collective_of(const struct event *ev);

#endif
