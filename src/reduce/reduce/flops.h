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

/// Operations and bytes of a call of an operator, as counted by the operator's rule.
struct op_size {
	enum flop_type type;
	int64_t flops; ///< number of operations; -1 if it does not follow from the inputs
	int64_t bytes; ///< least number of bytes moved; -1 if it does not follow from the inputs
};

/// A call of an operator that has a rule for counting (struct flop_rule).
struct sized_op {
	uint32_t span; ///< index of the operator's span
	uint32_t size; ///< index in `sizes`
};

/// An operator, nested in a backward operator, whose inputs are those of the forward operator and
/// the gradient of the forward operator's output.
struct op_backward {
	int64_t number; ///< sequence number of autograd
	uint32_t span; ///< index of the call's span
};

/// The GPU work that an operator launched.
struct op_work {
	int64_t gpu_ns;
	uint32_t launched; ///< number of activities that the thread launched during the operator
	bool by_link; ///< true if one of these activities copies between GPU and host, or between GPUs
	int64_t few_ns; ///< GPU time of kernels that have too few blocks for half of the
	                ///< multiprocessors
};

/// Number of texts of a call from which its operations and bytes are computed: its name, and the
/// shapes, types, strides and values of its inputs.
enum { CALL_TEXTS = 5 };

/// A call whose operations and bytes have been computed. Calls are cached, since they repeat from
/// step to step.
struct known_call {
	struct strbuf text; ///< the CALL_TEXTS texts of the call, one after the other
	size_t ends[CALL_TEXTS]; ///< where each text ends in `text`
	int64_t recorded; ///< operations that the trace itself states for the call (event.flops)
	uint32_t size; ///< index in `sizes`
};

/// Number of calls that are cached.
enum { KNOWN_CALLS = 256 };

/// The floating-point operations of the operators of a trace.
struct flops {
	struct known_call known[KNOWN_CALLS]; ///< cache, indexed by a hash of the texts of a call: the
	                                      ///< last call with this hash
	VEC(struct op_size) sizes;
	VEC(struct sized_op) ops; ///< calls with a rule, sorted by `span`
	VEC(struct sized_op) counted; ///< calls in `ops` that count, sorted by thread and start
	bool lends; ///< true if an operator has a rule that lends (flop_rule_lends())
	VEC(struct op_backward) backwards;
	int64_t sms; ///< multiprocessors of the smallest GPU; 0 if unknown
};

/// Releases the lists of operators and the texts of known calls.
void flops_release(struct flops *f);

/// Stores the operations of the operator `ev`. Call it just before the operator's span is added.
void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev);

/// Counts the operations of the operator at span `s`, which must have a rule and lie in no other
/// span that counts. If the number of operations does not follow from its inputs, that of the span
/// `lender` is used, unless `lender` is NO_ID. Call it for one thread after the other, in order of
/// start.
void flops_add(struct reducer *r, const struct host_span *s, uint32_t lender);

/// Stores a span whose rule lends (flop_rule_lends()) if the operator that calls it, the span
/// `caller`, is a backward operator.
void flops_take_backward(struct reducer *r, uint32_t span, uint32_t caller);

/// Computes the operations of calls from the inputs of their backward operators, if they do not
/// follow from the calls' own inputs. Call it after threads_walk().
void flops_size(struct reducer *r);

/// Index in `counted` of the operator around the call `launch`; NO_ID if there is none. `*near` is
/// a cache of the search, which the caller sets to 0 at first.
uint32_t flops_at(const struct reducer *r, const struct host_span *launch, uint32_t *near);

/// Adds an activity to the work of the operator that launched it. `name` is an index in
/// `gpu.names`, and `blocks` is from row_blocks().
void flops_take_work(const struct reducer *r, struct op_work *w, uint32_t name, int64_t dur_ns,
                     uint32_t blocks);

/// Fills `d->flops`, the floating-point operations by operator. Call it after flops_size().
void flops_figures(struct reducer *r, const struct trace_meta *meta, struct digest *d);

#endif
