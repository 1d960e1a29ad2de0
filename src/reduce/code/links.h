/// Links the backward operators on autograd's threads to their forward operators.
#ifndef GG_CODE_LINKS_H
#define GG_CODE_LINKS_H

#include "code/thread_ids.h"
#include "code/wide.h"

/// One end of a flow, by which the trace connects an operator with its backward operator.
struct code_flow {
	int64_t id, at_ns;
	int64_t thread; ///< key of the event's thread, from thread_key()
	bool end; ///< true for the end of the flow, at the backward operator; false for its start
};

/// Sequence number that autograd gave to an operator.
struct code_sequence {
	uint32_t span; ///< index of the operator in `host.spans`
	uint32_t number : 31; ///< sequence number, packed by narrow()
	bool backward : 1;
};

/// The moment and the thread where an operator began.
struct code_start {
	int64_t thread; ///< key of the operator's thread, from thread_key()
	int64_t at_ns;
};

/// An arrow from the start of a backward operator to the start of its forward operator.
struct code_arrow {
	struct code_start from, to;
};

/// A forward operator and its sequence number.
struct code_forward {
	int64_t number;
	struct code_start start;
	bool mixed; ///< true if an earlier operator with the same number ran on another thread
};

/// The links between backward and forward operators of a trace.
struct code_links {
	VEC(struct code_flow) flows; ///< events that begin or end a flow, in file order
	VEC(struct code_sequence) sequences; ///< sequence numbers, sorted by `span`
	struct wide_numbers wide; ///< sequence numbers that need more than 30 bits
	/* `arrows` are made from `flows`, and `forwards` from `sequences` */
	VEC(struct code_arrow) arrows; ///< arrows, sorted by `from`
	VEC(struct code_forward) forwards; ///< forward operators, sorted by sequence number and start
};

/// Releases all memory of the links; links that are all zero may be passed, too.
void code_links_release(struct code_links *l);

/// code_links_take_flow() stores one end of a flow. code_links_take_op() stores the sequence number
/// of the operator with index `span`; it sets `*fault` if too many of these numbers need more than
/// 30 bits.
void code_links_take_flow(struct code_links *l, struct thread_ids *t, const struct event *ev);
void code_links_take_op(struct code_links *l, const struct event *ev, uint32_t span,
                        const char **fault);

/// Makes arrows from all flows, and sorts them.
void code_links_order(struct code_links *l);

/// The sequence number of the operator with index `span`; NULL if it has none.
const struct code_sequence *code_sequence_of(const struct code_links *l, uint32_t span);

/// Finds the start of the forward operator that belongs to the backward operator which begins at
/// `start`: by a flow, else by `sequence`, which may be NULL. False if unknown. Call
/// code_links_order() and code_forwards_order() before.
bool code_forward_of(const struct code_links *l, struct code_start start,
                     const struct code_sequence *sequence, struct code_start *out);

/// Sorts the list of forward operators by sequence number, then by start.
void code_forwards_order(struct code_links *l);

#endif
