/// Phases of training steps: forward, backward, optimizer, …
#ifndef GG_REDUCE_PHASES_H
#define GG_REDUCE_PHASES_H

#include "events/event.h"
#include "model/digest.h"

struct reducer;
struct activity;
struct host_span;

/// An annotation or operator that tells what its thread does.
struct phase_span {
	int64_t start_ns, end_ns;
	uint32_t thread;
	enum phase phase;
};

/// By thread and start, disjoint, from phases_make() on.
struct phase_spans {
	VEC(struct phase_span) list;
};

struct phases {
	struct phase_spans spans;
	struct phase_spans again; ///< PHASE_RECOMPUTE: it has what lies in it, also within a backward
	size_t near[2]; ///< spans of both begun at the last lookup: launches mostly come in order
	VEC(char) recomputes; ///< cache, by id of a name: 1 it is not a frame that recomputes, 2 it is
	bool found[NR_PHASES];
};

void phases_release(struct phases *p);

/// Phase that the name of an annotation or operator tells; PHASE_ALL if none.
enum phase phase_of_name(struct span name);

/// Keep a Python frame if it computes activations of a checkpoint again.
/// **Source:** recompute_fn, torch/utils/checkpoint.py (use_reentrant=False).
void phases_take_python(struct reducer *r, const struct event *ev);

/// Keep an annotation or operator of a phase.
void phases_take(struct phases *p, const struct event *ev, enum phase phase, uint32_t thread);

void phases_join(struct reducer *to, struct reducer *from);

/// Put the spans in order, before all that follow.
void phases_make(struct reducer *r);

/// Add up GPU time per measured step and phase, if the trace tells the phases.
void phases_samples(struct reducer *r, struct digest *d);

/// True for an activity of the requested phase.
bool phases_has_activity(struct reducer *r, const struct activity *a);

/// True for an operator of the requested phase. Changes nothing: a second thread may ask.
bool phases_has_op(const struct reducer *r, const struct host_span *s);

/// Phase of a thread at an instant. `near` is a cache of the caller's, at first 0.
enum phase phases_at(const struct phases *p, size_t near[2], uint32_t thread, int64_t at_ns);

/// Rows of the requested phase, after kernel_figures() and threads_walk().
void phase_figures(const struct reducer *r, struct digest *d);

#endif
