/// Steps, found by markers, by the profiler itself, or by repetition of the launches.
#ifndef GG_REDUCE_STEPS_H
#define GG_REDUCE_STEPS_H

#include "base/idmap.h"
#include "model/digest.h"
#include "reduce/step_name.h"

struct reducer;

struct activity;

/// A step: the interval of its marker annotation.
struct mark {
	int64_t start_ns, end_ns;
	int64_t number; ///< number in the marker's name, < 0 if there is none; from steps_make() on,
	                ///< index of the step if not all steps have different numbers
	struct step_told told; ///< facts that the name gives about a step of an inference server
	uint32_t group; ///< id in `own.groups`, for a step that the profiler marked itself
	int64_t pid; ///< id in the trace of the process that made the annotation
};

/// An annotation that is not a step marker. For a trace without markers, a marker is proposed that
/// matches such annotations.
struct annotation {
	int64_t start_ns, end_ns;
	uint32_t name; ///< index of the name in `host.names`
	int64_t group; ///< for an annotation on a GPU's timeline, an id that all annotations of the
	               ///< same step share; else IDENT_NONE
};

/// Largest number of annotations that are kept. No marker is proposed for a trace with more.
enum { ANNOTATIONS_KEPT = 1 << 20 };

/// A step, or one interval of a step, on the timeline of one GPU or of one of its streams.
struct own_interval {
	int64_t device, stream; ///< ids in the trace of GPU and stream; stream is IDENT_NONE if the
	                        ///< interval is of all streams
	int64_t start_ns, end_ns;
	uint32_t step; ///< id of the step in `groups`; from own_steps_order() on, index in
	               ///< `steps.marks`
};

/// Steps that the profiler marked itself.
struct own_steps {
	struct idmap groups; ///< ids in the trace of steps, each once; a step has the same id on all
	                     ///< GPUs
	VEC(struct mark) marks; ///< steps over all GPUs, indexed by id in `groups`
	VEC(struct own_interval)
	intervals; ///< intervals of steps; own_steps_order() sorts them by GPU, stream
	VEC(struct mark) numbered; ///< annotations on the host that have the number of a step
	bool in_use; ///< true if `marks` are the steps of the trace
	bool annotated; ///< true if `marks` are annotations on the GPU, not steps derived by XProf
};

/// The part of a step's interval that no earlier step covers.
struct owned {
	int64_t start_ns, end_ns;
	uint32_t step;
};

/// The steps of a trace: marks (intervals in ns), and which of them are measured.
struct steps {
	VEC(struct mark) marks; ///< steps, which steps_make() sorts by start
	struct own_steps own;
	VEC(struct annotation) annotations;
	bool annotations_cut; ///< true if the trace has more annotations than were kept
	VEC(struct owned) owned; ///< intervals of steps, disjoint and in order of time
	size_t owned_near; ///< index of the interval found last; the next search tries it first
	size_t warmup; ///< number of marks that are left out at the beginning
	size_t usable; ///< number of complete measured steps: marks after the warm-up, without those at
	               ///< the end that were cut short or have pending launches
	bool window; ///< true if the only mark is the whole trace
};

/// Initializes `s` with no steps. Caller releases with steps_release().
void steps_init(struct steps *s);
void steps_release(struct steps *s);

/// Stores an annotation that is a marker or has the number of a step.
void steps_take(struct reducer *r, const struct event *ev, bool marker);

/// Sorts and numbers the steps, and allocates the per-step arrays of `d`.
void steps_make(struct reducer *r, struct digest *d);

/// Assigns a step to every activity, and counts the activities outside of steps. Finds the number
/// of complete measured steps.
void steps_attribute(struct reducer *r, struct digest *d);

/// Stores a step on the timeline of a GPU, or the interval of a step that is on one stream.
void own_steps_take(struct reducer *r, const struct event *ev);

/// If no annotation is a marker and `options` allow it, the steps that the profiler marked itself
/// become the steps of the trace.
void own_steps_use(struct reducer *r);

/// Prepares own_steps_at(). Call it once `steps.marks` are sorted.
void own_steps_order(struct reducer *r);

/// Index of the step that was running when an activity began, on its GPU (and stream, if intervals
/// have streams); NO_ID if there was none.
uint32_t own_steps_at(const struct reducer *r, const struct activity *a);

/// Stores an annotation that is not a marker.
void annotation_take(struct reducer *r, const struct event *ev, uint32_t name);

/// For a trace without steps: proposes a marker in `d`, a pattern for annotations that would make
/// good steps.
void markers_propose(struct reducer *r, struct digest *d);

/// For a trace without markers: finds the sequence of launches that repeats. With
/// `options.by_period`, each repetition becomes a step.
void unmarked_steps(struct reducer *r, struct digest *d);

/// Index of the step at an instant, or NO_ID. steps_at() first tries the step that it found last.
uint32_t steps_find(struct steps *s, int64_t at_ns);
static inline uint32_t steps_at(struct steps *s, int64_t at_ns)
{
	if (s->window)
		return 0;
	if (s->owned.nr) {
		const struct owned *near = &s->owned.v[s->owned_near];
		if (near->start_ns <= at_ns && at_ns < near->end_ns)
			return near->step;
	}
	return steps_find(s, at_ns);
}

/// Index of a step among the measured steps; NO_ID in the warm-up and outside of steps.
static inline uint32_t steps_measured(const struct steps *s, uint32_t step)
{
	return step == NO_ID || step < s->warmup ? NO_ID : step - (uint32_t)s->warmup;
}

/// Like steps_measured(), but NO_ID also for incomplete steps at the end. (For the warm-up and for
/// NO_ID, the unsigned difference wraps around to a number beyond the last step.)
static inline uint32_t steps_usable(const struct steps *s, uint32_t step)
{
	size_t i = (size_t)step - s->warmup;
	return i < s->usable ? (uint32_t)i : NO_ID;
}

#endif
