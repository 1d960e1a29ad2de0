/// Floating-point operations of an operator, by the shapes of its inputs.
///
/// Traces do not hold the profiler's own counts: with_flops=True is a flag in their head, but the
/// counts stay in key_averages(). Source: AddGenericMetadata,
/// torch/csrc/autograd/profiler_kineto.cpp (2.8): shapes, strides, types, concrete inputs and
/// sequence numbers are all that an operator's "args" get.
#ifndef GG_NAMES_FLOP_COUNT_H
#define GG_NAMES_FLOP_COUNT_H

#include "events/event.h"
#include "model/digest.h"

struct flop_rule;

/// How to count the operator of this name; NULL if it does not count, or its callees do. Static.
const struct flop_rule *flop_rule_of(struct span name);

/// Operations of one call; -1 if its inputs do not tell. `*type` is the type of what it multiplies.
int64_t flop_count(const struct flop_rule *rule, const struct event *ev, enum flop_type *type);

#endif
