/// Floating-point operations of host operators.
#ifndef GG_REDUCE_FLOPS_H
#define GG_REDUCE_FLOPS_H

#include "base/strbuf.h"
#include "events/event.h"
#include "model/digest.h"
#include "model/flops.h"

struct reducer;
struct flop_rule;
struct host_span;

/// Floating-point operations of one call of an operator, counted by its flop_rule.
struct op_flops {
	uint32_t span; ///< index of the operator's span
	enum flop_type type;
	int64_t flops; ///< operations; -1 if the inputs do not tell them
	int64_t bytes; ///< bytes moved at least; -1 if the inputs do not tell them
};

/// An operator of a usable step whose operations are counted.
struct counted_op {
	int64_t start_ns, end_ns;
	uint32_t thread;
	uint32_t name; ///< index of the operator's name in `host.names`
	int64_t flops, bytes; ///< see struct op_flops
	enum flop_type type;
	uint32_t launched; ///< number of GPU activities that the thread launched during the operator
	bool by_link; ///< true if one of them copies between the GPU and the host, or another GPU
	int64_t gpu_ns; ///< GPU time of the work that the operator launched
};

/// Texts that tell what a call moves and computes.
enum { CALL_TEXTS = 5 };

/// What was counted for a call: calls repeat from step to step.
struct known_call {
	struct strbuf text; ///< the texts, one after the other
	size_t ends[CALL_TEXTS]; ///< where each of them ends
	int64_t recorded; ///< operations that the event itself states
	struct op_flops count;
};

/// Number of the calls that are remembered.
enum { KNOWN_CALLS = 256 };

/// The floating-point operations of the operators of a trace.
struct flops {
	struct known_call known[KNOWN_CALLS]; ///< by a hash of the texts; the last one is kept
	VEC(struct op_flops) ops; ///< operations, sorted by `span`
	VEC(struct counted_op) counted;
};

/// Releases the operations of operators.
void flops_release(struct flops *f);

/// Stores the operations of the operator `ev`. Call it just before the operator's span is added.
void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev);

/// Adds the operations of a span that has a rule, unless it lies in another span that has one.
void flops_add(struct reducer *r, const struct host_span *s);

/// Sorts the operators whose operations are counted. Call it after threads_walk().
void flops_order(struct reducer *r);

/// The counted operator around a launch, or NULL. `*near` is the index of the last operator found,
/// where the search begins; first 0.
struct counted_op *flops_at(struct reducer *r, const struct host_span *launch, size_t *near);

/// Adds an activity that an operator launched.
void flops_take_work(struct counted_op *c, const struct kernel_stat *k, int64_t dur_ns);

/// Fills `d->flops`, the floating-point operations by operator. Call it after flops_order().
void flops_figures(struct reducer *r, struct digest *d);

#endif
