/// Phases of training steps: forward, backward, optimizer, …
#ifndef GG_REDUCE_PHASES_H
#define GG_REDUCE_PHASES_H

#include "events/event.h"
#include "model/digest.h"

struct reducer;
struct activity;
struct host_span;

/// An annotation or operator from which the phase of its thread follows.
struct phase_span {
	int64_t start_ns, end_ns;
	uint32_t thread;
	enum phase phase;
};

/// Spans of phases; after phases_make() they are disjoint and sorted by thread and start.
struct phase_spans {
	VEC(struct phase_span) list;
};

/// The spans from which phases follow.
struct phases {
	struct phase_spans spans;
	struct phase_spans again; ///< recomputation, which has priority over a backward span around it
	/// nodes of autograd; they count as backward only in traces of PyTorch up to 1.9, which lack
	/// calls of autograd's engine
	struct phase_spans nodes;
	bool engine; ///< true if a call of autograd's engine was recorded
	size_t near[2]; ///< caches of the searches in `spans` and in `again`
	VEC(char) recomputes; ///< cache by name id: 0 unknown, 1 does not recompute, 2 recomputes
	bool found[NR_PHASES];
};

/// Releases the spans of phases and the cache of names.
void phases_release(struct phases *p);

/// Phase that follows from the name of an annotation or operator; PHASE_ALL if none does.
enum phase phase_of_name(struct span name);

/// Stores a Python frame if it recomputes activations of a checkpoint. **Source:** recompute_fn,
/// torch/utils/checkpoint.py (use_reentrant=False).
void phases_take_python(struct reducer *r, const struct event *ev);

/// True if phases_take_python() is known to do nothing for frames of this name.
static inline bool phases_skip_python(const struct phases *p, const struct name *name)
{
	return name->id < p->recomputes.nr && p->recomputes.v[name->id] == 1;
}

/// Stores an annotation or operator of a phase; `phase` is PHASE_ALL for a node of autograd.
void phases_take(struct phases *p, const struct event *ev, enum phase phase, uint32_t thread);

/// Sorts the spans; must be called before all functions below.
void phases_make(struct reducer *r);

/// Computes GPU time per measured step and phase, if the trace shows the phases.
void phases_samples(struct reducer *r, struct digest *d);

/// True if an activity is of the phase `options.phase`.
bool phases_has_activity(struct reducer *r, const struct activity *a);

/// True if an operator is of the phase `options.phase`.
bool phases_has_op(const struct reducer *r, const struct host_span *s);

/// Phase of a thread at an instant. `near` is a cache of the caller, initially 0.
enum phase phases_at(const struct phases *p, size_t near[2], uint32_t thread, int64_t at_ns);

/// Lists the kernels of the phase `options.phase` in `d`. Call it after kernel_figures() and
/// threads_walk().
void phase_figures(const struct reducer *r, struct digest *d);

#endif
