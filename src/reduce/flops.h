/// Floating-point operations of operators.
#ifndef GG_REDUCE_FLOPS_H
#define GG_REDUCE_FLOPS_H

#include "events/event.h"
#include "model/digest.h"
#include "model/flops.h"

struct reducer;
struct flop_rule;
struct host_span;

/// Operations of one operator that a rule counts.
struct op_flops {
	uint32_t span; ///< index
	enum flop_type type;
	int64_t flops; ///< -1 if its inputs do not tell
};

/// An operator of a usable step whose operations count.
struct counted_op {
	int64_t start_ns, end_ns;
	uint32_t thread;
	uint32_t name; ///< index into `host.names`
	int64_t flops; ///< -1 if its inputs do not tell
	enum flop_type type;
	bool launched; ///< its thread launched something meanwhile
	int64_t gpu_ns; ///< GPU time of what was launched
};

struct flops {
	VEC(struct op_flops) ops; ///< by `span`
	VEC(struct counted_op) counted;
};

void flops_release(struct flops *f);

/// Keep the operations of the operator that becomes the next span.
void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev);

/// Join a part; its spans come after the first `spans` of the whole.
void flops_join(struct reducer *to, struct reducer *from, size_t spans);

/// Count a span that has a rule and lies in no other with a rule.
void flops_add(struct reducer *r, const struct host_span *s);

/// Rows of operations, after threads_walk().
void flops_figures(struct reducer *r, struct digest *d);

#endif
