/// Facts about a collective that can be read from a single event.
#ifndef GG_MODEL_COLLECTIVE_H
#define GG_MODEL_COLLECTIVE_H

#include "events/event.h"
#include "model/digest.h"

/// The facts on a collective that one of its events contains.
struct collective_call {
	enum collective_kind kind;
	/// `group`: description of the process group, else its name; `group_name`: its name; `dtype`:
	/// element type of the message. Empty if unknown; borrowed or static.
	struct span group, group_name, dtype;
	int64_t group_size; ///< number of ranks in the group; -1 if unknown
	int64_t bytes; ///< bytes of the message; -1 if unknown
};

/// The kind of collective that a name contains, be it a name of PyTorch ("_allgather_base",
/// "nccl:all_reduce") or of a kernel ("ncclDevKernel_SendRecv(…)", "cross_device_reduce_1stage").
/// COLLECTIVE_OTHER if the name contains no kind.
enum collective_kind collective_kind_of(struct span name);

/// The collective to which the event `ev` belongs, as described by its arguments, else by the
/// shapes of its tensors, else only by its name. As in nccl-tests, the message is the larger of the
/// input and the output of a rank. Its size divided by the time is the algorithm bandwidth. The bus
/// bandwidth of n ranks is the algorithm bandwidth × 2(n-1)/n (all_reduce) or × (n-1)/n
/// (all_gather, reduce_scatter, all_to_all).
struct collective_call collective_of(const struct event *ev);

#endif
