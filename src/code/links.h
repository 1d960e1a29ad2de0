/// What joins the operators of autograd's threads to the operators that they are the backward of.
#ifndef GG_CODE_LINKS_H
#define GG_CODE_LINKS_H

#include "code/thread_ids.h"
#include "code/wide.h"

/// An end of a flow from an operator to its backward.
struct code_flow {
	int64_t id, at_ns;
	int64_t thread; ///< thread_key()
	bool end;
};

/// Sequence number of an operator.
struct code_sequence {
	uint32_t span; ///< index
	uint32_t number : 31; ///< widen() it
	bool backward : 1;
};

/// Where an operator began.
struct code_start {
	int64_t thread; ///< thread_key()
	int64_t at_ns;
};

/// From the start of a backward operator to that of its forward one.
struct code_arrow {
	struct code_start from, to;
};

/// A forward operator by its number.
struct code_forward {
	int64_t number;
	struct code_start start;
	bool mixed; ///< one of its number that began earlier is on another thread
};

struct code_links {
	VEC(struct code_flow) flows; ///< in file order
	VEC(struct code_sequence) sequences; ///< by `span`
	struct wide_numbers wide; ///< of sequence numbers
	/* made of them: */
	VEC(struct code_arrow) arrows; ///< by `from`
	VEC(struct code_forward) forwards; ///< by number and start
};

/// Releases what the links hold; one that is all zero holds nothing.
void code_links_release(struct code_links *l);

/// Keep a flow; or the sequence number of the operator that becomes span `span`.
void code_links_take_flow(struct code_links *l, struct thread_ids *t, const struct event *ev);
void code_links_take_op(struct code_links *l, const struct event *ev, uint32_t span,
                        const char **fault);

/// Join a part, whose spans come after the first `spans` of the whole. code_links_fit(): there is
/// room for its numbers.
bool code_links_fit(const struct code_links *to, const struct code_links *from);
void code_links_join(struct code_links *to, struct code_links *from, const struct part_ids *ids,
                     size_t spans);

/// Put the arrows of all flows in order.
void code_links_order(struct code_links *l);

/// The sequence number of the operator at `span`, or NULL.
const struct code_sequence *code_sequence_of(const struct code_links *l, uint32_t span);

/// Where the forward operator of one that begins at `start` began: by a flow, else by `sequence`,
/// which may be NULL. False where none is known. Needs code_links_order() and `forwards` in order.
bool code_forward_of(const struct code_links *l, struct code_start start,
                     const struct code_sequence *sequence, struct code_start *out);

/// Put `forwards` in order.
void code_forwards_order(struct code_links *l);

#endif
