/// Floating-point operations of an operator, computed from the shapes of its inputs.
///
/// Traces do not hold the profiler's own counts: with_flops=True is a flag in their head, but the
/// counts stay in key_averages(). Source: AddGenericMetadata,
/// torch/csrc/autograd/profiler_kineto.cpp (2.8): the "args" of an operator get only shapes,
/// strides, types, concrete inputs and sequence numbers.
#ifndef GG_REDUCE_FLOP_COUNT_H
#define GG_REDUCE_FLOP_COUNT_H

#include "events/event.h"
#include "model/digest.h"

struct flop_rule;

/// The rule for the operator called `name`, in static storage. NULL if the operator has no rule, or
/// if the operators that it calls are counted instead.
const struct flop_rule *flop_rule_of(struct span name);

/// True if a rule gives numbers of operations; false if it gives only bytes.
bool flop_rule_counts(const struct flop_rule *rule);

/// True for a rule that lends its counts: the operator itself is not counted; its numbers are used
/// for operators nested in it whose own inputs are not enough to count them.
bool flop_rule_lends(const struct flop_rule *rule);

/// Number of operations of one call; -1 if it does not follow from the inputs. `*type` becomes the
/// type of the operands.
int64_t flop_count(const struct flop_rule *rule, const struct event *ev, enum flop_type *type);

/// Bytes that one call with `flops` operations must move between the GPU and its memory; -1 if they
/// do not follow from the inputs.
int64_t byte_count(const struct flop_rule *rule, const struct event *ev, int64_t flops);

/// Number of operations of a convolution whose own inputs do not determine the size of its output.
/// That size is read from `backward`, the shapes of the inputs of the backward operator. -1 if it
/// cannot be read from them; else `*bytes` becomes the bytes moved, as from byte_count().
int64_t flop_count_by_backward(const struct flop_rule *rule, const struct event *ev,
                               struct span backward, int64_t *bytes);

#endif
